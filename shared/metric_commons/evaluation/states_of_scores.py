"""States of modules that score row by row: how often scores occur, or those of each ranking."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Self, cast

import numpy as np

from ..numbers.arrays import Floats
from ..numbers.checks import RowError
from ..numbers.multisets import Multiset
from ..numbers.score_ranges import score_range
from ..outcomes.preferences import outcomes, rates, sums_of_clusters
from ..ranking.names import parse_measures
from ..ranking.ranking_measures import average
from ..statistics.cluster_sums import Clusters, ClusterSums
from ..statistics.intervals import interval
from ..statistics.summary import members, summarize, uncertainty
from .sufficient_statistics import Columns, Ids, RowLabels, SufficientStatistics, refuse_ids

_SCORES_ALONE = {"per_example": True, "confidence_level": None, "standard_error": False}


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
        for part in listed:
            if part.scores.keys() != names.keys():
                raise ValueError(f"some rows have the scores {[*names]}, others {[*part.scores]}")
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
        refuse_ids(labels.ids)
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

    def counts(self) -> dict[str, Multiset] | None:
        rows = _Rows.sum(self._groups.values())
        return rows.scores if rows.clusters is None else None

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

    def counts(self) -> None:
        return None  # whether ties count is not decided yet

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

    def counts(self) -> dict[str, Multiset] | None:
        queries = list(self._queries.values())
        if queries[0].cluster is not None:
            return None
        columns = zip(*(query.scores for query in queries), strict=True)
        return {
            measure.name: Multiset.from_values(column)
            for measure, column in zip(self._measures, columns, strict=True)
        }

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
