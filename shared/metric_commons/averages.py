"""From the scores of rows to the result of a module."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import check_flag, check_labels
from .resampling import mean_interval


def mean(scores: ArrayLike) -> float:
    """Arithmetic mean of an exactly rounded sum, so that the order of rows cannot show.

    >>> mean([0.1] * 10)
    0.1
    """
    values = np.asarray(scores, dtype=np.float64).tolist()
    return fsum(values) / len(values)


def summarize(
    scores: Mapping[str, NDArray[np.float64]],
    *,
    per_example: bool = False,
    confidence_level: float | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
    groups: Sequence[object] | None = None,
) -> dict[str, Any]:
    """The result of a module that scores row by row: the mean of each score, and what is asked for.

    Args:
        scores: for each key of the result the scores of all rows, shape (rows,).
        per_example: also return these scores, in input order, under `per_example`.
        confidence_level: also return the percentile bootstrap interval of each mean, such as
            0.95, under `confidence_interval`.
        n_resamples: how often the interval resamples.
        seed: of the resampling; the same seed gives the same interval on any machine.
        groups: a label a row; also return the means of each group and its number of rows `n`
            under `groups`, in the order of the labels.

    >>> summarize({"em": np.array([1.0, 0.0])}, groups=["x", "y"])
    {'em': 0.5, 'groups': {'x': {'em': 1.0, 'n': 1}, 'y': {'em': 0.0, 'n': 1}}}
    """
    check_flag("per_example", per_example)
    rows = len(next(iter(scores.values())))
    result: dict[str, Any] = {name: mean(values) for name, values in scores.items()}
    if per_example:
        result["per_example"] = {name: values.tolist() for name, values in scores.items()}
    if confidence_level is not None:
        result["confidence_interval"] = {
            name: list(
                mean_interval(
                    values, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed
                )
            )
            for name, values in scores.items()
        }
    if groups is not None:
        labels = check_labels("groups", groups, rows)
        result["groups"] = {
            label: {name: mean(values[members]) for name, values in scores.items()}
            | {"n": len(members)}
            for label, members in _members(labels).items()
        }
    return result


def _members(labels: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """The rows of each label, labels in ascending order."""
    members: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        members.setdefault(label, []).append(row)
    return {label: np.array(members[label], dtype=np.int64) for label in sorted(members)}
