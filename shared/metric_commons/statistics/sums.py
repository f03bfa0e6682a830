"""Scores that follow from sums over rows: error rates, BLEU, micro F1.

Such a score is no mean of the scores of rows. What rows leave behind are their statistics, such as
the hits and errors of each; these are added up, and the score is a function of the sums. So parts
of the rows can be merged without rounding, and a resample of rows has sums, hence a score.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Floats, Integers
from ..numbers.checks import check_labels
from ..numbers.domains import Count, Labels, Level, Seed, checked_options
from .bootstrap import percentile_ends
from .draws import random_rows, resampled_totals
from .summary import members

Sums = Mapping[str, float]

_DRAWS = 1 << 22  # of a block of resamples
_REPEATED = 16  # rows of a kind, from which on its count is drawn instead of the rows


@dataclass(frozen=True)
class RowStatistics:
    """What the scores of rows, and of all rows together, depend on.

    >>> def accuracy(sums):
    ...     return {"accuracy": sums["right"] / sums["asked"]}
    >>> rows = RowStatistics(("right", "asked"), np.array([[1, 1], [1, 3]]), accuracy, accuracy)
    >>> rows.result()
    {'accuracy': 0.5}
    """

    names: tuple[str, ...]  # of the statistics
    values: NDArray[Any]  # int64 or float64, shape (rows, names)
    scores: Callable[[Sums], dict[str, Any]]  # of all rows, from the sums by name
    row_scores: Callable[[Sums], dict[str, float]]  # of one row, from its statistics

    def __len__(self) -> int:
        return len(self.values)

    def result(self) -> dict[str, Any]:
        """The scores of all rows."""
        return self.scores(dict(zip(self.names, _exact_sums(self.values), strict=True)))

    def of_rows(self) -> dict[str, list[float]]:
        """For each score of rows its values, in the order of the rows."""
        scores = [
            self.row_scores(dict(zip(self.names, row, strict=True))) for row in self.values.tolist()
        ]
        return {name: [score[name] for score in scores] for name in (scores[0] if scores else ())}

    def take(self, rows: Integers) -> Self:
        """The statistics of some rows."""
        return replace(self, values=self.values[rows])

    def joined(self, statistics: "RowStatistics") -> Self:
        """These rows and others; a statistic that one part does not have is 0 there."""
        names = tuple(sorted({*self.names, *statistics.names}))
        parts = [part._columns(names) for part in (self, statistics)]
        return replace(self, names=names, values=np.concatenate(parts))

    def resampled(self, *, n_resamples: int, seed: int) -> list[dict[str, Any]]:
        """The scores of resamples: each draws as many rows as there are, with replacement."""
        names = tuple(sorted(self.names))
        sums = resampled_sums(self._columns(names), n_resamples=n_resamples, seed=seed)
        return [self.scores(dict(zip(names, row, strict=True))) for row in sums.tolist()]

    def _columns(self, names: Sequence[str]) -> NDArray[Any]:
        columns = dict(zip(self.names, self.values.T, strict=True))
        missing = np.zeros(len(self), self.values.dtype)
        stacked = [columns.get(name, missing) for name in names]
        return np.stack(stacked, axis=1) if names else self.values


class SumsResult(dict[str, Any]):
    """The result of a module, and the statistics of rows that it follows from."""

    statistics: RowStatistics


@checked_options
def summarize_sums(
    statistics: RowStatistics,
    *,
    per_example: bool = False,
    confidence_level: Level | None = None,
    n_resamples: Count = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> SumsResult:
    """The result of a module whose scores follow from sums: the options are those of `summarize`.

    There is an interval for each score that is a float: the percentile bootstrap of rows.

    >>> from .sums import RowStatistics
    >>> rows = RowStatistics(("hits",), np.array([[1], [2]]), dict, dict)
    >>> summarize_sums(rows, per_example=True, groups=["a", "b"])
    {'hits': 3, 'per_example': {'hits': [1, 2]}, 'groups': {'a': {'hits': 1, 'n': 1}, \
'b': {'hits': 2, 'n': 1}}}
    """
    result = SumsResult(statistics.result())
    result.statistics = statistics
    if confidence_level is not None:
        scores = statistics.resampled(n_resamples=int(n_resamples), seed=int(seed))
        names = [name for name, score in result.items() if isinstance(score, float)]
        values = np.array([[score[name] for name in names] for score in scores])
        ends = percentile_ends(values, confidence_level).tolist()
    if per_example:
        result["per_example"] = statistics.of_rows()
    if confidence_level is not None:
        result["confidence_interval"] = dict(zip(names, ends, strict=True))
    if groups is not None:
        labels = check_labels("groups", groups, len(statistics))
        result["groups"] = {
            label: statistics.take(rows).result() | {"n": len(rows)}
            for label, rows in members(labels).items()
        }
    return result


def _exact_sums(values: NDArray[Any]) -> list[Any]:
    """The sum of each column, without rounding or rounded once."""
    if values.dtype.kind == "i":
        return values.sum(axis=0).tolist()  # type: ignore[no-any-return]
    return [math.fsum(column) for column in values.T.tolist()]


def resampled_sums(values: NDArray[Any], *, n_resamples: int, seed: int) -> Floats:
    """What the rows of each resample add up to.

    Rows are put in order first, so the order in which they come does not show. Each column is
    counted in units so small that a sum is a whole number of up to 52 bits: the matrix products
    are then exact, in whatever order a library adds.

    Args:
        values: finite, shape (rows, columns).
        n_resamples: how many resamples are drawn, each of as many rows as there are.
        seed: of the random numbers.

    Returns:
        Shape (n_resamples, columns).

    >>> sums = resampled_sums(np.array([[0, 1], [1, 1]]), n_resamples=3, seed=0)
    >>> sums[:, 1].tolist()
    [2.0, 2.0, 2.0]
    """
    kinds, occurrences = np.unique(values.astype(np.float64), axis=0, return_counts=True)
    rows = len(values)
    _, exponents = np.frexp(rows * np.abs(kinds).max(axis=0, initial=0))
    units = np.rint(np.ldexp(kinds, 52 - exponents))
    if rows >= _REPEATED * len(kinds):
        cells = np.broadcast_to(np.arange(units.shape[1]), units.shape)
        columns: Floats = resampled_totals(
            occurrences, cells, units.shape[1], amounts=units, n_resamples=n_resamples, seed=seed
        )
        sums = columns.T
    else:
        sums = _drawn_sums(units, occurrences, n_resamples=n_resamples, seed=seed)
    scaled: Floats = np.ldexp(sums, exponents - 52)
    return scaled


def _drawn_sums(units: Floats, occurrences: Integers, *, n_resamples: int, seed: int) -> Floats:
    """The same in units, row by row: how often each kind was drawn, times what it counts."""
    words = np.random.PCG64(seed)
    kinds, rows = len(units), int(occurrences.sum())
    kind_of_row = np.repeat(np.arange(kinds), occurrences)
    sums = np.empty((n_resamples, units.shape[1]))
    at_once = max(1, _DRAWS // rows)
    for start in range(0, n_resamples, at_once):
        resamples = min(at_once, n_resamples - start)
        cells = kind_of_row.take(random_rows(words, rows, resamples * rows))
        cells += np.repeat(np.arange(resamples) * kinds, rows)
        counts = np.bincount(cells, minlength=resamples * kinds).reshape(resamples, kinds)
        sums[start : start + resamples] = counts.astype(np.float64) @ units
    return sums
