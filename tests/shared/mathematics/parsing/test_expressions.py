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


def parse(text):
    return parse_expression(tokens(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2+3*4", "14"),
        ("2-3-4", "-5"),
        ("--2", "2"),
        ("8/4/2", "1"),
        ("6/-3", "-2"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^-2", "1/4"),
        ("2^{3+1}", "16"),
        ("2^10", "1024"),
        ("2(3)(4)", "24"),
        ("5!", "120"),
        ("(3!)!", "720"),
        ("3!^2", "36"),
        ("0.5(2+2)", "2"),
        ("√16", "4"),
        ("2√ 25", "10"),
        (r"\frac12", "1/2"),
        (r"\frac1{10}", "1/10"),
        (r"\frac{1}{2}\frac{3}{4}", "3/8"),
        (r"\frac84\frac12", "1"),
        (r"\sqrt{16}", "4"),
        (r"\sqrt[3]{27}", "3"),
        (r"\sqrt 9", "3"),
        ("sqrt(2)*sqrt(8)", "4"),
        (r"\binom{5}{2}", "10"),
        ("|-3|", "3"),
        ("2|1-4|", "6"),
        ("1.5e3", "1500"),
        ("6.02\\times 10^{2}", "602"),
        ("i^2", "-1"),
        ("(1+i)(1-i)", "2"),
        (r"\exp(0)", "1"),
        ("{[(1)]}", "1"),
        # a whole number and a fraction
        (r"7\frac34", "31/4"),
        ("7 3/4", "31/4"),
        (r"-7\frac{3}{4}", "-31/4"),
        (r"2\cdot 7\frac34", "31/2"),
        (r"1,000\frac12", "2001/2"),
        (r"2^7\frac34", "96"),
        (r"2\frac{3}{2}", "3"),
        (r"1.5\frac12", "3/4"),
        # recurring digits
        (r"0.1\overline{6}", "1/6"),
        (r"0.\overline{142857}", "1/7"),
        (r"0.\bar{3}", "1/3"),
        (r"0.\dot{3}", "1/3"),
        (r"0.\dot{1}\dot{2}", "4/33"),
        (r"0.\dot{1}4285\dot{7}", "1/7"),
        (r"2.\overline{36}", "26/11"),
        ("0.333...", "1/3"),
        (r"0.1666\ldots", "1/6"),
        ("0.454545…", "5/11"),
    ],
)
def test_numbers(text, expected):
    assert parse(text).fraction == Fraction(expected)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("2xy", "y*x*2"),
        ("x_1", "x_{1}"),
        (r"\theta^2", r"\theta\theta"),
        ("xyz", "x*y*z"),
        ("(x+1)^2", "x^2+2x+1"),
        (r"\frac{x}{2}", "x/2"),
        (r"x^{1/2}", r"\sqrt{x}"),
        (r"\sin^2 x", r"(\sin x)^2"),
        (r"\sin 2x", r"\sin(2x)"),
        (r"\sin 2\theta", r"\sin(2\theta)"),
        (r"\sin x \cos x", r"\cos(x)\sin(x)"),
        ("sin x cos x", r"\sin(x)\cos(x)"),
        (r"\log_2 x", r"\log_{2}(x)"),
        (r"\exp(x)", "e^x"),
        ("2pi", r"\pi+\pi"),
        ("ax^2", "a x x"),
        ("ab!", "a (b!)"),
        ("f(x+x)", "f(2x)"),
        (r"\frac{dy}{dx}", "dy/dx"),
        (r"\overline{2+3i}", "2-3i"),
        (r"\sum_{k=1}^{3} kx", "6x"),
        (r"{5 \choose 2}", "10"),
        (r"\sin 30^\circ", "1/2"),
        (r"\sin^{-1} 1", r"\frac{\pi}{2}"),
    ],
)
def test_equal_formulas(left, right):
    assert are_equal(parse(left), parse(right)) is True


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x_1", "x_2"),
        ("xy", "x+y"),
        ("e", "E"),
        (r"\theta\cos 3", r"\cos 3\theta"),
        ("ax^2", "(ax)^2"),
        ("xy_1^2", "x^2y_1^2"),
        (r"\hat x", "x"),
        (r"\log_2 x", r"\log_3 x"),
        (r"\sin x", r"\cos x"),
    ],
)
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


@pytest.mark.parametrize(
    "text",
    [
        *("", "1+", "(1", "1)", "[1}", "2//3", "1=1", "x_", "x_{", "^2", "_1", r"\frac1", r"\sqrt"),
        *("hello", r"\foo", r"\begin{cases}1\end{cases}", r"\begin{pmatrix}1", "1/0", "0^0"),
        *("3!!", "2^3^2", "2^3!", "2^{3}^2", "5'"),
        *("(1/2)!", "(-1)!", "3001!", "2_1", "2_37", "2_{3.5}", "1e401", "9" * 4_001),
        *(r"\sqrt[65]{2}", r"\sqrt[x]{2}", r"\binom{2}{3}", r"\sin^{-2} x", r"\int x dx"),
        *(r"\frac{d}{dx}x^2", r"\vec a \times \vec b", r"\overline{12}", r"\sin_"),
        *(r"\infty-\infty", r"2\infty", r"\frac{\infty}{\infty}", r"\infty+1", r"\sqrt{\infty}"),
        *("(1,2)+1", "2(1,2)", r"\{1\}+1", "x^(1,2)", r"\gcd"),
        *("(" * 60 + "1" + ")" * 60, r"\sqrt" * 500 + "2"),
        *("7 4/3", "7 3", "x2", "2^3 4/5", r"6/7\frac12", r"7\frac34^2", "7 3/4/5", "7 3.5/4"),
        *(r"\frac123", "0.33…", "0.1234…", r"0.\overline{x}"),
    ],
)
def test_what_is_not_understood(text):
    with pytest.raises(UndecidedError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "form", "readings"),
    [
        ("h(a+b)", "applied", ("ah+bh", False)),
        ("f(2)", "applied", ("2f", False)),
        ("1/2x", "tight_division", (r"\frac{1}{2x}", True)),
        ("1/2x", "tight_division", (r"\frac{x}{2}", False)),
        (r"\log x", "common_logarithm", (r"\ln x", False)),
        (r"\sin xy", "wide_argument", (r"y\sin(x)", False)),
        (r"\sin x/2", "wide_argument", (r"\frac{\sin(x)}{2}", False)),
    ],
)
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
