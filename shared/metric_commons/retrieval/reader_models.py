"""Measures based on models of a reader, who continues from each rank with some probability.

The framework is C/W/L (Moffat et al. 2017): if a reader continues from rank i with probability
C(i), rank i is seen with the probability C(1) ... C(i - 1). These products, divided by their sum,
are the weights of the ranks, and the measure is the weighted mean of the gains. Gains are levels of
relevance, clipped to `min_rel` and `max_rel` and scaled to 0 .. 1. As in cwl_eval, rankings have a
thousand ranks: later ranks are ignored, and missing ones have no gain.
"""

import numpy as np

from ..statistics.arguments.arrays import Floats
from .names import RankingMeasure
from .order import Documents, positions
from .query_counts import QueryCounts

_RANKS = 1000  # of cwl_eval


class ReaderModels(QueryCounts):
    """One method per measure, named `_` and the kind of measure."""

    def _insq(self, measure: RankingMeasure) -> Floats:
        """INSQ: a reader who wants to find T relevant documents (Moffat et al. 2012)."""
        return self._expected_gain(measure, _patience(2 * measure.argument("t"))[np.newaxis])

    def _inst(self, measure: RankingMeasure) -> Floats:
        """INST: the same, with a patience that depends on found relevance (Bailey et al. 2015)."""
        target = measure.argument("t")
        missing = target - np.cumsum(self._scaled_gains(measure), axis=1)
        ranks = np.arange(1, _RANKS + 1)
        return self._expected_gain(
            measure, ((ranks + target + missing - 1) / (ranks + target + missing)) ** 2
        )

    def _sdcg(self, measure: RankingMeasure) -> Floats:
        """Scaled DCG: divided by the DCG of k documents of the highest relevance."""
        ranks = np.arange(1, _RANKS + 1)
        going_on = np.where(ranks < measure.cutoff, np.log(ranks + 1) / np.log(ranks + 2), 0.0)
        return self._expected_gain(measure, going_on[np.newaxis])

    def _nerr8(self, measure: RankingMeasure) -> Floats:
        """Nearly ERR (Azzopardi et al. 2021), by equation 8: a gain may stop the reader."""
        ranks = np.arange(1, _RANKS + 1)
        gains = self._scaled_gains(measure)
        return self._expected_gain(measure, np.where(ranks < measure.cutoff, 1 - gains, 0.0))

    def _nerr9(self, measure: RankingMeasure) -> Floats:
        """Return the same by equation 9: the reader also becomes tired."""
        ranks = np.arange(1, _RANKS + 1)
        going_on = ranks / (ranks + 1) * (1 - self._scaled_gains(measure))
        return self._expected_gain(measure, np.where(ranks < measure.cutoff, going_on, 0.0))

    def _nerr10(self, measure: RankingMeasure) -> Floats:
        """Return the same by equation 10: with the constant patience p."""
        going_on = measure.argument("p") * (1 - self._scaled_gains(measure))
        return self._expected_gain(measure, going_on)

    def _nerr11(self, measure: RankingMeasure) -> Floats:
        """Return the same by equation 11: with the patience of INSQ."""
        going_on = _patience(2 * measure.argument("t")) * (1 - self._scaled_gains(measure))
        return self._expected_gain(measure, going_on)

    def _bpm(self, measure: RankingMeasure) -> Floats:
        """Return the bejeweled player.

        Reads until the gain is T, or k documents (Zhang et al. 2017).
        """
        ranks = np.arange(1, _RANKS + 1)
        total = np.cumsum(self._scaled_gains(measure), axis=1)
        goes_on = (total < measure.argument("t")) & (ranks < measure.cutoff)
        return self._expected_gain(measure, goes_on.astype(np.float64))

    def _expected_gain(self, measure: RankingMeasure, continuation: Floats) -> Floats:
        """Return the mean gain of each query; continuation has the shape (queries or 1, ranks)."""
        views = np.ones_like(continuation)
        np.cumprod(continuation[:, :-1], axis=1, out=views[:, 1:])
        gain: Floats = (views * self._scaled_gains(measure)).sum(axis=1) / views.sum(axis=1)
        return gain

    def _scaled_gains(self, measure: RankingMeasure) -> Floats:
        """Return the gain at each rank of each query, from 0 to 1; shape (queries, ranks)."""
        lowest, highest = measure.argument("min_rel"), measure.argument("max_rel")
        judged = self._ranked.judged.top(_RANKS)
        gains = np.zeros((self._queries, _RANKS))
        relevance = np.clip(judged.relevance, max(lowest, 0.0), highest)
        gains[judged.query, judged.rank - 1] = (relevance - lowest) / (highest - lowest)
        return gains

    def _compat(self, measure: RankingMeasure) -> Floats:
        """Compatibility: rank-biased overlap with the closest ideal ranking.

        In the ideal ranking, relevance descends, and equal levels are in the order of the ranking.
        A document is in both rankings from the later one of its two ranks onwards; there the
        overlap counts p ** (depth - 1) / depth at each depth, down to the end of the longer
        ranking.

        Source:
            Clarke, Vtyurina and Smucker, Assessing top-k preferences (2021).
        """
        retrieval, ideal = self._gains, self._ideal
        relevant = self._count(ideal.query)
        depth = np.maximum(self._ranked.retrieved, relevant)
        levels, codes = np.unique(ideal.relevance, return_inverse=True)
        keys = ideal.query * len(levels) + (len(levels) - 1 - codes)  # ascending
        retrieval_keys = retrieval.query * len(levels) + (
            len(levels) - 1 - np.searchsorted(levels, retrieval.relevance)
        )
        order = np.lexsort(
            (retrieval.rank, retrieval_keys)
        )  # retrieved documents come first among equal levels
        retrieval_keys = retrieval_keys[order]
        retrieval = Documents(
            retrieval.query[order], retrieval.rank[order], retrieval.relevance[order]
        )
        starts = np.cumsum(relevant) - relevant
        ideal_rank = (
            np.searchsorted(keys, retrieval_keys) - starts[retrieval.query]
        )  # at higher levels
        ideal_rank += positions(retrieval_keys)
        ranks = np.arange(1, int(depth.max(initial=0)) + 1)
        persistence = measure.argument("p")
        sums = np.append(0.0, np.cumsum(persistence ** (ranks - 1.0) / ranks))
        agreed = sums[depth[retrieval.query]] - sums[np.maximum(retrieval.rank, ideal_rank) - 1]
        score = self._sum(retrieval.query, agreed)
        if measure.argument("normalize"):
            best = sums[depth[ideal.query]] - sums[positions(ideal.query) - 1]
            return self._ratio(score, self._sum(ideal.query, best))
        weights = np.append(0.0, np.cumsum(persistence ** (ranks - 1.0)))
        return self._ratio(score, weights[depth])


def _patience(target: float) -> Floats:
    ranks = np.arange(1, _RANKS + 1)
    going_on: Floats = ((ranks + target - 1) / (ranks + target)) ** 2
    return going_on
