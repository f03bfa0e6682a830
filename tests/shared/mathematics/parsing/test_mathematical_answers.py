import pytest

from metric_commons.mathematics.parsing.mathematical_answers import Answer, Unreadable, parse_answer
from metric_commons.mathematics.parsing.structures import (
    Collection,
    Equation,
    Inequalities,
    NamedValues,
    Noted,
    Quantity,
    Ratio,
    Statement,
    Words,
)
from tests.tables import by_table


def content(text):
    return parse_answer(text).content


@pytest.mark.parametrize(
    "text",
    [
        *("5", " 5 ", "5.", "$5$", "$$5$$", r"\(5\)", r"\[ 5 \]", r"\boxed{5}", r"$\boxed{5}$"),
        *("5;", "**5**"),
    ],
)
def test_marks_of_mathematics(text):
    assert content(text).fraction == 5


@by_table("text, word")
def test_words(text, word):
    assert content(text) == Words(word)


@pytest.mark.parametrize("text", ["C", "xy", "abc", "pi", "ab^2", "2aqk"])
def test_letters_are_not_words(text):
    assert not isinstance(content(text), Words)


@by_table("text, name")
def test_names(text, name):
    assert content(text).name == name


@pytest.mark.parametrize("text", ["xy=6", "2x+3y=5", "x^2=4", "2x-2=0"])
def test_equations_without_a_name(text):
    assert isinstance(content(text), Equation)
    assert content(text).name is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1, 2 and 3", Collection),
        (r"1 \pm \sqrt{2}", Collection),
        ("2:3", Ratio),
        ("x=1, y=2", NamedValues),
        ("(x,y)=(1,2)", NamedValues),
        ("60=2^2*3*5", Statement),
        ("1<2<3", Statement),
        ("2x=2x", Statement),
        ("a<b", Inequalities),
        (r"5 \text{ or more}", Noted),
        (r"k\pi, k \in \mathbb{Z}", Noted),
        ("5 km", Quantity),
        (r"3 \text{ hours and } 20 \text{ minutes}", Collection),
    ],
)
def test_kinds(text, kind):
    assert isinstance(content(text), kind)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ",", "$", "0.33…", "=", "x=", "=5", "x=1=2"),
        *(r"\pm1\pm2", ":", "<", r"\frac{1}{", "x(", "1<x>2", r"\int x dx", "x" * 3_000),
    ],
)
def test_what_is_not_an_answer(text):
    assert isinstance(parse_answer(text), Unreadable)


@pytest.mark.parametrize(
    "text", ["42", "-3", "007", "-0.50", "0", "9" * 300, "9" * 301, "1" * 1_998]
)
def test_plain_numbers_are_what_the_grammar_says(text):
    assert content(text).is_equal(content(f"({text})"))


def test_forms_are_recorded():
    assert parse_answer("f(2)").forms == {"applied"}
    assert parse_answer("2x").forms == frozenset()
    assert isinstance(parse_answer("1/2x"), Answer)
