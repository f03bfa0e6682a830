"""Zero is proved by the separation bound, everything else by enclosures."""

from fractions import Fraction
from random import Random

import mpmath
import pytest

from metric_commons.mathematics.algebra.algebraic import (
    Algebraic,
    as_fraction,
    as_real,
    conjugate,
    inverse,
    is_zero,
    real_root,
    root_of_unity,
    sign,
    square,
)
from metric_commons.mathematics.algebra.work_limits import UndecidedError


def root(number, degree=2):
    return real_root(Fraction(number) if not isinstance(number, Algebraic) else number, degree)


def test_nested_roots():
    left = root(Fraction(5) + Fraction(2) * root(6))

    assert is_zero(left - root(2) - root(3))
    assert not is_zero(left - root(2) - root(3) - Fraction(1, 10**50))
    assert is_zero(root(root(2), 2) - root(2, 4))
    assert as_fraction(root(20 + 0) * root(5)) == 10


def test_roots_of_unity():
    seventh = [root_of_unity(Fraction(k, 7)) for k in range(1, 7)]
    total = sum(seventh, Fraction(0))

    assert is_zero(total + Fraction(1))
    assert root_of_unity(Fraction(1, 2)) == -1
    assert is_zero(conjugate(seventh[0]) - seventh[5])
    assert is_zero(seventh[0] * inverse(seventh[0]) - Fraction(1))
    assert as_fraction(root_of_unity(Fraction(1, 6)) + root_of_unity(Fraction(-1, 6))) == 1


def test_signs_and_real_numbers():
    cosine = root_of_unity(Fraction(1, 5)) + root_of_unity(Fraction(-1, 5))

    assert sign(cosine) == 1
    assert sign(root(2) - Fraction(3, 2)) == -1
    assert sign(root(8) - Fraction(2) * root(2)) == 0
    assert sign(as_real(root_of_unity(Fraction(1, 4)) * root_of_unity(Fraction(1, 4)))) == -1
    with pytest.raises(UndecidedError, match="not a real number"):
        sign(root_of_unity(Fraction(1, 4)))


def test_roots_of_negative_numbers():
    assert root(-8, 3) == -2
    assert is_zero(root(-4) - Fraction(2) * root_of_unity(Fraction(1, 4)))
    with pytest.raises(UndecidedError, match="an even root"):
        root(-4, 4)


def test_equal_expressions_are_one_object():
    assert root(2) is root(2)
    assert root(12) is Fraction(2) * root(3)
    assert square(Fraction(3) * root(5)) == 45
    assert square(root(2, 3)) is None


@pytest.mark.long
def test_what_is_too_much_work():
    with pytest.raises(UndecidedError, match="too close to zero"):
        is_zero(
            sum((root(n, 7) for n in (2, 3, 5, 6)), Fraction(0)) - root(10**9 + 7, 7) + _close()
        )


def _close():
    """The difference to the fraction nearest to a sum of roots, far below what is tried."""
    with mpmath.workprec(40_000):
        total = sum(mpmath.root(n, 7) for n in (2, 3, 5, 6)) - mpmath.root(10**9 + 7, 7)
        return -Fraction(int(mpmath.floor(total * mpmath.mpf(2) ** 30_000)), 2**30_000)


@pytest.mark.parametrize("seed", range(4))
def test_random_sums_against_80_digits(seed):
    random = Random(seed)
    mpmath.mp.dps = 80
    for _ in range(60):
        terms = [(random.randint(-3, 3), random.randint(2, 12)) for _ in range(4)]
        total = sum((Fraction(c) * root(n) for c, n in terms), Fraction(0))
        number = sum(c * mpmath.sqrt(n) for c, n in terms)

        assert is_zero(total) == (abs(number) < mpmath.mpf(10) ** -60)
