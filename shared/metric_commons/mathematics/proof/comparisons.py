"""Whether two mathematical objects are equal, kind by kind: True and False by proof, else None."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Literal, cast

from ..algebra.elementary import PI, size
from ..algebra.enclosures import are_equal, is_number, is_within, real_sign
from ..algebra.exact_values import (
    DecimalValue,
    Opaque,
    Value,
    constant_value,
    half_unit,
    plain_fraction,
    rational,
)
from ..algebra.work_limits import spend
from ..parsing.dates import NO_YEAR, seconds_of_clock
from ..parsing.real_sets import as_real_set, compare_ends, union
from ..parsing.structures import (
    EVERY_INTEGER,
    BasedNumber,
    Bracketed,
    ChosenContent,
    Collection,
    Congruence,
    Dates,
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
    TimeOfDay,
    Unit,
    Words,
)
from ..parsing.unit_table import CURRENCY_BASES
from ..parsing.units import is_counted, same_noun
from .item_matching import ItemMatching, all_of, any_of
from .solution_sets import same_congruences, same_inequalities, same_solutions
from .words import same_words

Percent = Literal["either", "value", "ignore", "any_scale"]
Lists = Literal["either", "set", "multiset", "sequence"]
Rounding = Literal["none", "reference"]

_HUNDREDTH = Fraction(1, 100)
_TIME = re.compile(r"(?:[01]?[0-9]|2[0-4])(?::[0-5][0-9]){1,2}")


@dataclass(frozen=True)
class Rules:
    """The rules of equality; the left side of a comparison is the reference."""

    percent: Percent = "either"
    lists: Lists = "either"
    rounding: Rounding = "none"
    relative_tolerance: Fraction = Fraction(0)
    absolute_tolerance: Fraction = Fraction(0)
    settled: tuple[str, ...] = ()  # conventions about which there is no doubt

    def changes(self) -> list[str]:
        """Return the rules that are not the default, as text."""
        values = ((item, getattr(self, item.name)) for item in fields(self))
        return [
            f"{item.name} {' '.join(value) if isinstance(value, tuple) else value}"
            for item, value in values
            if value != item.default
        ]

    def equal(self, left: MathObject, right: MathObject) -> bool | None:
        """Return whether two objects are equal; None if undecided.

        Raises:
            UndecidedError: the decision would cost too much.
        """
        spend(1)
        if isinstance(left, Value) and isinstance(right, Value):
            return self._same_numbers(left, right)
        for kinds, compare in (
            ((Dates, TimeOfDay), _with_dates),
            ((ChosenContent,), self._with_choice),
            ((Words,), self._with_words),
            ((Noted,), self._with_note),
            ((NamedValues,), self._with_names),
            ((Equation,), self._with_equation),
            ((Quantity,), self._with_quantity),
        ):
            if isinstance(left, kinds) or isinstance(right, kinds):
                return compare(left, right)
        if isinstance(left, Value) or isinstance(right, Value):
            return _value_beside_structure(left, right)
        return self._same_structures(left, right)

    # Numbers

    def _same_numbers(self, reference: Value, prediction: Value) -> bool | None:
        fractions = plain_fraction(reference), plain_fraction(prediction)
        if self._is_exact and fractions[0] is not None and fractions[1] is not None:
            return fractions[0] == fractions[1]
        if self._is_exact or not (is_number(reference) and is_number(prediction)):
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
                is_close = None  # for some, the tolerance is relative to the larger number
            verdicts.append(is_close)
        return any_of(verdicts)

    def _with_quantity(self, left: MathObject, right: MathObject) -> bool | None:
        """Numbers with units, percent signs or nouns."""
        first = left if isinstance(left, Quantity) else Quantity(left)
        second = right if isinstance(right, Quantity) else Quantity(right)
        if first.is_percent or second.is_percent:
            return self._same_percentages(first, second)
        if first.noun or second.noun:
            return self._same_counts(first, second)
        if first.unit is not None and second.unit is not None:
            return self._same_amounts(first, second, first.unit, second.unit)
        [unit] = [unit for unit in (first.unit, second.unit) if unit is not None]
        factors: list[Value | None] = [None]  # of the side with the unit
        if unit.powers == {("degree", 1)}:  # the other side is in degrees, or in radians
            is_degree = unit.factor == 1
            factors = [None, PI / rational(180)] if is_degree else [rational(unit.factor)]
        return any_of(
            self.equal(
                *(_scaled(side.number, factor if side.unit else None) for side in (first, second))
            )
            for factor in factors
        )

    def _same_percentages(self, left: Quantity, right: Quantity) -> bool | None:
        if left.is_percent and right.is_percent:
            return self.equal(left.number, right.number)
        bare = right if left.is_percent else left
        if bare.unit is not None or bare.noun:
            return None
        as_written = [left.number, right.number]
        hundredth = rational(_HUNDREDTH)
        as_values = [
            _scaled(side.number, hundredth if side.is_percent else None) for side in (left, right)
        ]
        readings = {"either": [as_written, as_values], "ignore": [as_written]}
        pairs = readings.get(self.percent, [as_values])
        return any_of(self.equal(*pair) for pair in pairs)

    def _same_counts(self, left: Quantity, right: Quantity) -> bool | None:
        if left.unit is not None or right.unit is not None:
            return None
        if left.noun and right.noun:
            if not same_noun(left.noun, right.noun):
                return None
        elif not is_counted(left.noun or right.noun):
            return None
        return self.equal(left.number, right.number)

    def _same_amounts(
        self, left: Quantity, right: Quantity, unit: Unit, partner: Unit
    ) -> bool | None:
        angles = {unit.powers, partner.powers} == {
            frozenset({("degree", 1)}),
            frozenset({("radian", 1)}),
        }
        if not angles and unit.powers != partner.powers:
            bases = {base for base, _ in unit.powers | partner.powers}
            is_pound = {"sterling", "kg"} <= bases
            return None if len(bases & CURRENCY_BASES) > 1 or is_pound else False
        if unit == partner:
            return self.equal(left.number, right.number)
        numbers = []
        for quantity, quantity_unit in ((left, unit), (right, partner)):
            if not isinstance(quantity.number, Value):
                return None
            factor = rational(quantity_unit.factor)
            if angles and quantity_unit.powers == {("degree", 1)}:
                factor = factor * PI / rational(180)
            numbers.append((quantity.number + rational(quantity_unit.offset)) * factor)
        return self.equal(numbers[0], numbers[1])

    # Names

    def _with_equation(self, left: MathObject, right: MathObject) -> bool | None:
        if isinstance(left, Equation) and isinstance(right, Equation):
            return self._same_equations(left, right)
        pair = (left, right) if isinstance(left, Equation) else (right, left)
        equation, partner = cast(tuple[Equation, MathObject], pair)
        if equation.content is None or isinstance(partner, Statement | Inequalities):
            return None
        if isinstance(left, Equation):
            return self.equal(equation.content, right)
        return self.equal(left, equation.content)

    def _same_equations(self, left: Equation, right: Equation) -> bool | None:
        if left.difference is not None and right.difference is not None and self._is_exact:
            is_same = same_solutions(left.difference, right.difference)
            if is_same and left.has_denominator != right.has_denominator:
                return None  # a zero of the denominator is no solution
            if is_same is not None:
                return is_same
        if left.content is None or right.content is None or not _same_names(left, right):
            return None
        is_same = self.equal(left.content, right.content)
        differences = [e.difference for e in (left, right) if e.difference is not None]
        is_implicit = left.name in _letters_of(left.content) | _letters_of(right.content)
        return None if is_same is False and differences and is_implicit else is_same

    def _with_names(self, left: MathObject, right: MathObject) -> bool | None:
        if isinstance(left, NamedValues) and isinstance(right, NamedValues):
            return self._same_by_name(left, right)
        pair = (left, right) if isinstance(left, NamedValues) else (right, left)
        named_values, partner = cast(tuple[NamedValues, MathObject], pair)
        is_one_letter = len({name.partition("_")[0] for name in named_values.names}) == 1
        if isinstance(partner, Collection) and is_one_letter:
            values: MathObject = Collection(named_values.values)
            return self.equal(values, right) if named_values is left else self.equal(left, values)
        coordinates = _places(partner)
        if coordinates is None:
            return None
        pairs = (
            (named_values.values, coordinates)
            if named_values is left
            else (coordinates, named_values.values)
        )
        # y = 3, x = 2 may be (3, 2) or (2, 3).
        is_in_order = [*named_values.names] == sorted(named_values.names)
        if not is_in_order:
            return None
        is_same = self._all_equal(*pairs)
        return is_same if is_same or isinstance(partner, Bracketed) else None

    def _same_by_name(self, left: NamedValues, right: NamedValues) -> bool | None:
        if sorted(left.names) != sorted(right.names):
            return None
        values = dict(zip(right.names, right.values, strict=True))
        pairs = zip(left.names, left.values, strict=True)
        return all_of(self.equal(value, values[name]) for name, value in pairs)

    # Texts

    def _with_words(self, left: MathObject, right: MathObject) -> bool | None:
        if isinstance(left, Words) and isinstance(right, Words):
            return same_words(left.text, right.text)
        return None

    def _with_choice(self, left: MathObject, right: MathObject) -> bool | None:
        """Return whether (B) 12 is the same choice, or the same letter or content alone."""
        if isinstance(left, ChosenContent) and isinstance(right, ChosenContent):
            is_same = self.equal(left.content, right.content)
            return is_same if (left.letter == right.letter) is is_same else None
        contents = (
            side.content if isinstance(side, ChosenContent) else side for side in (left, right)
        )
        return self.equal(*contents)

    def _with_note(self, left: MathObject, right: MathObject) -> bool | None:
        """Return a text that is part of the answer.

        Equal to the same text with an equal formula.
        """
        notes = {side.note if isinstance(side, Noted) else EVERY_INTEGER for side in (left, right)}
        if len(notes) > 1:
            return None
        contents = (side.content if isinstance(side, Noted) else side for side in (left, right))
        return self.equal(*contents) or None

    # Structures

    def _same_structures(self, left: MathObject, right: MathObject) -> bool | None:
        match left, right:
            case Infinity(sign), Infinity(other_sign):
                return sign == other_sign
            case Collection(), Collection():
                return self._same_collections(left, right)
            case Matrix(), Matrix():
                return self._same_matrices(left, right)
            case Ratio(), Ratio():
                return self._same_ratios(left, right)
            case BasedNumber(digits, base), BasedNumber(other_digits, other_base):
                is_same_base = are_equal(base, other_base)
                return are_equal(digits, other_digits) if is_same_base else None
            case Congruence(), Congruence():
                return same_congruences(left, right)
            case Permutation(), Permutation():
                return left == right
            case Statement(), Statement():
                return self._same_statements(left, right)
            case Piecewise(), Piecewise():
                return self._same_cases(left, right)
            case Inequalities(), Inequalities():
                return same_inequalities(left, right)
        kinds = (RealSet, Bracketed, Collection)
        is_set = isinstance(left, RealSet) or isinstance(right, RealSet)
        if is_set and isinstance(left, kinds) and isinstance(right, kinds):
            return self._same_sets(left, right)
        return self._same_places(left, right)

    def _same_places(self, left: MathObject, right: MathObject) -> bool | None:
        """Tuples, intervals, points and columns."""
        for first, second in ((left, right), (right, left)):
            if isinstance(first, Collection) and isinstance(second, Bracketed):
                is_set = first.in_braces and len(first.items) > 1
                return False if is_set else None
        coordinates, partner_coordinates = _places(left), _places(right)
        if coordinates is None or partner_coordinates is None:
            return None
        if isinstance(left, Bracketed) and isinstance(right, Bracketed):
            brackets = {left.brackets, right.brackets}
            if len(brackets) > 1 and not brackets <= {"()", "⟨⟩"}:
                is_pair = len(coordinates) == len(partner_coordinates) == 2 and "⟨⟩" not in brackets
                same_ends = self._all_equal(coordinates, partner_coordinates)
                return False if is_pair and same_ends is not None else None
        return self._all_equal(coordinates, partner_coordinates)

    def _all_equal(self, left: Sequence[MathObject], right: Sequence[MathObject]) -> bool | None:
        return len(left) == len(right) and all_of(map(self.equal, left, right))

    def _same_matrices(self, left: Matrix, right: Matrix) -> bool | None:
        shapes = [[*map(len, matrix.rows)] for matrix in (left, right)]
        if shapes[0] != shapes[1]:
            is_vector = all(len(rows) == 1 or set(rows) == {1} for rows in shapes)
            return None if is_vector else False
        return all_of(map(self._all_equal, left.rows, right.rows))

    def _same_ratios(self, left: Ratio, right: Ratio) -> bool | None:
        """Proportional parts; a possible time of day is equal only to its own text."""
        if left.text == right.text:
            return True
        values = [[p for p in ratio.parts if isinstance(p, Value)] for ratio in (left, right)]
        if not len(values[0]) == len(values[1]) == len(left.parts) == len(right.parts):
            return None
        for value in (*values[0], *values[1]):
            if is_number(value) and not real_sign(value):
                return None
        is_same = all_of(
            are_equal(a * values[1][0], b * values[0][0]) for a, b in zip(*values, strict=True)
        )
        times = [_TIME.fullmatch(ratio.text) is not None for ratio in (left, right)]
        has_zero = any(":0" in ratio.text for ratio in (left, right))
        is_doubtful = all(times) or (any(times) and has_zero)
        return None if is_same and is_doubtful else is_same

    def _same_statements(self, left: Statement, right: Statement) -> bool | None:
        if left.signs != right.signs:
            return None
        return all_of(map(are_equal, left.sides, right.sides))

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
            verdicts += [self._same_end(a.low, b.low), self._same_end(a.high, b.high)]
        return all_of(verdicts)

    def _same_cases(self, left: Piecewise, right: Piecewise) -> bool | None:
        """Functions by cases with the same sets, in any order."""
        if left.letter != right.letter or len(left.pieces) != len(right.pieces):
            return None
        verdicts = []
        for numbers, value in left.pieces:
            partners = [other for others, other in right.pieces if self._same_sets(numbers, others)]
            if len(partners) != 1:
                return None
            verdicts.append(self._same_numbers(value, partners[0]))
        return all_of(verdicts) or None  # two formulas may have the same values in a set

    def _same_end(self, left: Value | Infinity, right: Value | Infinity) -> bool | None:
        if isinstance(left, Infinity) or isinstance(right, Infinity):
            return left == right
        return self._same_numbers(left, right)

    # Lists and sets

    def _same_collections(self, left: Collection, right: Collection) -> bool | None:
        has_braces = left.in_braces or right.in_braces
        if self.lists == "sequence" and not has_braces:
            return self._all_equal(left.items, right.items)
        matching = ItemMatching(self.equal, self._is_exact)
        as_sets = matching.same_sets(left.items, right.items)
        is_set = has_braces or self.lists == "set"
        if is_set or all(isinstance(item, Bracketed) for item in (*left.items, *right.items)):
            return as_sets
        as_multisets = matching.same_multisets(left.items, right.items)
        if self.lists == "multiset":
            return as_multisets
        return as_sets if as_sets is as_multisets else None


def _with_dates(left: MathObject, right: MathObject) -> bool | None:
    if isinstance(left, Dates) and isinstance(right, Dates):
        if len({day.year == NO_YEAR for day in left.possible | right.possible}) > 1:
            return None
        if left.possible == right.possible and left.text == right.text:
            return True
        if left.possible.isdisjoint(right.possible):
            return False
        return True if len(left.possible) == len(right.possible) == 1 else None
    seconds = [
        side.seconds
        if isinstance(side, TimeOfDay)
        else seconds_of_clock(side.text)
        if isinstance(side, Ratio)
        else None
        for side in (left, right)
    ]
    if seconds[0] is None or seconds[1] is None:
        return None
    return seconds[0] == seconds[1] or (None if Ratio in map(type, (left, right)) else False)


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
    sets = [as_real_set(item) for item in side.items]
    known = [numbers for numbers in sets if numbers is not None]
    if all(brackets) and {"[)", "(]"} & {*brackets} and len(known) == len(sets):
        return union(known)
    return side


def _rounds_to(reference: DecimalValue, prediction: Value) -> bool | None:
    """Return whether a number rounds to a decimal.

    A half is rounded away from zero, as at school.
    """
    half = half_unit(reference).fraction
    number, target = prediction.fraction, reference.fraction
    if number is not None and target is not None and abs(number - target) == half:
        return abs(number) < abs(target)
    return is_within(reference, prediction, half_unit(reference))


def _value_beside_structure(left: MathObject, right: MathObject) -> bool | None:
    """Return a number is not a tuple, a matrix or an interval.

    Others may differ only in notation.
    """
    pair = (left, right) if isinstance(left, Value) else (right, left)
    value, partner = cast(tuple[Value, MathObject], pair)
    components, places = _components(value), _places(partner)
    if components is not None and places is not None and len(places) in (2, 3):
        zero = rational(0)
        return all_of(
            are_equal(a, b) if isinstance(b, Value) else None
            for a, b in zip(components, [*places, zero][:3], strict=True)
        )
    if not is_number(value):
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
        case RealSet(intervals):
            return False if any(interval.low != interval.high for interval in intervals) else None
    return None


def _components(value: Value) -> list[Value] | None:
    """Return the coordinates of 3 i + 4 j, where i, j and k are unit vectors."""
    axes = [frozenset({(f"vec {axis}", 1)}) for axis in "ijk"]
    if not value.is_polynomial or not value.numerator or value.numerator.keys() - {*axes}:
        return None
    return [constant_value(value.numerator.get(axis, Fraction(0))) for axis in axes]


def _places(content: MathObject) -> Sequence[MathObject] | None:
    """Return the coordinates of a tuple, a column or a row in angle brackets.

    A list by its places.
    """
    match content:
        case Bracketed(_, items):
            return items
        case Collection(items, False):
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


def _letters_of(content: MathObject) -> set[str]:
    if not isinstance(content, Value):
        return set()
    has_opaque = any(isinstance(generator, Opaque) for generator in content.generators)
    return content.letters | ({"?"} if has_opaque else set())


def _scaled(content: MathObject, factor: Value | None) -> MathObject:
    """Numbers, and the items of tuples and collections, times a factor."""
    if factor is None:
        return content
    if isinstance(content, Value):
        return content * factor
    match content:
        case Bracketed(brackets, items):
            return Bracketed(brackets, tuple(_scaled(item, factor) for item in items))
        case Collection(items, in_braces):
            return Collection(tuple(_scaled(item, factor) for item in items), in_braces)
        case Matrix(rows):
            return Matrix(tuple(tuple(entry * factor for entry in row) for row in rows))
        case Quantity(number, unit, noun, is_percent):
            return Quantity(_scaled(number, factor), unit, noun, is_percent)
        case Equation(_, name, inner) if inner is not None:
            return Equation(None, name, _scaled(inner, factor))
    return content  # infinities, ratios and equations stay what they are


def scaled(content: MathObject, factor: Fraction) -> MathObject:
    """Numbers, and the items of tuples and collections, times a fraction.

    >>> scaled(rational(3), Fraction(1, 3)).fraction
    Fraction(1, 1)
    """
    return content if factor == 1 else _scaled(content, rational(factor))
