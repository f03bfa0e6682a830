import pytest

from metric_commons.mathematics.proof.hendrycks import hendrycks_equal, tidied

# Worked out by hand from the steps of hendrycks_math in lm-eval, one after another.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\dfrac12", r"\frac{1}{2}"),
        (r"\tfrac{1}{2}", r"\frac{1}{2}"),
        (r"\frac1{72}", r"\frac{1}{72}"),
        (r"\frac{72}1", r"\frac{72}1"),
        (r"\frac123", r"\frac{1}{2}3"),
        (r"x\frac1", r"x\frac1"),
        (r"\frac12\frac3", r"\frac12\frac3"),
        (r"\sqrt3", r"\sqrt{3}"),
        (r"\sqrt{3}+\sqrt 2", r"\sqrt{3}+\sqrt{}2"),
        ("3/4", r"\frac{3}{4}"),
        ("03/4", "03/4"),
        ("1/2/3", "1/2/3"),
        ("0.5", r"\frac{1}{2}"),
        (".5", r"\frac{1}{2}"),
        ("0.25", "0.25"),
        (r"x = 5", "5"),
        (r"abc=5", "abc=5"),
        ("x=y=5", "x=y=5"),
        (r"90^\circ", "90"),
        (r"90^{\circ}", "90"),
        (r"\$5", "5"),
        (r"5\%", "5"),
        (r"5\text{ cm}", "5"),
        (r"5\text{cm}", r"5\text{cm}"),
        (r"\left( 1, 2 \right)", "(1,2)"),
        ("1\n000", "1000"),
        (r"1\!000", "1000"),
        ("{.5}", "{0.5}"),
        ("", ""),
    ],
)
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
