"""The basis of ranking measures for many queries: counts, hits, gains and their sums."""

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..statistics.arguments.arrays import Floats, Integers
from .names import LARGEST_GRADE, RankingMeasure
from .order import Documents, Rankings, positions, sort_groups


class QueryCounts:
    """Base class whose subclasses have one method per measure, named `_` and the kind of measure.

    Args:
        ranked: the rankings.
        relevance_level: the smallest relevance that makes a document relevant.
        map_denominator: as in `ranking_measures.scores`.
        score_dtype: as in `ranking_measures.scores`.

    """

    def __init__(
        self, ranked: Rankings, relevance_level: float, map_denominator: str, score_dtype: str
    ) -> None:
        self._ranked = ranked
        self._rounds_up = score_dtype == "float32"
        self._queries = ranked.judgments.queries
        self._relevance_level = relevance_level
        self._map_denominator = map_denominator

    def score(self, measure: RankingMeasure) -> Floats:
        """Return one measure of each query."""
        values: Floats = getattr(self, f"_{measure.kind}")(measure)
        return values

    def _count(self, query: Integers) -> Integers:
        """Return the number of rows of each query."""
        return np.bincount(query, minlength=self._queries)

    def _sum(self, query: Integers, terms: Floats) -> Floats:
        """Return the sum of each query's terms, added one after another."""
        # Without any rows, bincount returns integers.
        return np.bincount(query, terms, self._queries).astype(np.float64, copy=False)

    def _ratio(self, numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
        """Return the ratio for each query, 0 if the denominator is 0."""
        ratio: Floats = np.divide(
            numerator, denominator, out=np.zeros(self._queries), where=denominator > 0
        )
        return ratio

    @cached_property
    def _relevant(self) -> Integers:
        """Return the number of relevant documents of each query, retrieved or not."""
        judgments = self._ranked.judgments
        return self._count(judgments.query[judgments.relevance >= self._relevance_level])

    @cached_property
    def _hits(self) -> Documents:
        """Return the relevant documents that were retrieved."""
        judged = self._ranked.judged
        return judged.select(judged.relevance >= self._relevance_level)

    @cached_property
    def _precisions(self) -> Floats:
        """Return the precision at each hit."""
        precisions: Floats = positions(self._hits.query) / self._hits.rank
        return precisions

    def _hit_counts(self, cutoff: int) -> Integers:
        return self._count(self._hits.top(cutoff).query)

    @cached_property
    def _gains(self) -> Documents:
        """Return the retrieved documents of positive relevance; all others have no gain."""
        judged = self._ranked.judged
        return judged.select(judged.relevance > 0)

    @cached_property
    def _ideal(self) -> Documents:
        """Return the ideal ranking.

        All documents of positive relevance, retrieved or not, best first.
        """
        judgments = self._ranked.judgments
        is_positive = judgments.relevance > 0
        query, relevance = judgments.query[is_positive], judgments.relevance[is_positive]
        order = sort_groups(query, -relevance)
        return Documents(query[order], positions(query[order]), relevance[order])

    def _tie_averaged(self, gains: Documents, cutoff: int) -> Floats:
        """As `_discounted`, averaged over all orders of documents with equal scores.

        A gain is multiplied by the mean discount of the ranks of its tie, as in scikit-learn
        (McSherry and Najork, Computing information retrieval performance measures efficiently in
        the presence of tied scores, 2008).
        """
        is_gain = self._ranked.judged.relevance > 0
        first, last = (column[is_gain] for column in self._ranked.ties or ())
        discounts = [1 / math.log2(rank + 1) for rank in range(1, int(last.max(initial=0)) + 1)]
        sums = np.append(0.0, np.cumsum(discounts))
        end, start = np.minimum(last, cutoff), np.minimum(first - 1, cutoff)
        shares = (sums[end] - sums[start]) / (last - first + 1)
        return self._sum(gains.query, gains.relevance * shares)

    def _discounted(self, gains: Documents, cutoff: int) -> Floats:
        """Return the cumulative gain of each query, each gain divided by log2(rank + 1)."""
        gains = gains.top(cutoff)
        discounts = np.array([math.log2(rank + 1) for rank in range(1, last_rank(gains) + 1)])
        return self._sum(gains.query, gains.relevance / discounts[gains.rank - 1])

    def _exponential(self, gains: Documents) -> Documents:
        """Return the documents with the gain 2**relevance - 1 instead of relevance."""
        levels, codes = np.unique(gains.relevance, return_inverse=True)
        if levels.size and levels[-1] > LARGEST_GRADE:
            raise ValueError(f"relevance {levels[-1]:g} is too large for an exponential gain")
        exponential = np.array([2.0**level - 1 for level in levels.tolist()])
        return gains._replace(relevance=exponential[codes])

    def _cumulated(self, gains: Documents, *, discount: bool = True) -> "Cumulated":
        """Return the gains of each query down to each of its documents, discounted or not."""
        terms = gains.relevance
        if discount:
            logarithms = [math.log2(rank + 1) for rank in range(1, last_rank(gains) + 1)]
            terms = terms / np.array(logarithms)[gains.rank - 1]
        sums, totals = np.zeros(len(terms)), np.zeros(self._queries)
        for rows in rows_by_position(gains.query):  # one document of each query at a time
            totals[gains.query[rows]] += terms[rows]
            sums[rows] = totals[gains.query[rows]]
        return Cumulated(gains, sums, totals)


class Cumulated(NamedTuple):
    """Cumulative gains down the ranking of each query."""

    gains: Documents
    sums: Floats  # down to each document
    totals: Floats  # of each query

    def at(self, query: Integers, rank: Integers) -> Floats:
        """Return the gains of these queries down to these ranks."""
        if not len(self.sums):
            return np.zeros(len(query))
        longest = max(last_rank(self.gains), int(rank.max(initial=0))) + 1
        keys = self.gains.query * longest + self.gains.rank
        rows = np.searchsorted(keys, query * longest + rank, side="right")
        has_gains = (rows > 0) & (self.gains.query[np.maximum(rows - 1, 0)] == query)
        return np.where(has_gains, self.sums[np.maximum(rows - 1, 0)], 0.0)


def last_rank(documents: Documents) -> int:
    """Return the last rank of these documents in any query; 0 if there are none."""
    return int(documents.rank.max(initial=0))


def rows_by_position(query: Integers) -> list[Integers]:
    """Return the first row of every query, then the second ones, and so on."""
    position = positions(query)
    rows = np.argsort(position, kind="stable")
    return np.split(rows, np.cumsum(np.bincount(position)[1:])[:-1])


def logarithms(values: Floats) -> Floats:
    """Return the natural logarithms, by the C library."""
    return np.array([math.log(value) for value in values.tolist()])
