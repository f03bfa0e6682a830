"""Ratings of systems from votes between two of them, as in Chatbot Arena.

Bradley-Terry ratings of maximum likelihood with errors, intervals and ranks, Elo ratings, and win
rates. Ties count half, have a parameter of their own, or are left out. With covariates, ratings are
those of answers that are alike in length or style, and biases of judges are tested.
"""

import datasets
import evaluate

from metric_commons.judging.votes.system_ratings import pairwise_ratings
from metric_commons.module.declaration.module import BatchMetric

_CITATION = """\
@inproceedings{chiang-etal-2024-chatbot-arena,
    title = "{Chatbot Arena}: An Open Platform for Evaluating {LLMs} by Human Preference",
    author = "Chiang, Wei-Lin and Zheng, Lianmin and Sheng, Ying and others",
    booktitle = "Proceedings of the 41st International Conference on Machine Learning",
    year = "2024",
    url = "https://arxiv.org/abs/2403.04132",
}
"""


class PairwiseRanking(BatchMetric):
    """Ratings, win rates and counts of systems, each a dict by system.

    Args:
        model_a (list of str): the system whose answer was shown first in each vote.
        model_b (list of str): the system whose answer was shown second.
        winner (list of str or of float): "model_a", "model_b", "tie", "tie (bothbad)" or
            "both_bad"; or the proportion of the points that model_a gets, from 0.0 to 1.0.

    Returns:
        ratings (dict): by system; higher is better. Only differences have a meaning: with the
            default scale, 400 points are odds of 10 to 1.
        win_rate (dict): points over votes, from 0.0 to 1.0, where a tie is half a point.
        average_win_rate (dict): the mean over opponents of the win rate against each of them.
        wins, losses, ties (dict): counts of votes, or sums of weights.
        win_matrix (dict): for each system the probability of beating each other one.
        tie_parameter (float): nu of Davidson's model.
        coefficients (list): of covariates, in log odds.
        confidence_interval, standard_error, rank, rank_interval, groups (dict): if requested; with
            covariates also coefficient_error and coefficient_p_value (list).

    Examples:
        >>> pairwise_ranking = evaluate.load("./metrics/pairwise_ranking")
        >>> result = pairwise_ranking.compute(
        ...     model_a=["ada", "ada", "bob", "bob"],
        ...     model_b=["bob", "bob", "ada", "ada"],
        ...     winner=["model_a", "model_a", "model_a", "tie"],
        ... )
        >>> {system: round(rating, 1) for system, rating in result["ratings"].items()}
        {'ada': 1044.4, 'bob': 955.6}
        >>> result["win_rate"]
        {'ada': 0.625, 'bob': 0.375}
    """

    score_kind = "counts"
    score_ranges = {
        "ratings": (None, None),
        "win_rate": (0, 1),
        "average_win_rate": (0, 1),
        "*": (0, None),
    }
    main_score = "ratings"
    # The order of votes, which a state does not keep.
    options_of_all_rows = {"method": "elo"}

    def _info(self):
        text, number = datasets.Value("string"), datasets.Value("float64")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"model_a": text, "model_b": text, "winner": winner})
                for winner in (text, number)
            ],
            license="Apache-2.0",
            reference_urls=["https://arxiv.org/abs/2403.04132"],
        )

    def _compute(self, *, model_a, model_b, winner, **options: pairwise_ratings):
        return pairwise_ratings(model_a, model_b, winner, **options)
