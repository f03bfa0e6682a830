"""Whether two lists have the same items, in any order, from verdicts about pairs of items."""

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from ..algebra.algebraic import is_zero
from ..algebra.enclosures import real_sign
from ..algebra.exact_values import Value, plain_fraction, product
from ..algebra.work_limits import UndecidedError
from ..parsing.structures import Inequalities, MathObject


def same_solutions(left: Value, right: Value) -> bool | None:
    """Return True if both are equal up to a factor, else False if they are linear, else None."""
    if _ratio(left, right) is not None:
        return True
    same_letters = left.letters == right.letters
    return False if same_letters and _is_linear(left) and _is_linear(right) else None


def _ratio(left: Value, right: Value) -> Fraction | int | None:
    """Return the sign of left / right if that is a constant; 0 if it is not real."""
    first = product(left.numerator, right.denominator)
    second = product(right.numerator, left.denominator)
    if not first or not second or first.keys() != second.keys():
        return None
    monomials = list(first)
    pivot = monomials[0]
    for monomial in monomials[1:]:
        cross = first[monomial] * second[pivot] - first[pivot] * second[monomial]
        if not is_zero(cross):
            return None
    quotient = first[pivot] * second[pivot]
    try:
        return real_sign(Value({frozenset(): quotient}))
    except UndecidedError:
        return 0


def _is_linear(value: Value) -> bool:
    """Return whether a value is a sum of letters with rational factors and a rational number."""
    return value.is_polynomial and all(
        isinstance(constant, Fraction)
        and (not monomial or (len(monomial) == 1 and _is_letter(*next(iter(monomial)))))
        for monomial, constant in value.numerator.items()
    )


def _is_letter(generator: object, exponent: object) -> bool:
    return isinstance(generator, str) and generator != "pi" and exponent == 1


def same_inequalities(left: Inequalities, right: Inequalities) -> bool | None:
    """Return whether differences are equal up to positive factors; None otherwise."""
    if left.signs != right.signs:
        return None
    pairs = zip(left.signs, left.differences, right.differences, strict=True)
    for sign, first, second in pairs:
        # A denominator has an unknown sign, unless it is the same on both sides.
        is_polynomial = first.is_polynomial and second.is_polynomial
        has_known_sign = is_polynomial or first.denominator == second.denominator
        factor = _ratio(first, second) if has_known_sign else None
        if factor is None or (factor <= 0 and sign != "≠"):
            return None
    return True


_SAME = (
    {"no solution", "no solutions"},
    {"dne", "does not exist", "undefined", "not defined"},
    {"diverges", "divergent", "diverge"},
    {"converges", "convergent", "converge"},
    {"none of these", "none of the above"},
    {"infinitely many", "infinitely many solutions"},
    {"all real numbers", "all reals", "any real number"},
    {"integers", "all integers", "any integer", "the integers", "the set of integers"},
)
_SYNONYMS = (
    {"no solution", "no solutions", "no real solution", "none", "empty set", "impossible"},
    {"dne", "does not exist", "undefined", "not defined", "no limit"},
    {"true", "yes", "correct"},
    {"false", "no", "incorrect"},
    {"infinity", "infinitely many", "infinite", "unbounded", "diverges"},
    {"all real numbers", "all reals", "real numbers", "any real number"},
)
_NUMBERS = set(
    (
        "zero one two three four five six seven eight nine ten eleven twelve twenty thirty "
        "hundred thousand million half none"
    ).split()
)
_WORD = re.compile(r"[a-z']+")


def same_words(left: str, right: str) -> bool | None:
    """Return whether two texts in lower case say the same; None where they may.

    >>> same_words("circle", "circle"), same_words("parabola", "hyperbola")
    (True, False)
    >>> same_words("no solution", "no solutions"), same_words("no solution", "none")
    (True, None)
    """
    if left == right or any(left in words and right in words for words in _SAME):
        return True
    if sorted(left) == sorted(right) or not (left + right).isascii():  # CD and DC
        return None
    if left in right or right in left:
        return None
    if any(left in words and right in words for words in _SYNONYMS):
        return None
    words, other_words = set(_WORD.findall(left)), set(_WORD.findall(right))
    if words & other_words or (words | other_words) & _NUMBERS:
        return None
    stems, other_stems = ({word[:4] for word in part} for part in (words, other_words))
    is_short = min(len(left), len(right)) <= 4 and max(len(left), len(right)) > 4
    if stems & other_stems or (is_short and left[:1] == right[:1]):
        return None
    return None if len(words) > 3 or len(other_words) > 3 else False


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
    none_is = all_of(None if verdict is None else not verdict for verdict in verdicts)
    return None if none_is is None else not none_is
