import pytest

from metric_commons.mathematics.notation import MAX_LENGTH, closing_brace, split, tokens
from metric_commons.mathematics.work_limits import UndecidedError


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,000, 2,000", ["1000", ",", "2000"]),
        ("(1,000)", ["(", "1", ",", "000", ")"]),
        ("1,00", ["1", ",", "00"]),
        ("1,234,56", ["1", ",", "234", ",", "56"]),
        ("3..4", ["3", ".", ".4"]),
        ("6.02e23", ["6.02e23"]),
        ("2ex", ["2", "ex"]),
        (".5", [".5"]),
        ("x_{12}", ["x", "_", "{", "12", "}"]),
        (r"a\\b", ["a", "↵", "b"]),
        (r"\left\{1\right\}", ["⦃", "1", "⦄"]),
        (r"90^{\circ}", ["90", "°"]),
        ("90^∘", ["90", "°"]),
        ("2×3·4÷5−1", ["2", "*", "3", "*", "4", "/", "5", "-", "1"]),
        ("√12x", ["sqrt", "{", "12", "}", "x"]),
        ("7½", ["7", "1", "/", "2"]),
        ("2**3", ["2", "^", "3"]),
        (r"28\%", ["28", "%"]),
        (r"x \leq \pi", ["x", "≤", "π"]),
        (r"\$5", ["¤", "5"]),
        (r"\leftarrow", ["leftarrow"]),
        ("", []),
    ],
)
def test_tokens(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize("command", ["text", "mathrm", "textbf", "mbox", "operatorname", "rm"])
def test_texts_are_one_token(command):
    assert [*tokens(rf"5 \{command}{{ square {{cm}} }}")] == [
        ("number", "5"),
        ("text", "square {cm}"),
    ]


def test_upright_constants_are_letters():
    assert [*tokens(r"2\mathrm{e}")] == [("number", "2"), ("word", "e")]


def test_the_end_of_a_group():
    assert closing_brace(r"{a\}{b}}", 1) == 7
    with pytest.raises(UndecidedError, match="not closed"):
        tokens(r"\text{a")


def test_long_texts_are_not_read():
    assert len(tokens("1+" * (MAX_LENGTH // 2 - 1) + "1 ")) == MAX_LENGTH - 1
    with pytest.raises(UndecidedError, match="a long text"):
        tokens("1+" * MAX_LENGTH)


def test_parts_between_separators():
    parts = split(tokens(r"1, (2, 3), \{4, 5\} \text{ and } [6, 7) or 8"), ",;")

    assert ["".join(token.text for token in part) for part in parts] == [
        "1",
        "(2,3)",
        "⦃4,5⦄",
        "[6,7)",
        "8",
    ]
