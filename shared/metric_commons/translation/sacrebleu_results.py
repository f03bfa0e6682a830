"""Results of BLEU, chrF and TER as in sacrebleu and evaluate, and sacrebleu's signatures.

Scripts written for the modules `sacrebleu`, `chrf` and `ter` of `evaluate` read keys such as
`score`; papers quote sacrebleu's signature, which says how a score was computed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..numbers.checks import OptionError
from ..statistics.sums import RowStatistics
from ..texts.references import reference_counts
from .bleu_definitions import Definition
from .ngram_precision import SMOOTH_VALUES, SmoothMethod
from .translation_tokenizers import TranslationTokenizer

SacrebleuFormat = Literal["sacrebleu"]

VERSION = "2.6.0"  # of sacrebleu, whose scores these equal

_BLEU_KEYS = {
    "bleu": "score",
    "counts": "counts",
    "totals": "totals",
    "precisions": "precisions",
    "brevity_penalty": "bp",
    "sys_len": "sys_len",
    "ref_len": "ref_len",
}
_TER_KEYS = {"ter": "score", "num_edits": "num_edits", "ref_length": "ref_length"}


def sacrebleu_bleu(rows: RowStatistics, definition: Definition) -> RowStatistics:
    """The statistics of BLEU, with scores named as in evaluate's `sacrebleu`."""
    _check_definition("result_format", definition)
    return rows.renamed(_BLEU_KEYS)


def sacrebleu_chrf(
    rows: RowStatistics, *, char_order: int, word_order: int, beta: float
) -> RowStatistics:
    """The statistics of chrF, with scores named as in evaluate's `chrf`."""
    orders = {"char_order": char_order, "word_order": word_order, "beta": beta}
    return rows.renamed({"chrf": "score"}, **orders)


def sacrebleu_ter(rows: RowStatistics) -> RowStatistics:
    """The statistics of TER, with scores named as in evaluate's `ter`."""
    return rows.renamed(_TER_KEYS)


def bleu_signature(
    references: Sequence[str | list[str]],
    *,
    definition: Definition,
    tokenize: TranslationTokenizer,
    lowercase: bool,
    smooth_method: SmoothMethod,
    smooth_value: float | None,
    effective_order: bool,
) -> str:
    """The signature of BLEU, in sacrebleu's format.

    >>> bleu_signature(
    ...     ["a"],
    ...     definition="sacrebleu",
    ...     tokenize="13a",
    ...     lowercase=False,
    ...     smooth_method="floor",
    ...     smooth_value=None,
    ...     effective_order=False,
    ... )
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0'
    """
    _check_definition("signature", definition)
    name = getattr(tokenize, "__name__", "function") if callable(tokenize) else tokenize
    smooth: str = smooth_method
    if smooth_method in SMOOTH_VALUES:
        value = SMOOTH_VALUES[smooth_method] if smooth_value is None else smooth_value
        smooth += f"[{value:.2f}]"
    case = "lc" if lowercase else "mixed"
    return _signature(references, case=case, eff=effective_order, tok=name, smooth=smooth)


def chrf_signature(
    references: Sequence[str | list[str]],
    *,
    char_order: int,
    word_order: int,
    lowercase: bool,
    whitespace: bool,
    eps_smoothing: bool,
) -> str:
    """The signature of chrF, in sacrebleu's format."""
    case = "lc" if lowercase else "mixed"
    orders = {"nc": int(char_order), "nw": int(word_order)}
    return _signature(references, case=case, eff=not eps_smoothing, **orders, space=whitespace)


def ter_signature(
    references: Sequence[str | list[str]],
    *,
    normalized: bool,
    no_punct: bool,
    asian_support: bool,
    case_sensitive: bool,
) -> str:
    """The signature of TER, in sacrebleu's format."""
    case = "mixed" if case_sensitive else "lc"
    flags = {"norm": normalized, "punct": not no_punct, "asian": asian_support}
    return _signature(references, case=case, tok="tercom", **flags)


def _signature(references: Sequence[str | list[str]], **parts: Any) -> str:
    counts = set(reference_counts(references).tolist())
    values: Mapping[str, Any] = {
        "nrefs": counts.pop() if len(counts) == 1 else "var",
        **parts,
        "version": VERSION,
    }
    words = {True: "yes", False: "no"}
    return "|".join(
        f"{key}:{words[value] if isinstance(value, bool) else value}"
        for key, value in values.items()
    )


def _check_definition(option: str, definition: Definition) -> None:
    if definition != "sacrebleu":
        raise OptionError(option, f"is for sacrebleu only, and {definition!r} is not sacrebleu")
