"""Kinds of answers other than values: a tuple, a set, a matrix, an equation, a quantity ..."""

from dataclasses import dataclass

from ..algebra.exact_values import Value
from ..algebra.work_limits import UndecidedError

EVERY_INTEGER = "n"  # the letter of a number that may be any integer


@dataclass(frozen=True)
class Infinity:
    """Infinity, or minus infinity, as the end of an interval or as an answer."""

    sign: int


@dataclass(frozen=True)
class Bracketed:
    """A tuple, a point or an interval: "(1, 2]" has the brackets "(]"."""

    brackets: str
    items: tuple["MathObject", ...]


@dataclass(frozen=True)
class Collection:
    """Items in any order: a set in braces, or a list with commas between its items."""

    items: tuple["MathObject", ...]
    in_braces: bool = False


@dataclass(frozen=True)
class RealInterval:
    """The numbers between two ends, which are values or infinities; one number has equal ends."""

    low: Value | Infinity
    high: Value | Infinity
    has_low: bool
    has_high: bool


@dataclass(frozen=True)
class RealSet:
    """A set of real numbers: intervals that neither overlap nor touch, in ascending order."""

    intervals: tuple[RealInterval, ...]


@dataclass(frozen=True)
class Ratio:
    """A ratio such as 2:3."""

    parts: tuple["MathObject", ...]
    text: str  # as it was written; two times of day are equal only as texts


@dataclass(frozen=True)
class Matrix:
    """A matrix, or a column vector."""

    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class BasedNumber:
    """Digits to a base, such as 1101_2."""

    digits: Value
    base: Value


@dataclass(frozen=True)
class Permutation:
    """A permutation in cycles: (1 2 3) takes 1 to 2, 2 to 3 and 3 to 1."""

    images: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Equation:
    """left = right, where one side has letters; `name` is the left side, if that is a name."""

    difference: Value | None  # None if a side is not a value
    name: str | None = None
    content: "MathObject | None" = None  # the object with the name
    has_denominator: bool = False  # with letters; its zeros are not solutions


@dataclass(frozen=True)
class NamedValues:
    """Values with different names, such as x = 1, y = 2."""

    names: tuple[str, ...]
    values: tuple["MathObject", ...]


@dataclass(frozen=True)
class Inequalities:
    """Signs <, ≤ or ≠ between two or more sides with several letters: differences left - right."""

    signs: tuple[str, ...]
    differences: tuple[Value, ...]


@dataclass(frozen=True)
class Statement:
    """Equalities or inequalities without a solution, such as 60 = 2^2 3 5 or 2x = 2x."""

    sides: tuple[Value, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Unit:
    """Powers of units by their names; km is a name of its own."""

    powers: frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Quantity:
    """A number with a unit, a percent sign or a noun for what is counted."""

    number: "MathObject"
    unit: Unit | None = None
    noun: str = ""
    is_percent: bool = False


@dataclass(frozen=True)
class Noted:
    r"""Something with a text that is part of the answer: "5 \text{ or more}"."""

    content: "MathObject"
    note: str


@dataclass(frozen=True)
class ChosenContent:
    """The letter of a choice with its content, such as (B) 12."""

    letter: str
    content: "MathObject"


@dataclass(frozen=True)
class Words:
    """Words without a formula, in lower case."""

    text: str


@dataclass(frozen=True)
class Piecewise:
    """A function by cases: a formula for each set of numbers of its letter."""

    letter: str
    pieces: tuple[tuple[RealSet, Value], ...]


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
