import pytest

from metric_commons.mathematics.proof.hendrycks import hendrycks_equal, tidied
from tests.tables import by_table

# Worked out by hand from the steps of hendrycks_math in lm-eval, one after another.


@by_table("text, expected")
def test_what_is_compared(text, expected):
    assert tidied(text) == expected


@pytest.mark.parametrize(
    "text", [r"\sqrt", r"\sqrt\sqrt2", r"\frac", r"\frac\frac12", "x/2", r"1\text{ a}\text{ b}"]
)
def test_what_cannot_be_tidied_up_is_compared_as_it_is(text):
    with pytest.raises(ValueError, match=r"a root of|a fraction of|a quotient of|several units"):
        tidied(text)
    assert hendrycks_equal(text, text)
    assert not hendrycks_equal(text, text + " ")
    assert not hendrycks_equal(text, "1")


def test_nothing_equals_nothing():
    assert hendrycks_equal("", "")
    assert hendrycks_equal(r"\text{ cm}", "")
