"""States of modules whose scores are no means of rows: counts of equal rows, moments and sums."""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np

from ..catalog.arguments import OF_SCRIPTS
from ..numbers.arrays import Integers, take
from ..numbers.checks import check_weights
from ..regression.errors import MOMENT_MEASURES, aggregate_outputs, moment_measures
from ..regression.measure_names import parse_measures
from ..regression.moments import Moments, compute_moments, required_measures, required_terms
from ..regression.pairs import Pairs
from ..statistics.summary import members
from ..statistics.sums import RowStatistics, summarize_sums
from .row_tables import CountedRows
from .state_checks import (
    NOT_NEGATIVE,
    check_at_most,
    check_column,
    check_counts,
    check_moments,
    check_names,
    check_statistic,
)
from .sufficient_statistics import Columns, RowLabels, SufficientStatistics, refuse_ids


class RowCounts(SufficientStatistics):
    """How often each row occurs, for modules to which the order of rows is all the same.

    Few labels make few rows, and labels with scores are all that a curve needs. Where rows are
    seldom equal this keeps them all: a silhouette compares every point with every other.
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._rows = CountedRows()

    def __len__(self) -> int:
        return len(self._rows)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        refuse_ids(labels.ids)
        _refuse_labels(self._metric, labels)
        weights = {name: columns[name] for name in columns if name in self._metric.options}
        inputs = {name: column for name, column in columns.items() if name not in weights}
        columns_read = self._metric.checked(**inputs)
        checked = dict(self._metric.state_columns(columns_read, **self._metric.options))
        for name, column in weights.items():
            checked[name] = check_weights(name, column, len(next(iter(checked.values()))))
        self._rows.update(checked | labels.columns())

    def merge(self, other: Self) -> None:
        self._rows.merge(other._rows)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting.get("per_example"):
            raise ValueError("a state does not keep the order of rows")
        result: dict[str, Any] = self._metric.compute(**self._rows.columns(), **reporting)
        return result

    def to_plain(self) -> Any:
        return self._rows.to_plain()

    def take_plain(self, plain: Any) -> None:
        self._rows.take_plain(plain)

    def check(self) -> None:
        for columns in self._rows.tables_of_numbers():
            check_counts(columns["count"])
            for name in columns.keys() & self._metric.options.keys():
                check_column(name, columns[name], NOT_NEGATIVE)  # the weights of rows


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
        checked = self._metric.state_columns(checked, **self._metric.options)
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

    def check(self) -> None:
        terms = required_terms(required_measures(self._measures, self._options["multioutput"]))
        for moments in self._groups.values():
            check_moments(moments, terms)

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

    def check(self) -> None:
        self._rows.check()
        self._moments.check()


class SumsOfRows(SufficientStatistics):
    """Statistics of rows, from whose sums the scores follow; intervals resample the rows."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._none: RowStatistics = metric.row_statistics()
        self._rows = CountedRows()

    def __len__(self) -> int:
        return len(self._rows)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        refuse_ids(labels.ids)
        rows = self._metric.row_statistics(**columns)
        statistics = dict(zip(rows.names, rows.values.T, strict=True))
        self._rows.update(labels.columns(), statistics, len(rows))

    def merge(self, other: Self) -> None:
        self._rows.merge(other._rows)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["per_example"]:
            raise ValueError("a state does not keep the order of rows")
        for option in OF_SCRIPTS:
            if reporting.pop(option, None):
                raise ValueError(f"{option} is for results of compute, not of a state")
        statistics = self._rows.statistics()
        values = (
            np.stack([*statistics.values()], axis=1) if statistics else np.empty((len(self), 0))
        )
        rows = self._none.joined(replace(self._none, names=tuple(statistics), values=values))
        self._metric.check_sums(rows)
        return dict(summarize_sums(rows, **reporting, **self._rows.columns()))

    def to_plain(self) -> Any:
        return self._rows.to_plain()

    def take_plain(self, plain: Any) -> None:
        self._rows.take_plain(plain)

    def check(self) -> None:
        for columns in self._rows.tables_of_numbers():
            check_counts(columns["count"])
            check_names(columns, self._none.names)
            for name, values in columns.items():
                check_statistic(name, values)
            for lesser, greater in self._none.at_most:
                check_at_most(columns, lesser, greater)


def _refuse_labels(metric: Any, labels: RowLabels) -> None:
    for name, column in (("groups", labels.groups), ("clusters", labels.clusters)):
        if column is not None and name not in metric.options:
            raise ValueError(f"{name} is not an option of {metric.name}")
