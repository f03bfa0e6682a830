from fractions import Fraction

import pytest

from metric_commons.mathematics.algebra.work_limits import UndecidedError
from metric_commons.mathematics.parsing.expressions import parse_expression
from metric_commons.mathematics.parsing.notation import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
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
def test_recurring_decimals(text, expected):
    text = text.replace("...", r"\ldots")

    assert parse_expression(tokens(text)).fraction == Fraction(expected)


@pytest.mark.parametrize("text", ["0.33…", "0.1234…", r"0.\overline{x}"])
def test_what_recurs_is_not_clear(text):
    with pytest.raises(UndecidedError):
        parse_expression(tokens(text))
