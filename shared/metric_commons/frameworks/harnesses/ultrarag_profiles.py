"""The profiles of UltraRAG's evaluations: their conventions, and how they add up scores."""

import math
import operator
import platform
import re
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...statistics.arguments.checks import check_choice

if TYPE_CHECKING:
    from ...retrieval.order import ScoreType
    from ...retrieval.runs import Missing

Profile = Literal["ultrarag", "ultrarag-main", "standard"]

_COMPENSATED_SINCE = (3, 12)


class ProfileRules(NamedTuple):
    """The conventions of a profile."""

    normalizer: str
    both_empty: float  # the F1 of two answers without words
    empty_is_contained: bool  # whether a prediction contains a reference without words
    zero_without_reference: bool  # whether a row without references scores 0, or is an error
    missing: "Missing"  # how judged queries missing from a run count in its means
    score_dtype: "ScoreType"


_PROFILES = {
    "ultrarag": ProfileRules("ultrarag", 0.0, True, True, "skip", "float32"),
    "ultrarag-main": ProfileRules("ultrarag_keep_articles", 0.0, True, True, "skip", "float32"),
    "standard": ProfileRules("ultrarag_keep_articles", 1.0, False, False, "zero", "float64"),
}


def rules_of(profile: Profile) -> ProfileRules:
    """Return the conventions of a profile, which must be a known one."""
    check_choice("profile", profile, _PROFILES)
    return _PROFILES[profile]


def summation(profile: Profile, python_version: str | None = None) -> str | None:
    """Return how the profile adds up scores: "running" or "compensated"; None in "standard".

    Args:
        profile: as in `evaluate`.
        python_version: of UltraRAG's Python; None for this one.

    Raises:
        ValueError: the profile is unknown, or this is not a version.

    >>> summation("ultrarag", "3.11"), summation("ultrarag", "3.12")
    ('running', 'compensated')
    """
    rules_of(profile)
    if profile == "standard":
        return None
    text = python_version or platform.python_version()
    match = re.match(r"(\d+)\.(\d+)(\.|$)", text)
    if match is None:
        raise ValueError(f"python_version is {text!r}, not a version such as '3.12'")
    is_new = (int(match[1]), int(match[2])) >= _COMPENSATED_SINCE
    return "compensated" if is_new else "running"


def python_mean(scores: Sequence[float], profile: Profile, python_version: str | None) -> float:
    """Return the mean by `sum` of UltraRAG's Python; in "standard", added up as in trec_eval."""
    is_compensated = summation(profile, python_version) == "compensated"
    return (compensated_sum if is_compensated else running_sum)(scores) / len(scores)


def running_sum(values: Sequence[float]) -> float:
    """Return the sum that is rounded after each addition, as by `sum` of Python 3.11.

    >>> running_sum([0.1] * 10)
    0.9999999999999999
    """
    return reduce(operator.add, values, 0.0)


def compensated_sum(values: Sequence[float]) -> float:
    """Return the sum with the rounding errors of all additions added last, as by `sum` of 3.12.

    Source:
        Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54,
        1974.

    >>> compensated_sum([0.1] * 10)
    1.0
    """
    total = error = 0.0
    for value in values:
        before, total = total, total + value
        greater, lesser = (before, value) if abs(before) >= abs(value) else (value, before)
        error += (greater - total) + lesser
    return total + error if error and math.isfinite(error) else total
