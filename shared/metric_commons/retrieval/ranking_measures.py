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
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..statistics.arguments.arrays import Floats
from ..statistics.arguments.domains import Range, checked_options
from ..statistics.arithmetic.ratios import precision_recall_f1
from ..statistics.intervals.summary import Average
from ..statistics.intervals.summary import mean as exact_mean
from .names import NO_CUTOFF, RankingMeasure
from .order import Rankings, ScoreType, condensed, positions, with_gains
from .query_counts import last_rank, logarithms, rows_by_position
from .reader_models import ReaderModels
from .trec_measures import TrecMeasures

RelevanceLevel = Annotated[float, Range(0)]
MapDenominator = Literal["relevant", "min_k", "retrieved"]

MIN_GEO_MEAN = 1e-5  # geometric means raise smaller scores to this; trec_eval's name and value
GEOMETRIC = frozenset({"gm_map", "gm_bpref"})


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
        results[measure.name] = scoring[view].score(measure)
    return results


_UNBOUNDED = {"dcg", "dcg_exp"}
SIGNED = frozenset({"utility", "yaap"})


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
            before=logarithms,
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


class _Scoring(TrecMeasures, ReaderModels):
    """One method per measure, named `_` and the kind of measure."""

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
        weights = np.array([p**exponent for exponent in range(last_rank(hits))])
        return (1 - p) * self._sum(hits.query, weights[hits.rank - 1])

    def _judged(self, measure: RankingMeasure) -> Floats:
        """The proportion of judged documents, relative to the length of a list below the cutoff.

        ir_measures does so too. trec_eval's `unj` counts empty ranks as judged.
        """
        judged = self._count(self._ranked.judged.top(measure.cutoff).query)
        return self._ratio(judged, np.minimum(self._ranked.retrieved, measure.cutoff))

    # Graded relevance

    def _ndcg(self, measure: RankingMeasure) -> Floats:
        return self._ratio(self._dcg(measure), self._discounted(self._ideal, measure.cutoff))

    def _ndcg_exp(self, measure: RankingMeasure) -> Floats:
        ideal = self._discounted(self._exponential(self._ideal), measure.cutoff)
        return self._ratio(self._dcg_exp(measure), ideal)

    def _dcg(self, measure: RankingMeasure) -> Floats:
        add = self._tie_averaged if measure.averages_ties else self._discounted
        return add(self._gains, measure.cutoff)

    def _dcg_exp(self, measure: RankingMeasure) -> Floats:
        add = self._tie_averaged if measure.averages_ties else self._discounted
        return add(self._exponential(self._gains), measure.cutoff)

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
        for rows in rows_by_position(gains.query):  # one document of each query at a time
            query = gains.query[rows]
            expected[query] += stop[rows] * reach[query] / gains.rank[rows]
            reach[query] *= 1 - stop[rows]
        return expected
