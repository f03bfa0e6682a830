"""Win rates from pairwise comparisons of a system with opponents.

An outcome is a number from 0 to 1: 1 is a win, 0 a loss, 0.5 a tie, and any other number says how
sure the judge is.
"""

import math
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..numbers.arrays import Column, Floats
from ..numbers.checks import RowError, check_labels, nearest
from ..numbers.domains import Count, Labels, Level, Seed, checked_options
from ..statistics.bootstrap import mean_interval
from ..statistics.summary import mean, members

Ties = Literal["ignore", "half"]
Interval = Literal["bootstrap", "wilson"]

_WORDS = {"win": 1.0, "tie": 0.5, "loss": 0.0}


def outcomes(predictions: Column) -> Floats:
    """The outcome of each comparison, from the words "win", "loss" and "tie" or from numbers.

    Raises:
        ValueError: there is another word, or a number outside 0 to 1. The message has the row.

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
    """The outcomes of the model, from preferences in the convention of AlpacaEval.

    There 1 prefers the baseline and 2 the model, 1.5 is a draw, and any other number from 1 to 2 is
    1 plus the weight of the model. 0 is a draw too, for older annotators. AlpacaEval drops
    preferences that are missing or have another value; here they are errors, and callers drop them.

    Raises:
        ValueError: a preference is missing, or neither 0 nor from 1 to 2. The message has the row.

    >>> alpaca_outcomes([2, 1, 1.5, 0, 1.75])
    array([1.  , 0.  , 0.5 , 0.5 , 0.75])
    """
    numbers = np.asarray(preferences)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iuf"):
        raise ValueError(
            "preferences must be a flat list of numbers, "
            f"got shape {numbers.shape} of {numbers.dtype}"
        )
    values = numbers.astype(np.float64)
    values[values == 0] = 1.5
    wrong = ~((values >= 1) & (values <= 2))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError("preferences", row, f"is {values[row]}; expected 0, or a number from 1 to 2")
    return values - 1


@checked_options
def win_rates(
    outcomes: Floats,
    *,
    ties: Ties = "ignore",
    interval: Interval = "bootstrap",
    per_example: bool = False,
    confidence_level: Level | None = None,
    n_resamples: Count = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> dict[str, Any]:
    """The win rate, its standard error, and the counts of wins, losses and ties.

    With `ties="half"`, `win_rate` is the mean of the outcomes. With "ignore" it is the mean over
    wins, which count 1, and losses, which count 0. `standard_error` is that of this mean.
    `discrete_win_rate` is the mean after outcomes above 0.5 are rounded up to a win and those below
    down to a loss; with "ignore" it equals the win rate.

    Args:
        outcomes: from 0 to 1, shape (rows,).
        ties: "ignore" or "half".
        interval: "bootstrap" resamples the rows that count; "wilson" inverts the score test of a
            proportion, for which each of them must be a whole win or loss.
        per_example: also return the value with which each row counts, NaN for an ignored tie.
        confidence_level: also return intervals of both rates, such as 0.95.
        n_resamples: the number of resamples of the bootstrap.
        seed: of the bootstrap.
        groups: a label a row; also return rates and counts of each group, in the order of labels.

    Raises:
        ValueError: an option is not valid, or an outcome does not suit `interval="wilson"`.

    >>> rates = win_rates(np.array([1.0, 1.0, 0.0, 0.5]))
    >>> round(rates["win_rate"], 3), rates["wins"], rates["losses"], rates["ties"]
    (0.667, 2, 1, 1)
    >>> win_rates(np.array([1.0, 1.0, 0.0, 0.5]), ties="half")["win_rate"]
    0.625
    """
    rows = _values(outcomes, ties)
    if interval == "wilson":
        _check_binary(outcomes, ties)
    result = _rates(outcomes, ties)
    if per_example:
        result["per_example"] = {name: values.tolist() for name, values in rows.items()}
    if confidence_level is not None:
        result["confidence_interval"] = {
            name: list(
                wilson_interval(result["wins"], result["losses"], confidence_level=confidence_level)
                if interval == "wilson"
                else _bootstrap_interval(
                    values, confidence_level=confidence_level, n_resamples=n_resamples, seed=seed
                )
            )
            for name, values in rows.items()
        }
    if groups is not None:
        labels = check_labels("groups", groups, len(outcomes))
        result["groups"] = {
            label: _rates(outcomes[indices], ties) | {"n": len(indices)}
            for label, indices in members(labels).items()
        }
    return result


def wilson_interval(wins: int, losses: int, *, confidence_level: float) -> tuple[float, float]:
    """Wilson's interval of the share of wins; NaN if there are neither wins nor losses.

    Its ends are the roots of a quadratic equation. The lower root is computed from the product of
    both (Vieta), which does not cancel, and the upper one as 1 minus the lower end for the losses.
    So without wins the lower end is exactly 0, and without losses the upper end is exactly 1.

    Source:
        Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927).

    >>> low, high = wilson_interval(2, 1, confidence_level=0.95)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.2077 to 0.9385
    >>> wilson_interval(0, 0, confidence_level=0.95)
    (nan, nan)
    """
    # binomtest(...).proportion_ci(method="wilson") of scipy would do, but importing scipy.stats
    # takes over a second.
    trials = wins + losses
    if not trials:
        return math.nan, math.nan
    z = -NormalDist().inv_cdf((1 - float(confidence_level)) / 2)
    margin = z * z + z * math.sqrt(z * z + 4 * wins * losses / trials)
    return (
        2 * wins * wins / (trials * (2 * wins + margin)),
        1 - 2 * losses * losses / (trials * (2 * losses + margin)),
    )


def _values(outcomes: Floats, ties: Ties) -> dict[str, Floats]:
    """The values of rows of which each rate is the mean, NaN for rows that do not count."""
    rounded = np.sign(outcomes - 0.5) / 2 + 0.5
    if ties == "half":
        return {"win_rate": outcomes, "discrete_win_rate": rounded}
    decided = np.where(rounded == 0.5, math.nan, rounded)
    return {"win_rate": decided, "discrete_win_rate": decided}


def _rates(outcomes: Floats, ties: Ties) -> dict[str, Any]:
    """Both rates, the standard error of the first, and the counts of wins, losses and ties."""
    columns = {name: values[~np.isnan(values)] for name, values in _values(outcomes, ties).items()}
    return {
        **{name: mean(values) if values.size else math.nan for name, values in columns.items()},
        "standard_error": _standard_error(columns["win_rate"]),
        "wins": int(np.count_nonzero(outcomes > 0.5)),
        "losses": int(np.count_nonzero(outcomes < 0.5)),
        "ties": int(np.count_nonzero(outcomes == 0.5)),
    }


def _standard_error(values: Floats) -> float:
    """Sample standard deviation over the root of the sample size; NaN for fewer than two values."""
    if values.size < 2:
        return math.nan
    # Equal values are shifted to exactly 0, so that their standard error is exactly 0 as well.
    shifted = values - values.min()
    squares: list[float] = np.square(shifted - mean(shifted)).tolist()
    return math.sqrt(math.fsum(squares) / (values.size - 1) / values.size)


def _bootstrap_interval(values: Floats, **resampling: Any) -> tuple[float, float]:
    """The bootstrap interval of the mean over the rows that count; NaN if there are none.

    Ignored ties are dropped before resampling, not after it: their number says nothing about who
    wins the other comparisons, and no resample can then consist of ties alone.
    """
    decided = values[~np.isnan(values)]
    return mean_interval(decided, **resampling) if decided.size else (math.nan, math.nan)


def _check_binary(outcomes: Floats, ties: Ties) -> None:
    """Every row that counts is a whole win or loss."""
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
