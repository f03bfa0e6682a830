"""Scores of rankings, which are kept by their ids, so that none counts twice."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ...module.declaration.declarations import Module
from ...module.declaration.row_module import RowModule
from ...retrieval.names import RankingMeasure, parse_measures
from ...retrieval.ranking_measures import average
from ...statistics.arguments.checks import RowError
from ...statistics.intervals.summary import Average, summarize
from .means import SCORES_ALONE, CountedScores, Means
from .ranking_tables import RankingTable
from .score_kind import Bounds, Columns, Ids, RowLabels, SufficientStatistics
from .state_checks import check_column

_INTEGERS = 1 << 63


class RankingScores(RankingTable, SufficientStatistics):
    """The scores of each ranking, under its id."""

    keeps_ids = True

    def __init__(self, metric: RowModule) -> None:
        SufficientStatistics.__init__(self, metric)
        names = self._options["measures"]
        self._parsed = _measures(names if isinstance(names, str) else tuple(names))
        RankingTable.__init__(self, [measure.name for measure in self._parsed])

    def update(self, columns: Columns, labels: RowLabels) -> None:
        scores = self._metric.compute(**columns, **SCORES_ALONE)["per_example"]
        rows = len(next(iter(scores.values())))
        ids = range(len(self), len(self) + rows)
        self.add(
            ids if labels.ids is None else _checked_ids(labels.ids, rows), scores, labels.columns()
        )

    def result(self, **reporting: Any) -> dict[str, Any]:
        scores, labels = self.in_order()
        means = {measure.name: average(measure) for measure in self._parsed}
        return summarize(scores, means, **reporting, **labels)

    def counts(self) -> CountedScores:
        scores, labels = self.in_order()
        return CountedScores.of_rows(scores, labels.get("clusters"))

    def check(self) -> None:
        for scores in self.tables_of_scores():
            for name, values in scores.items():
                check_column(name, values, self._metric.score_ranges)


class _RankingsKind(Means):
    needs_ids = True
    reduces_samples = False

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        return RankingScores(metric)

    def averages(self, metric: RowModule, scores: Iterable[str]) -> dict[str, Average]:
        return {m.name: average(m) for m in parse_measures(metric.options["measures"])}

    def bounds(self, metric: Module, extremes: Mapping[str, Bounds]) -> dict[str, Bounds]:
        return {score: average(parse_measures([score])[0]).bounds for score in extremes}


KIND = _RankingsKind()


@lru_cache(maxsize=64)
def _measures(names: str | tuple[str, ...]) -> tuple[RankingMeasure, ...]:
    """Return the measures of these names, cached, since all parts have the same ones."""
    return parse_measures(names)


def _checked_ids(ids: Ids, rows: int) -> Ids:
    if len(ids) != rows:
        raise ValueError(f"ids has {len(ids)} values for {rows} rows")
    for row, name in enumerate(ids):
        if not isinstance(name, int | str) or isinstance(name, bool):
            raise RowError("ids", row, f"is {name!r}; an id is an integer or a string")
        if isinstance(name, int) and not -_INTEGERS <= name < _INTEGERS:
            raise RowError("ids", row, f"is {name}; an integer has at most 64 bits")
    return ids
