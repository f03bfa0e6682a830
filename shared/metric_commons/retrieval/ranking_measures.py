"""Ranking measures of many queries at once, equal to those of trec_eval to the last bit.

Every measure is a sum over the judged documents of a ranking, computed for all queries at once. It
equals trec_eval's loop over the ranks of one query because every operation rounds in the same way:

* `numpy.bincount` adds its weights in the order of the rows, which is the order of the ranks.
* Logarithms and powers come from the C library, value by value, since numpy's own may differ from
  them in the last bit.
* Everything else that rounds is a single division, product or difference.
"""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..statistics.arguments.arrays import Floats, Integers
from ..statistics.arguments.domains import Range, checked_options
from ..statistics.arithmetic.ratios import precision_recall_f1
from ..statistics.intervals.summary import Average
from ..statistics.intervals.summary import mean as exact_mean
from .names import LARGEST_GRADE, NO_CUTOFF, RankingMeasure
from .order import Documents, Rankings, ScoreType, condensed, positions, sort_groups, with_gains

RelevanceLevel = Annotated[float, Range(0)]
MapDenominator = Literal["relevant", "min_k", "retrieved"]

MIN_GEO_MEAN = 1e-5  # geometric means raise smaller scores to this; trec_eval's name and value
GEOMETRIC = frozenset({"gm_map", "gm_bpref"})
SIGNED = frozenset({"utility", "yaap"})
_UNBOUNDED = {"dcg", "dcg_exp"}
_INFAP_EPSILON = 1e-5  # trec_eval's name and value
_ROUNDING_OF_VERSION_9 = 0.9  # 0.1 document is rounded up; version 10 rounds to the nearest


@checked_options
def scores(
    ranked: Rankings,
    measures: Sequence[RankingMeasure],
    *,
    relevance_level: RelevanceLevel = 1,
    map_denominator: MapDenominator = "relevant",
    score_dtype: ScoreType = "float64",
) -> dict[str, Floats]:
    """Return each measure of each query, by the measure's name; arrays of shape (queries,).

    A query without relevant documents, or without retrieved documents, scores 0.

    Args:
        ranked: the rankings.
        measures: the measures to compute, from `parse_measures`.
        relevance_level: the smallest relevance that makes a document relevant. (n)DCG and ERR
            ignore it: their gain is the relevance itself, if positive.
        map_denominator: average precision is divided by the number of "relevant" documents; by
            this number, but at most the cutoff ("min_k"); or by the number of relevant documents
            that were "retrieved".
        score_dtype: that of the rankings; with "float32" `iprec_at_recall` and `11pt_avg` round
            recall to a number of documents as in trec_eval 9.

    Raises:
        ValueError: an option is not valid, or a relevance is too large for an exponential gain.

    Source:
        trec_eval 10, also for bpref (Buckley and Voorhees 2004); gdeval.pl for ndcg_exp (Burges et
        al. 2005) and err (Chapelle et al. 2009); Moffat and Zobel (2008) for rbp.

    >>> from .order import rankings
    >>> ranked = rankings([[3.0, 2.0, 1.0]], [[0.0, 1.0, 1.0]])
    >>> results = scores(
    ...     ranked, [RankingMeasure("map", "map"), RankingMeasure("P@2", "precision", 2)]
    ... )
    >>> {name: values.tolist() for name, values in results.items()}
    {'map': [0.5833333333333333], 'P@2': [0.5]}
    """
    scoring: dict[tuple[object, ...], _Scoring] = {}  # by the options of measures
    results = {}
    for measure in measures:
        level = float(relevance_level) if measure.level is None else measure.level
        view = level, measure.judged_only, measure.gains
        if view not in scoring:
            rankings = condensed(ranked) if measure.judged_only else ranked
            rankings = with_gains(rankings, measure.gains) if measure.gains else rankings
            scoring[view] = _Scoring(rankings, level, map_denominator, score_dtype)
        results[measure.name] = getattr(scoring[view], f"_{measure.kind}")(measure)
    return results


