"""Axes of a page: positions of numbers, from 0 % on the left to 100 % on the right."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # between ticks, times a power of ten
_MAX_STEPS = 4
_WIDTH = 126  # pixels of the narrowest axis
_CHARACTER = 5.6  # average width of a character beside it, in pixels
_GAP = 6  # pixels between two texts
_MAX_LENGTH = 20  # characters of a text


class Axis(NamedTuple):
    """An axis from its first to its last tick."""

    low: float
    high: float
    ticks: Sequence[float]
    digits: int  # after the decimal point, as many as the ticks need

    def percent(self, value: float) -> float:
        """Return the position of a number; beyond the axis, the nearest end.

        >>> fit_axis([0.0, 1.0]).percent(0.25), fit_axis([0.0, 1.0]).percent(7.0)
        (25.0, 100.0)
        """
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 4)

    def labels(self) -> list[tuple[float, str]]:
        """Return the position and the text of each tick."""
        return [(self.percent(tick), self._text(tick)) for tick in self.ticks]

    def spaced_labels(self) -> list[tuple[float, str]]:
        """Return the labels that have room on a narrow axis, always including the ends.

        >>> [text for _, text in fit_axis([0.0001, 0.0009]).spaced_labels()]
        ['0.00000', '0.00050', '0.00100']
        """
        labels = self.labels()
        steps = len(labels) - 1
        room = max(len(text) for _, text in labels) * _CHARACTER + _GAP
        stride = next(
            (n for n in range(1, steps) if not steps % n and _WIDTH * n / steps >= room), steps
        )
        return labels[::stride]

    def _text(self, tick: float) -> str:
        """Return a tick with as many digits as the others.

        Very long numbers in scientific notation.
        """
        text = f"{tick:.{self.digits}f}"
        return text if len(text) <= _MAX_LENGTH else f"{tick:.3g}"


def fit_axis(values: Iterable[float]) -> Axis:
    """Return the shortest axis with round ends that contains all finite numbers among `values`.

    >>> fit_axis([0.41, 0.52]).ticks
    [0.4, 0.45, 0.5, 0.55]
    >>> fit_axis([0.5, 0.5, math.nan]).labels()
    [(0.0, '0.00'), (25.0, '0.25'), (50.0, '0.50'), (75.0, '0.75'), (100.0, '1.00')]
    >>> fit_axis([1.0]).ticks[-1], fit_axis([-3.0]).ticks[0]
    (1.0, -6.0)
    >>> fit_axis([]).ticks
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    finite = [value for value in values if math.isfinite(value)] or [0.5]
    low, high = min(finite), max(finite)
    if low == high:  # starting at 0, and ending at 1 if it may be a proportion
        low, high = (0.0, 1.0) if 0 <= low <= 1 else sorted([0.0, 2 * low])
    power = 10.0 ** math.floor(math.log10((high - low) / _MAX_STEPS))
    for step in (power * factor for factor in _STEPS):
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= _MAX_STEPS:
            break
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if round(step, digits) != round(step, digits + 1):  # 0.025 needs one digit more than 0.02
        digits += 1
    ticks = [round(number * step, 12) for number in range(first, last + 1)]
    return Axis(first * step, last * step, ticks, digits)
