"""Win rates from pairwise comparisons of a system with opponents.

An outcome is a number from 0 to 1: 1 is a win, 0 a loss, 0.5 a tie, and any other number expresses
the confidence of the judge.
"""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...statistics.arguments.arrays import Column, Floats
from ...statistics.arguments.checks import RowError, check_labels, nearest, shown
from ...statistics.arguments.domains import Labels, Level, Resamples, Seed, checked_options
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import interval as mean_interval
from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval, proportion_interval
from ...statistics.intervals.summary import mean, members, uncertainty

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
    ValueError: predictions[1] is 'lose'; expected 'win', 'tie' or 'loss'; did you mean 'loss'?
    """
    if len(predictions) and isinstance(predictions[0], str):
        for row, word in enumerate(predictions):
            if word not in _WORDS:
                hint = nearest(word, _WORDS)
                raise RowError(
                    "predictions", row, f"is {shown(word)}; expected 'win', 'tie' or 'loss'{hint}"
                )
        return np.array([_WORDS[word] for word in predictions])
    values = np.asarray(predictions, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(
            "predictions", row, f"is {values[row]}; an outcome is between 0 (a loss) and 1 (a win)"
        )
    return values


def alpaca_outcomes(preferences: ArrayLike) -> Floats:
    """Return the outcomes for the model, from preferences in AlpacaEval's convention.

    There, 1 prefers the baseline and 2 the model, 1.5 is a draw, and any other number from 1 to 2
    is 1 plus the weight of the model. 0 is a draw too, for older annotators. AlpacaEval drops
    preferences that are missing or have another value; here they are errors, and callers must drop
    them.

    Raises:
        ValueError: a preference is missing, or is neither 0 nor from 1 to 2. The message names the
            row.

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
    per_example: bool = False,
    confidence_level: Level | None = None,
    standard_error: bool = True,
    interval: Method = "auto",
    clusters: Labels | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> dict[str, Any]:
    """Return the win rate, its standard error, and the counts of wins, losses and ties.

    With `ties="half"`, `win_rate` is the mean of the outcomes. With "ignore", it is the mean over
    wins, which count 1, and losses, which count 0. `standard_error` is that of this mean.
    `discrete_win_rate` is the mean after outcomes above 0.5 are rounded up to a win and those below
    down to a loss; with "ignore" it equals the win rate.

    Args:
        outcomes: numbers from 0 to 1, shape (rows,).
        ties: "ignore" or "half".
        per_example: also return the value of each row in the mean, NaN for an ignored tie.
        confidence_level: also return intervals of both rates at this level, such as 0.95, with the
            accompanying keys of `summarize`.
        standard_error: has no effect, since the standard error is always returned.
        interval: the method, as in `statistics.interval`; ignored rows are dropped first.
        clusters: one label per row; intervals and the standard error are then based on clusters.
        n_resamples: the number of bootstrap resamples.
        seed: the seed of the bootstrap.
        groups: one label per row; also return rates and counts of each group, ordered by label.

    Raises:
        ValueError: an option is not valid, or the interval is not possible for these outcomes.

    >>> rates = win_rates(np.array([1.0, 1.0, 0.0, 0.5]))
    >>> round(rates["win_rate"], 3), rates["wins"], rates["losses"], rates["ties"]
    (0.667, 2, 1, 1)
    >>> win_rates(np.array([1.0, 1.0, 0.0, 0.5]), ties="half")["win_rate"]
    0.625
    """
    all_clusters = None if clusters is None else Clusters.of_labels(clusters, len(outcomes))
    options: dict[str, Any] = {
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": seed,
    }

    def summary(rows: NDArray[Any]) -> dict[str, Any]:
        sums = None
        if all_clusters is not None:
            sums = sums_of_clusters(outcomes[rows], ties, all_clusters.take(rows))
        return rates(outcomes[rows], ties, sums, **options)

    result = summary(np.arange(len(outcomes)))
    if per_example:
        values = values_of_rates(outcomes, ties)
        result["per_example"] = {name: column.tolist() for name, column in values.items()}
    if groups is not None:
        labels = check_labels("groups", groups, len(outcomes))
        result["groups"] = {
            label: summary(rows) | {"n": len(rows)} for label, rows in members(labels).items()
        }
    return result


def rates(
    outcomes: Floats,
    ties: Ties,
    sums: Mapping[str, Clusters] | None = None,
    *,
    confidence_level: float | None = None,
    interval: Method = "auto",
    n_resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Any]:
    """Return the result of `win_rates` for all rows, or a group of them.

    `sums` are the sums of clusters.

    >>> rates(np.array([1.0, 0.0]), "ignore")["win_rate"]
    0.5
    """
    columns = {
        name: values[~np.isnan(values)] for name, values in values_of_rates(outcomes, ties).items()
    }
    uncertain = uncertainty(
        {
            name: partial(_interval, values, None if sums is None else sums[name])
            for name, values in columns.items()
        },
        confidence_level=confidence_level,
        standard_error=True,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed,
    )
    return {
        **{name: mean(values) if values.size else math.nan for name, values in columns.items()},
        "standard_error": uncertain.pop("standard_error")["win_rate"],
        "wins": int(np.count_nonzero(outcomes > 0.5)),
        "losses": int(np.count_nonzero(outcomes < 0.5)),
        "ties": int(np.count_nonzero(outcomes == 0.5)),
        **uncertain,
    }


def sums_of_clusters(outcomes: Floats, ties: Ties, clusters: Clusters) -> dict[str, Clusters]:
    """For each rate, the clusters of the rows that count.

    >>> clusters = Clusters.of_labels(["a", "a", "b"], 3)
    >>> sums_of_clusters(np.array([1.0, 0.0, 0.5]), "ignore", clusters)["win_rate"].labels
    ['a']
    """
    return {
        name: clusters.take(~np.isnan(values))
        for name, values in values_of_rates(outcomes, ties).items()
    }


def values_of_rates(outcomes: Floats, ties: Ties) -> dict[str, Floats]:
    """Return the row values whose mean is each rate, NaN for rows that do not count."""
    rounded = np.sign(outcomes - 0.5) / 2 + 0.5
    if ties == "half":
        return {"win_rate": outcomes, "discrete_win_rate": rounded}
    decided = np.where(rounded == 0.5, math.nan, rounded)
    return {"win_rate": decided, "discrete_win_rate": decided}


def _interval(values: Floats, sums: Clusters | None, **options: Any) -> Interval:
    """Return the interval of the mean over the rows that count; NaN if there are none.

    Ignored ties are dropped before rather than after resampling: their number says nothing about
    who wins the other comparisons, and no resample can then consist of ties alone.
    """
    if values.size:
        return mean_interval(values, clusters=sums, **options)
    undefined = proportion_interval(0, 0)
    return undefined if sums is None else undefined._replace(n_clusters=0)
