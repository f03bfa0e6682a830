"""Results of `evaluate`'s modules `bleu`, `sacrebleu`, `google_bleu`, `chrf`, `ter` and `sari`.

The parameters of each function are the inputs and options of the module of this name.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Length
from ...statistics.arguments.shapes import TextRows, TextsRows
from .character_ngrams import Beta, Order, chrf_statistics
from .ngram_precision import SmoothMethod, SmoothValue, bleu_statistics, gleu_statistics
from .simplifications import sari_scores
from .translation_tokenizers import TranslationTokenizer

WordTokenizer = Callable[[str], object]


def bleu(
    *,
    predictions: TextRows,
    references: TextsRows,
    tokenizer: WordTokenizer | None = None,
    max_order: Length = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Return BLEU from 0 to 1, with the shortest reference; the tokenizer is 13a by default.

    >>> bleu(predictions=["the cat sat on a mat"], references=["the cat sat on a mat"])["bleu"]
    1.0
    """
    rows = bleu_statistics(
        predictions,
        references,
        definition="hf",
        tokenize=tokenizer or "13a",
        max_ngram_order=max_order,
        smooth_method="add-k" if smooth else "none",
    )
    return rows.result()


def google_bleu(
    *,
    predictions: TextRows,
    references: TextsRows,
    tokenizer: WordTokenizer | None = None,
    min_len: Length = 1,
    max_len: Length = 4,
) -> dict[str, Any]:
    """Return GLEU from 0 to 1, of n-grams of `min_len` to `max_len` words; 13a splits by default.

    Differences:
        Every row needs a reference, and `min_len` may not exceed `max_len`; the module ignores rows
        without references, and returns 0 without n-grams.

    >>> google_bleu(predictions=["the cat sat"], references=[["the cat sat", "a cat"]])
    {'google_bleu': 1.0}
    """
    if min_len > max_len:
        raise OptionError("min_len", f"exceeds max_len, {max_len}")
    rows = gleu_statistics(
        predictions,
        references,
        tokenize=tokenizer or "13a",
        min_ngram_order=min_len,
        max_ngram_order=max_len,
    )
    return rows.result()


def sacrebleu(
    *,
    predictions: TextRows,
    references: TextsRows,
    smooth_method: SmoothMethod = "exp",
    smooth_value: SmoothValue | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: TranslationTokenizer | None = None,
    use_effective_order: bool = False,
) -> dict[str, Any]:
    """Return BLEU from 0 to 100, as `score`; `force` has no effect, as there is no warning.

    Differences:
        The tokenizers are "13a", "intl", "zh", "char", "none" and functions. Rows may differ in
        their number of references.
    """
    result = bleu_statistics(
        predictions,
        references,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        lowercase=lowercase,
        tokenize=tokenize or "13a",
        effective_order=use_effective_order,
    ).result()
    return {
        "score": result["bleu"],
        **{key: result[key] for key in ("counts", "totals", "precisions")},
        "bp": result["brevity_penalty"],
        **{key: result[key] for key in ("sys_len", "ref_len")},
    }


def chrf(
    *,
    predictions: TextRows,
    references: TextsRows,
    char_order: Length = 6,
    word_order: Order = 0,
    beta: Beta = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> dict[str, Any]:
    """Return the chrF from 0 to 100, as `score`, and the options that define it.

    Differences:
        Rows may differ in their number of references. `char_order` is at least 1.
    """
    orders: dict[str, Any] = {"char_order": char_order, "word_order": word_order, "beta": beta}
    result = chrf_statistics(
        predictions,
        references,
        **orders,
        lowercase=lowercase,
        whitespace=whitespace,
        eps_smoothing=eps_smoothing,
    ).result()
    return {"score": result["chrf"], **orders}


def ter(
    *,
    predictions: TextRows,
    references: TextsRows,
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> dict[str, Any]:
    """Return the TER as `score`, 100 for as many edits as words, and the sums of both.

    Differences:
        Rows may differ in their number of references.
    """
    from .translation_edit_rate import ter_score, ter_statistics  # not for BLEU

    statistics = ter_statistics(
        predictions,
        references,
        normalized=normalized,
        no_punct=ignore_punct,
        asian_support=support_zh_ja_chars,
        case_sensitive=case_sensitive,
    )
    # Added row by row, as in the module: mean lengths of three references or more are fractions.
    totals = np.add.accumulate(statistics.values)[-1].tolist()
    result = ter_score(dict(zip(statistics.names, totals, strict=True)))
    return {"score": result.pop("ter"), **result}


def sari(*, sources: TextRows, predictions: TextRows, references: TextsRows) -> dict[str, Any]:
    """Return the mean SARI from 0 to 100; rows are added one after another, as in the module.

    >>> sari(sources=["a b c"], predictions=["a b"], references=[["a b", "b c"]])
    {'sari': 85.41666666666666}
    """
    rows = sari_scores(sources, predictions, references)
    return {"sari": 100 * (sum(rows) / len(rows))}
