"""Where numbers stand on an axis, from 0 % on the left to 100 % on the right."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)  # steps between ticks, times a power of ten
_MOST = 4  # steps of an axis


class Axis(NamedTuple):
    """An axis between two ticks."""

    low: float
    high: float
    ticks: Sequence[float]
    digits: int  # after the point, as many as ticks need

    def at(self, value: float) -> float:
        """The place of a number in percent; what lies outside is at the end.

        >>> axis_of([0.0, 1.0]).at(0.25), axis_of([0.0, 1.0]).at(7.0)
        (25.0, 100.0)
        """
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 4)

    def labels(self) -> list[tuple[float, str]]:
        """The place and the text of each tick."""
        return [(self.at(tick), f"{tick:.{self.digits}f}") for tick in self.ticks]


def axis_of(values: Iterable[float]) -> Axis:
    """The shortest axis with round ends that holds all these numbers; only finite ones count.

    >>> axis_of([0.41, 0.52]).ticks
    [0.4, 0.45, 0.5, 0.55]
    >>> axis_of([0.5, 0.5, math.nan]).labels()
    [(0.0, '0.00'), (25.0, '0.25'), (50.0, '0.50'), (75.0, '0.75'), (100.0, '1.00')]
    >>> axis_of([]).ticks
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    finite = [value for value in values if math.isfinite(value)] or [0.5]
    low, high = min(finite), max(finite)
    if low == high:  # one number stands in the middle
        low, high = low - max(abs(low), 0.5), high + max(abs(high), 0.5)
    power = 10.0 ** math.floor(math.log10((high - low) / _MOST))
    for step in (power * times for times in _ROUND):
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= _MOST:
            break
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if round(step, digits) != round(step, digits + 1):  # 0.025 needs a digit more than 0.02
        digits += 1
    ticks = [round(number * step, 12) for number in range(first, last + 1)]
    return Axis(first * step, last * step, ticks, digits)
