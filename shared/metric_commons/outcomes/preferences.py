"""Win rates from pairwise comparisons of a system with others.

An outcome is a number from 0 to 1: 1 is a win, 0 a loss, 0.5 a tie, and anything between says how
sure a judge is.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..numbers.arrays import Column, Floats
from ..numbers.checks import RowError, check_choice, check_flag, check_labels, nearest
from ..statistics.bootstrap import check_resampling, mean_interval
from ..statistics.summary import mean, members

Ties = Literal["ignore", "half"]
Interval = Literal["bootstrap", "wilson"]

_WORDS = {"win": 1.0, "tie": 0.5, "loss": 0.0}


def outcomes(predictions: Column) -> Floats:
    """The outcome of each comparison, from the words "win", "loss" and "tie" or from numbers.

    Raises:
        ValueError: another word, or a number outside 0 to 1; names the row.

    >>> outcomes(["win", "loss", "tie"])
    array([1. , 0. , 0.5])
    >>> outcomes(["win", "lose"])
    Traceback (most recent call last):
    ValueError: predictions[1] is 'lose'; expected 'win', 'tie' or 'loss'; did you mean 'loss'?
    """
    if len(predictions) and isinstance(predictions[0], str):
        for row, word in enumerate(predictions):
            if word not in _WORDS:
                hint = nearest(word, _WORDS)
                raise RowError(
                    "predictions", row, f"is {word!r}; expected 'win', 'tie' or 'loss'{hint}"
                )
        return np.array([_WORDS[word] for word in predictions])
    values = np.asarray(predictions, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(
            "predictions", row, f"is {values[row]}; an outcome lies between 0, a loss, and 1, a win"
        )
    return values


def alpaca_outcomes(preferences: ArrayLike) -> Floats:
    """The outcomes of the model, from preferences as AlpacaEval writes them.

    There 1 prefers the baseline and 2 the model, a number between is a weight of the model beyond
    1, and 1.5 is a draw; so is 0, as older annotators have it. AlpacaEval leaves out preferences
    that are missing or something else. Here they are errors, for the caller to leave out.

    Raises:
        ValueError: a preference is missing, or neither 0 nor from 1 to 2; names the row.

    >>> alpaca_outcomes([2, 1, 1.5, 0, 1.75])
    array([1.  , 0.  , 0.5 , 0.5 , 0.75])
    """
    given = np.asarray(preferences)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iuf"):
        raise ValueError(
            f"preferences must be a flat list of numbers, got shape {given.shape} of {given.dtype}"
        )
    values = given.astype(np.float64)
    values[values == 0] = 1.5
    wrong = ~((values >= 1) & (values <= 2))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError("preferences", row, f"is {values[row]}; expected 0, or a number from 1 to 2")
    return values - 1


def win_rates(
    outcomes: Floats,
    *,
    ties: str = "ignore",
    interval: str = "bootstrap",
    per_example: bool = False,
    confidence_level: float | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
    groups: Sequence[object] | None = None,
) -> dict[str, Any]:
    """How often the system wins, how sure that is, and the counts behind it.

    `win_rate` is the mean of what counts. With `ties="half"` that is every outcome as it is; with
    "ignore" it is 1 for each win and 0 for each loss, and a tie does not count. `standard_error`
    is that of this mean. `discrete_win_rate` is the mean if every outcome above 0.5 is first made
    a win and every one below a loss; with "ignore" that is the win rate itself.

    Args:
        outcomes: from 0 to 1, shape (rows,).
        ties: "ignore" or "half".
        interval: "bootstrap" resamples what counts; "wilson" inverts the score test of a
            proportion, for which all that counts must be a whole win or loss.
        per_example: also return what counts of each row, NaN for a tie that is ignored.
        confidence_level: also return intervals of both rates, such as 0.95.
        n_resamples: how often the bootstrap resamples.
        seed: of the resampling.
        groups: a label a row; also return rates and counts of each group, in the order of labels.

    Raises:
        ValueError: an option is not what it may be, or an outcome is not for `interval="wilson"`.

    >>> rates = win_rates(np.array([1.0, 1.0, 0.0, 0.5]))
    >>> round(rates["win_rate"], 3), rates["wins"], rates["losses"], rates["ties"]
    (0.667, 2, 1, 1)
    >>> win_rates(np.array([1.0, 1.0, 0.0, 0.5]), ties="half")["win_rate"]
    0.625
    """
    check_choice("ties", ties, get_args(Ties))
    check_choice("interval", interval, get_args(Interval))
    check_flag("per_example", per_example)
    counting = _counting(outcomes, ties)
    if interval == "wilson":
        _check_whole(outcomes, ties)
    result = _rates(outcomes, ties)
    if per_example:
        result["per_example"] = {name: values.tolist() for name, values in counting.items()}
    if confidence_level is not None:
        check_resampling(confidence_level=confidence_level, n_resamples=n_resamples, seed=seed)
        result["confidence_interval"] = {
            name: list(
                wilson_interval(result["wins"], result["losses"], confidence_level=confidence_level)
                if interval == "wilson"
                else _bootstrap_interval(
                    values, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed
                )
            )
            for name, values in counting.items()
        }
    if groups is not None:
        labels = check_labels("groups", groups, len(outcomes))
        result["groups"] = {
            label: _rates(outcomes[rows], ties) | {"n": len(rows)}
            for label, rows in members(labels).items()
        }
    return result


def wilson_interval(wins: int, losses: int, *, confidence_level: float) -> tuple[float, float]:
    """The shares of wins that the score test does not reject; NaN if there is nothing to share.

    The ends are the roots of a quadratic. The lower one is taken from the product of both, and the
    upper one is what the lower one leaves the losses, so that neither loses digits and no wins
    have the lower end 0 to the last bit.

    Source:
        Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927).

    >>> low, high = wilson_interval(2, 1, confidence_level=0.95)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.2077 to 0.9385
    >>> wilson_interval(0, 0, confidence_level=0.95)
    (nan, nan)
    """
    trials = wins + losses
    if not trials:
        return math.nan, math.nan
    z = -NormalDist().inv_cdf((1 - float(confidence_level)) / 2)
    slack = z * z + z * math.sqrt(z * z + 4 * wins * losses / trials)
    return (
        2 * wins * wins / (trials * (2 * wins + slack)),
        1 - 2 * losses * losses / (trials * (2 * losses + slack)),
    )


def _counting(outcomes: Floats, ties: str) -> dict[str, Floats]:
    """What counts of each row, for each rate whose mean it is: NaN where the row does not."""
    rounded = np.sign(outcomes - 0.5) / 2 + 0.5
    if ties == "half":
        return {"win_rate": outcomes, "discrete_win_rate": rounded}
    decided = np.where(rounded == 0.5, math.nan, rounded)
    return {"win_rate": decided, "discrete_win_rate": decided}


def _rates(outcomes: Floats, ties: str) -> dict[str, Any]:
    """Both rates, the standard error of the first, and the counts of wins, losses and ties."""
    counted = {
        name: values[~np.isnan(values)] for name, values in _counting(outcomes, ties).items()
    }
    return {
        **{name: mean(values) if values.size else math.nan for name, values in counted.items()},
        "standard_error": _standard_error(counted["win_rate"]),
        "wins": int(np.count_nonzero(outcomes > 0.5)),
        "losses": int(np.count_nonzero(outcomes < 0.5)),
        "ties": int(np.count_nonzero(outcomes == 0.5)),
    }


def _standard_error(values: Floats) -> float:
    """Sample standard deviation over the root of the number of values; NaN of less than two."""
    if values.size < 2:
        return math.nan
    # Above the least value equal ones are exactly 0, and so is their error.
    above = values - values.min()
    squares: list[float] = np.square(above - mean(above)).tolist()
    return math.sqrt(math.fsum(squares) / (values.size - 1) / values.size)


def _bootstrap_interval(values: Floats, **resampling: Any) -> tuple[float, float]:
    """The bootstrap interval of the mean of what counts; NaN if nothing does.

    Rows that do not count are left out before, not after resampling: how many ties there are says
    nothing about who wins the rest, and no resample is without a decision.
    """
    counted = values[~np.isnan(values)]
    return mean_interval(counted, **resampling) if counted.size else (math.nan, math.nan)


def _check_whole(outcomes: Floats, ties: str) -> None:
    """All that counts is a whole win or loss."""
    partial = (outcomes > 0) & (outcomes < 1)
    if ties == "ignore":
        partial &= outcomes != 0.5
    if partial.any():
        row = int(partial.argmax())
        raise RowError(
            "predictions",
            row,
            f"counts as {outcomes[row]}, but interval='wilson' is about whole "
            "wins and losses; use interval='bootstrap'",
        )
