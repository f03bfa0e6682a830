"""Scores that follow from sums over rows: error rates, BLEU, micro F1.

Such a score is not a mean of row scores. Each row has statistics, such as its hits and errors;
these are added up, and the score is a function of the sums. Parts of the rows can therefore be
merged without rounding, and every resample of rows has sums and therefore a score.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError
from ..resampling.row_units import RowUnits, cluster_values
from .crossed import CrossedClusters
from .methods import Uncertainty
from .proportions import Interval
from .sum_distributions import Distributions, RowMean, SumRatio, row_mean
from .summary import Measured, interval_of
from .weighted_units import DrawnScore, unit_intervals

Sums = Mapping[str, float]

_UNKNOWN = Interval(0.0, 1.0, "law", math.nan)
_ROWS = "counted_rows"  # the statistic that is 1 in each row


@dataclass(frozen=True)
class RowStatistics:
    """The statistics of rows, on which their scores and the score of all rows depend.

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
    distributions: Distributions = lambda names: {}  # of the scores, for their intervals

    def __len__(self) -> int:
        return len(self.values)

    def result(self) -> dict[str, Any]:
        """Return the scores of all rows."""
        if self.values.dtype.kind == "i":
            sums = self.values.sum(axis=0).tolist()
        else:
            sums = [math.fsum(column) for column in self.values.T.tolist()]
        return self.scores(dict(zip(self.names, sums, strict=True)))

    def of_rows(self) -> dict[str, list[float]]:
        """Return the values of each score of rows, in the order of the rows."""
        scores = [
            self.row_scores(dict(zip(self.names, row, strict=True))) for row in self.values.tolist()
        ]
        return {name: [score[name] for score in scores] for name in (scores[0] if scores else ())}

    def extended(self, names: Sequence[str], values: NDArray[Any]) -> Self:
        """Return the same rows with further statistics."""
        columns = np.concatenate([self.values, values], axis=1)
        return replace(self, names=(*self.names, *names), values=columns)

    def with_means(self, columns: Mapping[str, Floats]) -> Self:
        """Return the same rows with further scores: means of numbers from 0 to 1, one per row.

        >>> rows = RowStatistics(("hits",), np.array([[1], [2]]), dict, dict)
        >>> rows.with_means({"late": np.array([0.0, 1.0])}).result()["late"]
        0.5
        """
        if not columns:
            return self
        names = (*columns, _ROWS)
        values = np.column_stack([*columns.values(), np.ones(len(self))])

        def scores(sums: Sums) -> dict[str, Any]:
            rows = sums[_ROWS] or 1
            return self.scores(sums) | {name: sums[name] / rows for name in columns}

        return replace(
            self.extended(names, values.astype(self.values.dtype)),
            scores=scores,
            row_scores=lambda sums: (
                self.row_scores(sums) | {name: float(sums[name]) for name in columns}
            ),
            distributions=lambda statistics: {
                **self.distributions(statistics),
                **{name: row_mean(name, _ROWS) for name in columns},
            },
        )

    def take(self, rows: Integers | Sequence[int]) -> Self:
        """Return the statistics of some rows."""
        return replace(self, values=self.values[rows])

    def measured(self, uncertainty: Uncertainty | None) -> Measured:
        """Return the scores of all rows and, unless it is None, the interval of each float.

        Rows are weighted at random together with an unseen one: exactly for ratios of sums, by
        draws for other functions. A score without a distribution has no interval. The mean of a
        score of rows has the same interval as in a module of means.
        """
        result = self.result()
        if uncertainty is None:
            return result, {}
        if isinstance(uncertainty.clusters, CrossedClusters):
            raise OptionError("clusters", "of several fields are for means of rows alone")
        if not self.names:  # as of spans where there are none: nothing can be said
            return result, {n: _UNKNOWN for n, v in result.items() if isinstance(v, float)}
        names = tuple(sorted(self.names))
        rows = self.columns(names).astype(np.float64)
        columns = dict(zip(names, rows.T, strict=True))
        functions, intervals = {}, {}
        for name, distribution in self.distributions(names).items():
            if not isinstance(result.get(name), float):
                continue
            with interval_of(name):
                if not isinstance(distribution, RowMean):
                    uncertainty.check_drawn()
                if isinstance(distribution, SumRatio):
                    intervals[name] = distribution.interval(columns, uncertainty)
                else:
                    functions[name] = distribution
        if functions:
            numbers = uncertainty.numbers

            def values(sums: Floats, keys: Collection[str]) -> dict[str, Floats]:
                of_sums = dict(zip(names, sums, strict=True))
                return {key: functions[key].score(of_sums) for key in keys}

            units, of_units = RowUnits.of_rows(rows, numbers), cluster_values(rows, numbers)
            drawn = {
                name: DrawnScore(result[name], f.unseen(names, of_units), f.bounds, f.biased)
                for name, f in functions.items()
            }
            intervals |= unit_intervals(units, drawn, values, uncertainty, smooth=len(of_units))
        return result, {name: intervals[name] for name in result if name in intervals}

    def columns(self, names: Sequence[str]) -> NDArray[Any]:
        """Return the statistics of these names; a missing one is 0."""
        columns = dict(zip(self.names, self.values.T, strict=True))
        missing = np.zeros(len(self), self.values.dtype)
        stacked = [columns.get(name, missing) for name in names]
        return np.stack(stacked, axis=1) if names else self.values
