import pytest

from metric_commons.mathematics.notation import tokens
from metric_commons.mathematics.units import unit_name, without_unit


@pytest.mark.parametrize(
    ("text", "amount", "unit", "is_percent"),
    [
        ("5", "5", (), False),
        ("5 cm", "5", ("cm",), False),
        (r"5\text{ cm}", "5", ("cm",), False),
        (r"5\text{ cm}^2", "5", ("cm", "^2"), False),
        ("5 cm^2", "5", ("cm", "^2"), False),
        ("x^2", "x^2", (), False),
        (r"12 \text{ square feet}", "12", ("squarefeet",), False),
        (r"90^\circ", "90", ("degree",), False),
        ("90 degrees", "90", ("degree",), False),
        (r"28\%", "28", (), True),
        ("28 percent", "28", (), True),
        (r"\$32.50", "32.50", ("dollar",), False),
        (r"-\$5", "-5", ("dollar",), False),
        ("5 dollars", "5", ("dollar",), False),
        ("€5", "5", ("euro",), False),
        ("5 miles per hour", "5milesper", ("hour",), False),
        (r"3\text{ hours }", "3", ("hour",), False),
        (r"3\text{ .}", "3", (), False),
        ("5m", "5m", (), False),
        ("x in", "xin", (), False),
        (r"\text{cm}", "cm", (), False),
        ("cm", "cm", (), False),
    ],
)
def test_what_stands_behind_an_amount(text, amount, unit, is_percent):
    quantity = without_unit(tokens(text))

    assert "".join(token.text for token in quantity.amount) == amount
    assert quantity.unit == unit
    assert quantity.is_percent == is_percent


def test_names_of_units():
    assert unit_name("Metres") == unit_name("m") == "m"
    assert unit_name("inches") == unit_name("in") == "inch"
    assert unit_name("dog") is None
