"""Floors: whether a score is shown to reach a number, without a baseline."""

import math
from typing import NamedTuple

from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Finite, Level, check_option
from ..results.rendering import label
from ..results.results import Results
from ..results.score_names import find_score
from .verdicts import INFERIOR, NOT_INFERIOR, UNDECIDED, chosen_system


class FloorVerdict(NamedTuple):
    """Whether a score reaches a floor, by its interval."""

    verdict: str  # NOT_INFERIOR, UNDECIDED or INFERIOR
    score: str
    value: float
    confidence_interval: tuple[float, float]
    floor: float
    sentence: str


def level_of(alpha: float) -> float:
    """Return the level of the interval that decides on a floor, with alpha on either side."""
    return 1 - 2 * min(alpha, 0.499)


def reaches(
    results: Results,
    *,
    score: str,
    floor: float,
    system: str | None = None,
    alpha: float = 0.05,
) -> FloorVerdict:
    """Test whether a score reaches a floor, by its interval at the level 1 - 2 alpha.

    It does if the whole interval is at the floor or above, and does not if the whole interval is
    below. Otherwise these rows cannot tell. If lower is better, the floor is the highest value that
    passes.

    Args:
        results: a result with the counts or the scores of its rows, or with intervals at this
            level.
        score: which score, as `score` or `module.score`.
        floor: the number to reach.
        system: which system, if the result has several.
        alpha: the level of the test on either side.

    Raises:
        ValueError: the score is unknown, or has no interval at this level.

    >>> from ..scoring.scoring import score
    >>> rows = score("qa_em", predictions=["x"] * 90 + ["y"] * 10, references=["x"] * 100)
    >>> [reaches(rows, score="qa_em", floor=floor).verdict for floor in (0.8, 0.9, 0.99)]
    ['not inferior', 'cannot tell', 'inferior']
    """
    check_option("floor", floor, Finite)
    check_option("alpha", alpha, Level)
    module, name = find_score(score, results.systems)
    result = results.systems[chosen_system(results, system, "new")][module]
    level = level_of(alpha)
    estimate = result.counted_interval(name, level)
    if estimate is not None:
        low, high = estimate.low, estimate.high
    elif result.options.get("confidence_level") == level and name in result.confidence_interval:
        low, high = result.confidence_interval[name]
    else:
        raise UsageError(
            f"a floor of {score} needs its interval at {level:g}; score with --confidence {level:g}"
        )
    value = result.scores[name]
    is_lower_better = name in result.lower_is_better
    worst, best = (high, low) if is_lower_better else (low, high)
    sign = -1 if is_lower_better else 1
    verdict, words = UNDECIDED, f"neither shown to reach {floor:g}, nor to miss it"
    if math.isnan(low) or math.isnan(high):
        pass
    elif sign * worst >= sign * floor:
        verdict, words = NOT_INFERIOR, f"{'at most' if is_lower_better else 'at least'} {floor:g}"
    elif sign * best < sign * floor:
        verdict, words = INFERIOR, f"{'above' if is_lower_better else 'below'} {floor:g}"
    sentence = (
        f"{label(name)}: {value:.4f} [{low:.4f}, {high:.4f}] at {100 * level:g} %; {verdict}: "
        f"{words} ({result.rows:,} rows)."
    )
    return FloorVerdict(verdict, name, value, (low, high), floor, sentence)
