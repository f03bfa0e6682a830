"""Win rates from pairwise comparisons of a system with opponents.

An outcome is a number from 0 to 1: 1 is a win, 0 a loss, 0.5 a tie, and any other number expresses
the confidence of the judge.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import RowError, shown
from ...statistics.intervals.intervals import mean_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import UNDEFINED, Interval
from ...statistics.intervals.summary import Measured, interval_of, mean, summarize

Ties = Literal["ignore", "half"]

_WORDS = {"win": 1.0, "tie": 0.5, "loss": 0.0}


def outcomes(predictions: Column) -> Floats:
    """The outcome of each comparison, from the words "win", "loss" and "tie" or from numbers.

    Raises:
        ValueError: a word is unknown, or a number is outside 0 to 1. The message names the row.

    >>> outcomes(["win", "loss", "tie"])
    array([1. , 0. , 0.5])
    >>> outcomes(["win", "lose"])
    Traceback (most recent call last):
    ValueError: predictions[1] is 'lose'; expected 'win', 'tie' or 'loss'
    """
    if len(predictions) and isinstance(predictions[0], str):
        for row, word in enumerate(predictions):
            if word not in _WORDS:
                problem = f"is {shown(word)}; expected 'win', 'tie' or 'loss'"
                raise RowError("predictions", row, problem)
        return np.array([_WORDS[word] for word in predictions])
    values = np.asarray(predictions, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(
            "predictions", row, f"is {values[row]}; an outcome is between 0 (a loss) and 1 (a win)"
        )
    return values


def win_rates(outcomes: Floats, *, ties: Ties = "ignore", **summary: Any) -> dict[str, Any]:
    """Return the win rate, its standard error, and the counts of wins, losses and ties.

    With `ties="half"`, `win_rate` is the mean of the outcomes. With "ignore", it is the mean over
    wins, which count 1, and losses, which count 0. `standard_error` is that of this mean.
    `discrete_win_rate` is the mean after outcomes above 0.5 are rounded up to a win and those below
    down to a loss; with "ignore" it equals the win rate.

    Args:
        outcomes: numbers from 0 to 1, shape (rows,).
        ties: "ignore" or "half".
        **summary: the options of `summarize`; the standard error is always returned.

    Raises:
        ValueError: an option is not valid, or the interval is not possible for these outcomes.

    >>> rates = win_rates(np.array([1.0, 1.0, 0.0, 0.5]))
    >>> round(rates["win_rate"], 3), rates["wins"], rates["losses"], rates["ties"]
    (0.667, 2, 1, 1)
    >>> win_rates(np.array([1.0, 1.0, 0.0, 0.5]), ties="half")["win_rate"]
    0.625
    """
    result = dict(summarize(ComparedRows(outcomes, ties), **summary | {"standard_error": True}))
    for part in (result, *result.get("groups", {}).values()):
        part["standard_error"] = part["standard_error"].get("win_rate", math.nan)
    return result


@dataclass(frozen=True)
class ComparedRows:
    """Comparisons of a system with opponents, as rows of `summarize`."""

    values: Floats
    ties: Ties

    def __len__(self) -> int:
        return self.values.size

    def take(self, rows: Integers) -> Self:
        """Return some of the comparisons."""
        return replace(self, values=self.values[rows])

    def of_rows(self) -> dict[str, list[float]]:
        """Return the value of each comparison in the means, NaN for an ignored tie."""
        rates = values_of_rates(self.values, self.ties)
        return {name: column.tolist() for name, column in rates.items()}

    def measured(self, uncertainty: Uncertainty | None) -> Measured:
        """Return rates and counts, and the intervals of rates.

        Ignored ties are dropped before rather than after resampling: their number says nothing
        about who wins the other comparisons, and no resample can then consist of ties alone.
        """
        result: dict[str, Any] = {}
        intervals: dict[str, Interval] = {}
        for name, column in values_of_rates(self.values, self.ties).items():
            counted = np.flatnonzero(~np.isnan(column))
            result[name] = mean(column[counted]) if counted.size else math.nan
            if uncertainty is None:
                continue
            intervals[name] = UNDEFINED
            of_counted = uncertainty
            if uncertainty.clusters is not None:
                of_counted = replace(uncertainty, clusters=uncertainty.clusters.take(counted))
            if counted.size:
                with interval_of(name):
                    intervals[name] = mean_interval(column[counted], of_counted)
        result["wins"] = int(np.count_nonzero(self.values > 0.5))
        result["losses"] = int(np.count_nonzero(self.values < 0.5))
        result["ties"] = int(np.count_nonzero(self.values == 0.5))
        return result, intervals


def values_of_rates(outcomes: Floats, ties: Ties) -> dict[str, Floats]:
    """Return the row values whose mean is each rate, NaN for rows that do not count."""
    rounded = np.sign(outcomes - 0.5) / 2 + 0.5
    if ties == "half":
        return {"win_rate": outcomes, "discrete_win_rate": rounded}
    decided = np.where(rounded == 0.5, math.nan, rounded)
    return {"win_rate": decided, "discrete_win_rate": decided}
