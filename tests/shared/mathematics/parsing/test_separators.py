import pytest

from metric_commons.mathematics.parsing.notation import tokens
from metric_commons.mathematics.parsing.separators import split_answer, split_at_signs


def joined(parts):
    return ["".join(token.text for token in part) for part in parts]


def test_parts_between_separators():
    parts, separators = split_answer(tokens(r"1, (2, 3), \{4, 5\} \text{ and } [6, 7) or 8"))

    assert joined(parts) == ["1", "(2,3)", "⦃4,5⦄", "[6,7)", "8"]
    assert separators == [",", ",", "and", "or"]


@pytest.mark.parametrize(
    ("text", "parts", "separators"),
    [
        ("1, and 2", ["1", "2"], ["and"]),
        (r"3 \text{ hours and } 20", ["3hours", "20"], ["and"]),
        (r"x=1 \lor x=2", ["x=1", "x=2"], ["or"]),
        (r"\begin{pmatrix}1&2\end{pmatrix}", [r"begin{pmatrix}1&2end{pmatrix}"], []),
        (",,", [], []),
    ],
)
def test_connectives(text, parts, separators):
    split = split_answer(tokens(text))

    assert joined(split.parts) == parts
    assert split.separators == separators


def test_empty_sides_stay():
    assert joined(split_at_signs(tokens("=5"), "=").parts) == ["", "5"]
