"""States of modules that score row by row: how often scores occur, or those of each ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Self, cast

import numpy as np

from ..catalog.arguments import OF_ROWS, OF_SCRIPTS
from ..numbers.arrays import Floats
from ..numbers.checks import RowError
from ..numbers.multisets import Multiset
from ..numbers.score_ranges import score_range
from ..outcomes.preferences import outcomes, rates, sums_of_clusters, values_of_rates
from ..ranking.names import Measure, parse_measures
from ..ranking.ranking_measures import average
from ..results.value_counts import CountedScores, counts_of_rows
from ..statistics.cluster_sums import Clusters, ClusterSums
from ..statistics.intervals import interval
from ..statistics.summary import members, summarize, uncertainty
from .ranking_tables import Rankings
from .state_checks import check_clusters, check_column, check_f1, check_names, check_scores
from .sufficient_statistics import Columns, Ids, RowLabels, SufficientStatistics, refuse_ids

_INTEGERS = 1 << 63
_PENDING = 1 << 14  # numbers that wait, at least, until they are added up
_SCORES_ALONE = {"per_example": True, "confidence_level": None, "standard_error": False}


@dataclass(frozen=True)
class _Rows:
    """How often each score occurs among some rows, and the sums of their clusters."""

    scores: dict[str, Multiset]
    clusters: dict[str, ClusterSums] | None  # None if rows stand alone

    def __len__(self) -> int:
        return len(next(iter(self.scores.values())))

    @property
    def entries(self) -> int:
        """How many numbers are held, which says how long it takes to add them up."""
        clusters = 0 if self.clusters is None else sum(map(len, self.clusters.values()))
        return clusters + sum(scores.values.size for scores in self.scores.values())

    @classmethod
    def sum(cls, parts: Sequence["_Rows"]) -> Self:
        """All rows; the parts have the same scores, and clusters or none."""
        first = parts[0]
        clusters = None
        if first.clusters is not None:
            sums = [cast(dict[str, ClusterSums], part.clusters) for part in parts]
            clusters = {name: ClusterSums.sum(part[name] for part in sums) for name in sums[0]}
        return cls(
            {name: Multiset.sum(part.scores[name] for part in parts) for name in first.scores},
            clusters,
        )

    def to_plain(self) -> list[Any]:
        scores = {name: [scores.values, scores.counts] for name, scores in self.scores.items()}
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
    """Scores of single rows, of which the exact mean is reported.

    The parts of each group are added up when as many numbers have come as there were at the last
    time, so that all of them together are sorted a few times, and not once a part.
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._parts: dict[str | None, list[_Rows]] = {}
        self._rows = self._added = self._pending = 0

    def __len__(self) -> int:
        return self._rows

    def update(self, columns: Columns, labels: RowLabels) -> None:
        refuse_ids(labels.ids)
        scores = self._scores_of_rows(columns)
        rows = len(next(iter(scores.values())))
        clusters = None if labels.clusters is None else Clusters.of_labels(labels.clusters, rows)
        groups = {None: np.arange(rows)} if labels.groups is None else members(labels.groups)
        self._take(
            {
                label: [
                    self._counted(
                        {name: values[of_label] for name, values in scores.items()},
                        None if clusters is None else clusters.take(of_label),
                    )
                ]
                for label, of_label in groups.items()
            }
        )

    def merge(self, other: Self) -> None:
        self._take(other._parts)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting.pop("per_example"):
            raise ValueError("a state does not keep the scores of single rows")
        for option in (*OF_ROWS, *OF_SCRIPTS):
            if reporting.pop(option, None):
                raise ValueError(f"{option} is for results of compute, not of a state")
        groups = self._groups()
        result = self._summary(_Rows.sum([*groups.values()]), **reporting)
        if None not in groups:
            result["groups"] = {
                label: self._summary(groups[label], **reporting) | {"n": len(groups[label])}
                for label in sorted(groups, key=str)
            }
        return result

    def counts(self) -> CountedScores:
        return self._value_counts(_Rows.sum([*self._groups().values()]))

    def _value_counts(self, rows: _Rows) -> CountedScores:
        return CountedScores(rows.scores, rows.clusters)

    def to_plain(self) -> Any:
        return [[label, rows.to_plain()] for label, rows in self._groups().items()]

    def take_plain(self, plain: Any) -> None:
        for label, rows in plain:
            self._take({label: [_Rows.from_plain(rows)]})

    def check(self) -> None:
        for rows in chain.from_iterable(self._parts.values()):
            check_names(rows.scores, self._metric.always_scored)
            check_scores(rows.scores, self._metric.score_ranges)
            check_f1({name: scores.mean() for name, scores in rows.scores.items() if len(scores)})
            self._check_clusters(rows)

    def _check_clusters(self, rows: _Rows) -> None:
        if rows.clusters is not None:
            check_clusters(rows.clusters, rows.scores)

    def _groups(self) -> dict[str | None, _Rows]:
        """The rows of each group."""
        if self._pending:
            self._parts = {label: [_Rows.sum(parts)] for label, parts in self._parts.items()}
            self._added = sum(parts[0].entries for parts in self._parts.values())
            self._pending = 0
        return {label: parts[0] for label, parts in self._parts.items()}

    def _take(self, new: Mapping[str | None, Sequence[_Rows]]) -> None:
        first = next(chain.from_iterable(chain(self._parts.values(), new.values())), None)
        for part in chain.from_iterable(new.values()):
            if first is not None and part.scores.keys() != first.scores.keys():
                raise ValueError(
                    f"some rows have the scores {[*first.scores]}, others {[*part.scores]}"
                )
            if first is not None and (part.clusters is None) != (first.clusters is None):
                raise ValueError("some rows have clusters, others have none")
        if len({label is None for label in (*self._parts, *new)}) > 1:
            raise ValueError("some rows have groups, others have none")
        for label, parts in new.items():
            self._parts.setdefault(label, []).extend(parts)
            self._rows += sum(map(len, parts))
            self._pending += sum(part.entries for part in parts)
        if self._pending > max(_PENDING, self._added):
            self._groups()

    def _counted(self, scores: Mapping[str, Floats], clusters: Clusters | None) -> _Rows:
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
                interval,
                multiset,
                clusters=None if rows.clusters is None else rows.clusters[name],
                bounds=score_range(name, self._metric.score_ranges) or (0.0, 1.0),
            )
            for name, multiset in rows.scores.items()
        }
        return means | uncertainty(estimators, **reporting)


