"""Scores that follow from sums over rows, such as matched and all n-grams."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...module.declaration.row_module import RowModule
from ...statistics.intervals.sums import RowStatistics, RowSums, summarize_sums
from .row_tables import NOT_NEGATIVE, TabulatedStatistics, check_column, check_counts, check_names
from .score_kind import Columns, RowLabels, ScoreKind, SufficientStatistics


class SumsOfRows(TabulatedStatistics):
    """Statistics of rows, from whose sums the scores follow; intervals resample the rows."""

    def __init__(self, metric: RowModule) -> None:
        super().__init__(metric)
        self._none: RowStatistics = metric.row_statistics()

    def update(self, columns: Columns, labels: RowLabels) -> None:
        rows = self._metric.row_statistics(**columns)
        statistics = dict(zip(rows.names, rows.values.T, strict=True))
        self._rows.update(labels.columns(), statistics, len(rows))

    def result(self, **reporting: Any) -> dict[str, Any]:
        statistics = self._rows.statistics()
        values = (
            np.stack([*statistics.values()], axis=1) if statistics else np.empty((len(self), 0))
        )
        rows = self._none.joined(replace(self._none, names=tuple(statistics), values=values))
        self._metric.check_sums(rows)
        return dict(summarize_sums(rows, **reporting, **self._rows.columns()))

    def check(self) -> None:
        for columns in self._rows.tables_of_numbers():
            check_counts(columns["count"])
            check_names(columns, self._none.names)
            for name, values in columns.items():
                check_column(name, values, NOT_NEGATIVE)


class _SumsKind(ScoreKind):
    separates_rows = True

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        return SumsOfRows(metric)

    def score_block(self, metric: RowModule, columns: Mapping[str, Any]) -> RowSums:
        rows: RowStatistics = metric.row_statistics(**columns)
        return rows.sums_of_rows()  # functions cannot be sent

    def summarize_blocks(
        self, metric: RowModule, blocks: Sequence[RowSums], **reporting: Any
    ) -> dict[str, Any]:
        empty: RowStatistics = metric.row_statistics()
        names = {block.names for block in blocks}
        if len(names) == 1:  # the order of names in a single process
            values = np.concatenate([block.values for block in blocks])
            rows = replace(empty, names=names.pop(), values=values)
        else:
            first, *further = (
                replace(empty, names=block.names, values=block.values) for block in blocks
            )
            rows = first.joined(*further)
        metric.check_sums(rows)
        return summarize_sums(rows, **reporting)


KIND = _SumsKind()
