"""The result of `evaluate`'s module `rouge`."""

import math
from collections.abc import Callable
from typing import Any

from ...statistics.arguments.shapes import TextRows, TextsRows
from .rouge_scores import RougeTypes
from .rouge_scores import rouge as rouge_scores


def rouge(
    *,
    predictions: TextRows,
    references: TextsRows,
    rouge_types: RougeTypes | None = None,
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: Callable[[str], list[str]] | None = None,
) -> dict[str, Any]:
    """Return F1 of rouge1, rouge2, rougeL and rougeLsum: means, or lists without `use_aggregator`.

    As in the module, `use_stemmer` does not apply to a tokenizer of your own.

    Differences:
        With `use_aggregator=True` the module returns the median of 1,000 bootstrap means, drawn
        without a seed; here it is the mean itself, which that median estimates.

    >>> rouge(predictions=["the cat"], references=["the cat sat"], rouge_types=["rouge1"])
    {'rouge1': 0.8}
    """
    scores = rouge_scores(
        predictions,
        references,
        rouge_types=rouge_types or ("rouge1", "rouge2", "rougeL", "rougeLsum"),
        use_stemmer=use_stemmer and tokenizer is None,
        tokenizer=tokenizer or "rouge_score",
    )
    if not use_aggregator:
        return {name: values.f1.tolist() for name, values in scores.items()}
    return {name: math.fsum(values.f1) / len(values.f1) for name, values in scores.items()}
