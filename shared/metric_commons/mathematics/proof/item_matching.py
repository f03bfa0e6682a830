"""Whether two lists have the same items, in any order, from verdicts about pairs of items."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..algebra.exact_values import Value, plain_fraction
from ..parsing.structures import MathObject


class ItemMatching(NamedTuple):
    """Matches items by a comparison of two of them; exact comparisons may compare forms first."""

    equal: Callable[[MathObject, MathObject], bool | None]
    is_exact: bool

    def same_sets(self, left: Sequence[MathObject], right: Sequence[MathObject]) -> bool | None:
        """Return whether both have the same items, ignoring repetitions."""
        items, other_items = self._distinct(left), self._distinct(right)
        is_same = self.same_multisets(items, other_items)
        if is_same is False and len(items) != len(other_items):
            longer = max(items, other_items, key=len)
            return None if self._may_repeat(longer) else False
        return is_same

    def same_multisets(
        self, left: Sequence[MathObject], right: Sequence[MathObject]
    ) -> bool | None:
        """Return whether both have the same items equally often."""
        if len(left) != len(right):
            return False
        left, candidates = _without_equals(left, right) if self.is_exact else (left, [*right])
        is_undecided = False
        for item in left:
            verdicts = [self.equal(item, candidate) for candidate in candidates]
            if True in verdicts:
                del candidates[verdicts.index(True)]
            elif None in verdicts:
                is_undecided = True
            else:
                return False
        return None if is_undecided else True

    def _distinct(self, items: Sequence[MathObject]) -> list[MathObject]:
        distinct: list[MathObject] = []
        formulas: list[MathObject] = []  # those that are not plain numbers
        numbers: set[Fraction] = set()
        for item in items:
            number = _plain_number(item)
            if number in numbers or any(
                self.equal(item, partner) for partner in (distinct if number is None else formulas)
            ):
                continue
            distinct.append(item)
            if number is None:
                formulas.append(item)
            else:
                numbers.add(number)
        return distinct

    def _may_repeat(self, items: Sequence[MathObject]) -> bool:
        """Return whether two items may be equal, so that there are fewer distinct ones."""
        formulas = [item for item in items if _plain_number(item) is None]
        return any(
            self.equal(item, partner) is None
            for index, item in enumerate(formulas)
            for partner in [*formulas[:index], *(i for i in items if _plain_number(i) is not None)]
        )


def _plain_number(item: MathObject) -> Fraction | None:
    """Return the rational number of an item, if it has that form."""
    return plain_fraction(item) if isinstance(item, Value) else None


def _without_equals(
    left: Sequence[MathObject], right: Sequence[MathObject]
) -> tuple[list[MathObject], list[MathObject]]:
    """Return the items without those that have the same form on both sides."""
    forms: dict[object, list[int]] = {}
    for index, item in enumerate(right):
        if isinstance(item, Value):
            forms.setdefault(item.form, []).append(index)
    removed: set[int] = set()
    unmatched = []
    for item in left:
        matches = forms.get(item.form) if isinstance(item, Value) else None
        if matches:
            removed.add(matches.pop())
        else:
            unmatched.append(item)
    return unmatched, [item for index, item in enumerate(right) if index not in removed]


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """False if any verdict is False, else None if any is None, else True.

    >>> all_of([True, None, False])
    False
    """
    is_undecided = False
    for verdict in verdicts:
        if verdict is False:
            return False
        is_undecided |= verdict is None
    return None if is_undecided else True


def any_of(verdicts: Iterable[bool | None]) -> bool | None:
    """True if any verdict is True, else None if any is None, else False.

    >>> any_of([False, None, True])
    True
    """
    is_undecided = False
    for verdict in verdicts:
        if verdict:
            return True
        is_undecided |= verdict is None
    return None if is_undecided else False
