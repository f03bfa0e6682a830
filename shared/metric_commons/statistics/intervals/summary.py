"""From rows to the result of a module: scores, intervals, groups and scores of rows.

A kernel is told nothing about groups, levels or keys of a result. It returns its scores and, if it
gets an `Uncertainty`, their intervals; `summarize` does the rest, for all modules alike.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import fsum, inf, isnan, nan
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats, Integers, take
from ..arguments.checks import OptionError, check_labels
from ..arguments.domains import (
    CrossedLabels,
    Labels,
    Level,
    Resamples,
    Seed,
    checked_options,
)
from ..arithmetic.exact_sums import exact_sum
from .crossed import CrossedClusters
from .intervals import clusters_of, mean_interval
from .methods import Method, Uncertainty
from .proportions import Interval
from .spreads import finite_scores

Intervals = Mapping[str, "Interval | list[Interval]"]  # of scores by name
Measured = tuple[dict[str, Any], Intervals]

_ROUNDING = 1e-9  # by which the scores of rows may exceed their upper bound
_MANY = 4_096  # scores; from here on, adding in arrays is faster


class ScoredRows(Protocol):
    """Rows, whose scores and intervals can be computed."""

    def __len__(self) -> int: ...

    def measured(self, uncertainty: Uncertainty | None) -> Measured:
        """Return the scores of all rows and, unless it is None, their intervals."""
        ...

    def take(self, rows: Integers) -> Self:
        """Return some of the rows."""
        ...

    def of_rows(self) -> Mapping[str, list[float]]:
        """Return the scores of each row."""
        ...


def mean(scores: ArrayLike) -> float:
    """Return the mean, from an exactly rounded sum that does not depend on the order of rows.

    >>> mean([0.1] * 10)
    0.1
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.size < _MANY or not np.isfinite(values).all():
        return fsum(values.tolist()) / values.size
    return float(exact_sum(values)) / values.size  # rounded once, as by fsum, and faster


@dataclass(frozen=True)
class Average:
    """How the scores of rows become one score: `after(mean(before(scores)), rows)`.

    A geometric mean is based on a mean of logarithms, a sum on a mean times the number of rows.
    Both functions are monotone, so they also convert the ends of an interval; the standard error is
    multiplied by `slope(mean, rows)`, the derivative of `after`. `bounds` are the smallest and the
    largest score of a row after `before`.

    >>> total = Average(after=lambda mean, rows: mean * rows, slope=lambda mean, rows: rows)
    >>> total(np.array([1.0, 2.0, 6.0]))
    9.0
    """

    mean: Callable[[Floats], float] = mean
    before: Callable[[Floats], Floats] = lambda scores: scores
    after: Callable[[float, int], float] = lambda mean, rows: mean
    slope: Callable[[float, int], float] = lambda mean, rows: 1.0
    bounds: tuple[float, float] = (0.0, 1.0)

    def __call__(self, scores: Floats) -> float:
        """Return the score of all rows."""
        return self.after(self.mean(self.before(scores)), len(scores))

    def interval(self, scores: Floats, uncertainty: Uncertainty) -> Interval:
        """Return the interval of the score."""
        values, rows = finite_scores("scores", self.before(scores)), len(scores)
        largest = self.bounds[1]
        if values.max() <= largest + _ROUNDING:
            values = np.minimum(values, largest)
        estimate = mean_interval(values, uncertainty, bounds=self.bounds)
        return estimate._replace(
            low=self.after(estimate.low, rows),
            high=self.after(estimate.high, rows),
            standard_error=estimate.standard_error * self.slope(self.mean(values), rows),
        )


_MEAN = Average()
UNBOUNDED = Average(bounds=(0.0, inf))  # of scores that have no largest value


@dataclass(frozen=True)
class RowMeans:
    """Scores of rows by name, each of which becomes one score, by default the mean."""

    columns: Mapping[str, Floats]
    averages: Mapping[str, Average] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, rows: Integers) -> Self:
        """Return some of the rows."""
        columns = {name: values[rows] for name, values in self.columns.items()}
        return replace(self, columns=columns)

    def of_rows(self) -> dict[str, list[float]]:
        """Return the scores of each row."""
        return {name: values.tolist() for name, values in self.columns.items()}

    def measured(self, uncertainty: Uncertainty | None) -> Measured:
        """Return the scores of all rows and, unless it is None, their intervals."""
        averages = self.averages
        scores = {
            # Batches of one row are common, and each call costs time there.
            name: averages[name](values) if name in averages else mean(values)
            for name, values in self.columns.items()
        }
        intervals: dict[str, Interval] = {}
        if uncertainty is None:
            return scores, intervals
        for name, values in self.columns.items():
            with interval_of(name):
                intervals[name] = averages.get(name, _MEAN).interval(values, uncertainty)
        return scores, intervals


