"""Win rate: the proportion of pairwise comparisons in which a system is preferred.

The judgments come from people, from a language model as judge, or from a reward model. The result
has the counts, the standard error and the interval.
"""

import datasets
import evaluate

from metric_commons.judging.sampling.preferences import Ties, outcomes, win_rates
from metric_commons.module.declaration.module import BatchMetric

_CITATION = """\
@misc{alpaca_eval,
    title = "{AlpacaEval}: An Automatic Evaluator of Instruction-following Models",
    author = "Li, Xuechen and Zhang, Tianyi and Dubois, Yann and Taori, Rohan and others",
    year = "2023",
    url = "https://github.com/tatsu-lab/alpaca_eval",
}
"""


class WinRate(BatchMetric):
    """Proportion of wins, or mean outcome, over pairwise comparisons.

    Args:
        predictions (list of str or of float): the outcome of each comparison for the system:
            "win", "loss" or "tie"; or a number from 0.0 (loss) to 1.0 (win), where 0.5 is a tie
            and other values express the confidence of the judge.
        ties: "ignore" gives wins / (wins + losses), where numbers above 0.5 are wins
            and numbers below are losses; "half" gives the mean outcome (a tie is half a win).

    Returns:
        win_rate (float): from 0.0 to 1.0; higher is better. NaN if every row is an ignored tie.
        discrete_win_rate (float): the same after outcomes are rounded to wins, losses or ties.
        standard_error (float): of the win rate; NaN if fewer than two rows count.
        wins, losses, ties (int): how many outcomes are above, below and at 0.5.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> win_rate = evaluate.load("./metrics/win_rate")
        >>> result = win_rate.compute(predictions=["win", "win", "loss", "tie"])
        >>> round(result["win_rate"], 3), result["wins"], result["losses"], result["ties"]
        (0.667, 2, 1, 1)
        >>> win_rate.compute(predictions=["win", "win", "loss", "tie"], ties="half")["win_rate"]
        0.625
        >>> win_rate.compute(predictions=["tie"])["win_rate"]
        nan
    """

    score_kind = "outcomes"
    score_ranges = {
        "wins": (0, None),
        "losses": (0, None),
        "ties": (0, None),
        "*": (0, 1),
    }
    lower_is_better = frozenset({"standard_error"})
    arrays_allowed = True

    def _info(self):
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": datasets.Value("float64")}),
                datasets.Features({"predictions": datasets.Value("string")}),
            ],
            license="Apache-2.0",
            reference_urls=["https://github.com/tatsu-lab/alpaca_eval"],
        )

    def _compute(self, *, predictions, ties: Ties = "ignore", **summary):
        return win_rates(outcomes(predictions), ties=ties, **summary)
