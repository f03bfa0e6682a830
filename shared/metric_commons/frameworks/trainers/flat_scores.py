"""Flatten the result of a module to single numbers, which a Trainer can log and compare."""

from collections.abc import Mapping, Sequence
from typing import Any

# Options whose results cannot become numbers: they return rows, curves or tables, or need a value
# per row that a Trainer does not have. Clusters are labels of the rows that it evaluates.
UNSUITABLE = (
    "per_example",
    "confusion_matrix",
    "curves",
    "alignments",
    "explain",
    "result_format",
    "signature",
    "groups",
    "sample_weight",
)


def flat_scores(result: Mapping[str, Any], classes: Sequence[str] | None) -> dict[str, float]:
    """Return every number of a result, with a name for each.

    An interval becomes `f1_low` and `f1_high`; a list of floats becomes a number for each class; a
    mapping of scores, such as `standard_error`, a number for each, such as `f1_standard_error`; and
    the scores of several types are prefixed by these, such as `PER_f1`. Texts and lists of
    integers, which are labels or counts, are left out.

    Args:
        result: the return value of `compute`.
        classes: the names of classes; None if the numbers in a list are not those of classes.

    >>> flat_scores({"f1": [1.0, 0.5], "labels": [0, 1]}, ["cat", "dog"])
    {'f1_cat': 1.0, 'f1_dog': 0.5}
    >>> flat_scores({"f1": 0.5, "confidence_interval": {"f1": [0.25, 0.75]}}, None)
    {'f1': 0.5, 'f1_low': 0.25, 'f1_high': 0.75}
    >>> flat_scores({"f1": 0.5, "per_type": {"PER": {"f1": 0.5, "number": 2}}}, None)
    {'f1': 0.5, 'PER_f1': 0.5, 'PER_number': 2.0}
    """
    scores: dict[str, float] = {}
    for name, value in result.items():
        if name == "confidence_interval" and isinstance(value, Mapping):
            for score, interval in value.items():
                for key, ends in _parts(score, interval, classes, intervals=True):
                    scores |= {f"{key}_low": ends[0], f"{key}_high": ends[1]}
        elif isinstance(value, Mapping):
            for score, part in value.items():
                if isinstance(part, Mapping):  # the scores of a type of entities
                    inner = flat_scores(part, None)
                    scores |= {f"{score}_{key}": number for key, number in inner.items()}
                    continue
                keys = _parts(str(score), part, classes)
                scores |= {f"{key}_{name}": float(number) for key, number in keys}
        else:
            scores |= {key: float(number) for key, number in _parts(name, value, classes)}
    return scores


def _parts(
    name: str, value: Any, classes: Sequence[str] | None, *, intervals: bool = False
) -> list[tuple[str, Any]]:
    """Return the numbers, or intervals, of a score: one, or one for each class."""
    if isinstance(value, list):
        kind = list if intervals else float
        if not value or not all(isinstance(part, kind) for part in value):
            return [(name, value)] if intervals else []
        matches = classes is not None and len(classes) == len(value)
        names = classes if classes is not None and matches else range(len(value))
        return [(f"{name}_{key}", part) for key, part in zip(names, value, strict=True)]
    return [(name, value)] if type(value) in (int, float) else []