class ComparisonOutcomes(RowScores):
    """Outcomes of comparisons; whether a tie counts is decided at the end."""

    def _value_counts(self, rows: _Rows) -> CountedScores:
        values = values_of_rates(rows.scores["outcome"].elements(), self._options["ties"])
        return counts_of_rows(values)._replace(clusters=rows.clusters)

    def _counted(self, scores: Mapping[str, Floats], clusters: Clusters | None) -> _Rows:
        (values,) = scores.values()
        rows = super()._counted(scores, None)
        if clusters is None:
            return rows
        return replace(rows, clusters=sums_of_clusters(values, self._options["ties"], clusters))

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        return {"outcome": outcomes(self._metric.checked(**columns)["predictions"])}

    def _check_clusters(self, rows: _Rows) -> None:
        if rows.clusters is None:
            return
        values = values_of_rates(rows.scores["outcome"].elements(), self._options["ties"])
        check_clusters(rows.clusters, counts_of_rows(values).scores)

    def _summary(self, rows: _Rows, **reporting: Any) -> dict[str, Any]:
        del reporting["standard_error"]  # which is always there
        elements = rows.scores["outcome"].elements()
        return rates(elements, self._options["ties"], rows.clusters, **reporting)


class RankingScores(SufficientStatistics):
    """The scores of each ranking, under its id."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        measures = self._options["measures"]
        self._measures = _measures(measures if isinstance(measures, str) else tuple(measures))
        self._rankings = Rankings([measure.name for measure in self._measures])

    def __len__(self) -> int:
        return len(self._rankings)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        scores = self._metric.compute(**columns, **_SCORES_ALONE)["per_example"]
        rows = len(next(iter(scores.values())))
        ids = range(len(self), len(self) + rows)
        self._rankings.update(
            ids if labels.ids is None else _checked_ids(labels.ids, rows), scores, labels.columns()
        )

    def merge(self, other: Self) -> None:
        self._rankings.merge(other._rankings)

    def result(self, **reporting: Any) -> dict[str, Any]:
        scores, labels = self._rankings.in_order()
        means = {measure.name: average(measure) for measure in self._measures}
        return summarize(scores, means, **reporting, **labels)

    def counts(self) -> CountedScores:
        scores, labels = self._rankings.in_order()
        return counts_of_rows(scores, labels.get("clusters"))

    def to_plain(self) -> Any:
        return self._rankings.to_plain()

    def take_plain(self, plain: Any) -> None:
        self._rankings.take_plain(plain)

    def check(self) -> None:
        for scores in self._rankings.tables_of_scores():
            for name, values in scores.items():
                check_column(name, values, self._metric.score_ranges)
            check_f1({name: float(values.mean()) for name, values in scores.items() if values.size})


@lru_cache(maxsize=64)
def _measures(names: str | tuple[str, ...]) -> tuple[Measure, ...]:
    """The measures of these names; parts have the same ones, and to read names takes a while."""
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
