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
from ..arguments.checks import OptionError, check_labels
from ..arguments.domains import Count, Labels, Level, Positive, Resamples, Seed, checked_options
from ..resampling.row_units import RowUnits, cluster_values
from .cluster_sums import Clusters
from .methods import Method
from .proportions import Interval
from .sum_distributions import (
    Breakdowns,
    Distributions,
    RowMean,
    SumFunction,
    SumRatio,
    by_clusters,
    row_mean,
)
from .summary import members, reported
from .weighted_units import DrawnScore, resampled_intervals, smooth_distributions

Sums = Mapping[str, float]

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
    breakdowns: Breakdowns = lambda names: {}  # of dictionaries of scores, which have intervals too
    length: Callable[[Sequence[str]], Sequence[str]] | None = None  # the statistics that add up

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

    def intervals(
        self,
        clusters: Clusters | None = None,
        *,
        confidence_level: float = 0.95,
        method: Method = "auto",
        longest: float | None = None,
        worst_ratio: float | None = None,
        n_resamples: int,
        seed: int,
    ) -> dict[str, Interval]:
        """Return the interval of each score that is a float.

        With "auto" rows are weighted at random together with an unseen one: exactly for ratios of
        sums, by draws for other functions. A score without a distribution, and every score with
        "bootstrap", has the percentile interval of the bootstrap. The mean of a score of rows has
        the same interval as in a module of means. An unseen row, or cluster, is `longest` long and
        has at most the `worst_ratio`, where these are declared.
        """
        names = tuple(sorted(self.names))
        rows = self.columns(names)
        numbers = None if clusters is None else clusters.numbers
        n_clusters = None if clusters is None else len(clusters.labels)
        units = cluster_values(rows, numbers)
        columns, row_columns = (
            dict(zip(names, table.T.astype(np.float64), strict=True)) for table in (units, rows)
        )
        stated_distributions = self.distributions(names)
        # A statistic that is averaged is a score; one that is a sum is not.
        scores = {
            name: score
            for name, score in self.result().items()
            if isinstance(score, float) and (name in stated_distributions or name not in self.names)
        }
        distributions = {
            name: distribution
            for name, distribution in stated_distributions.items()
            if name in scores and (method != "bootstrap" or isinstance(distribution, RowMean))
        }
        if method == "korn_graubard" and not any(
            isinstance(distribution, SumRatio) for distribution in distributions.values()
        ):
            raise OptionError(
                "interval", f"{method!r} is for ratios of sums, which no score is; take 'auto'"
            )
        share = None if longest is None else self._share(columns, longest)
        draws: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
        options: dict[str, Any] = {"confidence_level": confidence_level, "method": method}
        estimates: dict[str, Interval] = {}
        drawn_scores: dict[str, DrawnScore] = {}
        functions: dict[str, SumFunction] = {}
        for name, distribution in distributions.items():
            estimate = None
            if isinstance(distribution, RowMean):
                estimate = distribution.mean_interval(row_columns, clusters, **options, **draws)
            if isinstance(distribution, SumFunction):
                unseen = distribution.unseen(names, units, share)
                functions[name] = distribution
                drawn_scores[name] = DrawnScore(
                    scores[name], *unseen, distribution.bounds, distribution.biased
                )
            else:
                estimates[name] = estimate or distribution.interval(
                    columns,
                    row_columns,
                    n_clusters=n_clusters,
                    share=share,
                    worst_ratio=worst_ratio,
                    **options,
                )

        def function_values(sums: Floats, keys: Collection[str]) -> dict[str, Floats]:
            sums_by_name = dict(zip(names, sums, strict=True))
            return {key: functions[key].score(sums_by_name) for key in keys}

        def values(sums: Floats, keys: Collection[str]) -> dict[str, Floats]:
            drawn = [self.scores(dict(zip(names, row, strict=True))) for row in sums.T.tolist()]
            return {key: np.array([row.get(key, math.nan) for row in drawn]) for key in keys}

        if functions:
            laws = smooth_distributions(units, drawn_scores, function_values, **draws)
            for name, law in laws.items():
                estimates[name] = law.interval(confidence_level, n_clusters)
        undistributed = [name for name in scores if name not in distributions]
        if undistributed:
            options = {"confidence_level": confidence_level, **draws}
            kinds = RowUnits.of_rows(rows, numbers)
            redrawn = redrawn_rows = resampled_intervals(kinds, undistributed, values, **options)
            if clusters is not None:
                kinds = RowUnits.of_rows(rows)
                redrawn_rows = resampled_intervals(kinds, undistributed, values, **options)
            for name, estimate in redrawn.items():
                estimates[name] = estimate._replace(effective_n=float(len(self)))
                if clusters is not None:
                    row_error = redrawn_rows[name].standard_error
                    estimates[name] = by_clusters(estimates[name], row_error)
        return {name: estimates[name] for name in scores}

    def _share(self, columns: Mapping[str, Floats], longest: float) -> float:
        """Return the size of the longest unit in units of the sum of all sizes."""
        if self.length is None:
            raise OptionError("longest", "has no meaning for these scores")
        names = self.length([*columns])
        lengths = sum((columns[name] for name in names), start=np.zeros(1))
        if lengths.max(initial=0.0) > longest:
            raise OptionError("longest", f"is {longest:g}, but one is {lengths.max():g} long")
        total = math.fsum(lengths.tolist())
        return longest / total if total else math.nan

    def reported_breakdowns(
        self, result: Mapping[str, Any], clusters: Clusters | None, *, level: float | None
    ) -> dict[str, dict[str, Any]]:
        """Return the dictionaries of scores of a result, with the interval of each defined score.

        Args:
            result: the result of these rows.
            clusters: the clusters of the rows; None if they are independent.
            level: the level of the intervals; None for standard errors only.
        """
        names = tuple(sorted(self.names))
        rows = self.columns(names)
        units = cluster_values(rows, None if clusters is None else clusters.numbers)
        columns, row_columns = (
            dict(zip(names, table.T.astype(np.float64), strict=True)) for table in (units, rows)
        )
        options: dict[str, Any] = {
            "confidence_level": 0.95 if level is None else level,
            "method": "auto",
            "n_clusters": None if clusters is None else len(clusters.labels),
        }
        keys = ["standard_error"] if level is None else ["confidence_interval", "standard_error"]
        reports: dict[str, dict[str, Any]] = {}
        for key, entries in self.breakdowns(names).items():
            reports[key] = dict(result[key])
            for entry in entries.keys() & result[key].keys():
                scores = result[key][entry]
                report = reported(
                    {
                        name: ratio.interval(columns, row_columns, **options)
                        for name, ratio in entries[entry].items()
                        if not math.isnan(scores[name])
                    }
                )
                reports[key][entry] = scores | {name: report[name] for name in keys}
        return reports

    def columns(self, names: Sequence[str]) -> NDArray[Any]:
        """Return the statistics of these names; a missing one is 0."""
        columns = dict(zip(self.names, self.values.T, strict=True))
        missing = np.zeros(len(self), self.values.dtype)
        stacked = [columns.get(name, missing) for name in names]
        return np.stack(stacked, axis=1) if names else self.values