@dataclass(frozen=True)
class KernelRows:
    """The columns of a module, and the function that returns their scores and intervals.

    The kernel gets the columns by name, and `uncertainty`; without one it returns no intervals.
    """

    kernel: Callable[..., Measured]
    columns: Mapping[str, Any]  # None for one that is missing

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, rows: Integers) -> Self:
        """Return some of the rows."""
        columns = {
            name: None if column is None else take(column, rows)
            for name, column in self.columns.items()
        }
        return replace(self, columns=columns)

    def of_rows(self) -> dict[str, list[float]]:
        """Return the scores of each row: none."""
        return {}

    def measured(self, uncertainty: Uncertainty | None) -> Measured:
        """Return the scores of all rows and, unless it is None, their intervals."""
        if uncertainty is not None and isinstance(uncertainty.clusters, CrossedClusters):
            raise OptionError("clusters", "of several fields are for means of rows alone")
        return self.kernel(**self.columns, uncertainty=uncertainty)


class ModuleScores(dict[str, Any]):
    """The result of a module, and the rows that it is computed from."""

    scored: Any  # ScoredRows

    @property
    def scores(self) -> Mapping[str, Floats]:
        """Return the scores of rows whose means it has."""
        return self.scored.columns  # type: ignore[no-any-return]

    @property
    def statistics(self) -> Any:
        """Return what rows add to the sums that it follows from; None if it does not."""
        return None if isinstance(self.scored, RowMeans | KernelRows) else self.scored


