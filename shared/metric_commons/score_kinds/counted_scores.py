"""Scores of rows without the rows: how often each value occurs, and the sums of clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np

from ..numbers.arrays import Floats
from ..numbers.multisets import Multiset
from ..statistics.cluster_sums import Clusters, ClusterSums


@dataclass(frozen=True)
class CountedScores:
    """How often each score occurs among some rows, and the sums of their clusters."""

    scores: dict[str, Multiset]
    clusters: dict[str, ClusterSums] | None = None  # None without clusters

    def __len__(self) -> int:
        return len(next(iter(self.scores.values())))

    @property
    def entries(self) -> int:
        """The number of stored numbers, on which the time to add them up depends."""
        clusters = 0 if self.clusters is None else sum(map(len, self.clusters.values()))
        return clusters + sum(scores.values.size for scores in self.scores.values())

    @classmethod
    def of_rows(
        cls, columns: Mapping[str, Sequence[float] | Floats], clusters: Sequence[Any] | None = None
    ) -> Self:
        """The counts of each score; rows that do not count, which are NaN, are excluded.

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
        """All rows; the parts have the same scores, and clusters or none."""
        first, *others = parts
        if not others:
            return first
        clusters = None
        if first.clusters is not None:
            sums = [cast(dict[str, ClusterSums], part.clusters) for part in parts]
            clusters = {name: ClusterSums.sum([part[name] for part in sums]) for name in sums[0]}
        return cls(
            {name: Multiset.sum([part.scores[name] for part in parts]) for name in first.scores},
            clusters,
        )

    def to_jsonable(self) -> list[Any]:
        scores = {name: [scores.values, scores.counts] for name, scores in self.scores.items()}
        if self.clusters is None:
            return [scores, None]
        return [scores, {name: sums.to_plain() for name, sums in self.clusters.items()}]

    @classmethod
    def from_jsonable(cls, content: Any) -> Self:
        scores, clusters = content
        return cls(
            {name: Multiset.from_plain(multiset) for name, multiset in scores.items()},
            clusters and {name: ClusterSums.from_plain(sums) for name, sums in clusters.items()},
        )
