"""What the result of a module depends on, of any number of rows: its sufficient statistics.

There is a class for each kind of scores that a module may declare. Each takes rows in, merges with
others of its class without rounding, and returns the result of all rows.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Self, cast

import numpy as np

from ..numbers.arrays import Floats
from ..numbers.checks import RowError, check_measures, check_weights
from ..numbers.contingency import contingency
from ..numbers.multisets import Multiset
from ..outcomes.preferences import outcomes, win_rates
from ..ranking.names import parse_measures
from ..ranking.ranking_measures import average
from ..regression.errors import MEASURES, MOMENT_MEASURES, aggregate_outputs, moment_measures
from ..regression.moments import Moments, compute_moments, required_measures
from ..regression.pairs import Pairs
from ..statistics.bootstrap import mean_interval
from ..statistics.summary import members, summarize
from .arguments import REPORTING

Columns = Mapping[str, Any]
Labels = Sequence[str] | None  # of rows; None if they are not grouped
Ids = Sequence[int | str]


class SufficientStatistics(ABC):
    """What the result of a module depends on, of any number of rows."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric
        self._options = {k: v for k, v in metric.options.items() if k not in REPORTING}

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        """Take in rows."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Take in statistics of the same kind."""

    @abstractmethod
    def result(self, **reporting: Any) -> dict[str, Any]:
        """The result of all rows."""

    @abstractmethod
    def to_plain(self) -> Any:
        """Lists, dicts, strings and finite numbers, for JSON."""

    @abstractmethod
    def take_plain(self, plain: Any) -> None:
        """Take in what `to_plain` returned."""


class RowScores(SufficientStatistics):
    """Scores of single rows, of which the exact mean is reported."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._groups: dict[str | None, dict[str, Multiset]] = {}

    def __len__(self) -> int:
        return sum(_row_count(scores) for scores in self._groups.values())

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        _refuse_ids(ids)
        scores = self._scores_of_rows(columns)
        rows = len(next(iter(scores.values())))
        scores_by_label = {None: np.arange(rows)} if labels is None else members(labels)
        self._take(
            {
                label: {
                    name: Multiset.from_values(values[rows_of_label])
                    for name, values in scores.items()
                }
                for label, rows_of_label in scores_by_label.items()
            }
        )

    def merge(self, other: Self) -> None:
        self._take(other._groups)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["per_example"]:
            raise ValueError("a state does not keep the scores of single rows")
        total = _together(self._groups.values())
        result = self._means(total)
        level = reporting["confidence_level"]
        if level is not None:
            result["confidence_interval"] = self._intervals(total, **_bootstrap(reporting))
        if None not in self._groups:
            result["groups"] = {
                label: self._means(self._groups[label]) | {"n": _row_count(self._groups[label])}
                for label in sorted(self._groups, key=str)
            }
        return result

    def to_plain(self) -> Any:
        return [
            [label, {name: scores.to_plain() for name, scores in scores_of_label.items()}]
            for label, scores_of_label in self._groups.items()
        ]

    def take_plain(self, plain: Any) -> None:
        self._take(
            {
                label: {
                    name: Multiset.from_plain(scores) for name, scores in scores_of_label.items()
                }
                for label, scores_of_label in plain
            }
        )

    def _take(self, new: Mapping[str | None, dict[str, Multiset]]) -> None:
        merged_groups = self._groups | {
            label: _together([self._groups[label], scores]) if label in self._groups else scores
            for label, scores in new.items()
        }
        if None in merged_groups and len(merged_groups) > 1:
            raise ValueError("some rows have groups, others have none")
        self._groups = merged_groups

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        scores = self._metric.compute(**columns, per_example=True, confidence_level=None)
        return {name: np.array(values) for name, values in scores["per_example"].items()}

    def _means(self, scores: Mapping[str, Multiset]) -> dict[str, Any]:
        return {name: multiset.mean() for name, multiset in scores.items()}

    def _intervals(self, scores: Mapping[str, Multiset], **bootstrap: Any) -> dict[str, Any]:
        return {
            name: list(mean_interval(multiset.values, multiset.counts, **bootstrap))
            for name, multiset in scores.items()
        }


class ComparisonOutcomes(RowScores):
    """Outcomes of comparisons; whether a tie counts is decided at the end."""

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        return {"outcome": outcomes(self._metric.checked(**columns)["predictions"])}

    def _means(self, scores: Mapping[str, Multiset]) -> dict[str, Any]:
        return win_rates(scores["outcome"].elements(), **self._options)

    def _intervals(self, scores: Mapping[str, Multiset], **bootstrap: Any) -> dict[str, Any]:
        written_out = scores["outcome"].elements()
        result = win_rates(written_out, **self._options, **bootstrap)
        intervals: dict[str, Any] = result["confidence_interval"]
        return intervals


class RankingScores(SufficientStatistics):
    """The scores of each ranking, under its id."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._queries: dict[int | str, tuple[str | None, list[float]]] = {}
        self._measures = parse_measures(self._options["measures"])

    def __len__(self) -> int:
        return len(self._queries)

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        scores = self._metric.compute(**columns, per_example=True, confidence_level=None)
        rows = list(zip(*scores["per_example"].values(), strict=True))
        names = range(len(self), len(self) + len(rows)) if ids is None else _checked_ids(ids, rows)
        groups = [None] * len(rows) if labels is None else labels
        self._take(
            (name, (group, list(row))) for name, group, row in zip(names, groups, rows, strict=True)
        )

    def merge(self, other: Self) -> None:
        self._take(other._queries.items())

    def result(self, **reporting: Any) -> dict[str, Any]:
        in_order = [self._queries[name] for name in sorted(self._queries, key=_query_order)]
        labels = [group for group, _ in in_order]
        scores = np.array([row for _, row in in_order]).T
        return summarize(
            {
                measure.name: rows_of_label
                for measure, rows_of_label in zip(self._measures, scores, strict=True)
            },
            {measure.name: average(measure) for measure in self._measures},
            **reporting,
            groups=None if None in labels else labels,
        )

    def to_plain(self) -> Any:
        return [[name, group, row] for name, (group, row) in self._queries.items()]

    def take_plain(self, plain: Any) -> None:
        self._take((name, (group, row)) for name, group, row in plain)

    def _take(self, new: Iterable[tuple[int | str, tuple[str | None, list[float]]]]) -> None:
        new_queries: dict[int | str, tuple[str | None, list[float]]] = {}
        for name, row in new:
            if name in new_queries or name in self._queries:
                raise ValueError(f"ranking {name!r} is there twice; give each an id of its own")
            new_queries[name] = row
        ungrouped = {group is None for group, _ in new_queries.values()}
        ungrouped |= {group is None for group, _ in islice(self._queries.values(), 1)}
        if len(ungrouped) > 1:
            raise ValueError("some rows have groups, others have none")
        self._queries |= new_queries


