"""Means of the scores of single rows."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Self, cast

import numpy as np

from ...module.declaration.declarations import Module
from ...module.declaration.row_module import RowModule
from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.domains import score_range
from ...statistics.arithmetic.exact_sums import Multiset
from ...statistics.intervals.cluster_sums import Clusters, ClusterSums
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import Average, members, summarize, uncertainty
from .row_tables import check_column, check_counts, check_names
from .score_kind import Columns, RowLabels, ScoreKind, SufficientStatistics, kind_of

_MAX_VALUES = 5_000  # of a score; with more distinct values, only the file of rows has them


@dataclass(frozen=True)
class CountedScores:
    """How often each score occurs among some rows, and the sums of their clusters."""

    scores: dict[str, Multiset]
    clusters: dict[str, ClusterSums] | None = None  # None without clusters

    def __len__(self) -> int:
        return len(next(iter(self.scores.values())))

    @property
    def entries(self) -> int:
        """Return the number of stored numbers, on which the time to add them up depends."""
        clusters = 0 if self.clusters is None else sum(map(len, self.clusters.values()))
        return clusters + sum(scores.values.size for scores in self.scores.values())

    @classmethod
    def of_rows(
        cls, columns: Mapping[str, Sequence[float] | Floats], clusters: Sequence[Any] | None = None
    ) -> Self:
        """Return the counts of each score; rows that do not count, which are NaN, are excluded.

        Args:
            columns: the scores of all rows, by score.
            clusters: one label per row; None if rows stand alone.
        """
        arrays = {name: np.array(values, np.float64) for name, values in columns.items()}
        counting = {name: ~np.isnan(values) for name, values in arrays.items()}
        scores = {
            name: Multiset.from_values(values[counting[name]]) for name, values in arrays.items()
        }
        if clusters is None:
            return cls(scores)
        labels = Clusters.of_labels(clusters, len(clusters))
        return cls(
            scores,
            {
                name: labels.take(counting[name]).sums(values[counting[name]])
                for name, values in arrays.items()
            },
        )

    @classmethod
    def sum(cls, parts: Sequence[Self]) -> Self:
        """Return all rows; the parts have the same scores, and clusters or none."""
        first = parts[0]
        if len(parts) == 1:
            return first
        clusters = None
        if first.clusters is not None:
            sums = [cast("dict[str, ClusterSums]", part.clusters) for part in parts]
            clusters = {name: ClusterSums.sum([part[name] for part in sums]) for name in sums[0]}
        return cls(
            {name: Multiset.sum([part.scores[name] for part in parts]) for name in first.scores},
            clusters,
        )

    def value_counts(
        self, metric: Module, *, excluded: Set[str] = frozenset()
    ) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Return how often each value of a score, and each kind of cluster, occurs.

        A kind of cluster is a number of rows and their sum. A score with too many values, or too
        many kinds of clusters, has no counts.

        Args:
            metric: the module of the scores.
            excluded: scores that are not counted.

        >>> from types import SimpleNamespace
        >>> metric = SimpleNamespace(score_kind="means", unbounded=frozenset())
        >>> CountedScores.of_rows({"qa_em": [1.0, 0.0, 1.0]}).value_counts(metric)
        ({'qa_em': [[0.0, 1.0], [1, 2]]}, {})
        """
        values: dict[str, list[Any]] = {}
        clusters: dict[str, list[Any]] = {}
        multisets = {
            name: multiset
            for name, multiset in self.scores.items()
            if name not in excluded and 0 < len(multiset.values) <= _MAX_VALUES
        }
        extremes = {name: (m.values[0], m.values[-1]) for name, m in multisets.items()}
        bounds = kind_of(metric).bounds(metric, extremes)
        for name, multiset in multisets.items():
            if self.clusters is not None:
                sums = self.clusters[name]
                kinds = Counter(sums.clusters.values())
                if len(kinds) > _MAX_VALUES:
                    continue
                listed = [[*rows_and_sum, number] for rows_and_sum, number in sorted(kinds.items())]
                clusters[name] = [sums.power, listed]
            ends = [] if bounds[name] == (0.0, 1.0) else [list(bounds[name])]
            values[name] = [*multiset.to_jsonable(), *ends]
        return values, clusters

    def to_jsonable(self) -> list[Any]:
        scores = {name: [scores.values, scores.counts] for name, scores in self.scores.items()}
        if self.clusters is None:
            return [scores, None]
        return [scores, {name: sums.to_jsonable() for name, sums in self.clusters.items()}]

    @classmethod
    def from_jsonable(cls, content: Any) -> Self:
        scores, clusters = content
        return cls(
            {name: Multiset.from_jsonable(multiset) for name, multiset in scores.items()},
            clusters and {name: ClusterSums.from_jsonable(sums) for name, sums in clusters.items()},
        )


_PENDING = 1 << 14  # the minimum of numbers that are added up at once
SCORES_ALONE = {"per_example": True, "confidence_level": None, "standard_error": False}


