"""States of modules whose scores are no means of rows: counts of equal rows, moments and sums."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np

from ..numbers.arrays import Integers, take
from ..numbers.checks import check_weights
from ..numbers.contingency import contingency
from ..regression.errors import MOMENT_MEASURES, aggregate_outputs, moment_measures
from ..regression.measure_names import parse_measures
from ..regression.moments import Moments, compute_moments, required_measures
from ..regression.pairs import Pairs
from ..statistics.summary import members
from ..statistics.sums import RowStatistics, summarize_sums
from .arguments import OF_SCRIPTS
from .sufficient_statistics import Columns, RowLabels, SufficientStatistics, refuse_ids


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
        refuse_ids(labels.ids)
        _refuse_labels(self._metric, labels)
        weights = {name: columns[name] for name in columns if name in self._metric.options}
        inputs = {name: column for name, column in columns.items() if name not in weights}
        checked = self._metric.checked(**inputs)
        for name, column in weights.items():
            checked[name] = check_weights(name, column, len(next(iter(checked.values()))))
        for name, column in (("groups", labels.groups), ("clusters", labels.clusters)):
            if column is not None:
                checked[name] = column
        flat = _flattened(checked)
        self._take(list(flat), _counted(list(flat.values())))

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
        result: dict[str, Any] = self._metric.compute(**_nested(columns), **reporting)
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
        names = {measure.name for measure in parse_measures(metric.options["measures"])}
        return names <= MOMENT_MEASURES.keys()

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._measures = [measure.name for measure in parse_measures(self._options["measures"])]
        self._groups: dict[str | None, Moments] = {}

    def __len__(self) -> int:
        return sum(moments.rows for moments in self._groups.values())

    def update(self, columns: Columns, labels: RowLabels) -> None:
        refuse_ids(labels.ids)
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
            raise ValueError(
                "this state keeps sums, but intervals need rows; "
                "State(..., confidence_level=0.95) keeps them, on the command line --confidence"
            )
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


class RegressionRows(SufficientStatistics):
    """Sums over rows, or the rows themselves if intervals are asked for or rows have clusters.

    Sums are as short for many rows as for few. But the interval of most measures needs rows, and so
    do clusters: which rows are alike is seen when all are there.
    """

    def __init__(self, metric: Any, *, with_intervals: bool = False) -> None:
        super().__init__(metric)
        self._with_intervals = with_intervals
        self._moments = RegressionMoments(metric)
        self._rows = RowCounts(metric)

    def __len__(self) -> int:
        return len(self._moments) + len(self._rows)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        needs_rows = self._with_intervals or labels.clusters is not None or len(self._rows) > 0
        if needs_rows and len(self._moments):
            raise ValueError("some rows have clusters, others have none")
        (self._rows if needs_rows else self._moments).update(columns, labels)

    def merge(self, other: Self) -> None:
        if (len(self._moments) and len(other._rows)) or (len(self._rows) and len(other._moments)):
            raise ValueError(
                "one state keeps rows, for intervals or clusters, and the other sums alone"
            )
        self._moments.merge(other._moments)
        self._rows.merge(other._rows)

    def result(self, **reporting: Any) -> dict[str, Any]:
        return (self._rows if len(self._rows) else self._moments).result(**reporting)

    def to_plain(self) -> Any:
        return {"rows": self._rows.to_plain()} if len(self._rows) else self._moments.to_plain()

    def take_plain(self, plain: Any) -> None:
        if isinstance(plain, dict):
            self._rows.take_plain(plain["rows"])
        else:
            self._moments.take_plain(plain)


class SumsOfRows(SufficientStatistics):
    """Statistics of rows, from whose sums the scores follow; intervals resample the rows."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._parts: list[RowStatistics] = [metric.row_statistics()]
        self._labels: list[tuple[str | None, str | None]] = []  # group and cluster of each row

    def __len__(self) -> int:
        return len(self._labels)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        refuse_ids(labels.ids)
        rows = self._metric.row_statistics(**columns)
        unlabelled = [None] * len(rows)
        pairs = zip(labels.groups or unlabelled, labels.clusters or unlabelled, strict=True)
        self._take(rows, list(pairs))

    def merge(self, other: Self) -> None:
        self._take(other._rows(), list(other._labels))

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["per_example"]:
            raise ValueError("a state does not keep the order of rows")
        for option in OF_SCRIPTS:
            if reporting.pop(option, None):
                raise ValueError(f"{option} is for results of compute, not of a state")
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


def _flattened(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with one for each field of those that hold records.

    >>> _flattened({"predictions": [{"n": 3, "c": 1}]})
    {'predictions.n': [3], 'predictions.c': [1]}
    """
    flat: dict[str, Any] = {}
    for name, column in columns.items():
        if isinstance(column, list) and isinstance(column[0], dict):
            flat |= {f"{name}.{field}": [row[field] for row in column] for field in column[0]}
        else:
            flat[name] = column
    return flat


def _nested(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `_flattened`.

    >>> _nested({"predictions.n": [3], "predictions.c": [1]})
    {'predictions': [{'n': 3, 'c': 1}]}
    """
    nested: dict[str, Any] = {}
    for name, column in columns.items():
        record, _, field = name.partition(".")
        if not field:
            nested[name] = column
            continue
        rows = nested.setdefault(record, [{} for _ in column])
        for row, value in zip(rows, column, strict=True):
            row[field] = value
    return nested


def _counted(columns: Sequence[Any]) -> Mapping[tuple[Any, ...], int]:
    """How often each row of some columns occurs."""
    if len(columns) == 2 and all(map(_is_flat, columns)):
        (keys, values), (column_keys, column_values) = map(_as_labels, columns)
        table = contingency(keys, column_keys)
        first, second = values(table.row_labels), column_values(table.column_labels)
        entries = zip(
            table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True
        )
        return {(first[row], second[column]): count for row, column, count in entries}
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