def average(measure: RankingMeasure, mean: Callable[[Floats], float] = exact_mean) -> Average:
    """Return how a measure is averaged over queries.

    Counts are totals. A geometric mean is `exp` of a mean of logarithms.

    Args:
        measure: the measure whose values are averaged.
        mean: exactly rounded, or `sequential_mean` as in trec_eval.

    >>> average(RankingMeasure("map", "map"))(np.array([0.25, 0.75]))
    0.5
    >>> average(RankingMeasure("num_rel", "num_rel"))(np.array([2.0, 5.0]))
    7
    """
    if measure.kind in GEOMETRIC:
        return Average(
            mean,
            before=_logarithms,
            after=lambda mean, _: math.exp(mean),
            slope=lambda mean, _: math.exp(mean),
            bounds=(math.log(MIN_GEO_MEAN), 0.0),
        )
    if measure.kind.startswith("num_"):
        return Average(mean, after=_total, slope=lambda _, rows: rows, bounds=(0.0, math.inf))
    bounds = (0.0, math.inf) if measure.kind in _UNBOUNDED else (0.0, 1.0)
    if measure.kind in SIGNED:
        bounds = (-math.inf, math.inf)
    return Average(mean, bounds=bounds)


def _total(mean: float, rows: int) -> float:
    """Return the number of rows or documents; an infinite or undefined number stays as it is."""
    return round(mean * rows) if math.isfinite(mean) else mean


def sequential_mean(values: ArrayLike) -> float:
    """Return the mean from a sum that is rounded after each addition.

    trec_eval and all programs built on it do so. The order of the values can change the last bit,
    so equality with trec_eval requires the same order and the same additions.

    >>> sequential_mean([0.1] * 10)
    0.09999999999999999
    """
    return float(np.add.accumulate(np.asarray(values, dtype=np.float64))[-1]) / np.size(values)


