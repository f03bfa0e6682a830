"""TER: the edits, including shifts of phrases, that turn a translation into its reference.

The scores equal those of sacrebleu, from 0 to 100 and above. If there are several references, the
one with the fewest edits counts, together with the mean length of all.

sacrebleu tokenizes references twice, and so must any score with its signature: `normalized` splits
"'s" from "peter's" the first time, and the apostrophe from "'s" the second time. The other options
have the same effect once or twice.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...statistics.arguments.domains import checked_options
from ...statistics.intervals.sum_distributions import SumRatio
from ...statistics.intervals.sums import RowStatistics
from ..tokens.references import missing_reference, reference_list
from .word_shifts import translation_edits

# As in sacrebleu, which took them from Tercom; "\n-" is a slip there, instead of "-\n".
_WESTERN = [
    (re.compile(r"\n-"), ""),
    (re.compile(r"\n"), " "),
    (re.compile("&quot;"), '"'),
    (re.compile("&amp;"), "&"),
    (re.compile("&lt;"), "<"),
    (re.compile("&gt;"), ">"),
    (re.compile(r"\A|\Z"), " "),
    (re.compile(r"([{-~[-` -&(-+:-@/])"), r" \1 "),
    (re.compile("'s "), " 's "),
    (re.compile("'s$"), " 's"),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile("([0-9])(-)"), r"\1 \2 "),
]
_MARKS = re.compile(r"[\.,\?:;!\"\(\)]")
_ASIAN_MARKS = re.compile("([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb])")
_WIDE_MARKS = re.compile("([\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])")
_KANA = ("\u3040-\u309f", "\u30a0-\u30ff", "\u31f0-\u31ff")
_ASIAN = [
    (re.compile("([\u4e00-\u9fff\u3400-\u4dbf])"), r" \1 "),
    (re.compile("([\u31c0-\u31ef\u2e80-\u2eff])"), r" \1 "),
    (re.compile("([\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f])"), r" \1 "),
    (re.compile("([\u3200-\u3f22])"), r" \1 "),
    *((re.compile(f"(^|^[{kana}])([{kana}]+)(?=$|^[{kana}])"), r"\1 \2 ") for kana in _KANA),
    (_ASIAN_MARKS, r" \1 "),
    (_WIDE_MARKS, r" \1 "),
]


@checked_options
def ter_statistics(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> RowStatistics:
    """For each row the fewest edits, and the mean length of its references.

    Args:
        predictions: one translation per row.
        references: one or more references per row; an empty text counts as a reference.
        normalized: whether to split punctuation from words and resolve XML entities; twice for
            references.
        no_punct: whether to delete punctuation.
        asian_support: whether to do both for Chinese and Japanese text too.
        case_sensitive: whether case counts.

    Raises:
        ValueError: a row has no references, or an option is not valid.

    >>> rows = ter_statistics(["d e f a b c", "a"], ["a b c d e f", ["b", "a c a"]])
    >>> rows.result()
    {'ter': 25.0, 'num_edits': 2, 'ref_length': 8.0}
    """

    @cache
    def words(text: str) -> list[str]:
        return ter_words(
            text.rstrip(),
            normalized=normalized,
            no_punct=no_punct,
            asian_support=asian_support,
            case_sensitive=case_sensitive,
        )

    def reference_words(text: str) -> list[str]:
        tokenized = words(text)
        return words(" ".join(tokenized)) if normalized else tokenized

    values = np.zeros((len(predictions), 2))
    for row, (prediction, texts) in enumerate(zip(predictions, references, strict=True)):
        row_references = [reference_words(text) for text in reference_list(texts)]
        if not row_references:
            raise missing_reference(row)
        edits = min(translation_edits(words(prediction), target) for target in row_references)
        values[row] = edits, sum(map(len, row_references)) / len(row_references)

    def row_scores(sums: Mapping[str, float]) -> dict[str, float]:
        return {"ter": ter_score(sums)["ter"]}

    distribution = SumRatio({"num_edits": 1}, {"ref_length": 1}, upper=None, scale=100)
    names = ("num_edits", "ref_length")
    return RowStatistics(
        names,
        values,
        ter_score,
        row_scores,
        distributions=lambda statistics: {"ter": distribution},
        length=lambda statistics: ["ref_length"],
    )


def ter_score(sums: Mapping[str, float]) -> dict[str, Any]:
    """TER from sums over rows; 100 if only the references are empty, 0 if all texts are."""
    edits, length = sums["num_edits"], sums["ref_length"]
    rate = edits / length if length else float(edits > 0)
    return {"ter": 100 * rate, "num_edits": int(edits), "ref_length": float(length)}


def ter_words(
    text: str,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> list[str]:
    """Return the words of a text, as in Tercom.

    >>> ter_words("It's 3.5 (now).", normalized=True)
    ['it', "'s", '3.5', '(', 'now', ')', '.']
    >>> ter_words("It's 3.5 (now).", no_punct=True)
    ["it's", '35', 'now']
    """
    if not case_sensitive:
        text = text.lower()
    if normalized and text:
        for expression, replacement in [*_WESTERN, *(_ASIAN if asian_support else ())]:
            text = expression.sub(replacement, text)
    if no_punct:
        text = _MARKS.sub("", text)
        if asian_support:
            text = _WIDE_MARKS.sub("", _ASIAN_MARKS.sub("", text))
    return text.split()
