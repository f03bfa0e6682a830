"""Scores of rankings, which are kept by their ids, so that none counts twice."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Self

import numpy as np

from ...module.declaration.declarations import Module
from ...module.declaration.row_module import RowModule
from ...retrieval.names import parse_measures
from ...retrieval.ranking_measures import average
from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import RowError
from ...statistics.intervals.summary import Average, summarize
from .means import SCORES_ALONE, CountedScores, Means
from .row_tables import TabulatedStatistics, check_column, check_names
from .score_kind import Bounds, Columns, Ids, RowLabels, SufficientStatistics

_INTEGERS = 1 << 63
_INTEGER, _TEXT = "integer", "text"  # the columns of ids
_MARK = "'"  # before the text of an id, which is empty for an integer


def _by_id(table: Any) -> Any:
    """Return a table of pyarrow in the order of its ids."""
    return table.sort_by([(_TEXT, "ascending"), (_INTEGER, "ascending")]).combine_chunks()


class RankingScores(TabulatedStatistics):
    """The scores of each ranking, under its id, in the order of the ids.

    Integers come before texts, and texts in the order of their bytes.
    """

    keeps_ids = True

    def __init__(self, metric: RowModule) -> None:
        super().__init__(metric, _by_id)
        self._parsed = parse_measures(self._options["measures"])
        self._ids: dict[int | str, None] = {}

    def update(self, columns: Columns, labels: RowLabels) -> None:
        scores = self._metric.compute(**columns, **SCORES_ALONE)["per_example"]
        rows = len(next(iter(scores.values())))
        ids = range(len(self), len(self) + rows)
        checked = ids if labels.ids is None else _checked_ids(labels.ids, rows)
        added = self._new(checked)
        columns_of_ids = {
            _INTEGER: [0 if isinstance(name, str) else name for name in checked],
            _TEXT: [f"{_MARK}{name}" if isinstance(name, str) else "" for name in checked],
        }
        values = {name: np.asarray(column, np.float64) for name, column in scores.items()}
        self._rows.update(columns_of_ids | labels.columns(), values, rows)
        self._ids |= added

    def merge(self, statistics: Self) -> None:
        added = self._new(statistics._ids)
        super().merge(statistics)
        self._ids |= added

    def read_jsonable(self, content: Any) -> None:
        super().read_jsonable(content)
        if len(self):
            columns = self._rows.columns()
            pairs = zip(columns[_INTEGER].tolist(), columns[_TEXT], strict=True)
            self._ids = self._new([text[1:] if text else number for number, text in pairs])

    def result(self, **reporting: Any) -> dict[str, Any]:
        scores, labels = self._scores_and_labels()
        means = {measure.name: average(measure) for measure in self._parsed}
        return summarize(scores, means, **reporting, **labels)

    def counts(self) -> CountedScores:
        scores, labels = self._scores_and_labels()
        return CountedScores.of_rows(scores, labels.get("clusters"))

    def check(self) -> None:
        names = [measure.name for measure in self._parsed]
        for columns in self._rows.tables_of_numbers():
            check_names(columns, [_INTEGER, *names])
            for name in names:
                check_column(name, columns[name], self._metric.score_ranges)

    def _scores_and_labels(self) -> tuple[dict[str, Floats], dict[str, Any]]:
        labels, scores = self._rows.columns(), self._rows.statistics()
        ordered = {measure.name: scores[measure.name] for measure in self._parsed}
        return ordered, {name: labels[name] for name in labels.keys() - {_INTEGER, _TEXT}}

    def _new(self, ids: Collection[int | str]) -> dict[int | str, None]:
        """Return ids of further rankings.

        Raises:
            ValueError: one occurs twice.
        """
        added = dict.fromkeys(ids)
        if len(added) < len(ids) or not self._ids.keys().isdisjoint(added):
            occurring = Counter([*(name for name in added if name in self._ids), *ids])
            name = next(name for name, times in occurring.items() if times > 1)
            raise ValueError(f"ranking {name!r} occurs twice; give each ranking its own id")
        return added


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


def _checked_ids(ids: Ids, rows: int) -> Ids:
    if len(ids) != rows:
        raise ValueError(f"ids has {len(ids)} values for {rows} rows")
    for row, name in enumerate(ids):
        if not isinstance(name, int | str) or isinstance(name, bool):
            raise RowError("ids", row, f"is {name!r}; an id is an integer or a string")
        if isinstance(name, int) and not -_INTEGERS <= name < _INTEGERS:
            raise RowError("ids", row, f"is {name}; an integer has at most 64 bits")
    return ids
