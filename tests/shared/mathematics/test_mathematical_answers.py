from fractions import Fraction

import pytest

from metric_commons.mathematics.mathematical_answers import parse_answer
from metric_commons.mathematics.structures import Collection, Equation, Ratio


@pytest.mark.parametrize(
    "text",
    ["5", " 5 ", "5.", "$5$", "$$5$$", r"\(5\)", r"\[ 5 \]", r"\boxed{5}", r"$\boxed{5}$", "5;"],
)
def test_marks_of_mathematics(text):
    assert parse_answer(text).content.fraction == 5


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("(C)", "c"),
        (r"\text{(C)}", "c"),
        (r"(\text{C})", "c"),
        (r"\textbf{C}", "c"),
        (r"\text{Evelyn}", "evelyn"),
        ("Evelyn", "evelyn"),
        ("no", "no"),
        ("New York", "new york"),
        (r"\text{ Friday. }", "friday"),
    ],
)
def test_words(text, word):
    assert parse_answer(text).word == word


@pytest.mark.parametrize("text", ["C", "xy", "abc", "pi"])
def test_letters_are_no_words(text):
    assert parse_answer(text).word is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x=5", ("x",)),
        ("x = 2, y = 3", ("x", "y")),
        ("f(x)=3", ("f(x)",)),
        ("(x,y)=(1,2)", ("(x,y)",)),
        ("a_{37} = 19", ("a_37",)),
        (r"\theta = 1", ("theta",)),
        (r"x \in [1,2]", ("x",)),
        ("x < 3", ("x",)),
        ("x = 2, 3", ("x", None)),
        ("5", ()),
    ],
)
def test_names(text, names):
    assert parse_answer(text).names == names


def test_units_and_percent_signs():
    answer = parse_answer(r"x = 12.5\text{ cm}^2")

    assert (answer.content.fraction, answer.unit) == (Fraction(25, 2), ("cm", "^2"))
    assert parse_answer(r"28\%").is_percent
    assert parse_answer("5 cm, 6 cm").unit == ("cm",)
    assert parse_answer("5 cm, 6 km") is None
    assert parse_answer("5, 6%") is None


def test_several_values():
    assert isinstance(parse_answer("1, 2 and 3").content, Collection)
    assert len(parse_answer(r"1 \pm \sqrt{2}").content.items) == 2
    assert len(parse_answer("1,2;3").content.items) == 3
    assert isinstance(parse_answer("2:3").content, Ratio)
    assert isinstance(parse_answer("2x+3y=5").content, Equation)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ",",
        "$",
        "0.333...",
        "1, 2, 3, ...",
        "0.333…",
        "$$",
        "=",
        "x=",
        "=5",
        "1=2=3",
        "x^2=4, y=1",
        r"\pm1\pm2",
        ":",
        "<",
    ],
)
def test_what_is_no_answer(text):
    assert parse_answer(text) is None


@pytest.mark.parametrize(
    "text", ["42", "-3", "007", "-0.50", "0", "9" * 300, "9" * 301, "1" * 1_998]
)
def test_plain_numbers_are_what_the_grammar_says(text):
    assert parse_answer(text).content.equals(parse_answer(f"({text})").content)
