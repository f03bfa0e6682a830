"""Arithmetic of matrices with exact entries."""

from functools import reduce

from ..algebra.exact_values import Value, rational
from ..algebra.work_limits import UndecidedError, spend
from .structures import MathObject, Matrix, as_value

_MAX_POWER = 64
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


def matrix_power(matrix: Matrix, exponent: int) -> Matrix:
    """Return a power of a square matrix with a positive exponent.

    Raises:
        UndecidedError: the matrix is not square, or the exponent is out of range.
    """
    rows, columns = shape(matrix)
    if rows != columns or not 1 <= exponent <= _MAX_POWER:
        raise UndecidedError("a power of a matrix that is not computed")
    result = matrix
    for _ in range(exponent - 1):
        result = _matrix_product(result, matrix)
    return result


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
