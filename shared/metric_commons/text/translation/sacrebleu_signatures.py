"""Sacrebleu's signatures of BLEU, chrF and TER, which papers quote: how a score was computed."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...statistics.arguments.checks import OptionError
from ..tokens.references import reference_counts
from .ngram_precision import SMOOTH_VALUES, Definition, SmoothMethod
from .translation_tokenizers import TranslationTokenizer

VERSION = "2.6.0"  # of sacrebleu, whose scores these equal


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
    """Return the signature of BLEU, in sacrebleu's format.

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
    if definition != "sacrebleu":
        raise OptionError(
            "signature", f"is for sacrebleu only, and {definition!r} is not sacrebleu"
        )
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
    """Return the signature of chrF, in sacrebleu's format."""
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
    """Return the signature of TER, in sacrebleu's format."""
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