class _Scoring:
    """One method per measure, named `_` and the kind of measure.

    Args:
        ranked: the rankings.
        relevance_level: the smallest relevance that makes a document relevant.
        map_denominator: as in `scores`.
        score_dtype: as in `scores`.
    """

    def __init__(
        self, ranked: Rankings, relevance_level: float, map_denominator: str, score_dtype: str
    ) -> None:
        self._ranked = ranked
        self._rounds_up = score_dtype == "float32"
        self._queries = ranked.judgments.queries
        self._relevance_level = relevance_level
        self._map_denominator = map_denominator

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
        return self._sum(gains.query, gains.relevance / _discounts(gains.rank))

    def _exponential(self, gains: Documents) -> Documents:
        """Return the documents with the gain 2**relevance - 1 instead of relevance."""
        levels, codes = np.unique(gains.relevance, return_inverse=True)
        if levels.size and levels[-1] > LARGEST_GRADE:
            raise ValueError(f"relevance {levels[-1]:g} is too large for an exponential gain")
        exponential = np.array([2.0**level - 1 for level in levels.tolist()])
        return gains._replace(relevance=exponential[codes])

    def _cumulated(self, gains: Documents, *, discount: bool = True) -> "_Cumulated":
        """Return the gains of each query down to each of its documents, discounted or not."""
        terms = gains.relevance / _discounts(gains.rank) if discount else gains.relevance
        sums, totals = np.zeros(len(terms)), np.zeros(self._queries)
        for rows in _rows_by_position(gains.query):  # one document of each query at a time
            totals[gains.query[rows]] += terms[rows]
            sums[rows] = totals[gains.query[rows]]
        return _Cumulated(gains, sums, totals)

    # Binary relevance

    def _num_q(self, _: RankingMeasure) -> Floats:
        return np.ones(self._queries)

    def _num_ret(self, _: RankingMeasure) -> Floats:
        return self._ranked.retrieved.astype(np.float64)

    def _num_rel(self, _: RankingMeasure) -> Floats:
        return self._relevant.astype(np.float64)

    def _num_rel_ret(self, _: RankingMeasure) -> Floats:
        return self._hit_counts(NO_CUTOFF).astype(np.float64)

    def _precision(self, measure: RankingMeasure) -> Floats:
        return self._hit_counts(measure.cutoff) / measure.cutoff

    def _recall(self, measure: RankingMeasure) -> Floats:
        return self._ratio(self._hit_counts(measure.cutoff), self._relevant)

    def _f1(self, measure: RankingMeasure) -> Floats:
        hits = self._hit_counts(measure.cutoff)
        return precision_recall_f1(hits, np.full_like(hits, measure.cutoff), self._relevant).f1

    def _hit_rate(self, measure: RankingMeasure) -> Floats:
        return (self._hit_counts(measure.cutoff) > 0).astype(np.float64)

    def _num_nonrel_judged_ret(self, _: RankingMeasure) -> Floats:
        judged = self._ranked.judged
        return self._count(judged.query[judged.relevance >= 0]) - self._num_rel_ret(_)

    def _gm_bpref(self, measure: RankingMeasure) -> Floats:
        return np.maximum(self._bpref(measure), MIN_GEO_MEAN)

    def _rprec(self, _: RankingMeasure) -> Floats:
        """Precision at R, the number of relevant documents."""
        hits = self._hits
        within_r = hits.query[hits.rank <= self._relevant[hits.query]]
        return self._ratio(self._count(within_r), self._relevant)

    def _map(self, measure: RankingMeasure) -> Floats:
        hits = self._hits.top(measure.cutoff)
        precision = positions(hits.query) / hits.rank
        denominator = self._relevant
        if self._map_denominator == "retrieved":
            denominator = self._count(hits.query)
        elif self._map_denominator == "min_k":
            denominator = np.minimum(denominator, measure.cutoff)
        return self._ratio(self._sum(hits.query, precision), denominator)

    def _gm_map(self, measure: RankingMeasure) -> Floats:
        return np.maximum(self._map(measure), MIN_GEO_MEAN)

    def _mrr(self, measure: RankingMeasure) -> Floats:
        hits = self._hits.top(measure.cutoff)
        first = hits.select(positions(hits.query) == 1)
        return self._sum(first.query, 1.0 / first.rank)

    def _bpref(self, _: RankingMeasure) -> Floats:
        """Binary preference: how rarely a judged non-relevant document is above a relevant one.

        Each hit counts 1 - min(above, R) / min(R, N), where `above` is the number of non-relevant
        documents above it, R the number of relevant and N that of judged non-relevant documents.
        """
        judgments, relevant = self._ranked.judgments, self._relevant
        is_nonrelevant = (judgments.relevance >= 0) & (judgments.relevance < self._relevance_level)
        nonrelevant = self._count(judgments.query[is_nonrelevant])
        judged = self._ranked.judged.select(self._ranked.judged.relevance >= 0)
        is_hit = judged.relevance >= self._relevance_level
        query = judged.query[is_hit]
        penalties = np.minimum(positions(judged.query)[is_hit] - positions(query), relevant[query])
        terms = 1.0 - penalties / np.maximum(np.minimum(relevant, nonrelevant)[query], 1)
        return self._ratio(self._sum(query, terms), relevant)

    def _rbp(self, measure: RankingMeasure) -> Floats:
        """Rank-biased precision: a reader continues to the next rank with probability p."""
        hits = self._hits.top(measure.cutoff)
        p = measure.parameter
        weights = np.array([p**exponent for exponent in range(int(hits.rank.max(initial=0)))])
        return (1 - p) * self._sum(hits.query, weights[hits.rank - 1])

    def _judged(self, measure: RankingMeasure) -> Floats:
        """The proportion of judged documents, relative to the length of a list below the cutoff.

        ir_measures does so too. trec_eval's `unj` counts empty ranks as judged.
        """
        judged = self._count(self._ranked.judged.top(measure.cutoff).query)
        return self._ratio(judged, np.minimum(self._ranked.retrieved, measure.cutoff))

    # Sets

    def _relative_p(self, measure: RankingMeasure) -> Floats:
        """Precision divided by its maximum for this number of relevant documents."""
        possible = np.minimum(self._relevant, measure.cutoff)
        return self._ratio(self._hit_counts(measure.cutoff), possible)

    def _set_p(self, _: RankingMeasure) -> Floats:
        return self._ratio(self._hit_counts(NO_CUTOFF), self._ranked.retrieved)

    def _set_recall(self, _: RankingMeasure) -> Floats:
        return self._ratio(self._hit_counts(NO_CUTOFF), self._relevant)

    def _set_f(self, measure: RankingMeasure) -> Floats:
        """F of the set of retrieved documents; trec_eval's parameter is `beta` of this formula."""
        precision, recall, beta = self._set_p(measure), self._set_recall(measure), measure.parameter
        return self._ratio((beta + 1.0) * precision * recall, beta * precision + recall)

    def _set_map(self, _: RankingMeasure) -> Floats:
        """Return the product of precision and recall, without rounding these first."""
        hits = self._hit_counts(NO_CUTOFF).astype(np.float64)
        return self._ratio(hits * hits, self._ranked.retrieved * self._relevant.astype(np.float64))

    def _set_relative_p(self, _: RankingMeasure) -> Floats:
        possible = np.minimum(self._relevant, self._ranked.retrieved)
        return self._ratio(self._hit_counts(NO_CUTOFF), possible)

    def _utility(self, measure: RankingMeasure) -> Floats:
        """Return a weighted sum of relevant and other documents, retrieved and not.

        By default: the number of relevant retrieved documents, minus all other retrieved ones. The
        size of the collection, `docs`, matters only with a fourth weight.
        """
        hits, retrieved = self._hit_counts(NO_CUTOFF), self._ranked.retrieved
        if not measure.values:
            return (2 * hits - retrieved).astype(np.float64)
        weights, relevant = measure.values, self._relevant
        missing = measure.parameter + hits - retrieved - relevant
        gained = weights[0] * hits + weights[1] * (retrieved - hits)
        total: Floats = gained + weights[2] * (relevant - hits) + weights[3] * missing
        return total

    # Precision at ranks and levels of recall

    def _rprec_mult(self, measure: RankingMeasure) -> Floats:
        """Precision at a multiple of R; 0.1 of a document or more is rounded up."""
        cutoff = np.floor(measure.parameter * self._relevant + 0.9).astype(np.int64)
        hits = self._hits
        return self._ratio(self._count(hits.query[hits.rank <= cutoff[hits.query]]), cutoff)

    def _iprec(self, measure: RankingMeasure) -> Floats:
        """Interpolated precision as in ir_measures, which is that of trec_eval 9."""
        return self._interpolated_precision(measure, _ROUNDING_OF_VERSION_9)

    def _iprec_at_recall(self, measure: RankingMeasure) -> Floats:
        """Interpolated precision as in the version of trec_eval with this precision of scores."""
        rounding = _ROUNDING_OF_VERSION_9 if self._rounds_up else 0.5
        return self._interpolated_precision(measure, rounding)

    def _interpolated_precision(self, measure: RankingMeasure, rounding: float) -> Floats:
        """Return the highest precision at this recall or a higher one; 0 if it is never reached.

        Recall is converted to a number of documents: the integer below the number plus `rounding`.
        """
        cutoff = np.floor(measure.parameter * self._relevant + rounding).astype(np.int64)
        hits = self._hit_counts(NO_CUTOFF)
        stops = np.cumsum(hits)
        rows = np.flatnonzero((hits > 0) & (cutoff <= hits))
        starts = (stops - hits)[rows] + np.maximum(cutoff[rows], 1) - 1
        result = np.zeros(self._queries)
        if rows.size:
            ends = np.column_stack([starts, stops[rows]]).ravel()
            padded = np.append(self._precisions, 0.0)  # for an end after the last hit
            result[rows] = np.maximum.reduceat(padded, ends)[::2]
        return result

    def _11pt_avg(self, measure: RankingMeasure) -> Floats:
        """Return the mean of interpolated precision at levels of recall, added from the highest.

        There are eleven, from 0 to 1, unless the name lists others.
        """
        levels = measure.values or tuple(tenths / 10 for tenths in range(11))
        total = np.zeros(self._queries)
        for level in reversed(levels):
            total += self._iprec_at_recall(measure._replace(parameter=level))
        return total / len(levels)

    def _infap(self, _: RankingMeasure) -> Floats:
        """Average precision, estimated from sampled judgments; negative ones count as unknown.

        Source:
            Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments
            (2006).
        """
        judged = self._ranked.judged
        is_hit = judged.relevance >= self._relevance_level
        query = judged.query[is_hit]
        depth = (judged.rank[is_hit] - 1).astype(np.float64)
        pooled = (positions(judged.query) - 1)[is_hit]  # in the pool, above a hit
        relevant = positions(query) - 1
        pool_sizes = np.append(0, np.cumsum(judged.relevance >= 0))
        rows = np.flatnonzero(is_hit)
        nonrelevant = pool_sizes[rows] - pool_sizes[rows - pooled] - relevant
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (relevant + _INFAP_EPSILON) / (relevant + nonrelevant + 2 * _INFAP_EPSILON)
            residue = depth / (depth + 1.0) * (pooled / depth) * share
        terms = np.where(depth > 0, 1.0 / (depth + 1.0) + residue, 1.0)
        return self._ratio(self._sum(query, terms), self._relevant)

    def _bing(self, _: RankingMeasure) -> Floats:
        """A discount for non-relevant documents above each relevant one, averaged over these."""
        hits = self._hits
        nonrelevant = hits.rank - positions(hits.query)
        total = self._sum(hits.query, 1.0 / _discounts(nonrelevant + 1))
        return self._ratio(total, self._relevant)

    def _yaap(self, _: RankingMeasure) -> Floats:
        """Return the log odds of average precision, smoothed; -log(1 + R) if nothing was retrieved.

        Source:
            Robertson, On smoothing average precision (2012).
        """
        total = self._sum(self._hits.query, self._precisions)
        odds = (1.0 + total) / (1.0 + self._relevant - total)
        return _logarithms(odds)

    def _unj(self, measure: RankingMeasure) -> Floats:
        """Return the proportion of the first k ranks with no judgment, or a negative one."""
        judged = self._ranked.judged.top(measure.cutoff)
        pool_sizes = self._count(judged.query[judged.relevance >= 0])
        return (np.minimum(self._ranked.retrieved, measure.cutoff) - pool_sizes) / measure.cutoff

    def _rbp_resid(self, measure: RankingMeasure) -> Floats:
        """Return the additional rank-biased precision if all unjudged documents were relevant.

        This includes ranks after the end of the ranking, unless every document is judged: then it
        is 0, as in trec_eval.
        """
        retrieved, judged = self._ranked.retrieved, self._ranked.judged
        judged = judged.select(judged.relevance >= 0)
        starts = np.cumsum(retrieved) - retrieved
        is_open = np.ones(int(retrieved.sum()), dtype=np.bool_)
        is_open[starts[judged.query] + judged.rank - 1] = False
        query = np.repeat(np.arange(self._queries), retrieved)
        rank = np.arange(len(query)) - starts[query]
        longest = int(retrieved.max(initial=0))
        powers = np.multiply.accumulate([1.0, *[measure.parameter] * longest])
        residue = self._sum(query[is_open], powers[rank[is_open]])
        residual = powers[retrieved] + (1 - measure.parameter) * residue
        return np.where(self._count(query[is_open]) > 0, residual, 0.0)

    # Graded relevance

    def _ndcg(self, measure: RankingMeasure) -> Floats:
        return self._ratio(self._dcg(measure), self._discounted(self._ideal, measure.cutoff))

    def _ndcg_exp(self, measure: RankingMeasure) -> Floats:
        ideal = self._discounted(self._exponential(self._ideal), measure.cutoff)
        return self._ratio(self._dcg_exp(measure), ideal)

    def _dcg(self, measure: RankingMeasure, gains: Documents | None = None) -> Floats:
        add = self._tie_averaged if measure.averages_ties else self._discounted
        return add(self._gains if gains is None else gains, measure.cutoff)

    def _dcg_exp(self, measure: RankingMeasure) -> Floats:
        return self._dcg(measure, self._exponential(self._gains))

    def _err(self, measure: RankingMeasure) -> Floats:
        """Expected reciprocal rank: a reader stops at a document with a probability by its grade.

        At grade g this probability is (2**g - 1) / 2**max_grade.
        """
        highest = self._ranked.judgments.relevance.max(initial=0)
        if highest > measure.parameter:
            raise ValueError(
                f"{measure.name!r} supports grades up to {measure.parameter:g}, but there is "
                f"relevance {highest:g}; give the highest, as in 'err(max_grade={highest:g})@20'"
            )
        gains = self._gains.top(measure.cutoff)
        stop = self._exponential(gains).relevance / 2.0**measure.parameter
        expected, reach = np.zeros(self._queries), np.ones(self._queries)
        for rows in _rows_by_position(gains.query):  # one document of each query at a time
            query = gains.query[rows]
            expected[query] += stop[rows] * reach[query] / gains.rank[rows]
            reach[query] *= 1 - stop[rows]
        return expected

    def _ndcg_rel(self, _: RankingMeasure) -> Floats:
        """The mean of nDCG at the ranks of relevant documents, at the end if one is missing."""
        gains, ideal = self._gains, self._cumulated(self._ideal)
        dcg = self._cumulated(gains)
        terms = dcg.sums / ideal.at(gains.query, gains.rank)
        missing = self._count(self._ideal.query) - self._count(gains.query)
        total = self._sum(gains.query, terms)
        total += self._ratio(missing * dcg.totals, ideal.totals)
        return self._ratio(total, self._count(self._ideal.query))

    def _rndcg(self, _: RankingMeasure) -> Floats:
        """Return the mean of nDCG at the ranks at which the gain of the ideal ranking drops.

        The end is such a rank too, unless at most one document follows the last of these.
        """
        ranks, dcg = self._cumulated(self._ideal), self._cumulated(self._gains)
        query, relevance = self._ideal.query, self._ideal.relevance
        falls = np.append((query[1:] != query[:-1]) | (relevance[1:] != relevance[:-1]), True)
        falls = falls[: len(query)]
        terms = dcg.at(query[falls], self._ideal.rank[falls]) / ranks.sums[falls]
        has_tail = self._ranked.retrieved > self._count(query) + 1
        total = self._sum(query[falls], terms)
        total += np.where(has_tail, self._ratio(dcg.totals, ranks.totals), 0.0)
        mean = self._ratio(total, self._count(query[falls]) + has_tail)
        return np.where((self._relevant > 0) & (self._ranked.retrieved > 0), mean, 0.0)

    def _g(self, _: RankingMeasure) -> Floats:
        """Gains discounted by how much more the ideal ranking gained above them, over all gains."""
        gains, ideal = self._gains, self._ideal
        costs = ideal._replace(relevance=np.maximum(ideal.relevance, 1.0))
        ideal_sizes = self._count(ideal.query)[gains.query]
        cost = self._cumulated(costs, discount=False).at(gains.query, gains.rank)
        cost += np.maximum(gains.rank - ideal_sizes, 0)
        losses = cost - self._cumulated(gains, discount=False).sums
        discounts = np.array([math.log2(2 + loss) for loss in losses.tolist()])
        total = self._sum(gains.query, gains.relevance / discounts)
        return self._ratio(total, self._sum(ideal.query, ideal.relevance))


