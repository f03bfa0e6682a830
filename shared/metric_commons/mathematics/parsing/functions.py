"""Named functions, and their known properties."""

from collections.abc import Sequence
from functools import reduce
from math import comb, factorial, gcd, lcm

from ..algebra.elementary import (
    I,
    exp,
    inverse_trigonometric,
    log,
    rounded_down,
    trigonometric,
)
from ..algebra.enclosures import real_sign
from ..algebra.exact_values import Value, opaque, rational, sort_key
from ..algebra.work_limits import UndecidedError, spend
from .structures import MathObject, Matrix, as_value

_MAX_SIZE = 8  # rows of a matrix whose determinant is computed


def total(left: MathObject, right: MathObject) -> MathObject:
    """Return the sum of two values, or of two matrices of one shape.

    Raises:
        UndecidedError: the sum is undefined.
    """
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        if shape(left) != shape(right):
            raise UndecidedError("matrices of different shapes")
        rows = zip(left.rows, right.rows, strict=True)
        return Matrix(tuple(tuple(map(Value.__add__, a, b)) for a, b in rows))
    return as_value(left) + as_value(right)


def multiplied(left: MathObject, right: MathObject) -> MathObject:
    """Return the product of values and matrices, in this order.

    Raises:
        UndecidedError: the product is undefined.
    """
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return _matrix_product(left, right)
    if isinstance(left, Matrix):
        left, right = right, left
    if isinstance(right, Matrix):
        factor = as_value(left)
        return Matrix(tuple(tuple(factor * entry for entry in row) for row in right.rows))
    return as_value(left) * as_value(right)


def _matrix_product(left: Matrix, right: Matrix) -> Matrix:
    if shape(left)[1] != shape(right)[0]:
        raise UndecidedError("matrices of shapes that do not fit")
    columns = list(zip(*right.rows, strict=True))
    spend(len(left.rows) * len(columns) * len(right.rows))
    terms = [[map(Value.__mul__, row, column) for column in columns] for row in left.rows]
    return Matrix(tuple(tuple(reduce(Value.__add__, t, rational(0)) for t in row) for row in terms))


def transposed(matrix: Matrix) -> Matrix:
    """Return the transposed matrix."""
    shape(matrix)
    return Matrix(tuple(zip(*matrix.rows, strict=True)))


def determinant(matrix: Matrix) -> Value:
    """Return the determinant of a square matrix, by its first row.

    Raises:
        UndecidedError: the matrix is not square, or large.
    """
    rows, columns = shape(matrix)
    if rows != columns or rows > _MAX_SIZE:
        raise UndecidedError("a determinant that is not computed")
    if rows == 1:
        return matrix.rows[0][0]
    result = rational(0)
    for column, entry in enumerate(matrix.rows[0]):
        spend(5)
        minor_rows = tuple(row[:column] + row[column + 1 :] for row in matrix.rows[1:])
        minor = entry * determinant(Matrix(minor_rows))
        result = result - minor if column % 2 else result + minor
    return result


def shape(matrix: Matrix) -> tuple[int, int]:
    """Return the numbers of rows and columns.

    Raises:
        UndecidedError: the rows have different lengths.
    """
    lengths = {len(row) for row in matrix.rows}
    if len(lengths) != 1:
        raise UndecidedError("rows of different lengths")
    return len(matrix.rows), lengths.pop()


_MAX_FACTORIAL = 3_000
_CIRCULAR = tuple("sin cos tan cot sec csc".split())
TRIGONOMETRIC = frozenset({*_CIRCULAR, *(f"{name}h" for name in _CIRCULAR), "cis"})
_INVERSES = {
    **{f"{prefix}{name}": f"arc{name}" for name in _CIRCULAR for prefix in ("arc", "a")},
    **{f"{prefix}{name}h": f"ar{name}h" for name in _CIRCULAR for prefix in ("arc", "ar", "a")},
}
_GUESSED_INVERSES = ("arcsin", "arccos", "arctan")
LOGARITHMS = frozenset({"ln", "log", "lg"})
OF_SEVERAL = frozenset({"gcd", "lcm", "max", "min"})  # which have a list of arguments
OF_ANGLES = frozenset({*_CIRCULAR, "cis"})  # which may be in degrees
FUNCTIONS = frozenset({*TRIGONOMETRIC, *_INVERSES, *LOGARITHMS, *OF_SEVERAL, "exp", "det"})


