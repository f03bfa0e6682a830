import pytest

from metric_commons.mathematics.proof.minerva import minerva_normalized

# Worked out by hand from the steps of minerva_math in lm-eval, one after another.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,000", "1000"),
        ("1,000.5", "1,000.5"),
        (r"10,\!000", "10000"),
        (r"\frac12", r"\frac{1}{2}"),
        (r"\frac123", r"\frac{1}{2}3"),
        (r"\sqrt2", r"\sqrt{2}"),
        (r"\sqrt{2}", r"\sqrt{2}"),
        (r"$\frac{1}{2}$", r"\frac{1}{2}"),
        ("It is $5$ or $6$.", "5"),
        ("x = y = 5", "5"),
        (r"x \text{ and } y", "x,y"),
        (r"x ,\text{and} y", "x,y"),
        (r"5 ,\text{and} 6", "56"),
        (r"\text{even}", "even"),
        (r"\textbf{C}", "C"),
        (r"\boxed{5}", "5"),
        (r"\overline{AB}", "AB"),
        (r"5\text{ m}", "5"),
        (r"5\mbox{ cm}^2", "5"),
        (r"90^\circ", "90"),
        ("12 dollars", "12"),
        ("banana split", "banansplit"),
        ("after", "aer"),
        ("", ""),
    ],
)
def test_what_sympy_reads(text, expected):
    assert minerva_normalized(text) == expected
