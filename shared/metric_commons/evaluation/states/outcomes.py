"""Outcomes of comparisons, where ties may not count."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...judging.sampling.preferences import (
    outcomes,
    rates,
    sums_of_clusters,
    values_of_rates,
    win_rates,
)
from ...module.declaration.row_module import RowModule
from ...statistics.arguments.arrays import Floats
from ...statistics.intervals.cluster_sums import Clusters
from .means import CountedScores, MeanStatistics
from .score_kind import Columns, ScoreKind, SufficientStatistics


class ComparisonOutcomes(MeanStatistics):
    """Outcomes of comparisons; whether a tie counts is decided at the end."""

    def counts(self) -> CountedScores:
        rows = super().counts()
        return replace(self._rates(rows), clusters=rows.clusters)

    def _rates(self, rows: CountedScores) -> CountedScores:
        elements = rows.scores["outcome"].elements()
        return CountedScores.of_rows(values_of_rates(elements, self._options["ties"]))

    def _counted(self, scores: Mapping[str, Floats], clusters: Clusters | None) -> CountedScores:
        (values,) = scores.values()
        rows = super()._counted(scores, None)
        if clusters is None:
            return rows
        return replace(rows, clusters=sums_of_clusters(values, self._options["ties"], clusters))

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        return {"outcome": KIND.score_block(self._metric, columns)}

    def _clustered(self, rows: CountedScores) -> Collection[str]:
        return self._rates(rows).scores

    def _summary(self, rows: CountedScores, **reporting: Any) -> dict[str, Any]:
        del reporting["standard_error"]  # which is always there
        elements = rows.scores["outcome"].elements()
        return rates(elements, self._options["ties"], rows.clusters, **reporting)


class _OutcomesKind(ScoreKind):
    scores_rows = separates_rows = True

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        return ComparisonOutcomes(metric)

    def score_block(self, metric: RowModule, columns: Mapping[str, Any]) -> Floats:
        return outcomes(metric.checked(**columns)["predictions"])

    def summarize_blocks(
        self, metric: RowModule, blocks: Sequence[Floats], **reporting: Any
    ) -> dict[str, Any]:
        return win_rates(np.concatenate(blocks), ties=metric.options["ties"], **reporting)


KIND = _OutcomesKind()