class _Cumulated(NamedTuple):
    """Cumulative gains down the ranking of each query."""

    gains: Documents
    sums: Floats  # down to each document
    totals: Floats  # of each query

    def at(self, query: Integers, rank: Integers) -> Floats:
        """Return the gains of these queries down to these ranks."""
        if not len(self.sums):
            return np.zeros(len(query))
        longest = int(max(self.gains.rank.max(), rank.max(initial=0))) + 1
        keys = self.gains.query * longest + self.gains.rank
        rows = np.searchsorted(keys, query * longest + rank, side="right")
        has_gains = (rows > 0) & (self.gains.query[np.maximum(rows - 1, 0)] == query)
        return np.where(has_gains, self.sums[np.maximum(rows - 1, 0)], 0.0)


def _discounts(rank: Integers) -> Floats:
    """Return log2(rank + 1) of each rank, by the C library."""
    discounts = np.array([math.log2(2 + above) for above in range(int(rank.max(initial=0)))])
    return discounts[rank - 1]


def _rows_by_position(query: Integers) -> list[Integers]:
    """Return the first row of every query, then the second ones, and so on."""
    position = positions(query)
    rows = np.argsort(position, kind="stable")
    return np.split(rows, np.cumsum(np.bincount(position)[1:])[:-1])


def _logarithms(values: Floats) -> Floats:
    """Return the natural logarithms, by the C library."""
    return np.array([math.log(value) for value in values.tolist()])
