"""Does a judge prefer the answer shown first? Verdicts about pairs that it saw in both orders."""

from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column
from ...statistics.intervals.proportions import Interval, proportion_interval
from .rated_units import RatedUnits, paired_units

VERDICTS = ("A", "B", "tie")  # the first answer wins, the second, neither
_FIRST, _SECOND, _TIE = range(3)
_QUARTERS = np.array([2, 0, 1])  # of the first place, in half points


def swapped_verdicts(
    predictions: Column, references: Column, clusters: Any = None
) -> tuple[dict[str, float], dict[str, Any]]:
    """The scores of verdicts in both orders, and for two of them the function of their interval.

    A verdict is "A" if the answer shown first wins, "B" if the second wins, or "tie". A pair leans
    to the first place if both verdicts together give it more than half of the points. Without
    preference for a place a pair that leans is as likely to lean to either, so the p-value is that
    of the exact two-sided sign test; without ties that is McNemar's exact test.

    Args:
        predictions: the verdicts with system a shown first.
        references: the verdicts about the same pairs with system b shown first.
        clusters: one label per pair; None if pairs are independent.

    Raises:
        ValueError: a verdict is none of these.

    >>> scores, _ = swapped_verdicts(["A", "A", "B", "tie"], ["A", "B", "A", "tie"])
    >>> scores["swap_consistency"], scores["first_position_share"], scores["win_rate_a"]
    (0.75, 0.25, 0.5)
    """
    return _scores(paired_units(predictions, references, labels=VERDICTS, clusters=clusters))


def _scores(pairs: RatedUnits) -> tuple[dict[str, float], dict[str, Any]]:
    from scipy.special import bdtr

    first, second = pairs.codes.T
    counts, rows = pairs.counts, len(pairs)
    points = _QUARTERS[first] + _QUARTERS[second]  # of the first place, of 4
    leaning = [int(counts[points > 2].sum()), int(counts[points < 2].sum())]
    p_value = min(1.0, 2 * float(bdtr(min(leaning), sum(leaning), 0.5))) if any(leaning) else 1.0
    is_same = points == 2
    consistency = int(counts[is_same].sum()) / rows
    rate = int(points @ counts) / (4 * rows)
    of_a = _QUARTERS[first] + 2 - _QUARTERS[second]
    scores = {
        "swap_consistency": consistency,
        "first_position_share": _count(pairs, _FIRST) / rows,
        "second_position_share": _count(pairs, _SECOND) / rows,
        "first_position_rate": rate,
        "win_rate_a": int(of_a @ counts) / (4 * rows),
        "position_p_value": p_value,
    }

    def rate_interval(confidence_level: float) -> Interval:
        return pairs.interval(rate, points / 4 - rate, confidence_level)

    def consistency_interval(confidence_level: float) -> Interval:
        if pairs.members is None:
            consistent = int(counts[is_same].sum())
            return proportion_interval(consistent, rows, confidence_level=confidence_level)
        return pairs.interval(consistency, is_same - consistency, confidence_level)

    intervals = {
        "first_position_rate": rate_interval,
        "swap_consistency": consistency_interval,
    }
    return scores, intervals


def _count(pairs: RatedUnits, verdict: int) -> int:
    """Return how many pairs have this verdict in both orders."""
    return int(pairs.counts[(pairs.codes == verdict).all(axis=1)].sum())
