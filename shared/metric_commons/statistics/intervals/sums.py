"""Scores that follow from sums over rows: error rates, BLEU, micro F1.

Such a score is not a mean of row scores. Each row has statistics, such as its hits and errors;
these are added up, and the score is a function of the sums. Parts of the rows can therefore be
merged without rounding, and every resample of rows has sums and therefore a score.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError, check_labels
from ..arguments.domains import (
    Count,
    Labels,
    Level,
    Positive,
    Resamples,
    Seed,
    checked_options,
)
from ..resampling.row_units import RowUnits, cluster_values
from .cluster_sums import Clusters
from .intervals import resampled_interval
from .methods import Method
from .proportions import Interval
from .sum_distributions import (
    Breakdowns,
    Distributions,
    RowMean,
    SumFunction,
    SumRatio,
    no_breakdowns,
    no_distributions,
    no_length,
    sum_function_intervals,
    sum_ratio_interval,
)
from .summary import members, reported

Sums = Mapping[str, float]


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
    distributions: Distributions = no_distributions  # of the scores, for their intervals
    breakdowns: Breakdowns = no_breakdowns  # of dictionaries of scores, which have intervals too
    length: Callable[[Sequence[str]], Sequence[str]] = no_length  # the statistics that add up to it

    def __len__(self) -> int:
        return len(self.values)

    def result(self) -> dict[str, Any]:
        """Return the scores of all rows."""
        return self.scores(dict(zip(self.names, _exact_sums(self.values), strict=True)))

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

    def sums_of_rows(self) -> "RowSums":
        """Return the statistics without functions."""
        return RowSums(self.names, self.values)

    def take(self, rows: Integers | Sequence[int]) -> Self:
        """Return the statistics of some rows."""
        return replace(self, values=self.values[rows])

    def joined(self, *others: "RowStatistics") -> Self:
        """These rows and others; a statistic that one of them lacks is 0 there."""
        parts: list[RowStatistics] = [self, *others]
        names = tuple(sorted({name for part in parts for name in part.names}))
        values = np.concatenate([part.columns(names) for part in parts])
        return replace(self, names=names, values=values)

    def resampled(self, clusters: Clusters | None = None, **draws: int) -> Iterator[dict[str, Any]]:
        """Yield the scores of resamples, each with the original number of rows, or clusters."""
        names = tuple(sorted(self.names))
        units = RowUnits.of_rows(
            self.columns(names), None if clusters is None else clusters.numbers
        )
        for sums in units.resampled(**draws):
            for row in sums.T.tolist():
                yield self.scores(dict(zip(names, row, strict=True)))

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
        result = self.result()
        stated_distributions = self.distributions(sorted(self.names))
        # A statistic that is averaged is a score; one that is a sum is not.
        scores = {
            name: score
            for name, score in result.items()
            if isinstance(score, float) and (name in stated_distributions or name not in self.names)
        }
        distributions = {
            name: distribution
            for name, distribution in stated_distributions.items()
            if name in scores and (method != "bootstrap" or isinstance(distribution, RowMean))
        }
        has_ratios = any(
            isinstance(distribution, SumRatio) for distribution in distributions.values()
        )
        if method == "korn_graubard" and not has_ratios:
            raise OptionError(
                "interval", f"{method!r} is for ratios of sums, which no score is; take 'auto'"
            )
        names = tuple(sorted(self.names))
        rows = self.columns(names)
        numbers = None if clusters is None else clusters.numbers
        n_clusters = None if clusters is None else len(clusters.labels)
        units = cluster_values(rows, numbers)
        columns, row_columns = (
            dict(zip(names, table.T.astype(np.float64), strict=True)) for table in (units, rows)
        )
        share = None if longest is None else self._share(columns, longest)
        draws: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
        options: dict[str, Any] = {"confidence_level": confidence_level, "method": method, **draws}
        means = {
            name: distribution.interval(row_columns, clusters, **options)
            for name, distribution in distributions.items()
            if isinstance(distribution, RowMean)
        }
        intervals = {name: estimate for name, estimate in means.items() if estimate is not None}
        intervals |= {
            name: sum_ratio_interval(
                distribution,
                columns,
                row_columns,
                confidence_level=confidence_level,
                method=method,
                n_clusters=n_clusters,
                share=share,
                worst_ratio=worst_ratio,
            )
            for name, distribution in distributions.items()
            if isinstance(distribution, SumRatio) and name not in intervals
        }
        functions = {
            n: distribution
            for n, distribution in distributions.items()
            if isinstance(distribution, SumFunction)
        }
        if functions:
            intervals |= sum_function_intervals(
                functions,
                scores,
                names,
                rows,
                numbers,
                share=share,
                confidence_level=confidence_level,
                **draws,
            )
        undistributed = [name for name in scores if name not in distributions]
        if undistributed:
            intervals |= self._percentile_intervals(
                undistributed, clusters, confidence_level, **draws
            )
        return {name: intervals[name] for name in scores}

    def _share(self, columns: Mapping[str, Floats], longest: float) -> float:
        """Return the size of the longest unit in units of the sum of all sizes."""
        names = self.length([*columns])
        lengths = sum((columns[name] for name in names), start=np.zeros(1))
        if lengths.max(initial=0.0) > longest:
            raise OptionError("longest", f"is {longest:g}, but one is {lengths.max():g} long")
        total = math.fsum(lengths.tolist())
        return longest / total if total else math.nan

    def reported_breakdowns(
        self, result: Mapping[str, Any], clusters: Clusters | None, *, level: float | None
    ) -> dict[str, dict[str, Any]]:
        """The dictionaries of scores of a result, with the interval of each score that is defined.

        Args:
            result: the result of these rows.
            clusters: the clusters of the rows; None if they are independent.
            level: the level of the intervals; None for standard errors only.
        """
        names = tuple(sorted(self.names))
        rows = self.columns(names)
        numbers = None if clusters is None else clusters.numbers
        units = dict(zip(names, cluster_values(rows, numbers).T, strict=True))
        row_columns = dict(zip(names, rows.T.astype(np.float64), strict=True))
        options: dict[str, Any] = {
            "confidence_level": 0.95 if level is None else level,
            "method": "auto",
            "n_clusters": None if clusters is None else len(clusters.labels),
        }
        reports: dict[str, dict[str, Any]] = {}
        for key, entries in self.breakdowns(names).items():
            reports[key] = dict(result[key])
            for entry in entries.keys() & result[key].keys():
                report = reported(
                    {
                        name: sum_ratio_interval(ratio, units, row_columns, **options)
                        for name, ratio in entries[entry].items()
                        if not math.isnan(result[key][entry][name])
                    }
                )
                interval_keys = ("confidence_interval", "standard_error")[level is None :]
                reports[key][entry] = result[key][entry] | {
                    name: report[name] for name in interval_keys
                }
        return reports

    def _percentile_intervals(
        self,
        names: Sequence[str],
        clusters: Clusters | None,
        confidence_level: float,
        **draws: int,
    ) -> dict[str, Interval]:
        """Return the percentile bootstrap interval of each of these scores.

        The standard error is that of the resamples. Clusters divide the number of rows by the
        factor by which they increase the variance.
        """

        def redrawn(clusters: Clusters | None) -> dict[str, Interval]:
            scores = self.resampled(clusters, **draws)
            table = np.array([[row.get(name, math.nan) for name in names] for row in scores])
            number = None if clusters is None else len(clusters.labels)
            return {
                name: resampled_interval(column, confidence_level, number)
                for name, column in zip(names, table.T, strict=True)
            }

        intervals, size = redrawn(clusters), float(len(self))
        if clusters is None:
            return {name: found._replace(effective_n=size) for name, found in intervals.items()}
        for name, of_rows in redrawn(None).items():
            error, row_error = intervals[name].standard_error, of_rows.standard_error
            effect = (error / row_error) ** 2 if row_error else 1.0
            intervals[name] = intervals[name]._replace(
                effective_n=size / effect if effect else size, design_effect=effect
            )
        return intervals

    def columns(self, names: Sequence[str]) -> NDArray[Any]:
        """Return the statistics of these names; a missing one is 0."""
        columns = dict(zip(self.names, self.values.T, strict=True))
        missing = np.zeros(len(self), self.values.dtype)
        stacked = [columns.get(name, missing) for name in names]
        return np.stack(stacked, axis=1) if names else self.values


class RowSums(NamedTuple):
    """The statistics of rows, without the functions that compute scores from their sums."""

    names: tuple[str, ...]
    values: NDArray[Any]


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


def _exact_sums(values: NDArray[Any]) -> list[Any]:
    """Return the sum of each column, without rounding or rounded once."""
    if values.dtype.kind == "i":
        return values.sum(axis=0).tolist()  # type: ignore[no-any-return]
    return [math.fsum(column) for column in values.T.tolist()]
