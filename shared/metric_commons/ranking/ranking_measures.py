"""Ranking measures of many queries at once, equal to those of trec_eval to the last bit.

Every measure is a sum over the judged documents of a ranking, computed for all queries in one call.
It equals trec_eval's loop over the ranks of one query because every operation rounds in the same
way:

* `numpy.bincount` adds its weights in the order of the rows, which is the order of the ranks.
* Logarithms and powers come from the C library, value by value, since numpy's own may differ from
  them in the last bit.
* All else that rounds is a single division, product or difference.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numbers.arrays import Floats, Integers
from ..numbers.domains import Range, checked_options
from ..numbers.ratios import precision_recall_f1
from ..statistics.summary import Average
from .names import LARGEST_GRADE, NO_CUTOFF, Measure
from .order import Documents, Rankings, positions, sort_groups

RelevanceLevel = Annotated[float, Range(0)]
MapDenominator = Literal["relevant", "min_k", "retrieved"]

MIN_GEO_MEAN = 1e-5  # gm_map takes this for a smaller average precision; trec_eval's name and value


@checked_options
def scores(
    ranked: Rankings,
    measures: Sequence[Measure],
    *,
    relevance_level: RelevanceLevel = 1,
    map_denominator: MapDenominator = "relevant",
) -> dict[str, Floats]:
    """Each measure of each query, by the measure's name; arrays of shape (queries,).

    A query without relevant documents, or for which nothing was retrieved, scores 0.

    Args:
        ranked: the rankings.
        measures: what to compute, from `parse_measures`.
        relevance_level: the smallest relevance that makes a document relevant. (n)DCG and ERR do
            not use it: their gain is the relevance itself, if positive.
        map_denominator: average precision is divided by the number of "relevant" documents; by
            that number, but at most the cutoff ("min_k"); or by the number of relevant documents
            that were "retrieved".

    Raises:
        ValueError: an option is out of its range, or a relevance too large for an exponential gain.

    Source:
        trec_eval 10, also for bpref (Buckley and Voorhees 2004); gdeval.pl for ndcg_exp (Burges et
        al. 2005) and err (Chapelle et al. 2009); Moffat and Zobel (2008) for rbp.

    >>> from .order import rankings
    >>> ranked = rankings([[3.0, 2.0, 1.0]], [[0.0, 1.0, 1.0]])
    >>> results = scores(ranked, [Measure("map", "map"), Measure("P@2", "precision", 2)])
    >>> {name: values.tolist() for name, values in results.items()}
    {'map': [0.5833333333333333], 'P@2': [0.5]}
    """
    scoring = _Scoring(ranked, float(relevance_level), map_denominator)
    return {measure.name: scoring.score(measure) for measure in measures}


_UNBOUNDED = {"dcg", "dcg_exp"}


def average(measure: Measure) -> Average:
    """How a measure is averaged over queries: values are added one after another, as in trec_eval.

    Counts are totals. The geometric mean of average precision is `exp` of a mean of logarithms.

    >>> average(Measure("map", "map"))(np.array([0.25, 0.75]))
    0.5
    >>> average(Measure("num_rel", "num_rel"))(np.array([2.0, 5.0]))
    7
    """
    if measure.kind == "gm_map":
        return Average(
            sequential_mean,
            before=_logarithms,
            after=lambda mean, _: math.exp(mean),
            slope=lambda mean, _: math.exp(mean),
            bounds=(-math.inf, math.inf),
        )
    if measure.kind.startswith("num_"):
        return Average(
            sequential_mean, after=_total, slope=lambda _, rows: rows, bounds=(0.0, math.inf)
        )
    bounds = (0.0, math.inf) if measure.kind in _UNBOUNDED else (0.0, 1.0)
    return Average(sequential_mean, bounds=bounds)


def _total(mean: float, rows: int) -> float:
    """The number of rows or documents; what has no finite end keeps none."""
    return round(mean * rows) if math.isfinite(mean) else mean


def sequential_mean(values: ArrayLike) -> float:
    """The mean from a sum that adds one value after another and rounds each time.

    trec_eval does so, and all programs built on it. The order of the values can change the last
    bit, so equality with trec_eval needs the same order and the same additions.

    >>> sequential_mean([0.1] * 10)
    0.09999999999999999
    """
    return float(np.add.accumulate(np.asarray(values, dtype=np.float64))[-1]) / np.size(values)


class _Scoring:
    """The measures of some rankings; the method of a measure is `_` and its kind."""

    def __init__(self, ranked: Rankings, relevance_level: float, map_denominator: str) -> None:
        self._ranked = ranked
        self._queries = ranked.judgments.queries
        self._relevance_level = relevance_level
        self._map_denominator = map_denominator

    def score(self, measure: Measure) -> Floats:
        """One measure of each query."""
        values: Floats = getattr(self, f"_{measure.kind}")(measure)
        return values

    # What measures share

    def _count(self, query: Integers) -> Integers:
        """The number of rows of each query."""
        return np.bincount(query, minlength=self._queries)

    def _sum(self, query: Integers, terms: Floats) -> Floats:
        """The sum of each query's terms, added one after another."""
        # Without any row, bincount returns integers.
        return np.bincount(query, terms, self._queries).astype(np.float64, copy=False)

    def _ratio(self, numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
        """The ratio of each query, 0 where the denominator is 0."""
        ratio: Floats = np.divide(
            numerator, denominator, out=np.zeros(self._queries), where=denominator > 0
        )
        return ratio

    @cached_property
    def _relevant(self) -> Integers:
        """The number of relevant documents of each query, retrieved or not."""
        judgments = self._ranked.judgments
        return self._count(judgments.query[judgments.relevance >= self._relevance_level])

    @cached_property
    def _hits(self) -> Documents:
        """The relevant documents that were retrieved."""
        judged = self._ranked.judged
        return judged.select(judged.relevance >= self._relevance_level)

    def _hit_counts(self, cutoff: int) -> Integers:
        return self._count(self._hits.top(cutoff).query)

    # Binary relevance

    def _num_q(self, _: Measure) -> Floats:
        return np.ones(self._queries)

    def _num_ret(self, _: Measure) -> Floats:
        return self._ranked.retrieved.astype(np.float64)

    def _num_rel(self, _: Measure) -> Floats:
        return self._relevant.astype(np.float64)

    def _num_rel_ret(self, _: Measure) -> Floats:
        return self._hit_counts(NO_CUTOFF).astype(np.float64)

    def _precision(self, measure: Measure) -> Floats:
        return self._hit_counts(measure.cutoff) / measure.cutoff

    def _recall(self, measure: Measure) -> Floats:
        return self._ratio(self._hit_counts(measure.cutoff), self._relevant)

    def _f1(self, measure: Measure) -> Floats:
        hits = self._hit_counts(measure.cutoff)
        return precision_recall_f1(hits, np.full_like(hits, measure.cutoff), self._relevant).f1

    def _hit_rate(self, measure: Measure) -> Floats:
        return (self._hit_counts(measure.cutoff) > 0).astype(np.float64)

    def _rprec(self, _: Measure) -> Floats:
        """Precision at R, the number of relevant documents."""
        hits = self._hits
        within_r = hits.query[hits.rank <= self._relevant[hits.query]]
        return self._ratio(self._count(within_r), self._relevant)

    def _map(self, measure: Measure) -> Floats:
        hits = self._hits.top(measure.cutoff)
        precision = positions(hits.query) / hits.rank
        denominator = self._relevant
        if self._map_denominator == "retrieved":
            denominator = self._count(hits.query)
        elif self._map_denominator == "min_k":
            denominator = np.minimum(denominator, measure.cutoff)
        return self._ratio(self._sum(hits.query, precision), denominator)

    def _gm_map(self, measure: Measure) -> Floats:
        return np.maximum(self._map(measure), MIN_GEO_MEAN)

    def _mrr(self, measure: Measure) -> Floats:
        hits = self._hits.top(measure.cutoff)
        first = hits.select(positions(hits.query) == 1)
        return self._sum(first.query, 1.0 / first.rank)

    def _bpref(self, _: Measure) -> Floats:
        """Binary preference: how rarely a judged non-relevant document is above a relevant one.

        Each hit counts 1 - min(above, R) / min(R, N), where `above` is the number of non-relevant
        documents above it, R that of all relevant and N that of all judged non-relevant ones.
        """
        judgments, relevant = self._ranked.judgments, self._relevant
        is_nonrelevant = (judgments.relevance >= 0) & (judgments.relevance < self._relevance_level)
        nonrelevant = self._count(judgments.query[is_nonrelevant])
        judged = self._ranked.judged.select(self._ranked.judged.relevance >= 0)
        is_hit = judged.relevance >= self._relevance_level
        query = judged.query[is_hit]
        above = positions(judged.query)[is_hit] - positions(query)
        bound = np.maximum(np.minimum(relevant, nonrelevant)[query], 1)
        terms = 1.0 - np.minimum(above, relevant[query]) / bound
        return self._ratio(self._sum(query, terms), relevant)

    def _rbp(self, measure: Measure) -> Floats:
        """Rank-biased precision: a reader goes on to the next rank with probability p."""
        hits = self._hits.top(measure.cutoff)
        p = measure.parameter
        weights = np.array([p**above for above in range(_last_rank(hits))])
        return (1 - p) * self._sum(hits.query, weights[hits.rank - 1])

    def _judged(self, measure: Measure) -> Floats:
        return self._count(self._ranked.judged.top(measure.cutoff).query) / measure.cutoff

    # Graded relevance

    def _ndcg(self, measure: Measure) -> Floats:
        return self._ratio(self._dcg(measure), self._discounted(self._ideal, measure.cutoff))

    def _ndcg_exp(self, measure: Measure) -> Floats:
        ideal = self._discounted(self._exponential(self._ideal), measure.cutoff)
        return self._ratio(self._dcg_exp(measure), ideal)

    def _dcg(self, measure: Measure) -> Floats:
        return self._discounted(self._gains, measure.cutoff)

    def _dcg_exp(self, measure: Measure) -> Floats:
        return self._discounted(self._exponential(self._gains), measure.cutoff)

    @cached_property
    def _gains(self) -> Documents:
        """The retrieved documents of positive relevance; all others gain nothing."""
        judged = self._ranked.judged
        return judged.select(judged.relevance > 0)

    @cached_property
    def _ideal(self) -> Documents:
        """The ideal ranking: all documents of positive relevance, retrieved or not, best first."""
        judgments = self._ranked.judgments
        is_positive = judgments.relevance > 0
        query, relevance = judgments.query[is_positive], judgments.relevance[is_positive]
        order = sort_groups(query, -relevance)
        return Documents(query[order], positions(query[order]), relevance[order])

    def _discounted(self, gains: Documents, cutoff: int) -> Floats:
        """The cumulated gain of each query, each gain divided by log2(rank + 1)."""
        gains = gains.top(cutoff)
        discounts = np.array([math.log2(rank + 1) for rank in range(1, _last_rank(gains) + 1)])
        return self._sum(gains.query, gains.relevance / discounts[gains.rank - 1])

    def _exponential(self, gains: Documents) -> Documents:
        """The documents with the gain 2**relevance - 1 in place of relevance."""
        levels, codes = np.unique(gains.relevance, return_inverse=True)
        if levels.size and levels[-1] > LARGEST_GRADE:
            raise ValueError(f"relevance {levels[-1]:g} is too great for an exponential gain")
        exponential = np.array([2.0**level - 1 for level in levels.tolist()])
        return gains._replace(relevance=exponential[codes])

    def _err(self, measure: Measure) -> Floats:
        """Expected reciprocal rank, where a reader stops at a document with a chance by its grade.

        At grade g that chance is (2**g - 1) / 2**max_grade.
        """
        highest = self._ranked.judgments.relevance.max(initial=0)
        if highest > measure.parameter:
            raise ValueError(
                f"{measure.name!r} knows grades up to {measure.parameter:g}, but there is "
                f"relevance {highest:g}; name the greatest, as in 'err(max_grade={highest:g})@20'"
            )
        gains = self._gains.top(measure.cutoff)
        stop = self._exponential(gains).relevance / 2.0**measure.parameter
        expected, reach = np.zeros(self._queries), np.ones(self._queries)
        for rows in _rows_by_position(gains.query):  # one document of each query at a time
            query = gains.query[rows]
            expected[query] += stop[rows] * reach[query] / gains.rank[rows]
            reach[query] *= 1 - stop[rows]
        return expected


def _last_rank(documents: Documents) -> int:
    return int(documents.rank.max(initial=0))


def _rows_by_position(query: Integers) -> list[Integers]:
    """The first row of every query, then the second ones, and so on."""
    position = positions(query)
    rows = np.argsort(position, kind="stable")
    return np.split(rows, np.cumsum(np.bincount(position)[1:])[:-1])


def _logarithms(values: Floats) -> Floats:
    return np.array([math.log(value) for value in values.tolist()])
