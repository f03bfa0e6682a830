import pytest

from metric_commons.mathematics.algebra.work_limits import UndecidedError
from metric_commons.mathematics.parsing.notation import (
    MAX_LENGTH,
    closing_brace,
    split_answer,
    split_at_signs,
    tokens,
)
from tests.tables import by_table


def texts(text):
    return [token.text for token in tokens(text)]


@pytest.mark.parametrize(
    "spelling",
    [r"\frac{1}{2}", r"\dfrac{1}{2}", r"\tfrac {1} {2}", r"$\frac{1}{2}$", r"\left. \frac{1}{2} "],
)
def test_spellings_of_a_fraction(spelling):
    assert texts(spelling) == ["frac", "{", "1", "}", "{", "2", "}"]


@pytest.mark.parametrize(
    "spelling", ["10000", "10,000", "10{,}000", r"10,\!000", r"10\,000", r"10, \! 000", r"10,\ 000"]
)
def test_spellings_of_thousands(spelling):
    assert texts(spelling) == ["10000"]


@by_table("text, expected")
def test_tokens(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize("command", ["text", "mathrm", "textbf", "mbox", "rm"])
def test_texts_are_one_token(command):
    assert [*tokens(rf"5 \{command}{{ square {{cm}} }}")] == [
        ("number", "5", False),
        ("text", "square {cm}", True),
    ]


def test_upright_constants_are_letters():
    assert [*tokens(r"2\mathrm{e}")] == [("number", "2", False), ("word", "e", True)]


def test_the_end_of_a_group():
    assert closing_brace(r"{a\}{b}}", 1) == 7
    with pytest.raises(UndecidedError, match="not closed"):
        tokens(r"\text{a")


def test_long_texts_are_not_read():
    assert len(tokens("1+" * (MAX_LENGTH // 2 - 1) + "1 ")) == MAX_LENGTH - 1
    with pytest.raises(UndecidedError, match="a long text"):
        tokens("1+" * MAX_LENGTH)


def joined(parts):
    return ["".join(token.text for token in part) for part in parts]


def test_parts_between_separators():
    parts, separators = split_answer(tokens(r"1, (2, 3), \{4, 5\} \text{ and } [6, 7) or 8"))

    assert joined(parts) == ["1", "(2,3)", "⦃4,5⦄", "[6,7)", "8"]
    assert separators == [",", ",", "and", "or"]


@by_table("text, parts, separators")
def test_connectives(text, parts, separators):
    split = split_answer(tokens(text))

    assert joined(split.parts) == parts
    assert split.separators == separators


def test_empty_sides_stay():
    assert joined(split_at_signs(tokens("=5"), "=").parts) == ["", "5"]