def inverse_name(name: str) -> str:
    """Return the name of the inverse function: arcsin of sin.

    Raises:
        UndecidedError: it does not exist.
    """
    if name not in TRIGONOMETRIC or name == "cis":
        raise UndecidedError("an inverse function that is not known")
    return f"ar{name}" if name.endswith("h") else f"arc{name}"


def applied(name: str, argument: MathObject) -> Value:
    """Return a function of one argument.

    >>> applied("sin", rational(0)).fraction
    Fraction(0, 1)
    """
    spend(3)
    if name == "det":
        if isinstance(argument, Matrix):
            return determinant(argument)
        return opaque("det", as_value(argument))
    value = as_value(argument)
    if name == "cis":
        return exp(I * value)
    if name in TRIGONOMETRIC:
        return trigonometric(name, value)
    if name in _INVERSES:
        name = _INVERSES[name]
        return (
            inverse_trigonometric(name, value) if name in _GUESSED_INVERSES else opaque(name, value)
        )
    return exp(value) if name == "exp" else log(value)


def applied_to_several(name: str, arguments: Sequence[Value]) -> Value:
    """Return gcd, lcm, max or min of numbers; with letters it is not analysed.

    >>> applied_to_several("gcd", [rational(12), rational(18)]).fraction
    Fraction(6, 1)
    """
    if name in ("gcd", "lcm"):
        integers = [argument.integer for argument in arguments]
        if None in integers:
            return _symmetric(name, arguments)
        return rational((gcd if name == "gcd" else lcm)(*(n for n in integers if n is not None)))
    if any(argument.letters for argument in arguments):
        return _symmetric(name, arguments)
    best = arguments[0]
    for argument in arguments[1:]:
        if real_sign(argument - best) == (1 if name == "max" else -1):
            best = argument
    return best


def _symmetric(name: str, arguments: Sequence[Value]) -> Value:
    return opaque(name, *sorted(arguments, key=lambda argument: sort_key(argument.form)))


def factorial_of(value: Value) -> Value:
    """Return the factorial of a natural number; with letters it is not analysed."""
    if value.letters:
        return opaque("factorial", value)
    spend(100)
    return rational(factorial(small_integer(value, 0, _MAX_FACTORIAL)))


def binomial(n: Value, k: Value) -> Value:
    """Return a binomial coefficient."""
    if n.letters or k.letters:
        return opaque("binomial", n, k)
    spend(100)
    upper = small_integer(n, 0, _MAX_FACTORIAL)
    return rational(comb(upper, small_integer(k, 0, upper)))


def chosen(name: str, n: Value, k: Value) -> Value:
    """Return the number of combinations, C, or of permutations, P, of k of n.

    >>> (
    ...     chosen("C", rational(5), rational(2)).fraction,
    ...     chosen("P", rational(5), rational(2)).fraction,
    ... )
    (Fraction(10, 1), Fraction(20, 1))
    """
    combinations = binomial(n, k)
    return combinations if name == "C" else combinations * factorial_of(k)


def rounded(value: Value, opening: str) -> Value:
    """Return the floor or the ceiling."""
    name = "floor" if opening == "⌊" else "ceil"
    if value.letters:
        return opaque(name, value)
    return rational(rounded_down(value) if name == "floor" else -rounded_down(-value))


def small_integer(content: MathObject, low: int, high: int) -> int:
    """Return the value as an integer, checked to be between these.

    Raises:
        UndecidedError: it is not such an integer.
    """
    number = as_value(content).integer
    if number is None or not low <= number <= high:
        raise UndecidedError(f"an integer from {low} to {high} expected")
    return number
