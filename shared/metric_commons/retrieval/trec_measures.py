"""Less common measures of trec_eval, for many queries at once.

As in `ranking_measures`, all values equal those of trec_eval to the last bit.
"""

import math

import numpy as np

from ..statistics.arguments.arrays import Floats
from .names import NO_CUTOFF, RankingMeasure
from .order import positions
from .query_counts import QueryCounts, logarithms

_INFAP_EPSILON = 1e-5  # trec_eval's name and value
_ROUNDING_OF_VERSION_9 = 0.9  # 0.1 document is rounded up; version 10 rounds to the nearest


class TrecMeasures(QueryCounts):
    """One method per measure, named `_` and the kind of measure."""

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
        absentees = measure.argument("docs") + hits - retrieved - relevant
        gained = weights[0] * hits + weights[1] * (retrieved - hits)
        total: Floats = gained + weights[2] * (relevant - hits) + weights[3] * absentees
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
        discounts = [math.log2(2 + count) for count in range(int(nonrelevant.max(initial=0)) + 1)]
        return self._ratio(
            self._sum(hits.query, 1.0 / np.array(discounts)[nonrelevant]), self._relevant
        )

    def _yaap(self, _: RankingMeasure) -> Floats:
        """Return the log odds of average precision, smoothed; -log(1 + R) if nothing was retrieved.

        Source:
            Robertson, On smoothing average precision (2012).
        """
        total = self._sum(self._hits.query, self._precisions)
        odds = (1.0 + total) / (1.0 + self._relevant - total)
        return logarithms(odds)

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

    def _ndcg_rel(self, _: RankingMeasure) -> Floats:
        """The mean of nDCG at the ranks of relevant documents, at the end if one is missing."""
        gains, ideal = self._gains, self._cumulated(self._ideal)
        dcg = self._cumulated(gains)
        terms = dcg.sums / ideal.at(gains.query, gains.rank)
        absentees = self._count(self._ideal.query) - self._count(gains.query)
        total = self._sum(gains.query, terms)
        total += self._ratio(absentees * dcg.totals, ideal.totals)
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