class MeanStatistics(SufficientStatistics):
    """Exact means of the scores of single rows.

    The parts of a group are added up when their numbers have doubled since the last time, so that
    numbers are sorted a few times altogether, instead of once per part.
    """

    def __init__(self, metric: RowModule) -> None:
        super().__init__(metric)
        self._parts: dict[str | None, list[CountedScores]] = {}
        self._rows = self._added = self._pending = 0

    def __len__(self) -> int:
        return self._rows

    def update(self, columns: Columns, labels: RowLabels) -> None:
        scores = self._scores_of_rows(columns)
        rows = len(next(iter(scores.values())))
        clusters = None if labels.clusters is None else Clusters.of_labels(labels.clusters, rows)
        groups = {None: np.arange(rows)} if labels.groups is None else members(labels.groups)
        self._add(
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

    def merge(self, statistics: Self) -> None:
        self._add(statistics._parts)

    def result(self, **reporting: Any) -> dict[str, Any]:
        del reporting["per_example"]
        groups = self._groups()
        result = self._summary(CountedScores.sum([*groups.values()]), **reporting)
        if None not in groups:
            result["groups"] = {
                label: self._summary(groups[label], **reporting) | {"n": len(groups[label])}
                for label in sorted(groups, key=str)
            }
        return result

    def counts(self) -> CountedScores:
        return CountedScores.sum([*self._groups().values()])

    def to_jsonable(self) -> Any:
        return [[label, rows.to_jsonable()] for label, rows in self._groups().items()]

    def read_jsonable(self, content: Any) -> None:
        for label, rows in content:
            self._add({label: [CountedScores.from_jsonable(rows)]})

    def check(self) -> None:
        for rows in chain.from_iterable(self._parts.values()):
            check_names(rows.scores, self._metric.always_scored)
            for name, multiset in rows.scores.items():
                check_counts(multiset.counts)
                check_column(name, multiset.values, self._metric.score_ranges)
                if len(multiset) != len(rows):
                    listed = f"{len(rows)} rows of {next(iter(rows.scores))}, but {len(multiset)}"
                    raise ValueError(f"there are {listed} of {name}")
            if rows.clusters is not None:
                check_names(rows.clusters, self._clustered(rows))

    def _clustered(self, rows: CountedScores) -> Collection[str]:
        """Return the names of the scores that clusters have."""
        return rows.scores

    def _groups(self) -> dict[str | None, CountedScores]:
        """Return the rows of each group."""
        if self._pending:
            self._parts = {
                label: [CountedScores.sum(parts)] for label, parts in self._parts.items()
            }
            self._added = sum(parts[0].entries for parts in self._parts.values())
            self._pending = 0
        return {label: parts[0] for label, parts in self._parts.items()}

    def _add(self, new: Mapping[str | None, Sequence[CountedScores]]) -> None:
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

    def _counted(self, scores: Mapping[str, Floats], clusters: Clusters | None) -> CountedScores:
        return CountedScores(
            {name: Multiset.from_values(values) for name, values in scores.items()},
            None
            if clusters is None
            else {name: clusters.sums(values) for name, values in scores.items()},
        )

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        scores = self._metric.compute(**columns, **SCORES_ALONE)
        return {name: np.array(values) for name, values in scores["per_example"].items()}

    def _summary(self, rows: CountedScores, **reporting: Any) -> dict[str, Any]:
        means = {name: multiset.mean() for name, multiset in rows.scores.items()}
        estimators = {name: partial(self._interval, rows, name) for name in rows.scores}
        return means | uncertainty(estimators, **reporting)

    def _interval(self, rows: CountedScores, name: str, **reporting: Any) -> Interval:
        return interval(
            rows.scores[name],
            clusters=None if rows.clusters is None else rows.clusters[name],
            bounds=score_range(name, self._metric.score_ranges) or (0.0, 1.0),
            **reporting,
        )


class Means(ScoreKind):
    """Scores of single rows."""

    scores_rows = separates_rows = reduces_samples = True

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        return MeanStatistics(metric)

    def score_block(self, metric: RowModule, columns: Mapping[str, Any]) -> dict[str, Any]:
        result = metric.compute(**columns, per_example=True)
        texts = {name: np.array(result[name], object) for name in metric.row_texts & result.keys()}
        return {name: np.array(values) for name, values in result["per_example"].items()} | texts

    def summarize_blocks(
        self, metric: RowModule, blocks: Sequence[Mapping[str, Any]], **reporting: Any
    ) -> dict[str, Any]:
        scores = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
        texts = {name: scores.pop(name).tolist() for name in metric.row_texts & scores.keys()}
        result = summarize(scores, self.averages(metric, scores), **reporting)
        return result | texts if reporting.get("per_example") else result

    def averages(self, metric: RowModule, scores: Iterable[str]) -> dict[str, Average]:
        """Return the averages of scores, with the bounds that the module declares."""
        ranges = {name: score_range(name, metric.score_ranges) for name in scores}
        return {name: Average(bounds=ends) for name, ends in ranges.items() if ends is not None}


KIND = Means()
