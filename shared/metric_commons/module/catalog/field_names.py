"""Names that users type for a score, and the module and option that compute it.

The names are those of papers, of evaluate's modules, of the functions of scikit-learn and of the
scores of lm-evaluation-harness and inspect_ai. For scores that
no module computes, other packages are named.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_SIMILAR = 0.75  # at least, of a misspelling and its name: "blue" and "bleu", but not "ter"
_ENDINGS = ("_score", "_loss")  # of scikit-learn's and others' functions


class Use(NamedTuple):
    """A score of a module, and its setting."""

    module: str
    score: str = ""  # its key in the result; "" if it is the name of the module
    setting: str = ""  # to follow --set
    data: str = ""  # the data that it is for, if a name has several meanings

    def sentence_part(self) -> str:
        """Return the module, its score and setting in words.

        >>> Use("error_rate", "cer", "unit=character").sentence_part()
        'error_rate (its score cer, with unit=character)'
        """
        words = [f"its score {self.score}"] if self.score else []
        words += [f"with {self.setting}"] if self.setting else []
        text = f"{self.module} ({', '.join(words)})" if words else self.module
        return f"{text} for {self.data}" if self.data else text


_TABLE = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
# By name, with the most usual module first; and scores that no module computes: the packages that
# do, and what they need.
USES = {name: [Use(*use) for use in uses] for name, uses in _TABLE["uses"].items()}
ELSEWHERE: Mapping[str, str] = _TABLE["elsewhere"]


def suggestion(name: str, modules: Collection[str]) -> str:
    """Return a hint for a name that is not a module, to append to an error; "" if it is unknown.

    For a known score it names the module that computes it, or else another package. Otherwise it
    suggests a name that differs in few letters.

    Args:
        name: the name that was typed.
        modules: the names of the modules.

    >>> suggestion("wer", ["error_rate", "ter"])
    '; use error_rate (its score wer)'
    >>> suggestion("NDCG@5", ["ir_ranking"])
    '; use ir_ranking (its score ndcg@5, with measures="ndcg@5")'
    >>> suggestion("BERTScore", ["bleu"])
    '; bert-score has it (it needs a model)'
    >>> suggestion("qa_emm", ["qa_em"]), suggestion("metal", ["ter"])
    ("; did you mean 'qa_em'?", '')
    >>> suggestion("auroc", [])
    '; use classification (its score roc_auc) for scores of labels or selective_answering \
(its score auroc) for answers with confidences'
    """
    for key in _keys(name):
        if key in modules:
            return f"; use {key}"
        if key in USES:
            parts = [_at_cutoff(use, name).sentence_part() for use in USES[key]]
            *first, last = parts
            return f"; use {', '.join(first)} or {last}" if first else f"; use {last}"
        if key in ELSEWHERE:
            owner, opening, reason = ELSEWHERE[key].partition(" (")
            verb = "have" if " and " in owner else "has"
            return f"; {owner} {verb} it{opening}{reason}"
    from difflib import get_close_matches  # only for messages

    for names in (modules, [*USES, *ELSEWHERE]):
        if close := get_close_matches(_plain(name), names, n=1, cutoff=_SIMILAR):
            return f"; did you mean {close[0]!r}?"
    return ""


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _keys(name: str) -> Iterable[str]:
    """Yield the name, also without its cutoff, and without the ending of a function's name."""
    plain = _plain(name)
    without_cutoff = plain.partition("@")[0].removesuffix("_at_k")
    benchmark = plain.partition("/")[0]
    stems = dict.fromkeys([plain, without_cutoff])
    if "glue" in benchmark:
        stems[benchmark] = None
    for stem in stems:
        yield stem
        for ending in _ENDINGS:
            yield stem.removesuffix(ending)


def _at_cutoff(use: Use, name: str) -> Use:
    """Return the score with the cutoff in the name, such as 5 in ndcg@5 and pass@5."""
    _, _, cutoff = name.partition("@")
    if use.module in ("pass_at_k", "code_eval") and cutoff.replace(",", "").isdigit():
        return use._replace(score=f"pass@{cutoff}", setting=f"k={cutoff}")
    if use.module != "ir_ranking" or not cutoff:
        return use
    measure = f"{use.score.partition('@')[0]}@{cutoff}"
    return use._replace(score=measure, setting=f'measures="{measure}"')
