"""Sets of real numbers in one normal form: ascending intervals with open or closed ends."""

from collections.abc import Iterable
from functools import cmp_to_key
from typing import cast

from ..algebra.enclosures import real_sign
from ..algebra.exact_values import Value
from ..algebra.work_limits import UndecidedError, spend
from .structures import Bracketed, Collection, Infinity, MathObject, RealInterval, RealSet

_MAX_INTERVALS = 100

REALS = RealSet((RealInterval(Infinity(-1), Infinity(1), False, False),))

End = Value | Infinity


def compare_ends(left: End, right: End) -> int:
    """Return -1, 0 or 1 if an end is below, at or above another.

    Raises:
        UndecidedError: this is undecided, or an end has letters.
    """
    if isinstance(left, Infinity) or isinstance(right, Infinity):
        signs = [end.sign if isinstance(end, Infinity) else 0 for end in (left, right)]
        return (signs[0] > signs[1]) - (signs[0] < signs[1])
    numbers = left.fraction, right.fraction
    if numbers[0] is not None and numbers[1] is not None:
        return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
    return real_sign(left - right)


def interval(low: End, high: End, has_low: bool, has_high: bool) -> RealSet:
    """Return the numbers between two ends; none if the ends are the wrong way around.

    >>> from ..algebra.exact_values import rational
    >>> len(interval(rational(1), rational(2), True, False).intervals)
    1
    """
    order = compare_ends(low, high)
    if order > 0 or (order == 0 and not (has_low and has_high)):
        return RealSet(())
    return RealSet((RealInterval(low, high, has_low, has_high),))


def points(numbers: Iterable[Value]) -> RealSet:
    """Return the set of single numbers."""
    return union(interval(number, number, True, True) for number in numbers)


def union(sets: Iterable[RealSet]) -> RealSet:
    """Return the union of several sets."""
    parts = [part for numbers in sets for part in numbers.intervals]
    if len(parts) > _MAX_INTERVALS:
        raise UndecidedError("too much work: too many intervals")
    spend(5 * len(parts))
    parts.sort(key=cmp_to_key(_compare_lows))
    merged: list[RealInterval] = []
    for part in parts:
        if merged and _touches(merged[-1], part):
            merged[-1] = _joined(merged[-1], part)
        else:
            merged.append(part)
    return RealSet(tuple(merged))


def _compare_lows(left: RealInterval, right: RealInterval) -> int:
    order = compare_ends(left.low, right.low)
    return order or int(right.has_low) - int(left.has_low)


def _touches(first: RealInterval, second: RealInterval) -> bool:
    order = compare_ends(second.low, first.high)
    return order < 0 or (order == 0 and (first.has_high or second.has_low))


def _joined(first: RealInterval, second: RealInterval) -> RealInterval:
    order = compare_ends(first.high, second.high)
    if order > 0:
        return first
    has_high = second.has_high or (order == 0 and first.has_high)
    return RealInterval(first.low, second.high, first.has_low, has_high)


def complement(numbers: RealSet) -> RealSet:
    """Return the complement of a set in the real numbers."""
    gaps: list[RealInterval] = []
    low: End = Infinity(-1)
    has_low = False
    for part in numbers.intervals:
        gaps += interval(low, part.low, has_low, not part.has_low).intervals
        low, has_low = part.high, not part.has_high
    gaps += interval(low, Infinity(1), has_low, False).intervals
    return RealSet(tuple(gaps))


def intersection(first: RealSet, second: RealSet) -> RealSet:
    """Return the intersection of two sets."""
    return complement(union([complement(first), complement(second)]))


def as_real_set(content: MathObject) -> RealSet | None:
    """Return an interval, or numbers in braces, as a set of real numbers."""
    if isinstance(content, RealSet):
        return content
    if isinstance(content, Collection) and content.in_braces:
        numbers = [item for item in content.items if isinstance(item, Value) and item.is_number]
        return points(numbers) if len(numbers) == len(content.items) else None
    if isinstance(content, Bracketed) and len(content.items) == 2:
        low, high = content.items
        if not (_is_end(low) and _is_end(high)):
            return None
        ends = cast(tuple[End, End], (low, high))
        has_low, has_high = content.brackets[0] == "[", content.brackets[1] == "]"
        has_low = has_low and not isinstance(low, Infinity)
        has_high = has_high and not isinstance(high, Infinity)
        return interval(*ends, has_low, has_high)
    return None


def _is_end(content: MathObject) -> bool:
    return isinstance(content, Infinity) or (isinstance(content, Value) and content.is_number)
