"""Outcomes of comparisons, of which ties may not count."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.row_module import RowModule
from ..numbers.arrays import Floats
from ..outcomes.preferences import (
    outcomes,
    rates,
    sums_of_clusters,
    values_of_rates,
    win_rates,
)
from ..statistics.cluster_sums import Clusters
from .means import Rows, RowScores
from .score_kind import ScoreKind
from .state_checks import check_clusters
from .sufficient_statistics import Columns, CountedScores, SufficientStatistics
from .value_counts import counts_of_rows


class ComparisonOutcomes(RowScores):
    """Outcomes of comparisons; whether a tie counts is decided at the end."""

    def _value_counts(self, rows: Rows) -> CountedScores:
        values = values_of_rates(rows.scores["outcome"].elements(), self._options["ties"])
        return counts_of_rows(values)._replace(clusters=rows.clusters)

    def _counted(self, scores: Mapping[str, Floats], clusters: Clusters | None) -> Rows:
        (values,) = scores.values()
        rows = super()._counted(scores, None)
        if clusters is None:
            return rows
        return replace(rows, clusters=sums_of_clusters(values, self._options["ties"], clusters))

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        return {"outcome": KIND.score_block(self._metric, columns)}

    def _check_clusters(self, rows: Rows) -> None:
        if rows.clusters is None:
            return
        values = values_of_rates(rows.scores["outcome"].elements(), self._options["ties"])
        check_clusters(rows.clusters, counts_of_rows(values).scores)

    def _summary(self, rows: Rows, **reporting: Any) -> dict[str, Any]:
        del reporting["standard_error"]  # which is always there
        elements = rows.scores["outcome"].elements()
        return rates(elements, self._options["ties"], rows.clusters, **reporting)


class _Kind(ScoreKind):
    scores_rows = separates_rows = True

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        return ComparisonOutcomes(metric)

    def score_block(self, metric: RowModule, columns: Mapping[str, Any]) -> Floats:
        return outcomes(metric.checked(**columns)["predictions"])

    def summarize_blocks(
        self, metric: RowModule, blocks: Sequence[Floats], **reporting: Any
    ) -> dict[str, Any]:
        return win_rates(np.concatenate(blocks), ties=metric.options["ties"], **reporting)


KIND = _Kind()
