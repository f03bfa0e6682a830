from fractions import Fraction

import pytest

from metric_commons.mathematics.algebra.enclosures import are_equal
from metric_commons.mathematics.algebra.exact_values import Value
from metric_commons.mathematics.algebra.work_limits import UndecidedError
from metric_commons.mathematics.parsing.conventions import Context, Conventions
from metric_commons.mathematics.parsing.expressions import parse_expression
from metric_commons.mathematics.parsing.notation import tokens
from metric_commons.mathematics.parsing.structures import (
    BasedNumber,
    Bracketed,
    Collection,
    Infinity,
    Matrix,
    RealSet,
)
from tests.tables import by_table


def parse(text):
    return parse_expression(tokens(text))


@by_table("text, expected")
def test_numbers(text, expected):
    assert parse(text).fraction == Fraction(expected)


@by_table("left, right")
def test_equal_formulas(left, right):
    assert are_equal(parse(left), parse(right)) is True


@by_table("left, right")
def test_different_formulas(left, right):
    assert are_equal(parse(left), parse(right)) is False


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(1,2]", Bracketed),
        (r"\{1,2\}", Collection),
        ("{1,2}", Collection),
        (r"\emptyset", Collection),
        (r"(1,2)\cup[3,4]", RealSet),
        (r"-\infty", Infinity),
        ("101_2", BasedNumber),
        ("-221_{3}", BasedNumber),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", Matrix),
        ("(x)", Value),
    ],
)
def test_structures(text, kind):
    assert isinstance(parse(text), kind)


def test_a_matrix_has_rows():
    rows = parse(r"\begin{bmatrix} 1 & -2 \\ \frac12 & 0 \\ \end{bmatrix}").rows

    assert [[entry.fraction for entry in row] for row in rows] == [[1, -2], [Fraction(1, 2), 0]]


def test_the_sign_for_which_both_stand():
    plus_or_minus = tokens(r"1 \pm 2 \mp 3")

    assert parse_expression(plus_or_minus, Context(plus_minus=1)).integer == 0
    assert parse_expression(plus_or_minus, Context(plus_minus=-1)).integer == 2


@by_table("text")
def test_what_is_not_understood(text):
    with pytest.raises(UndecidedError):
        parse(text)


@by_table("text, form, readings")
def test_forms_that_two_conventions_read_differently(text, form, readings):
    other, choice = readings
    context = Context(Conventions()._replace(**{form: choice}))
    value = parse_expression(tokens(text), context)

    assert form in context.forms
    assert are_equal(value, parse(other)) is True
    opposite = Context(Conventions()._replace(**{form: not choice}))
    assert are_equal(parse_expression(tokens(text), opposite), parse(other)) is not True


def test_long_exponents_of_latex():
    latex = Context(Conventions(long_exponent=False), is_latex=True)

    assert are_equal(parse_expression(tokens("x^12"), latex), parse("2x"))
    assert are_equal(parse("x^12"), parse("x^{12}"))


@pytest.mark.parametrize("text", ["n(n+1)", "2(x)", r"\pi(r+1)", "x(y+z)", "a(b-c)", "e(x)"])
def test_what_is_never_an_application(text):
    context = Context()
    parse_expression(tokens(text), context)

    assert not context.forms
