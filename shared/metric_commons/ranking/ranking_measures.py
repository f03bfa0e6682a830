"""Ranking measures of many queries at once, equal to those of trec_eval to the last bit.

Each measure is a sum over the judged documents of a ranking, query by query, for all queries in
one call.

Why that is exact: `numpy.bincount` adds weights in the order of rows, which is the order of ranks,
so each sum takes the roundings that trec_eval's loop takes. Logarithms and powers are those of the
C library, one by one, since numpy's own may differ from them in the last bit. Nothing else rounds
but single divisions.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from numbers import Real
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numbers.arrays import Floats, Integers
from ..numbers.checks import check_choice
from ..numbers.domains import Range
from ..numbers.ratios import precision_recall_f1
from ..statistics.summary import Average
from .names import EVERY, Measure
from .order import Documents, MapDenominator, Rankings, grouped, numbered

RelevanceLevel = Annotated[float, Range(0)]
LEAST_MAP = 1e-5  # what a geometric mean takes for 0, as trec_eval does
_STEEPEST = 1000.0  # of exponential gains: a sum of thousands of 2**1000 is still finite


def scores(
    ranked: Rankings,
    measures: Sequence[Measure],
    *,
    relevance_level: float = 1,
    map_denominator: MapDenominator = "relevant",
) -> dict[str, Floats]:
    """Each measure of each query, by the name it was asked for; arrays of shape (queries,).

    A query without relevant documents, or of which nothing was retrieved, scores 0.

    Args:
        ranked: the rankings.
        measures: what to compute, from `parse_measures`.
        relevance_level: the least relevance that makes a document relevant. (n)DCG and ERR do
            not ask for it: their gain is the relevance itself, if positive.
        map_denominator: average precision divides by the number of all relevant documents, by
            no more of them than the cutoff, or by that of the retrieved ones.

    Raises:
        ValueError: an option out of its range, or a relevance too great for an exponential gain.

    Source:
        trec_eval 10; for ndcg_exp and err gdeval.pl (Burges et al. 2005; Chapelle et al. 2009);
        for rbp Moffat and Zobel (2008).

    >>> ranked = rankings([[3.0, 2.0, 1.0]], [[0.0, 1.0, 1.0]])
    >>> of_queries = scores(ranked, [Measure("map", "map"), Measure("P@2", "precision", 2)])
    >>> {name: values.tolist() for name, values in of_queries.items()}
    {'map': [0.5833333333333333], 'P@2': [0.5]}
    """
    check_choice("map_denominator", map_denominator, ("relevant", "min_k", "retrieved"))
    if isinstance(relevance_level, bool) or not isinstance(relevance_level, Real):
        raise ValueError(f"relevance_level must be a number, got {relevance_level!r}")
    if not 0 <= relevance_level < math.inf:
        raise ValueError(f"relevance_level must be at least 0, got {relevance_level!r}")
    scoring = _Scoring(ranked, float(relevance_level), map_denominator)
    return {measure.name: scoring.of(measure) for measure in measures}


def average(measure: Measure) -> Average:
    """How a measure is averaged over queries: added up one query after another, as trec_eval does.

    Counts stay sums. The geometric mean of average precision takes 1e-5 for less than that.

    >>> average(Measure("map", "map"))(np.array([0.25, 0.75]))
    0.5
    >>> average(Measure("num_rel", "num_rel"))(np.array([2.0, 5.0]))
    7
    """
    if measure.kind == "gm_map":
        return Average(sequential_mean, before=_logarithms, after=lambda mean, _: math.exp(mean))
    if measure.kind.startswith("num_"):
        return Average(sequential_mean, after=lambda mean, rows: round(mean * rows))
    return Average(sequential_mean)


def sequential_mean(values: ArrayLike) -> float:
    """The mean of a sum that adds one value after another, rounding each time.

    So do trec_eval and all that builds on it, and to be equal to the last bit one has to. The
    order of values can move that last bit.

    >>> sequential_mean([0.1] * 10)
    0.09999999999999999
    """
    return float(np.add.accumulate(np.asarray(values, dtype=np.float64))[-1]) / np.size(values)


class _Scoring:
    """Measures of some rankings, and what they have in common."""

    def __init__(self, ranked: Rankings, level: float, map_denominator: str) -> None:
        self._ranked = ranked
        self._queries = ranked.judgments.queries
        self._level = level
        self._map_denominator = map_denominator

    def of(self, measure: Measure) -> Floats:
        """A measure of each query."""
        scores: Floats = getattr(self, f"_{measure.kind}")(measure)
        return scores

    # What measures share

    def _count(self, query: Integers) -> Integers:
        return np.bincount(query, minlength=self._queries)

    def _sum(self, query: Integers, terms: Floats) -> Floats:
        """Of each query the sum of its terms, added one after another."""
        # of no rows numpy makes integers
        return np.bincount(query, terms, self._queries).astype(np.float64, copy=False)

    def _share(self, part: NDArray[Any], whole: NDArray[Any]) -> Floats:
        share: Floats = np.divide(part, whole, out=np.zeros(self._queries), where=whole > 0)
        return share

    @cached_property
    def _relevant(self) -> Integers:
        """How many relevant documents each query has, found or not."""
        judgments = self._ranked.judgments
        return self._count(judgments.query[judgments.relevance >= self._level])

    @cached_property
    def _hits(self) -> Documents:
        """The relevant documents that were found."""
        return self._ranked.found.where(self._ranked.found.relevance >= self._level)

    def _hit_counts(self, cutoff: int) -> Integers:
        return self._count(self._hits.down_to(cutoff).query)

    # Relevant or not

    def _num_q(self, _: Measure) -> Floats:
        return np.ones(self._queries)

    def _num_ret(self, _: Measure) -> Floats:
        return self._ranked.retrieved.astype(np.float64)

    def _num_rel(self, _: Measure) -> Floats:
        return self._relevant.astype(np.float64)

    def _num_rel_ret(self, _: Measure) -> Floats:
        return self._hit_counts(EVERY).astype(np.float64)

    def _precision(self, measure: Measure) -> Floats:
        return self._hit_counts(measure.cutoff) / measure.cutoff

    def _recall(self, measure: Measure) -> Floats:
        return self._share(self._hit_counts(measure.cutoff), self._relevant)

    def _f1(self, measure: Measure) -> Floats:
        hits = self._hit_counts(measure.cutoff)
        return precision_recall_f1(hits, np.full_like(hits, measure.cutoff), self._relevant).f1

    def _hit_rate(self, measure: Measure) -> Floats:
        return (self._hit_counts(measure.cutoff) > 0).astype(np.float64)

    def _rprec(self, _: Measure) -> Floats:
        hits = self._hits
        among_as_many = hits.query[hits.rank <= self._relevant[hits.query]]
        return self._share(self._count(among_as_many), self._relevant)

    def _map(self, measure: Measure) -> Floats:
        hits = self._hits.down_to(measure.cutoff)
        precision = numbered(hits.query) / hits.rank
        relevant = self._relevant
        if self._map_denominator == "retrieved":
            relevant = self._count(hits.query)
        elif self._map_denominator == "min_k":
            relevant = np.minimum(relevant, measure.cutoff)
        return self._share(self._sum(hits.query, precision), relevant)

    def _gm_map(self, measure: Measure) -> Floats:
        return np.maximum(self._map(measure), LEAST_MAP)

    def _mrr(self, measure: Measure) -> Floats:
        hits = self._hits.down_to(measure.cutoff)
        first = hits.where(numbered(hits.query) == 1)
        return self._sum(first.query, 1.0 / first.rank)

    def _bpref(self, _: Measure) -> Floats:
        """How seldom documents judged not relevant stand above relevant ones."""
        judgments, relevant = self._ranked.judgments, self._relevant
        levels = judgments.relevance
        wrong = self._count(judgments.query[(levels >= 0) & (levels < self._level)])
        found = self._ranked.found.where(self._ranked.found.relevance >= 0)
        hit = found.relevance >= self._level
        above = numbered(found.query)[hit] - numbered(found.query[hit])
        query = found.query[hit]
        at_most = np.maximum(np.minimum(relevant, wrong)[query], 1)
        terms = np.where(above > 0, 1.0 - np.minimum(above, relevant[query]) / at_most, 1.0)
        return self._share(self._sum(query, terms), relevant)

    def _rbp(self, measure: Measure) -> Floats:
        """Of a reader who goes on to the next document with probability p."""
        hits = self._hits.down_to(measure.cutoff)
        p = measure.parameter
        reached = np.array([p**above for above in range(_deepest(hits))])
        return (1 - p) * self._sum(hits.query, reached[hits.rank - 1])

    def _judged(self, measure: Measure) -> Floats:
        return self._count(self._ranked.found.down_to(measure.cutoff).query) / measure.cutoff

    # Graded

    def _ndcg(self, measure: Measure) -> Floats:
        return self._share(self._dcg(measure), self._gained(self._ideal, measure.cutoff))

    def _ndcg_exp(self, measure: Measure) -> Floats:
        ideal = self._gained(self._exponential(self._ideal), measure.cutoff)
        return self._share(self._dcg_exp(measure), ideal)

    def _dcg(self, measure: Measure) -> Floats:
        return self._gained(self._gaining, measure.cutoff)

    def _dcg_exp(self, measure: Measure) -> Floats:
        return self._gained(self._exponential(self._gaining), measure.cutoff)

    @cached_property
    def _gaining(self) -> Documents:
        """Found documents whose relevance is positive; others gain nothing."""
        return self._ranked.found.where(self._ranked.found.relevance > 0)

    @cached_property
    def _ideal(self) -> Documents:
        """All documents of positive relevance in the best order, found or not."""
        judgments = self._ranked.judgments
        positive = judgments.relevance > 0
        query, relevance = judgments.query[positive], judgments.relevance[positive]
        best = grouped(query, -relevance)
        return Documents(query[best], numbered(query[best]), relevance[best])

    def _gained(self, documents: Documents, cutoff: int) -> Floats:
        """Of each query the relevance of its documents, discounted by the logarithm of the rank."""
        documents = documents.down_to(cutoff)
        discounts = np.array([math.log2(rank + 1) for rank in range(1, _deepest(documents) + 1)])
        return self._sum(documents.query, documents.relevance / discounts[documents.rank - 1])

    def _exponential(self, documents: Documents) -> Documents:
        """The documents with 2**relevance - 1 in place of relevance."""
        levels, which = np.unique(documents.relevance, return_inverse=True)
        if levels.size and levels[-1] > _STEEPEST:
            raise ValueError(f"relevance {levels[-1]:g} is too great for an exponential gain")
        gains = np.array([2.0**level - 1 for level in levels.tolist()])
        return documents._replace(relevance=gains[which])

    def _err(self, measure: Measure) -> Floats:
        """The expected reciprocal rank at which a reader stops, who stops at good documents."""
        levels = self._ranked.judgments.relevance
        highest = levels.max(initial=0)
        if highest > measure.parameter:
            raise ValueError(
                f"{measure.name!r} knows grades up to {measure.parameter:g}, but there is "
                f"relevance {highest:g}; name the greatest, as in 'err(max_grade={highest:g})@20'"
            )
        found = self._gaining.down_to(measure.cutoff)
        stops = self._exponential(found).relevance / 2.0**measure.parameter
        total, going = np.zeros(self._queries), np.ones(self._queries)
        for rows in _first_second_third(found.query):  # of all queries at once
            query = found.query[rows]
            total[query] += stops[rows] * going[query] / found.rank[rows]
            going[query] *= 1 - stops[rows]
        return total


def _deepest(documents: Documents) -> int:
    return int(documents.rank.max(initial=0))


def _first_second_third(query: Integers) -> list[Integers]:
    """The first rows of all queries, then the second ones, and so on."""
    number = numbered(query)
    rows = np.argsort(number, kind="stable")
    return np.split(rows, np.cumsum(np.bincount(number)[1:])[:-1])


def _logarithms(values: Floats) -> Floats:
    return np.array([math.log(value) for value in values.tolist()])
