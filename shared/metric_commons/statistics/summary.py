"""From the scores of rows to the result of a module."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..numbers.arrays import Floats, Integers
from ..numbers.checks import check_labels
from ..numbers.domains import Count, Labels, Level, Seed, checked_options
from .bootstrap import mean_interval


def mean(scores: ArrayLike) -> float:
    """Arithmetic mean of an exactly rounded sum, so that the order of rows cannot show.

    >>> mean([0.1] * 10)
    0.1
    """
    values = np.asarray(scores, dtype=np.float64).tolist()
    return fsum(values) / len(values)


@dataclass(frozen=True)
class Average:
    """How the scores of rows become one score: `after(mean(before(scores)), rows)`.

    A geometric mean is one of logarithms, a sum is a mean times the number of rows. What comes
    before and after keeps the order of numbers, so it turns the ends of an interval as well.

    >>> total = Average(after=lambda mean, rows: mean * rows)
    >>> total(np.array([1.0, 2.0, 6.0]))
    9.0
    """

    mean: Callable[[Floats], float] = mean
    before: Callable[[Floats], Floats] = lambda scores: scores
    after: Callable[[float, int], float] = lambda mean, rows: mean

    def __call__(self, scores: Floats) -> float:
        """The score of all rows."""
        return self.after(self.mean(self.before(scores)), len(scores))

    def interval(self, scores: Floats, **bootstrap: Any) -> list[float]:
        """The bootstrap interval of the score; the options are those of `mean_interval`."""
        ends = mean_interval(self.before(scores), **bootstrap)
        return [self.after(end, len(scores)) for end in ends]


@dataclass(frozen=True, kw_only=True)
class Uncertainty:
    """What modules are told about intervals whose scores are not means of rows.

    Args:
        confidence_level: also return intervals, such as 0.95, under `confidence_interval`.
        n_resamples: how often a bootstrap resamples.
        seed: of the resampling; the same seed gives the same interval on any machine.
    """

    confidence_level: Level | None = None
    n_resamples: Count = 10_000
    seed: Seed = 0


@checked_options
def summarize(
    scores: Mapping[str, Floats],
    averages: Mapping[str, Average] | None = None,
    *,
    per_example: bool = False,
    confidence_level: Level | None = None,
    n_resamples: Count = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> dict[str, Any]:
    """The result of a module that scores row by row: the mean of each score, and what is asked for.

    Args:
        scores: for each key of the result the scores of all rows, shape (rows,).
        averages: how to average those scores of which it is not the exact mean.
        per_example: also return the scores of each row, in input order, under `per_example`.
        confidence_level: also return the percentile bootstrap interval of each mean, such as
            0.95, under `confidence_interval`.
        n_resamples: how often the interval resamples.
        seed: of the resampling; the same seed gives the same interval on any machine.
        groups: a label a row; also return the means of each group and its number of rows `n`
            under `groups`, in the order of the labels.

    >>> summarize({"em": np.array([1.0, 0.0])}, groups=["x", "y"])
    {'em': 0.5, 'groups': {'x': {'em': 1.0, 'n': 1}, 'y': {'em': 0.0, 'n': 1}}}
    """
    rows = len(next(iter(scores.values())))
    average = dict.fromkeys(scores, Average()) | dict(averages or {})
    result: dict[str, Any] = {name: average[name](values) for name, values in scores.items()}
    if per_example:
        result["per_example"] = {name: values.tolist() for name, values in scores.items()}
    if confidence_level is not None:
        result["confidence_interval"] = {
            name: average[name].interval(
                values, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed
            )
            for name, values in scores.items()
        }
    if groups is not None:
        labels = check_labels("groups", groups, rows)
        result["groups"] = {
            label: {name: average[name](values[of_label]) for name, values in scores.items()}
            | {"n": len(of_label)}
            for label, of_label in members(labels).items()
        }
    return result


def members(labels: Sequence[str]) -> dict[str, Integers]:
    """The rows of each label, labels in ascending order.

    >>> {label: rows.tolist() for label, rows in members(["b", "a", "b"]).items()}
    {'a': [1], 'b': [0, 2]}
    """
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return {label: np.array(rows[label], dtype=np.int64) for label in sorted(rows)}
