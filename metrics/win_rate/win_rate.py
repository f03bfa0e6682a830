"""Win rate: how often a system is preferred to its opponent, in pairwise comparisons.

From the verdicts of people, of a language model as a judge, or of a reward model, with the counts
behind the rate, its standard error and its interval.
"""

import datasets
import evaluate

from metric_commons.base.module import BatchMetric
from metric_commons.outcomes.preferences import Ties, outcomes, win_rates

_CITATION = """\
@misc{alpaca_eval,
    title = "{AlpacaEval}: An Automatic Evaluator of Instruction-following Models",
    author = "Li, Xuechen and Zhang, Tianyi and Dubois, Yann and Taori, Rohan and others",
    year = "2023",
    url = "https://github.com/tatsu-lab/alpaca_eval",
}
"""


class WinRate(BatchMetric):
    """Share of wins, or mean outcome, over pairwise comparisons.

    Args:
        predictions (list of str or of float): the outcome of each comparison, seen from the system:
            "win", "loss" or "tie"; or a number from 0.0, a loss, to 1.0, a win, where 0.5 is a tie
            and anything else says how sure the judge is.
        ties: "ignore" gives wins / (wins + losses), where above 0.5 is a win and
            below a loss; "half" gives the mean outcome, in which a tie is half a win.

    Returns:
        win_rate (float): from 0.0 to 1.0; higher is better. NaN if every row is an ignored tie.
        discrete_win_rate (float): the same after every outcome is made a win, a loss or a tie.
        standard_error (float): of the win rate; NaN if less than two rows count.
        wins, losses, ties (int): how many outcomes are above, below and at 0.5.
        per_example, confidence_interval, groups (dict): if asked for.

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

    scores_are = "outcomes"
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
