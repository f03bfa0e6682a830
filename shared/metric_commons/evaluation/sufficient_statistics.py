"""What the result of a module depends on, of any number of rows: its sufficient statistics.

There is a class for each kind of scores that a module may declare. Each takes rows in, merges with
others of its class without rounding, and returns the result of all rows.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import islice
from operator import add
from typing import Any, NamedTuple, Self, cast

import numpy as np

from ..numbers.arrays import Floats, Integers, take
from ..numbers.checks import RowError, check_measures, check_weights
from ..numbers.contingency import contingency
from ..numbers.multisets import Multiset
from ..outcomes.preferences import outcomes, rates, sums_of_clusters
from ..ranking.names import parse_measures
from ..ranking.ranking_measures import average
from ..regression.errors import MEASURES, MOMENT_MEASURES, aggregate_outputs, moment_measures
from ..regression.moments import Moments, compute_moments, required_measures
from ..regression.pairs import Pairs
from ..statistics.cluster_sums import Clusters, ClusterSums
from ..statistics.intervals import interval
from ..statistics.summary import members, summarize, uncertainty
from ..statistics.sums import RowStatistics, summarize_sums
from .arguments import REPORTING

Columns = Mapping[str, Any]
Ids = Sequence[int | str]
# What makes a module return scores of rows and nothing else.
_SCORES_ALONE = {"per_example": True, "confidence_level": None, "standard_error": False}


class RowLabels(NamedTuple):
    """What rows have beside their columns, one each; None if they do not."""

    groups: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    ids: Ids | None = None


class SufficientStatistics(ABC):
    """What the result of a module depends on, of any number of rows."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric
        self._options = {k: v for k, v in metric.options.items() if k not in REPORTING}

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def update(self, columns: Columns, labels: RowLabels) -> None:
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


@dataclass(frozen=True)
class _Rows:
    """How often each score occurs among some rows, and the sums of their clusters."""

    scores: dict[str, Multiset]
    clusters: dict[str, ClusterSums] | None  # None if rows stand alone

    def __len__(self) -> int:
        return len(next(iter(self.scores.values())))

    @classmethod
    def sum(cls, parts: Iterable["_Rows"]) -> Self:
        listed = list(parts)
        names = listed[0].scores
        if len({part.clusters is None for part in listed}) > 1:
            raise ValueError("some rows have clusters, others have none")
        clusters = None
        if listed[0].clusters is not None:
            sums = [cast(dict[str, ClusterSums], part.clusters) for part in listed]
            clusters = {name: ClusterSums.sum(part[name] for part in sums) for name in sums[0]}
        return cls(
            {name: Multiset.sum(part.scores[name] for part in listed) for name in names}, clusters
        )

    def to_plain(self) -> list[Any]:
        scores = {name: multiset.to_plain() for name, multiset in self.scores.items()}
        if self.clusters is None:
            return [scores, None]
        return [scores, {name: sums.to_plain() for name, sums in self.clusters.items()}]

    @classmethod
    def from_plain(cls, plain: Any) -> Self:
        scores, clusters = plain
        return cls(
            {name: Multiset.from_plain(multiset) for name, multiset in scores.items()},
            clusters and {name: ClusterSums.from_plain(sums) for name, sums in clusters.items()},
        )