@checked_options
def summarize(
    scored: ScoredRows | Mapping[str, Floats | list[float]],
    averages: Mapping[str, Average] | None = None,
    *,
    per_example: bool = False,
    confidence_level: Level | None = None,
    standard_error: bool = False,
    interval: Method = "auto",
    clusters: CrossedLabels | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> ModuleScores:
    """Return the result of a module: its scores, and what is requested.

    Args:
        scored: the rows: `RowStatistics` if scores follow from sums, or for each key of the result
            the scores of all rows, shape (rows,), whose means are wanted.
        averages: how to average the scores of rows that are not averaged by the exact mean.
        per_example: also return the scores of each row, in input order, under `per_example`.
        confidence_level: the level of the intervals, such as 0.95; also return them under
            `confidence_interval`, with `interval`, `standard_error` and `effective_n`.
        standard_error: also return the standard error of each score.
        interval: the method: "auto" is the law of random weights and one unseen row, "bootstrap"
            resamples rows; "t" and, for scores 0 and 1, "wilson" are for means of rows.
        clusters: the cluster of each row, such as its document; intervals then count clusters
            instead of rows, and scores do not change. Two or three fields, such as item and
            template, are crossed: each is a sample.
        n_resamples: the number of draws, where there are any.
        seed: the seed of the draws; the same seed gives the same interval on every machine.
        groups: the group of each row; also return the scores of each group and its number of rows
            `n` under `groups`, in the order of the labels, with intervals if there are any.

    Raises:
        ValueError: labels that are not one per row, or an interval method that a score does not
            support.

    >>> summarize({"em": np.array([1.0, 0.0])}, groups=["x", "y"])
    {'em': 0.5, 'groups': {'x': {'em': 1.0, 'n': 1}, 'y': {'em': 0.0, 'n': 1}}}
    >>> summarize({"em": np.array([1.0, 0.0, 1.0])}, confidence_level=0.9)["interval"]
    {'em': 'clopper_pearson'}
    """
    rows: Any = scored
    if isinstance(scored, Mapping):
        columns = {name: np.asarray(values, np.float64) for name, values in scored.items()}
        rows = RowMeans(columns, averages or {})
    number = len(rows)
    keys: tuple[str, ...] = _KEYS if confidence_level is not None else ("standard_error",)
    uncertainty = None
    if confidence_level is not None or standard_error:
        method = "auto" if confidence_level is None else interval
        of_rows = clusters_of(clusters, number)
        uncertainty = Uncertainty(confidence_level or 0.95, method, of_rows, n_resamples, seed)
    elif clusters is not None:
        clusters_of(clusters, number)  # which checks them
    rows_of_groups = {}
    if groups is not None:
        rows_of_groups = members(check_labels("groups", groups, number))
    result = ModuleScores(_summary(rows, uncertainty, keys))
    result.scored = rows
    if per_example:
        result["per_example"] = rows.of_rows()
    if groups is not None:
        result["groups"] = {}
        for label, of_label in rows_of_groups.items():
            of_group = uncertainty
            if uncertainty is not None and uncertainty.clusters is not None:
                of_group = replace(uncertainty, clusters=uncertainty.clusters.take(of_label))
            summary = _summary(rows.take(of_label), of_group, keys)
            result["groups"][label] = summary | {"n": len(of_label)}
    return result


_KEYS = (
    "confidence_interval",
    "interval",
    "standard_error",
    "effective_n",
    "n_clusters",
    "design_effect",
)


def summarize_inputs(
    kernel: Callable[..., Measured], columns: Mapping[str, Any], **uncertainty: Any
) -> ModuleScores:
    """Return the result of a module whose scores are neither means nor follow from sums.

    Args:
        kernel: as in `KernelRows`.
        columns: the inputs by name, and all options with a value for each row.
        **uncertainty: the options of `summarize`, but for those of scores of rows.
    """
    return summarize(KernelRows(kernel, columns), **uncertainty)


def _summary(
    rows: ScoredRows, uncertainty: Uncertainty | None, keys: Sequence[str]
) -> dict[str, Any]:
    """Return the scores of rows with these keys about their intervals."""
    result, intervals = rows.measured(uncertainty)
    if uncertainty is None:
        return result
    single: Intervals = intervals
    if uncertainty.clusters is not None:
        _, single = rows.measured(replace(uncertainty, clusters=None, method="auto"))
    report = _reported(intervals, single, len(rows))
    if uncertainty.clusters is None:
        del report["design_effect"]
    else:
        report["n_clusters"] = len(uncertainty.clusters)
    return result | {key: report[key] for key in keys if key in report}


def _reported(intervals: Intervals, single: Intervals, rows: int) -> dict[str, Any]:
    """Return for each key of a result the values by name; `single` has intervals of lone rows."""
    report: dict[str, Any] = {key: {} for key in _KEYS if key != "n_clusters"}
    for name, found in intervals.items():
        alone: Any = single[name]
        if isinstance(found, Interval):
            for key, value in _report(found, alone, rows, nan).items():
                if value == value:  # it is not NaN
                    report[key][name] = value
            continue
        entries = [_report(*pair, rows, 1.0) for pair in zip(found, alone, strict=True)]
        for key, value in entries[0].items():
            is_shared = key == "interval"
            report[key][name] = value if is_shared else [entry[key] for entry in entries]
    return report


def _report(found: Interval, alone: Interval, rows: int, unknown: float) -> dict[str, Any]:
    """Return what is told about an interval; without an error its design effect is unknown."""
    effect = unknown
    if not isnan(found.standard_error):
        # By how much clusters multiply the variance
        effect = (found.standard_error / alone.standard_error) ** 2 if alone.standard_error else 1.0
    return {
        "confidence_interval": [found.low, found.high],
        "interval": found.method,
        "standard_error": found.standard_error,
        "effective_n": (rows if found.rows is None else found.rows) / max(effect, 1.0),
        "design_effect": effect,
    }


@contextmanager
def interval_of(name: str) -> Iterator[None]:
    """Name the score in errors about a method that it does not support."""
    try:
        yield
    except OptionError as error:
        if error.option != "method":
            raise
        raise OptionError(f"interval of {name}", f": {error.problem}") from error


def members(labels: Sequence[str]) -> dict[str, Integers]:
    """Return the rows of each label, labels in ascending order.

    >>> {label: rows.tolist() for label, rows in members(["b", "a", "b"]).items()}
    {'a': [1], 'b': [0, 2]}
    """
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return {label: np.array(rows[label], dtype=np.int64) for label in sorted(rows)}
