"""Whether two mathematical objects are equal, kind by kind: True and False by proof, else None."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..algebra.elementary import PI, size
from ..algebra.enclosures import are_equal, is_within, real_sign
from ..algebra.exact_values import (
    DecimalValue,
    Value,
    constant_value,
    half_unit,
    plain_fraction,
    rational,
)
from ..algebra.work_limits import spend
from ..parsing.real_sets import as_real_set, compare_ends, union
from ..parsing.structures import (
    EVERY_INTEGER,
    BasedNumber,
    Bracketed,
    ChosenContent,
    Collection,
    Equation,
    Inequalities,
    Infinity,
    MathObject,
    Matrix,
    NamedValues,
    Noted,
    Permutation,
    Piecewise,
    Quantity,
    Ratio,
    RealInterval,
    RealSet,
    Statement,
    Words,
)
from ..parsing.units import is_counted, same_noun, unit_of_symbol
from .item_matching import (
    all_of,
    any_of,
    same_inequalities,
    same_multisets,
    same_sets,
    same_solutions,
    same_words,
)

Percent = Literal["either", "value", "ignore", "any_scale"]
Lists = Literal["either", "set", "multiset", "sequence"]
Rounding = Literal["none", "reference"]

_HUNDREDTH = rational(Fraction(1, 100))
_DEGREE, _RADIAN = unit_of_symbol("°"), unit_of_symbol("rad")
# Units that another of their kind may be equal to: £ and pounds, K and °C, pennies and cents.
_UNCLEAR_UNITS = frozenset("£ ¥ K C ° penny ton tonne cal".split())
_TIME = re.compile(r"(?:[01]?[0-9]|2[0-4])(?::[0-5][0-9]){1,2}")


@dataclass(frozen=True)
class Rules:
    """The rules of equality; the left side of a comparison is the reference."""

    percent: Percent = "either"
    lists: Lists = "either"
    rounding: Rounding = "none"
    decimal_comma: bool = False
    relative_tolerance: Fraction = Fraction(0)
    absolute_tolerance: Fraction = Fraction(0)
    settled: tuple[str, ...] = ()  # conventions that are certain

    def equal(self, left: MathObject, right: MathObject) -> bool | None:
        """Return whether two objects are equal; None if undecided.

        Raises:
            UndecidedError: the decision would cost too much.
        """
        spend(1)
        match left, right:
            case Value(), Value():
                return self._same_numbers(left, right)
            case ChosenContent(letter, content), ChosenContent(other_letter, other):
                is_same = self.equal(content, other)
                return is_same if (letter == other_letter) is is_same else None
            case ChosenContent(_, content), _:
                return self.equal(content, right)
            case _, ChosenContent(_, content):
                return self.equal(left, content)
            case Words(text), Words(other_text):
                return same_words(text, other_text)
            case (Words(), _) | (_, Words()):
                return None
            case (Noted(), _) | (_, Noted()):
                sides = (
                    s if isinstance(s, Noted) else Noted(s, EVERY_INTEGER) for s in (left, right)
                )
                (content, note), (other, other_note) = ((s.content, s.note) for s in sides)
                return self.equal(content, other) or None if note == other_note else None
            case NamedValues(names, values), NamedValues(other_names, other_values):
                if sorted(names) != sorted(other_names):
                    return None
                others = dict(zip(other_names, other_values, strict=True))
                pairs = zip(names, values, strict=True)
                return all_of(self.equal(value, others[name]) for name, value in pairs)
            case (NamedValues(names), _) | (_, NamedValues(names)):
                return self._by_position(names, left, right)
            case Equation(), Equation():
                return self._same_equations(left, right)
            case (Equation(content=inner), other) | (other, Equation(content=inner)):
                if inner is None or isinstance(other, Statement | Inequalities):
                    return None
                return self.equal(inner, right) if other is right else self.equal(left, inner)
            case (Quantity(), _) | (_, Quantity()):
                return self._same_quantities(
                    *(s if isinstance(s, Quantity) else Quantity(s) for s in (left, right))
                )
            case (Value() as value, other) | (other, Value() as value):
                return _value_beside_structure(value, other)
            case Infinity(sign), Infinity(other_sign):
                return sign == other_sign
            case Collection(), Collection():
                return self._same_collections(left, right)
            case Matrix(rows), Matrix(other_rows):
                shapes = [[*map(len, rows)], [*map(len, other_rows)]]
                if shapes[0] != shapes[1]:
                    are_vectors = all(len(shape) == 1 or set(shape) == {1} for shape in shapes)
                    return None if are_vectors else False
                return all_of(map(self._all_equal, rows, other_rows))
            case Ratio(), Ratio():
                return _same_ratios(left, right)
            case BasedNumber(digits, base), BasedNumber(other_digits, other_base):
                return are_equal(digits, other_digits) if are_equal(base, other_base) else None
            case Permutation(), Permutation():
                return left == right
            case Statement(sides, signs), Statement(other_sides, other_signs):
                if signs != other_signs:
                    return None
                is_symmetric = set(signs) <= {"=", "≠"}
                orders = [other_sides, other_sides[::-1]] if is_symmetric else [other_sides]
                return any_of(all_of(map(are_equal, sides, order)) for order in orders)
            case Piecewise(), Piecewise():
                return self._same_cases(left, right)
            case Inequalities(), Inequalities():
                return same_inequalities(left, right)
            case (RealSet(), RealSet() | Bracketed() | Collection()) | (
                Bracketed() | Collection(),
                RealSet(),
            ):
                return self._same_sets(left, right)
        return self._same_coordinates(left, right)

    # Numbers

    def _same_numbers(self, reference: Value, prediction: Value) -> bool | None:
        fractions = plain_fraction(reference), plain_fraction(prediction)
        if self._is_exact and fractions[0] is not None and fractions[1] is not None:
            return fractions[0] == fractions[1]
        if self._is_exact or not (reference.is_number and prediction.is_number):
            return are_equal(reference, prediction)
        verdicts = [self._is_close(reference, prediction)]
        if self.rounding == "reference" and isinstance(reference, DecimalValue):
            verdicts.append(_rounds_to(reference, prediction))
        return any_of(verdicts)

    @property
    def _is_exact(self) -> bool:
        has_tolerance = self.relative_tolerance or self.absolute_tolerance
        return not has_tolerance and self.rounding == "none"

    def _is_close(self, reference: Value, prediction: Value) -> bool | None:
        if are_equal(reference, prediction):
            return True
        verdicts: list[bool | None] = [False]
        if self.absolute_tolerance:
            verdicts.append(is_within(reference, prediction, rational(self.absolute_tolerance)))
        if self.relative_tolerance:
            share = rational(self.relative_tolerance)
            is_close = is_within(reference, prediction, size(reference) * share)
            if is_close is False and is_within(reference, prediction, size(prediction) * share):
                is_close = None  # some take the tolerance relative to the larger number
            verdicts.append(is_close)
        return any_of(verdicts)

    def _same_quantities(self, left: Quantity, right: Quantity) -> bool | None:
        """Return whether numbers with units, percent signs or nouns are equal."""
        if left.is_percent or right.is_percent:
            return self._same_percentages(left, right)
        units = left.unit, right.unit
        if left.noun or right.noun:
            is_same_noun = (
                same_noun(left.noun, right.noun)
                if left.noun and right.noun
                else is_counted(left.noun or right.noun)
            )
            is_same = is_same_noun and units == (None, None)
            return self.equal(left.number, right.number) if is_same else None
        if units[0] == units[1]:
            return self.equal(left.number, right.number)
        if None not in units and {*units} != {_DEGREE, _RADIAN}:
            return self._in_unlike_units(left, right)
        factors: list[Value | None] = [None] if None in units else []
        if _DEGREE in units:  # the other side is in degrees, or in radians
            factors.append(PI / rational(180))
        return any_of(
            self.equal(
                *(
                    scaled(side.number, factor if side.unit == _DEGREE else None)
                    for side in (left, right)
                )
            )
            for factor in factors
        )

    def _in_unlike_units(self, left: Quantity, right: Quantity) -> bool | None:
        """Return False for one number in two units, which are not converted, else None."""
        first, second = (dict(side.unit.powers) if side.unit else {} for side in (left, right))
        has_common_part = first.keys() == second.keys() or [*first.values()] == [*second.values()]
        is_simple = len(first) == len(second) == 1 and has_common_part
        if not is_simple or not _UNCLEAR_UNITS.isdisjoint(first | second):
            return None
        is_same = self.equal(left.number, right.number)
        return self.equal(left.number, rational(0)) and None if is_same else None

    def _same_percentages(self, left: Quantity, right: Quantity) -> bool | None:
        as_written = [left.number, right.number]
        if left.is_percent and right.is_percent:
            return self.equal(*as_written)
        bare = right if left.is_percent else left
        if bare.unit is not None or bare.noun:
            return None
        as_values = [
            scaled(side.number, _HUNDREDTH if side.is_percent else None) for side in (left, right)
        ]
        readings = {"either": [as_written, as_values], "ignore": [as_written]}
        return any_of(self.equal(*pair) for pair in readings.get(self.percent, [as_values]))

    # Names

    def _same_equations(self, left: Equation, right: Equation) -> bool | None:
        if left.difference is not None and right.difference is not None and self._is_exact:
            is_same = same_solutions(left.difference, right.difference)
            if is_same and left.has_denominator != right.has_denominator:
                return None  # zeros of the denominator are not solutions
            if is_same is not None:
                return is_same
        if left.content is None or right.content is None or not _same_names(left, right):
            return None
        is_same = self.equal(left.content, right.content)
        has_difference = left.difference is not None or right.difference is not None
        values = (side for side in (left.content, right.content) if isinstance(side, Value))
        is_implicit = any(left.name in value.unknowns for value in values)
        return None if is_same is False and has_difference and is_implicit else is_same

    def _by_position(
        self, names: Sequence[str], left: MathObject, right: MathObject
    ) -> bool | None:
        """Return whether named values on one side are the list or the tuple on the other."""
        contents = [
            Collection(side.values) if isinstance(side, NamedValues) else side
            for side in (left, right)
        ]
        is_one_letter = len({name.partition("_")[0] for name in names}) == 1
        if is_one_letter and all(isinstance(content, Collection) for content in contents):
            return self.equal(*contents)
        first, second = map(_coordinates, contents)
        # y = 3, x = 2 may be (3, 2) or (2, 3).
        if first is None or second is None or [*names] != sorted(names):
            return None
        is_same = self._all_equal(first, second)
        is_tuple = any(isinstance(content, Bracketed) for content in contents)
        return is_same if is_same or is_tuple else None

    # Structures

    def _same_coordinates(self, left: MathObject, right: MathObject) -> bool | None:
        """Return whether tuples, intervals, points or columns are equal."""
        match left, right:
            case (Collection(items, in_braces), Bracketed()) | (
                Bracketed(),
                Collection(items, in_braces),
            ):
                return False if in_braces and len(items) > 1 else None
        first, second = _coordinates(left), _coordinates(right)
        if first is None or second is None:
            return None
        if isinstance(left, Bracketed) and isinstance(right, Bracketed):
            brackets = {left.brackets, right.brackets}
            if len(brackets) > 1 and not brackets <= {"()", "⟨⟩"}:
                is_pair = len(first) == len(second) == 2 and "⟨⟩" not in brackets
                return False if is_pair and self._all_equal(first, second) is not None else None
        return self._all_equal(first, second)

    def _all_equal(self, left: Sequence[MathObject], right: Sequence[MathObject]) -> bool | None:
        return len(left) == len(right) and all_of(map(self.equal, left, right))

    def _same_sets(self, left: MathObject, right: MathObject) -> bool | None:
        left, right = _as_union(left), _as_union(right)
        for side in (left, right):
            if isinstance(side, Collection) and not side.in_braces:
                return None
            if isinstance(side, Bracketed) and side.brackets == "()" and _is_backward(side):
                return None
        first, second = as_real_set(left), as_real_set(right)
        if first is None or second is None:
            return None
        if len(first.intervals) != len(second.intervals):
            return False
        pairs = list(zip(first.intervals, second.intervals, strict=True))
        verdicts: list[bool | None] = [
            (a.has_low, a.has_high) == (b.has_low, b.has_high) for a, b in pairs
        ]
        for a, b in pairs:
            for end, other_end in ((a.low, b.low), (a.high, b.high)):
                if isinstance(end, Value) and isinstance(other_end, Value):
                    verdicts.append(self._same_numbers(end, other_end))
                else:
                    verdicts.append(end == other_end)
        return all_of(verdicts)

    def _same_cases(self, left: Piecewise, right: Piecewise) -> bool | None:
        """Return whether functions by cases have the same sets, in any order, and formulas."""
        if left.letter != right.letter or len(left.pieces) != len(right.pieces):
            return None
        verdicts = []
        for numbers, value in left.pieces:
            partners = [other for others, other in right.pieces if self._same_sets(numbers, others)]
            if len(partners) != 1:
                return None
            verdicts.append(self._same_numbers(value, partners[0]))
        return all_of(verdicts) or None  # two formulas may have the same values in a set

    # Lists and sets

    def _same_collections(self, left: Collection, right: Collection) -> bool | None:
        has_braces = left.in_braces or right.in_braces
        if self.lists == "sequence" and not has_braces:
            return self._all_equal(left.items, right.items)
        as_sets = same_sets(self.equal, self._is_exact, left.items, right.items)
        is_set = has_braces or self.lists == "set"
        if is_set or all(isinstance(item, Bracketed) for item in (*left.items, *right.items)):
            return as_sets
        as_multisets = same_multisets(self.equal, self._is_exact, left.items, right.items)
        if self.lists == "multiset":
            return as_multisets
        return as_sets if as_sets is as_multisets else None


def _same_ratios(left: Ratio, right: Ratio) -> bool | None:
    """Return whether parts are proportional; a possible time of day is equal only to its text."""
    if left.text == right.text:
        return True
    values = [[part for part in ratio.parts if isinstance(part, Value)] for ratio in (left, right)]
    if not len(values[0]) == len(values[1]) == len(left.parts) == len(right.parts):
        return None
    if any(value.is_number and not real_sign(value) for value in (*values[0], *values[1])):
        return None
    is_same = all_of(
        are_equal(a * values[1][0], b * values[0][0]) for a, b in zip(*values, strict=True)
    )
    times = [_TIME.fullmatch(ratio.text) is not None for ratio in (left, right)]
    has_zero = any(":0" in ratio.text for ratio in (left, right))
    is_doubtful = all(times) or (any(times) and has_zero)
    return None if is_same and is_doubtful else is_same


def _same_names(left: Equation, right: Equation) -> bool:
    """Return whether two names are the same; y may be the value f(x) of a function."""
    names = {left.name, right.name}
    if len(names) == 1:
        return True
    contents = left.content, right.content
    is_of_x = all(isinstance(c, Value) and c.letters == {"x"} for c in contents)
    return is_of_x and "y" in names and any(str(name).endswith("(x)") for name in names)


def _as_union(side: MathObject) -> MathObject:
    """Return [1, 2), [3, 4) as a union, if one of the items can only be an interval."""
    if not isinstance(side, Collection) or side.in_braces:
        return side
    brackets = [item.brackets if isinstance(item, Bracketed) else "" for item in side.items]
    sets = [numbers for item in side.items if (numbers := as_real_set(item)) is not None]
    if all(brackets) and {"[)", "(]"} & {*brackets} and len(sets) == len(side.items):
        return union(sets)
    return side


def _rounds_to(reference: DecimalValue, prediction: Value) -> bool | None:
    """Return whether a number rounds to a decimal; a half is rounded away from zero."""
    half = half_unit(reference).fraction
    number, target = prediction.fraction, reference.fraction
    if number is not None and target is not None and abs(number - target) == half:
        return abs(number) < abs(target)
    return is_within(reference, prediction, half_unit(reference))


def _value_beside_structure(value: Value, partner: MathObject) -> bool | None:
    """Return False for a number beside a tuple, a matrix or an interval.

    Other pairs may differ only in notation.
    """
    coordinates = _coordinates(partner)
    # 3 i + 4 j, where i, j and k are unit vectors.
    axes = [frozenset({(f"vec {axis}", 1)}) for axis in "ijk"]
    is_vector = value.is_polynomial and value.numerator and value.numerator.keys() <= {*axes}
    if is_vector and coordinates is not None and len(coordinates) in (2, 3):
        components = [constant_value(value.numerator.get(axis, Fraction(0))) for axis in axes]
        return all_of(
            are_equal(a, b) if isinstance(b, Value) else None
            for a, b in zip(components, [*coordinates, rational(0)][:3], strict=True)
        )
    if not value.is_number:
        return None
    match partner:
        case Bracketed(_, items) if len(items) > 1:
            return False
        case Matrix(rows) if len(rows) > 1 or sum(map(len, rows)) > 1:
            return False
        case Infinity():
            return False
        case RealSet((RealInterval(Value() as low, high),)) if not compare_ends(low, high):
            return are_equal(value, low)
        case RealSet(intervals) if any(interval.low != interval.high for interval in intervals):
            return False
    return None


def _coordinates(content: MathObject) -> Sequence[MathObject] | None:
    """Return the coordinates of a tuple, a column or a list; None for any other object."""
    match content:
        case Bracketed(_, items) | Collection(items, False):
            return items
        case Matrix(rows) if all(len(row) == 1 for row in rows):
            return [row[0] for row in rows]
    return None


def _is_backward(pair: Bracketed) -> bool:
    """Return whether the ends of an interval are the wrong way around, so that it is a point."""
    low, high = pair.items[0], pair.items[-1]
    if isinstance(low, Value | Infinity) and isinstance(high, Value | Infinity):
        return compare_ends(low, high) >= 0
    return True


def scaled(content: MathObject, factor: Value | None) -> MathObject:
    """Return numbers, and the items of tuples and collections, times a factor.

    >>> scaled(rational(3), rational(2)).fraction
    Fraction(6, 1)
    """
    match content:
        case _ if factor is None:
            return content
        case Value():
            return content * factor
        case Bracketed(brackets, items):
            return Bracketed(brackets, tuple(scaled(item, factor) for item in items))
        case Collection(items, in_braces):
            return Collection(tuple(scaled(item, factor) for item in items), in_braces)
        case Matrix(rows):
            return Matrix(tuple(tuple(entry * factor for entry in row) for row in rows))
        case Quantity(number, unit, noun, is_percent):
            return Quantity(scaled(number, factor), unit, noun, is_percent)
        case Equation(_, name, inner) if inner is not None:
            return Equation(None, name, scaled(inner, factor))
    return content  # infinities, ratios and equations have no multiple
