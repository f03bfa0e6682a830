"""Agreement of two rankings of the same systems: does a metric order systems as people do?

Kendall's tau, AP correlation, pairwise accuracy, and the correlations of Spearman and Pearson, with
intervals that take systems as units; and rank-biased overlap of rankings with ties.
"""

import datasets
import evaluate

from metric_commons.judging.votes.order_agreement import ranking_agreement
from metric_commons.module.declaration.module import BatchMetric

_CITATION = """\
@inproceedings{urbano-marrero-2017-treatment-ties,
    title = "The Treatment of Ties in {AP} Correlation",
    author = "Urbano, Juli{\\'a}n and Marrero, M{\\'o}nica",
    booktitle = "Proceedings of the {ACM} {SIGIR} Conference on Theory of Information Retrieval",
    year = "2017",
    url = "https://doi.org/10.1145/3121050.3121106",
}
"""


class RankingAgreement(BatchMetric):
    """Correlations of two scores of the same systems, or the overlap of rankings.

    Args:
        predictions (list of float, of list of str, or of dict): the estimated score of each
            system, such as its mean by a metric; or rankings, best item first, in which a list of
            items is a tie; or rankings as {"item": list of str, "rank": list of int}.
        references (list of float, of list of str, or of dict): the true score of each system, such
            as its rating by people; or the rankings to compare with.

    Returns:
        kendall_tau_b, kendall_tau_a, tau_ap_b, tau_ap_a, spearman, pearson, weightedtau (float):
            from -1.0 to 1.0; higher is better. NaN where a score is constant.
        pairwise_accuracy (float): the proportion of the pairs that the references order, from 0.0
            to 1.0.
        rbo (float): rank-biased overlap, extrapolated, from 0.0 to 1.0; with its smallest and
            its largest possible value, rbo_min and rbo_max, and their difference, rbo_residual.
        confidence_interval (dict): if requested.

    Examples:
        >>> ranking_agreement = evaluate.load("./metrics/ranking_agreement")
        >>> by_metric, by_people = [0.61, 0.58, 0.55, 0.31], [1120.0, 1090.0, 1105.0, 980.0]
        >>> result = ranking_agreement.compute(predictions=by_metric, references=by_people)
        >>> {name: round(score, 4) for name, score in result.items()}
        {'kendall_tau_b': 0.6667, 'tau_ap_b': 0.6667}
        >>> result = ranking_agreement.compute(
        ...     predictions=[["a", "b", "c"]], references=[["a", ["b", "c"]]]
        ... )
        >>> round(result["rbo"], 4)
        0.9775
    """

    score_kind = "counts"
    score_ranges = {"pairwise_accuracy": (0, 1), "rbo": (0, 1), "rbo_*": (0, 1), "*": (-1, 1)}
    lower_is_better = frozenset({"rbo_residual"})
    arrays_allowed = True
    single_items_allowed = True

    def _info(self):
        number = datasets.Value("float64")
        texts = datasets.List(datasets.Value("string"))
        ranks = datasets.List(datasets.Value("int64"))
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": inputs, "references": inputs})
                for inputs in (number, datasets.List(texts), {"item": texts, "rank": ranks})
            ],
            license="Apache-2.0",
            reference_urls=["https://doi.org/10.1145/3121050.3121106"],
        )

    def _compute(self, *, predictions, references, **options: ranking_agreement):
        return ranking_agreement(predictions, references, **options)
