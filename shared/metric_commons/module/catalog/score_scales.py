"""The directions and ends of scores."""

import math
from typing import NamedTuple

from ...statistics.arguments.checks import OptionError

_ROUNDING = 1e-9  # the error of a perfect score, relative to the span of the score


class ScoreScale(NamedTuple):
    """The direction and the range of a score, from which verdicts of frameworks follow.

    `full_error` is the value of an error rate without a maximum if everything is wrong.

    >>> rate = ScoreScale(0.0, math.inf, lower_is_better=True)
    >>> rate.best, rate.passes(0.0), rate.passes(1.0), rate.passes(0.25, threshold=0.3)
    (0.0, True, False, True)
    >>> rate.goodness(0.0), rate.goodness(0.25), rate.goodness(1.33), ScoreScale().goodness(0.5)
    (1.0, 0.75, 0.0, 0.5)
    """

    low: float = 0.0
    high: float = 1.0
    lower_is_better: bool = False
    full_error: float = 1.0

    @property
    def best(self) -> float:
        """Return the best value, which may be infinite."""
        return self.low if self.lower_is_better else self.high

    def passes(self, score: float | None, threshold: float | None = None) -> bool:
        """Return whether a score is at least as good as a threshold; by default the best value."""
        if score is None or math.isnan(score):
            return False
        margin = _ROUNDING * self._span if threshold is None else 0.0
        limit = self.best if threshold is None else threshold
        return score <= limit + margin if self.lower_is_better else score >= limit - margin

    def goodness(self, score: float | None) -> float:
        """Return the score on a scale from 0 to 1, where higher is better; 0 without a score."""
        if score is None or math.isnan(score):
            return 0.0
        if not math.isfinite(self.best):
            return 0.5 + math.atan(-score if self.lower_is_better else score) / math.pi
        if self.best == 1 and self.low == 0 and not self.lower_is_better:
            return min(max(float(score), 0.0), 1.0)  # to the last bit
        return min(max(1 - abs(self.best - score) / self._span, 0.0), 1.0)

    def signed(self, score: float | None) -> float:
        """Return the score with a sign that makes higher better, to choose the best of several."""
        value = 0.0 if score is None else score
        return -value if self.lower_is_better else value

    def checked(self, threshold: float | None) -> float:
        """Return the threshold, or else the best value.

        Raises:
            ValueError: the threshold is not a number, or there is no best value.
        """
        value = self.best if threshold is None else threshold
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            problem = f"must be a number, got {threshold!r}"
            if threshold is None:
                problem = "is missing, and the score has no best value"
            raise OptionError("threshold", problem)
        return float(value)

    @property
    def _span(self) -> float:
        span = self.high - self.low
        return span if math.isfinite(span) else self.full_error
