"""The result of `evaluate`'s module `seqeval`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Proportion, Weights
from ...statistics.arguments.shapes import ListOf, Scalar
from .spans import span_statistics
from .tag_schemes import NamedScheme

TagRows = Annotated[Any, ListOf(Scalar(str))]


def seqeval(
    *,
    predictions: TagRows,
    references: TagRows,
    suffix: bool = False,
    scheme: NamedScheme | None = None,
    mode: Literal["strict"] | None = None,
    sample_weight: Weights | None = None,
    zero_division: Literal["warn"] | Proportion = "warn",
) -> dict[str, Any]:
    """Return the scores of each type, as a dictionary, and the scores of all types together.

    As in the module, `scheme` counts only with `mode="strict"`, which otherwise takes the scheme of
    the references, and `sample_weight` changes nothing.

    >>> result = seqeval(predictions=[["B-PER", "B-LOC"]], references=[["B-PER", "O"]])
    >>> result["overall_precision"], result["PER"]["number"]
    (0.5, 1)
    """
    if zero_division not in ("warn", 0, 1):
        raise OptionError("zero_division", f"must be 'warn', 0 or 1, got {zero_division!r}")
    strict_scheme = scheme or "auto"
    result: Mapping[str, Any] = span_statistics(
        predictions,
        references,
        scheme=strict_scheme if mode == "strict" else None,
        suffix=suffix,
        zero_division=0.0 if zero_division == "warn" else float(zero_division),
        joined=True,
    ).result()
    overall = ("precision", "recall", "f1", "accuracy")
    return {**result["per_type"], **{f"overall_{key}": result[key] for key in overall}}