class RowScores(SufficientStatistics):
    """Scores of single rows, of which the exact mean is reported."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._groups: dict[str | None, _Rows] = {}

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def update(self, columns: Columns, labels: RowLabels) -> None:
        _refuse_ids(labels.ids)
        scores = self._scores_of_rows(columns)
        rows = len(next(iter(scores.values())))
        clusters = None if labels.clusters is None else Clusters.of_labels(labels.clusters, rows)
        groups = {None: np.arange(rows)} if labels.groups is None else members(labels.groups)
        self._take(
            {
                label: self._rows(
                    {name: values[of_label] for name, values in scores.items()},
                    None if clusters is None else clusters.take(of_label),
                )
                for label, of_label in groups.items()
            }
        )

    def merge(self, other: Self) -> None:
        self._take(other._groups)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting.pop("per_example"):
            raise ValueError("a state does not keep the scores of single rows")
        result = self._summary(_Rows.sum(self._groups.values()), **reporting)
        if None not in self._groups:
            result["groups"] = {
                label: self._summary(self._groups[label], **reporting)
                | {"n": len(self._groups[label])}
                for label in sorted(self._groups, key=str)
            }
        return result

    def to_plain(self) -> Any:
        return [[label, rows.to_plain()] for label, rows in self._groups.items()]

    def take_plain(self, plain: Any) -> None:
        self._take({label: _Rows.from_plain(rows) for label, rows in plain})

    def _take(self, new: Mapping[str | None, _Rows]) -> None:
        merged_groups = self._groups | {
            label: _Rows.sum([self._groups[label], rows]) if label in self._groups else rows
            for label, rows in new.items()
        }
        if None in merged_groups and len(merged_groups) > 1:
            raise ValueError("some rows have groups, others have none")
        if len({rows.clusters is None for rows in merged_groups.values()}) > 1:
            raise ValueError("some rows have clusters, others have none")
        self._groups = merged_groups

    def _rows(self, scores: Mapping[str, Floats], clusters: Clusters | None) -> _Rows:
        return _Rows(
            {name: Multiset.from_values(values) for name, values in scores.items()},
            None
            if clusters is None
            else {name: clusters.sums(values) for name, values in scores.items()},
        )

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        scores = self._metric.compute(**columns, **_SCORES_ALONE)
        return {name: np.array(values) for name, values in scores["per_example"].items()}

    def _summary(self, rows: _Rows, **reporting: Any) -> dict[str, Any]:
        means = {name: multiset.mean() for name, multiset in rows.scores.items()}
        estimators = {
            name: partial(
                interval, multiset, clusters=None if rows.clusters is None else rows.clusters[name]
            )
            for name, multiset in rows.scores.items()
        }
        return means | uncertainty(estimators, **reporting)


class ComparisonOutcomes(RowScores):
    """Outcomes of comparisons; whether a tie counts is decided at the end."""

    def _rows(self, scores: Mapping[str, Floats], clusters: Clusters | None) -> _Rows:
        (values,) = scores.values()
        rows = super()._rows(scores, None)
        if clusters is None:
            return rows
        return replace(rows, clusters=sums_of_clusters(values, self._options["ties"], clusters))

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        return {"outcome": outcomes(self._metric.checked(**columns)["predictions"])}

    def _summary(self, rows: _Rows, **reporting: Any) -> dict[str, Any]:
        del reporting["standard_error"]  # which is always there
        elements = rows.scores["outcome"].elements()
        return rates(elements, self._options["ties"], rows.clusters, **reporting)


class RankingScores(SufficientStatistics):
    """The scores of each ranking, under its id."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._queries: dict[int | str, _Query] = {}
        self._measures = parse_measures(self._options["measures"])

    def __len__(self) -> int:
        return len(self._queries)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        scores = self._metric.compute(**columns, **_SCORES_ALONE)
        rows = list(zip(*scores["per_example"].values(), strict=True))
        names = range(len(self), len(self) + len(rows))
        ids = names if labels.ids is None else _checked_ids(labels.ids, rows)
        groups, clusters = (
            [None] * len(rows) if column is None else column
            for column in (labels.groups, labels.clusters)
        )
        self._take(
            (name, _Query(group, cluster, list(row)))
            for name, group, cluster, row in zip(ids, groups, clusters, rows, strict=True)
        )

    def merge(self, other: Self) -> None:
        self._take(other._queries.items())

    def result(self, **reporting: Any) -> dict[str, Any]:
        in_order = [self._queries[name] for name in sorted(self._queries, key=_query_order)]
        groups, clusters, rows = zip(*in_order, strict=True)
        scores = np.array(rows).T
        return summarize(
            {measure.name: values for measure, values in zip(self._measures, scores, strict=True)},
            {measure.name: average(measure) for measure in self._measures},
            **reporting,
            groups=None if None in groups else groups,
            clusters=None if None in clusters else clusters,
        )

    def to_plain(self) -> Any:
        return [[name, *query] for name, query in self._queries.items()]

    def take_plain(self, plain: Any) -> None:
        self._take((name, _Query(*query)) for name, *query in plain)

    def _take(self, new: Iterable[tuple[int | str, "_Query"]]) -> None:
        new_queries: dict[int | str, _Query] = {}
        for name, query in new:
            if name in new_queries or name in self._queries:
                raise ValueError(f"ranking {name!r} is there twice; give each an id of its own")
            new_queries[name] = query
        queries = [*islice(self._queries.values(), 1), *new_queries.values()]
        for label in ("group", "cluster"):
            if len({getattr(query, label) is None for query in queries}) > 1:
                raise ValueError(f"some rows have {label}s, others have none")
        self._queries |= new_queries