class SumsResult(dict[str, Any]):
    """The result of a module, and the statistics of rows that it is computed from."""

    statistics: RowStatistics


@checked_options
def summarize_sums(
    statistics: RowStatistics,
    *,
    per_example: bool = False,
    confidence_level: Level | None = None,
    standard_error: bool = False,
    interval: Method = "auto",
    clusters: Labels | None = None,
    longest: Count | None = None,
    worst_ratio: Positive | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> SumsResult:
    """Return the result of a module whose scores follow from sums, with the options of `summarize`.

    Each score that is a float has an interval, as in `RowStatistics.intervals`, to which `longest`
    and `worst_ratio` belong.

    Raises:
        ValueError: labels that are not one per row, or an interval method that the scores do not
            support.

    >>> rows = RowStatistics(("hits",), np.array([[1], [2]]), dict, dict)
    >>> summarize_sums(rows, per_example=True, groups=["a", "b"])
    {'hits': 3, 'per_example': {'hits': [1, 2]}, 'groups': {'a': {'hits': 1, 'n': 1}, \
'b': {'hits': 2, 'n': 1}}}
    """
    if interval not in ("auto", "korn_graubard", "bootstrap"):
        raise OptionError(
            "interval",
            f"{interval!r} is for means of rows, and not all of these scores are; take 'auto'",
        )
    rows = len(statistics)
    all_clusters = None if clusters is None else Clusters.of_labels(clusters, rows)

    def summary(part: RowStatistics, part_clusters: Clusters | None) -> dict[str, Any]:
        result = part.result()
        if confidence_level is None and not standard_error:
            return result
        level = {} if confidence_level is None else {"confidence_level": confidence_level}
        intervals = part.intervals(
            part_clusters,
            method=interval,
            longest=longest,
            worst_ratio=worst_ratio,
            n_resamples=int(n_resamples),
            seed=int(seed),
            **level,
        )
        report = reported(intervals)
        if confidence_level is None:
            report = {"standard_error": report["standard_error"]}
        breakdowns = part.reported_breakdowns(result, part_clusters, level=confidence_level)
        return result | breakdowns | report

    result = SumsResult(summary(statistics, all_clusters))
    result.statistics = statistics
    if per_example:
        result["per_example"] = statistics.of_rows()
    if groups is not None:
        result["groups"] = {
            label: summary(
                statistics.take(of_label),
                None if all_clusters is None else all_clusters.take(of_label),
            )
            | {"n": len(of_label)}
            for label, of_label in members(check_labels("groups", groups, rows)).items()
        }
    return result
