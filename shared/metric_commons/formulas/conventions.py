"""Conventions by which a text can be read in two ways; both sides are read by the same ones."""

from typing import NamedTuple


class Conventions(NamedTuple):
    """One choice for each form that two conventions read differently.

    >>> Conventions(applied=False).applied
    False
    """

    applied: bool = True  # h(a + b) is a function of a + b, not a product
    tight_division: bool = False  # 1/2x is 1/(2x), not (1/2) x
    common_logarithm: bool = True  # log x has the base 10, not e
    wide_argument: bool = True  # sin xy is sin(xy), not y sin x; sin x/2 is sin(x/2)
    long_exponent: bool = True  # x^12 in LaTeX is x^{12}, not x^1 2
    bare_units: bool = True  # 5 m is five metres, not five times m
    multisets: bool = False  # 1, 2, 2 differs from 1, 2
    clock: bool = False  # 7:30 is a time, not a ratio


MAX_FORMS = 3  # forms with two readings that may occur in one comparison
DEFAULT = Conventions()
