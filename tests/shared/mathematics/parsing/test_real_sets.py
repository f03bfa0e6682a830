import pytest

from metric_commons.mathematics.algebra.elementary import PI
from metric_commons.mathematics.algebra.exact_values import rational, symbol
from metric_commons.mathematics.algebra.work_limits import UndecidedError
from metric_commons.mathematics.parsing.mathematical_answers import parse_answer
from metric_commons.mathematics.parsing.real_sets import (
    REALS,
    compare_ends,
    complement,
    intersection,
    interval,
    points,
    union,
)
from metric_commons.mathematics.parsing.structures import Equation, Infinity
from tests.tables import by_table


def ends(numbers):
    """The intervals of a set as texts."""

    def written(end):
        return "oo" if isinstance(end, Infinity) else str(end.fraction)

    return [
        f"{'[' if part.has_low else '('}{written(part.low)},"
        f"{written(part.high)}{']' if part.has_high else ')'}"
        for part in numbers.intervals
    ]


def between(low, high, brackets="()"):
    return interval(rational(low), rational(high), brackets[0] == "[", brackets[1] == "]")


def test_unions_are_brought_to_one_form():
    assert ends(union([between(1, 2), between(2, 3, "[)")])) == ["(1,3)"]
    assert ends(union([between(1, 2), between(2, 3)])) == ["(1,2)", "(2,3)"]
    assert ends(union([between(2, 5), between(1, 3, "[]")])) == ["[1,5)"]
    assert ends(union([between(1, 2, "[)"), points([rational(2)])])) == ["[1,2]"]
    assert ends(union([between(0, 1), between(-3, 9), between(2, 3)])) == ["(-3,9)"]


def test_complements_and_intersections():
    assert ends(complement(points([rational(3)]))) == ["(oo,3)", "(3,oo)"]
    assert complement(REALS).intervals == ()
    assert complement(complement(between(1, 2, "[)"))) is not None
    assert ends(intersection(between(1, 3), between(2, 4))) == ["(2,3)"]
    assert ends(intersection(between(1, 2, "[]"), between(2, 4, "[]"))) == ["[2,2]"]
    assert ends(intersection(between(1, 2), between(2, 4))) == []


def test_ends_are_compared_exactly():
    assert compare_ends(PI, rational(3)) == 1
    assert compare_ends(rational(3), Infinity(1)) == -1
    with pytest.raises(UndecidedError):
        compare_ends(symbol("a"), rational(3))


@by_table("text, expected")
def test_sets_of_one_letter(text, expected):
    content = parse_answer(text).content

    assert ends(content.content if isinstance(content, Equation) else content) == expected
