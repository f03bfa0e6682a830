import pytest

from metric_commons.mathematics.equivalence import equal
from metric_commons.mathematics.inequalities import parse_inequality
from metric_commons.mathematics.notation import tokens
from metric_commons.mathematics.structures import Bracketed, Inequalities, Inequality, Infinity
from metric_commons.mathematics.work_limits import UndecidedError


@pytest.mark.parametrize(
    ("text", "brackets", "low", "high"),
    [
        ("x < 3", "()", None, 3),
        ("x <= 3", "(]", None, 3),
        (r"x \ge 3", "[)", 3, None),
        ("3 > x", "()", None, 3),
        (r"3 \leq x", "[)", 3, None),
        (r"-1 \le x < 4", "[)", -1, 4),
        ("4 > x >= -1", "[)", -1, 4),
        (r"-\infty < x < 2", "()", None, 2),
    ],
)
def test_intervals(text, brackets, low, high):
    name, content = parse_inequality(tokens(text))
    ends = [None if isinstance(end, Infinity) else end.integer for end in content.items]

    assert name == "x"
    assert content.brackets == brackets
    assert ends == [low, high]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2x < 4", Inequality),
        ("x < y", Inequality),
        ("y < 2x", Inequality),
        (r"x \ne 3", Inequality),
        ("1 < 2x < 3", Inequalities),
        ("a < x < b", Inequalities),
        ("0 < x < 1", Bracketed),
        ("1 < x > 0", Inequalities),
    ],
)
def test_signs_of_differences(text, kind):
    assert isinstance(parse_inequality(tokens(text)).content, kind)


def test_a_greater_left_side_is_turned():
    assert parse_inequality(tokens("2x > 4")).content.sign == "<"


@pytest.mark.parametrize("text", ["1 < x < 2 < 3", "x <", "x = y < 3", "x < (1, 2)"])
def test_what_is_no_inequality(text):
    with pytest.raises(UndecidedError):
        parse_inequality(tokens(text))


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (r"x \ne 1", r"1 \ne x", True),
        (r"x + y \ne 1", r"1 \ne x + y", True),
        (r"x + y \ne 1", r"2 \ne x + y", False),
        ("x + y < 1", "1 > x + y", True),
        ("x + y < 1", "1 < x + y", False),
        (r"x + y \ne 1", "x + y < 1", False),
    ],
)
def test_the_sides_of_unequal_may_be_exchanged(left, right, same):
    left, right = (parse_inequality(tokens(text)).content for text in (left, right))
    assert bool(equal(left, right)) is same
