"""Scores that follow from how often each row occurs, such as a pair of labels."""

from collections.abc import Callable
from typing import Any

from ...module.declaration.row_module import RowModule
from ...statistics.arguments.checks import check_labels, check_number_lists, check_weights
from ...statistics.arguments.domains import item_per_row
from .row_tables import NOT_NEGATIVE, TabulatedStatistics, check_column, check_counts
from .score_kind import Columns, RowLabels, ScoreKind, SufficientStatistics

# The check of an option that has a value for each row, by what it calls this value.
_CHECKS: dict[str, Callable[[str, Any, int], Any]] = {
    "label": check_labels,
    "number": check_weights,
    "list of numbers": check_number_lists,
}


class RowCounts(TabulatedStatistics):
    """How often each row occurs, for modules that ignore the order of rows.

    A few labels make a few distinct rows, and a curve needs only labels with scores. If rows are
    seldom equal, this keeps them all: a silhouette compares every point with every other.
    """

    def update(self, columns: Columns, labels: RowLabels) -> None:
        for name in labels.columns():
            if name not in self._metric.options:
                raise ValueError(f"{name} is not an option of {self._metric.name}")
        options = self._metric.declared_options
        per_row = {name: columns[name] for name in columns if name in options}
        inputs = {name: column for name, column in columns.items() if name not in per_row}
        columns_read = self._metric.checked(**inputs)
        checked = dict(self._metric.state_columns(columns_read, **self._metric.options))
        rows = len(next(iter(checked.values())))
        for name, column in per_row.items():
            item = item_per_row(options[name].annotation)
            checked[name] = _CHECKS[item](name, column, rows)
        self._rows.update(checked | labels.columns())

    def result(self, **reporting: Any) -> dict[str, Any]:
        result: dict[str, Any] = self._metric.compute(**self._rows.columns(), **reporting)
        return result

    def check(self) -> None:
        for columns in self._rows.tables_of_numbers():
            check_counts(columns["count"])
            for name in columns.keys() & self._metric.options.keys():
                check_column(name, columns[name], NOT_NEGATIVE)  # weights of rows


class _CountsKind(ScoreKind):
    keeps_inputs = True

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        return RowCounts(metric)


KIND = _CountsKind()
