"""Samples of several rows, such as the epochs of an answer, reduced to one score each.

A mean over all rows would count a sample with many rows more than others, and intervals would take
repeats of one sample for independent samples and be far too narrow.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from statistics import fmean, median, mode
from typing import Any, Literal, NamedTuple

from ...module.declaration.declarations import Module

Reduce = Literal["mean", "max", "median", "mode"]


class RowSamples(NamedTuple):
    """The sample of each row, and the samples that have another row with a score of zero."""

    positions: Sequence[int]  # of the sample of each row, from 0
    size: int  # the number of samples
    reduce: Reduce
    zeros: Sequence[int] = ()  # the samples of rows without a score, which count as zero

    def reduced(self, values: Sequence[float]) -> list[float]:
        """Return the value of each sample, from the values of its rows.

        >>> RowSamples([0, 1, 0], 2, "mean", [1]).reduced([1.0, 1.0, 0.0])
        [0.5, 0.5]
        """
        members: list[list[float]] = [[] for _ in range(self.size)]
        for position, value in zip(self.positions, values, strict=True):
            members[position].append(value)
        for position in self.zeros:
            members[position].append(0.0)
        return [float(_REDUCTIONS[self.reduce](values)) for values in members]


_REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "max": max,
    "median": median,
    "mode": mode,
}


def numbered(ids: Sequence[Hashable]) -> tuple[list[int], list[Any]]:
    """Return the position of each id among the distinct ones, and these in the order of rows.

    >>> numbered(["a", "b", "a"])
    ([0, 1, 0], ['a', 'b'])
    """
    positions: dict[Hashable, int] = {}
    return [positions.setdefault(name, len(positions)) for name in ids], list(positions)


def scores_of_samples(
    name: str,
    metric: Module,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    reported: Mapping[str, Any],
    samples: RowSamples,
) -> dict[str, Any]:
    """Return the result of `compute` if each sample were a row.

    Raises:
        ValueError: the module has no scores of rows that could be reduced.
    """
    import numpy as np  # so that help does not wait for it

    from ...statistics.intervals.summary import summarize
    from ..states.score_kind import kind_of

    if not kind_of(metric).reduces_samples:
        raise ValueError(
            f"{name} does not score row by row, so that rows of one id cannot become one; choose "
            "one row of each id with --where"
        )
    inputs = {column: columns[column] for column in metric.feature_sets[0]}
    result = metric.compute(**inputs, **options, per_example=True)
    if metric.row_texts & result.keys():
        raise ValueError(
            "explain is about single rows, and here the rows of one id become one; leave it out"
        )
    scores = {
        score: np.array(samples.reduced(values)) for score, values in result["per_example"].items()
    }
    reporting = {option: value for option, value in reported.items() if option != "conventions"}
    return summarize(scores, **reporting)
