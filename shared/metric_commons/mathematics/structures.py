"""What an answer can be but a value: a tuple, an interval, a set, a matrix, an equation ..."""

from dataclasses import dataclass

from .exact_values import Value
from .work_limits import UndecidedError


@dataclass(frozen=True)
class Infinity:
    """Infinity, or minus infinity; it stands alone, as the end of an interval or as an answer."""

    sign: int


@dataclass(frozen=True)
class Bracketed:
    """A tuple, a point or an interval: "(1, 2]" has the brackets "(]"."""

    brackets: str
    items: tuple["MathObject", ...]


@dataclass(frozen=True)
class Collection:
    """Items in any order: a set, or values with commas between them."""

    items: tuple["MathObject", ...]
    in_braces: bool = False


@dataclass(frozen=True)
class SetUnion:
    """A union of intervals or sets."""

    parts: tuple["MathObject", ...]


@dataclass(frozen=True)
class Ratio:
    """A ratio such as 2:3."""

    parts: tuple["MathObject", ...]


@dataclass(frozen=True)
class Matrix:
    """A matrix, or a column vector."""

    rows: tuple[tuple["MathObject", ...], ...]


@dataclass(frozen=True)
class BasedNumber:
    """Digits to a base, such as 1101_2."""

    digits: Value
    base: Value


@dataclass(frozen=True)
class Equation:
    """left = right, as the difference that is 0."""

    difference: Value


@dataclass(frozen=True)
class Inequality:
    """left < right, ≤ or ≠, as the sign and the difference left - right."""

    sign: str
    difference: Value


@dataclass(frozen=True)
class Inequalities:
    """Inequalities that hold at once, such as a < b < c."""

    parts: tuple[Inequality, ...]


MathObject = (
    Value
    | Infinity
    | Bracketed
    | Collection
    | SetUnion
    | Ratio
    | Matrix
    | BasedNumber
    | Equation
    | Inequality
    | Inequalities
)


def as_value(content: MathObject) -> Value:
    """The same as a value, with which one can calculate.

    Raises:
        UndecidedError: it is none.
    """
    if not isinstance(content, Value):
        raise UndecidedError("not a value")
    return content
