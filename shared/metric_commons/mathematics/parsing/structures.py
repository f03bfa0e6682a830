"""Kinds of answers other than values: a tuple, a set, a matrix, an equation, a quantity ...

As text, an object says what an answer was read as; `kind` is its noun.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..algebra.exact_values import Value
from ..algebra.work_limits import UndecidedError

EVERY_INTEGER = "n"  # the letter of a number that may be any integer


@dataclass(frozen=True)
class Infinity:
    """Infinity, or minus infinity, as the end of an interval or as an answer."""

    kind = "an infinity"
    sign: int

    def __str__(self) -> str:
        return "∞" if self.sign > 0 else "-∞"


@dataclass(frozen=True)
class Bracketed:
    """A tuple, a point or an interval: "(1, 2]" has the brackets "(]"."""

    kind = "a tuple or an interval"
    brackets: str
    items: tuple["MathObject", ...]

    def __str__(self) -> str:
        return f"{self.brackets[0]}{listed(self.items)}{self.brackets[-1]}"


@dataclass(frozen=True)
class Collection:
    """Items in any order: a set in braces, or a list with commas between its items."""

    items: tuple["MathObject", ...]
    in_braces: bool = False

    @property
    def kind(self) -> str:
        """Return the noun for the object."""
        return "a set" if self.in_braces else "a list"

    def __str__(self) -> str:
        return f"{{{listed(self.items)}}}" if self.in_braces else listed(self.items)


@dataclass(frozen=True)
class RealInterval:
    """The numbers between two ends, which are values or infinities; one number has equal ends."""

    low: Value | Infinity
    high: Value | Infinity
    has_low: bool
    has_high: bool

    def __str__(self) -> str:
        low, high = f"{self.low}", f"{self.high}"
        if low == high:
            return f"{{{low}}}"
        return f"{'[' if self.has_low else '('}{low}, {high}{']' if self.has_high else ')'}"


@dataclass(frozen=True)
class RealSet:
    """A set of real numbers: intervals that neither overlap nor touch, in ascending order."""

    kind = "a set of numbers"
    intervals: tuple[RealInterval, ...]

    def __str__(self) -> str:
        return " ∪ ".join(map(str, self.intervals)) or "∅"


@dataclass(frozen=True)
class Ratio:
    """A ratio such as 2:3."""

    kind = "a ratio"
    parts: tuple["MathObject", ...]
    text: str  # as it was written; two times of day are equal only as texts

    def __str__(self) -> str:
        return " : ".join(map(str, self.parts))


@dataclass(frozen=True)
class Matrix:
    """A matrix, or a column vector."""

    kind = "a matrix"
    rows: tuple[tuple[Value, ...], ...]

    def __str__(self) -> str:
        return f"[{', '.join(f'[{listed(row)}]' for row in self.rows)}]"


@dataclass(frozen=True)
class BasedNumber:
    """Digits to a base, such as 1101_2."""

    kind = "digits to a base"
    digits: Value
    base: Value

    def __str__(self) -> str:
        return f"{self.digits} to the base {self.base}"


@dataclass(frozen=True)
class Permutation:
    """A permutation in cycles: (1 2 3) takes 1 to 2, 2 to 3 and 3 to 1."""

    kind = "a permutation"
    images: frozenset[tuple[int, int]]

    def __str__(self) -> str:
        return ", ".join(f"{start} ↦ {end}" for start, end in sorted(self.images))


@dataclass(frozen=True)
class Equation:
    """left = right, where one side has letters; `name` is the left side, if that is a name."""

    difference: Value | None  # None if a side is not a value
    name: str | None = None
    content: "MathObject | None" = None  # the object with the name
    has_denominator: bool = False  # with letters; its zeros are not solutions

    @property
    def kind(self) -> str:
        """Return the noun for the object."""
        return "a solution set" if isinstance(self.content, RealSet) else "an equation"

    def __str__(self) -> str:
        if self.content is None:
            return "?" if self.difference is None else f"{self.difference} = 0"
        return f"{self.name} {'∈' if isinstance(self.content, RealSet) else '='} {self.content}"


@dataclass(frozen=True)
class NamedValues:
    """Values with different names, such as x = 1, y = 2."""

    kind = "named values"
    names: tuple[str, ...]
    values: tuple["MathObject", ...]

    def __str__(self) -> str:
        pairs = zip(self.names, self.values, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in pairs)


@dataclass(frozen=True)
class Inequalities:
    """Signs <, ≤ or ≠ between two or more sides with several letters: differences left - right."""

    kind = "inequalities"
    signs: tuple[str, ...]
    differences: tuple[Value, ...]

    def __str__(self) -> str:
        pairs = zip(self.differences, self.signs, strict=True)
        return ", ".join(f"{difference} {sign} 0" for difference, sign in pairs)


@dataclass(frozen=True)
class Congruence:
    """A difference that is a multiple of a modulus: x ≡ 2 (mod 5) has the difference x - 2."""

    kind = "a congruence"
    difference: Value
    modulus: int

    def __str__(self) -> str:
        return f"{self.difference} ≡ 0 (mod {self.modulus})"


@dataclass(frozen=True)
class Statement:
    """Equalities or inequalities without a solution, such as 60 = 2^2 3 5 or 2x = 2x."""

    kind = "a statement"
    sides: tuple[Value, ...]
    signs: tuple[str, ...]

    def __str__(self) -> str:
        rest = zip(self.signs, self.sides[1:], strict=True)
        return f"{self.sides[0]}" + "".join(f" {sign} {side}" for sign, side in rest)


@dataclass(frozen=True)
class Unit:
    """Powers of units by their names; km is a name of its own."""

    powers: frozenset[tuple[str, int]]

    def __str__(self) -> str:
        return "·".join(
            name if power == 1 else f"{name}^{power}" if power > 0 else f"{name}^({power})"
            for name, power in sorted(self.powers, key=lambda item: (-item[1], item[0]))
        )


@dataclass(frozen=True)
class Quantity:
    """A number with a unit, a percent sign or a noun for what is counted."""

    kind = "a quantity"
    number: "MathObject"
    unit: Unit | None = None
    noun: str = ""
    is_percent: bool = False

    def __str__(self) -> str:
        if self.is_percent:
            return f"{self.number} %"
        if self.unit is not None:
            return f"{self.number} · {self.unit}"
        return f"{self.number} {self.noun}".strip()


@dataclass(frozen=True)
class Noted:
    r"""Something with a text that is part of the answer: "5 \text{ or more}"."""

    kind = "an answer with a text"
    content: "MathObject"
    note: str

    def __str__(self) -> str:
        return f'{self.content} with "{self.note}"'


@dataclass(frozen=True)
class ChosenContent:
    """The letter of a choice with its content, such as (B) 12."""

    kind = "a choice"
    letter: str
    content: "MathObject"

    def __str__(self) -> str:
        return f"({self.letter}) {self.content}"


@dataclass(frozen=True)
class Words:
    """Words without a formula, in lower case."""

    kind = "words"
    text: str

    def __str__(self) -> str:
        return f'"{self.text}"'


@dataclass(frozen=True)
class Piecewise:
    """A function by cases: a formula for each set of numbers of its letter."""

    kind = "cases"
    letter: str
    pieces: tuple[tuple[RealSet, Value], ...]

    def __str__(self) -> str:
        return "; ".join(f"{value} for {self.letter} ∈ {numbers}" for numbers, value in self.pieces)


MathObject = (
    Value
    | Infinity
    | Bracketed
    | Collection
    | RealSet
    | Ratio
    | Matrix
    | BasedNumber
    | Permutation
    | Equation
    | NamedValues
    | Inequalities
    | Congruence
    | Statement
    | Quantity
    | Noted
    | ChosenContent
    | Words
    | Piecewise
)


def as_value(content: MathObject) -> Value:
    """Return the content as a value for calculations.

    Raises:
        UndecidedError: it is not a value.
    """
    if not isinstance(content, Value):
        raise UndecidedError("not a value")
    return content


def listed(items: Iterable[MathObject]) -> str:
    """Return items with commas between them."""
    return ", ".join(map(str, items))