class _Query(NamedTuple):
    """The labels of a query, and its scores in the order of the measures."""

    group: str | None
    cluster: str | None
    scores: list[float]


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

    def update(self, columns: Columns, labels: RowLabels) -> None:
        _refuse_ids(labels.ids)
        _refuse_labels(self._metric, labels)
        weights = {name: columns[name] for name in columns if name in self._metric.options}
        inputs = {name: column for name, column in columns.items() if name not in weights}
        checked = self._metric.checked(**inputs)
        for name, column in weights.items():
            checked[name] = check_weights(name, column, len(next(iter(checked.values()))))
        for name, column in (("groups", labels.groups), ("clusters", labels.clusters)):
            if column is not None:
                checked[name] = column
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
        for label in ("groups", "clusters"):
            if self._names and names and (label in names) != (label in self._names):
                raise ValueError(f"some rows have {label}, others have none")
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
        self._groups: dict[str | None, Moments] = {}

    def __len__(self) -> int:
        return sum(moments.rows for moments in self._groups.values())

    def update(self, columns: Columns, labels: RowLabels) -> None:
        _refuse_ids(labels.ids)
        if labels.clusters is not None:
            raise ValueError("this state keeps sums of all rows, without clusters; use compute")
        inputs = dict(columns)
        weight = inputs.pop("sample_weight", None)
        checked = self._metric.checked(**inputs)
        measures = required_measures(self._measures, self._options["multioutput"])
        rows = len(checked["references"])
        weights = check_weights("sample_weight", weight, rows)
        parts = checked["predictions"], checked["references"], weights

        def moments(rows: Integers | None) -> Moments:
            selected = parts if rows is None else [take(part, rows) for part in parts]
            return compute_moments(Pairs(*selected), measures)

        if labels.groups is None:
            self._take({None: moments(None)})
        else:
            groups = members(labels.groups).items()
            self._take({label: moments(of_label) for label, of_label in groups})

    def merge(self, other: Self) -> None:
        self._take(other._groups)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["confidence_level"] is not None:
            raise ValueError("this state keeps sums, but intervals need rows; use compute")
        moments = list(self._groups.values())
        result = self._values(reduce(add, moments))
        if None not in self._groups:
            result["groups"] = {
                label: self._values(self._groups[label]) | {"n": self._groups[label].rows}
                for label in sorted(self._groups, key=str)
            }
        return result

    def to_plain(self) -> Any:
        return [[label, moments.to_plain()] for label, moments in self._groups.items()]

    def take_plain(self, plain: Any) -> None:
        self._take({label: Moments.from_plain(moments) for label, moments in plain})

    def _take(self, new: Mapping[str | None, Moments]) -> None:
        merged = dict(self._groups)
        for label, moments in new.items():
            first = next(iter(merged.values()), moments)
            if first.outputs != moments.outputs:
                raise ValueError(
                    f"some rows have {first.outputs} numbers, others {moments.outputs}"
                )
            merged[label] = merged[label] + moments if label in merged else moments
        if None in merged and len(merged) > 1:
            raise ValueError("some rows have groups, others have none")
        self._groups = merged

    def _values(self, moments: Moments) -> dict[str, Any]:
        values = moment_measures(moments, self._measures)
        return aggregate_outputs(values, moments, self._options["multioutput"])


class SumsOfRows(SufficientStatistics):
    """Statistics of rows, from whose sums the scores follow; intervals resample the rows."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._parts: list[RowStatistics] = [metric.row_statistics()]
        self._labels: list[tuple[str | None, str | None]] = []  # group and cluster of each row

    def __len__(self) -> int:
        return len(self._labels)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        _refuse_ids(labels.ids)
        rows = self._metric.row_statistics(**columns)
        unlabelled = [None] * len(rows)
        pairs = zip(labels.groups or unlabelled, labels.clusters or unlabelled, strict=True)
        self._take(rows, list(pairs))

    def merge(self, other: Self) -> None:
        self._take(other._rows(), list(other._labels))

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["per_example"]:
            raise ValueError("a state does not keep the order of rows")
        groups, clusters = (
            None if None in labels else labels for labels in zip(*self._labels, strict=True)
        )
        return dict(summarize_sums(self._rows(), **reporting, groups=groups, clusters=clusters))

    def to_plain(self) -> Any:
        rows = self._rows()
        counts = Counter(zip(self._labels, map(tuple, rows.values.tolist()), strict=True))
        return [rows.names, [[*labels, row, count] for (labels, row), count in counts.items()]]

    def take_plain(self, plain: Any) -> None:
        names, rows = plain
        counts = [count for *_, count in rows]
        if not rows:
            return
        values = np.array([row for *_, row, _ in rows]).reshape(len(rows), len(names))
        values = np.repeat(values, counts, axis=0)
        labels = [(group, cluster) for group, cluster, _, count in rows for _ in range(count)]
        self._take(replace(self._parts[0], names=tuple(names), values=values), labels)

    def _rows(self) -> RowStatistics:
        """All rows; parts are joined when they are needed, and not at every update."""
        first, *others = self._parts
        self._parts = [first.joined(*others)]
        return self._parts[0]

    def _take(self, rows: RowStatistics, labels: Sequence[tuple[str | None, str | None]]) -> None:
        if labels and self._labels:
            pairs = zip(labels[0], self._labels[0], strict=True)
            for name, (new, label) in zip(("groups", "clusters"), pairs, strict=True):
                if (new is None) != (label is None):
                    raise ValueError(f"some rows have {name}, others have none")
        self._parts.append(rows)
        self._labels.extend(labels)


def sufficient_statistics(metric: Any) -> SufficientStatistics:
    """The empty statistics of a module with these options, for the kind of scores that it has."""
    kinds: dict[str, type[SufficientStatistics]] = {
        "means": RowScores,
        "outcomes": ComparisonOutcomes,
        "rankings": RankingScores,
        "counts": RowCounts,
        "moments": RegressionMoments,
        "sums": SumsOfRows,
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


def _refuse_labels(metric: Any, labels: RowLabels) -> None:
    for name, column in (("groups", labels.groups), ("clusters", labels.clusters)):
        if column is not None and name not in metric.options:
            raise ValueError(f"{name} is not an option of {metric.name}")


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