class RowCounts(SufficientStatistics):
    """How often each row occurs, for modules to which the order of rows is all the same.

    Few labels make few rows, and labels with scores are all that a curve needs. Where rows are
    seldom equal this keeps them all: a silhouette compares every point with every other.
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._counts: dict[tuple[Any, ...], int] = {}
        self._names: list[str] = []

    def __len__(self) -> int:
        return sum(self._counts.values())

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        _refuse_ids(ids)
        _refuse_groups(self._metric, labels)
        weights = {name: columns[name] for name in columns if name in self._metric.options}
        inputs = {name: column for name, column in columns.items() if name not in weights}
        checked = self._metric.checked(**inputs)
        for name, column in weights.items():
            checked[name] = check_weights(name, column, len(next(iter(checked.values()))))
        self._take(list(checked), _counted(list(checked.values())))

    def merge(self, other: Self) -> None:
        self._take(other._names, other._counts)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting.get("per_example"):
            raise ValueError("a state does not keep the order of rows")
        counts = list(self._counts.values())
        columns = {
            name: _repeated(values, counts)
            for name, values in zip(self._names, zip(*self._counts, strict=True), strict=True)
        }
        result: dict[str, Any] = self._metric.compute(**columns, **reporting)
        return result

    def to_plain(self) -> Any:
        return [self._names, [list(row) for row in self._counts], list(self._counts.values())]

    def take_plain(self, plain: Any) -> None:
        names, rows, counts = plain
        hashable = [tuple(map(_hashable, row)) for row in rows]
        self._take(names, dict(zip(hashable, counts, strict=True)))

    def _take(self, names: list[str], counts: Mapping[tuple[Any, ...], int]) -> None:
        if self._names and names and names != self._names:
            raise ValueError(f"some rows have {self._names}, others {names}")
        self._names = self._names or names
        for row, count in counts.items():
            self._counts[row] = self._counts.get(row, 0) + count


class RegressionMoments(SufficientStatistics):
    """Sums over rows, of which most measures of a regression are made."""

    @staticmethod
    def suffice(metric: Any) -> bool:
        """Whether all measures that are asked for follow from such sums."""
        return set(check_measures(metric.options["measures"], MEASURES)) <= MOMENT_MEASURES.keys()

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._measures = check_measures(self._options["measures"], MEASURES)
        self._moments: Moments | None = None

    def __len__(self) -> int:
        return self._moments.rows if self._moments else 0

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        _refuse_ids(ids)
        _refuse_groups(self._metric, labels)
        inputs = dict(columns)
        weight = inputs.pop("sample_weight", None)
        checked = self._metric.checked(**inputs)
        pairs = Pairs(checked["predictions"], checked["references"], weight)
        measures = required_measures(self._measures, self._options["multioutput"])
        self._take(compute_moments(pairs, measures))

    def merge(self, other: Self) -> None:
        if other._moments:
            self._take(other._moments)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["confidence_level"] is not None:
            raise ValueError("this state keeps sums, but intervals resample rows; use compute")
        moments = cast(Moments, self._moments)  # without rows no result is asked for
        values = moment_measures(moments, self._measures)
        return aggregate_outputs(values, moments, self._options["multioutput"])

    def to_plain(self) -> Any:
        return self._moments and self._moments.to_plain()

    def take_plain(self, plain: Any) -> None:
        self._moments = plain and Moments.from_plain(plain)

    def _take(self, new: Moments) -> None:
        if self._moments and self._moments.outputs != new.outputs:
            raise ValueError(
                f"some rows have {self._moments.outputs} numbers, others {new.outputs}"
            )
        self._moments = self._moments + new if self._moments else new


def sufficient_statistics(metric: Any) -> SufficientStatistics:
    """The empty statistics of a module with these options, for the kind of scores that it has."""
    kinds: dict[str, type[SufficientStatistics]] = {
        "means": RowScores,
        "outcomes": ComparisonOutcomes,
        "rankings": RankingScores,
        "counts": RowCounts,
        "moments": RegressionMoments,
    }
    if metric.scores_are == "moments" and not RegressionMoments.suffice(metric):
        return RowCounts(metric)
    return kinds[metric.scores_are](metric)


def _counted(columns: Sequence[Any]) -> Mapping[tuple[Any, ...], int]:
    """How often each row of some columns occurs."""
    if len(columns) == 2 and all(map(_is_flat, columns)):
        (keys, values), (other_keys, other_values) = map(_as_labels, columns)
        table = contingency(keys, other_keys)
        first, second = values(table.row_labels), other_values(table.column_labels)
        entries = zip(
            table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True
        )
        return {(first[left], second[other]): count for left, other, count in entries}
    listed = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
    return Counter(zip(*(map(_hashable, column) for column in listed), strict=True))


def _is_flat(column: Any) -> bool:
    if isinstance(column, np.ndarray):
        return column.ndim == 1
    return not isinstance(column[0], list | dict)


def _as_labels(column: Any) -> tuple[Any, Callable[[list[Any]], list[Any]]]:
    """A column whose values can be counted as labels, and how to get values back from labels.

    Floats that are equal have the same bits, once -0.0 has become 0.0.
    """
    numbers = column if isinstance(column, np.ndarray) else None
    if numbers is None and isinstance(column[0], float):
        numbers = np.array(column)
    if numbers is None or numbers.dtype.kind != "f":
        return column, lambda labels: labels
    return (numbers + 0.0).view(
        np.int64
    ), lambda labels: np.array(labels, np.int64).view(np.float64).tolist()


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _repeated(values: Sequence[Any], counts: Sequence[int]) -> Any:
    """A column of these values, each as often as it occurs; an array where that is the same."""
    rows = [list(value) if isinstance(value, tuple) else value for value in values]
    parts = {type(item) for row in rows for item in (row if isinstance(row, list) else [row])}
    widths = {len(row) if isinstance(row, list) else None for row in rows}
    if len(parts) == len(widths) == 1 and parts <= {bool, int, float}:
        array = np.array(rows)
        if array.dtype in (np.bool, np.int64, np.float64):
            return np.repeat(array, counts, axis=0)
    return [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


def _refuse_groups(metric: Any, labels: Labels) -> None:
    if labels is not None:
        raise ValueError(f"groups is not an option of {metric.name}")


def _row_count(scores: Mapping[str, Multiset]) -> int:
    return len(next(iter(scores.values())))


def _together(parts: Iterable[Mapping[str, Multiset]]) -> dict[str, Multiset]:
    parts_listed = list(parts)
    return {name: Multiset.sum(part[name] for part in parts_listed) for name in parts_listed[0]}


def _bootstrap(reporting: Mapping[str, Any]) -> dict[str, Any]:
    return {name: reporting[name] for name in ("confidence_level", "n_resamples", "seed")}


def _refuse_ids(ids: Ids | None) -> None:
    if ids is not None:
        raise ValueError("only rankings have ids")


def _checked_ids(ids: Ids, rows: Sequence[object]) -> Ids:
    if len(ids) != len(rows):
        raise ValueError(f"ids has {len(ids)} values for {len(rows)} rows")
    for row, name in enumerate(ids):
        if not isinstance(name, int | str) or isinstance(name, bool):
            raise RowError("ids", row, f"is {name!r}; an id is an integer or a string")
    return ids


def _query_order(name: int | str) -> tuple[int, int, bytes]:
    """Integers before strings, and these in the order of their bytes."""
    if isinstance(name, int):
        return 0, name, b""
    return 1, 0, name.encode("utf-8", "surrogatepass")
