"""Whether two lists have the same items, in any order, from verdicts about pairs of items."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from ..algebra.exact_values import Value, plain_fraction
from ..parsing.structures import MathObject

Comparison = Callable[[MathObject, MathObject], bool | None]
Items = Sequence[MathObject]


def same_sets(equal: Comparison, is_exact: bool, left: Items, right: Items) -> bool | None:
    """Return whether both have the same items, ignoring repetitions."""
    items, other_items = _distinct(equal, left), _distinct(equal, right)
    is_same = same_multisets(equal, is_exact, items, other_items)
    if is_same is not False or len(items) == len(other_items):
        return is_same
    # Where two items may be equal, there may be fewer distinct ones.
    longer = max(items, other_items, key=len)
    formulas = [item for item in longer if _plain_number(item) is None]
    numbers = [item for item in longer if _plain_number(item) is not None]
    may_repeat = any(
        equal(item, partner) is None
        for index, item in enumerate(formulas)
        for partner in [*formulas[:index], *numbers]
    )
    return None if may_repeat else False


def same_multisets(equal: Comparison, is_exact: bool, left: Items, right: Items) -> bool | None:
    """Return whether both have the same items equally often.

    An exact comparison need not be made of items that have the same form.
    """
    if len(left) != len(right):
        return False
    left, candidates = _without_equals(left, right) if is_exact else (left, [*right])
    is_undecided = False
    for item in left:
        verdicts = [equal(item, candidate) for candidate in candidates]
        if True in verdicts:
            del candidates[verdicts.index(True)]
        elif None in verdicts:
            is_undecided = True
        else:
            return False
    return None if is_undecided else True


def _distinct(equal: Comparison, items: Items) -> list[MathObject]:
    distinct: list[MathObject] = []
    formulas: list[MathObject] = []  # those that are not plain numbers
    numbers: set[Fraction] = set()
    for item in items:
        number = _plain_number(item)
        partners = distinct if number is None else formulas
        if number in numbers or any(equal(item, partner) for partner in partners):
            continue
        distinct.append(item)
        if number is None:
            formulas.append(item)
        else:
            numbers.add(number)
    return distinct


def _plain_number(item: MathObject) -> Fraction | None:
    """Return the rational number of an item, if it has that form."""
    return plain_fraction(item) if isinstance(item, Value) else None


def _without_equals(left: Items, right: Items) -> tuple[list[MathObject], list[MathObject]]:
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
    """Return False if any verdict is False, else None if any is None, else True.

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
    """Return True if any verdict is True, else None if any is None, else False.

    >>> any_of([False, None, True])
    True
    """
    is_undecided = False
    for verdict in verdicts:
        if verdict:
            return True
        is_undecided |= verdict is None
    return None if is_undecided else False
