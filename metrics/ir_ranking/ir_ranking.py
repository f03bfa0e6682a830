"""Ranking measures for retrieval: nDCG, MAP, MRR, recall, precision and others.

Measures of the rankings that a system returns for each query, given the relevance of documents.
Values equal those of trec_eval to the last bit, including ties; all are computed in one pass.
"""

import datasets
import evaluate

from metric_commons.module.declaration.module import BatchMetric
from metric_commons.retrieval.names import AGGREGATION, LOWER_IS_BETTER, Measures, parse_measures
from metric_commons.retrieval.order import ScoreType, rankings
from metric_commons.retrieval.ranking_measures import (
    MapDenominator,
    RelevanceLevel,
    average,
    scores,
)
from metric_commons.retrieval.stock_rankings import trec_eval
from metric_commons.statistics.arguments.domains import Count
from metric_commons.statistics.intervals.summary import summarize

_CITATION = """\
@inproceedings{buckley-voorhees-2004-retrieval,
    title = "Retrieval Evaluation with Incomplete Information",
    author = "Buckley, Chris and Voorhees, Ellen M.",
    booktitle = "Proceedings of SIGIR 2004",
    pages = "25--32",
    year = "2004",
    doi = "10.1145/1008992.1009000",
}
"""


class IrRanking(BatchMetric):
    """Means of ranking measures over queries, one query per row.

    Args:
        predictions (list): for each query `{"doc_id": ids, "score": scores}`; or just the ids, best
            first; or the scores of candidates. Equal scores are ordered by id, descending;
            candidates have no ids and keep their order.
        references (list): for each query `{"doc_id": ids, "relevance": levels}`; or the ids of the
            relevant documents; or the relevance of the candidates. Both may be dictionaries
            {query: {document: number}}; the rows are then the judged queries.
        measures: of ndcg, ndcg_exp, dcg, dcg_exp, map, mrr, recall, hit_rate
            (success), err, rbp(p=0.9), which take a cutoff as in "ndcg@10"; precision (P), f1 and
            judged, which need one; rprec, bpref, gm_map, num_q, num_ret, num_rel, num_rel_ret; and
            the names of trec_eval and ir_measures, such as "ndcg_cut_10" and "AP(rel=2)".
        relevance_level: the lowest grade that counts as relevant.
        score_dtype: "float64" as in trec_eval 10, "float32" as in trec_eval 9.
        judged_only: remove documents without a judgment.
        max_depth: use only this number of documents per query; None for all.
        map_denominator: the denominator of average precision: all "relevant" documents, at most
            the cutoff ("min_k"), or the "retrieved" relevant documents.

    Returns:
        The measures, under the names in `measures`: float, from 0.0 to 1.0 except for dcg and
        dcg_exp, higher is better except for unj and rbp_resid; num_q, num_ret, num_rel,
        num_rel_ret are totals (int).
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> ir_ranking = evaluate.load("./metrics/ir_ranking")
        >>> ir_ranking.compute(
        ...     predictions=[["d3", "d1", "d7"]],
        ...     references=[["d1", "d2"]],
        ...     measures=["mrr", "recall@3"],
        ... )
        {'mrr': 0.5, 'recall@3': 0.5}
        >>> ir_ranking.compute(
        ...     predictions=[{"doc_id": ["a", "b"], "score": [2.0, 2.0]}],
        ...     references=[{"doc_id": ["a"], "relevance": [1]}],
        ...     measures=["map"],  # a tie: b comes first
        ... )
        {'map': 0.5}
    """

    stock_formats = {"trec_eval": trec_eval}
    score_kind = "rankings"
    queries_allowed = True
    aggregation = AGGREGATION
    score_ranges = {
        "dcg*": (0, None),
        "num*": (0, None),
        "utility*": (None, None),
        "yaap*": (None, None),
        "*": (0, 1),
    }
    lower_is_better = LOWER_IS_BETTER
    arrays_allowed = True

    def _info(self):
        text, real, integer = (datasets.Value(kind) for kind in ("string", "float64", "int64"))
        ids, reals, integers = map(datasets.List, (text, real, integer))
        run = {"doc_id": ids, "score": reals}
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": predicted, "references": judged})
                for predicted, judged in (
                    (run, {"doc_id": ids, "relevance": reals}),
                    (run, {"doc_id": ids, "relevance": integers}),
                    (reals, reals),
                    (reals, integers),
                    (ids, ids),
                )
            ],
            license="Apache-2.0",
            reference_urls=["https://github.com/usnistgov/trec_eval"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        measures: Measures = ("ndcg@10", "map", "mrr", "recall@10", "precision@10"),
        relevance_level: RelevanceLevel = 1,
        score_dtype: ScoreType = "float64",
        judged_only: bool = False,
        max_depth: Count | None = None,
        map_denominator: MapDenominator = "relevant",
        **summary,
    ):
        asked = parse_measures(measures)
        ranked = rankings(
            predictions,
            references,
            score_dtype=score_dtype,
            judged_only=judged_only,
            max_depth=max_depth,
            with_ties=any(measure.averages_ties for measure in asked),
        )
        of_queries = scores(
            ranked,
            asked,
            relevance_level=relevance_level,
            map_denominator=map_denominator,
            score_dtype=score_dtype,
        )
        averages = {measure.name: average(measure) for measure in asked}
        return summarize(of_queries, averages, **summary)
