from fractions import Fraction

import pytest

from metric_commons.mathematics.exact_values import rational, symbol
from metric_commons.mathematics.powers import power, prime_factors, root
from metric_commons.mathematics.work_limits import UndecidedError, limited_work


def number(text):
    return rational(Fraction(text))


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        ("2", "10", "1024"),
        ("2", "-2", "1/4"),
        ("-3", "3", "-27"),
        ("8", "2/3", "4"),
        ("4/9", "-1/2", "3/2"),
        ("7", "0", "1"),
        ("-1", "2004", "1"),
        ("0", "3", "0"),
    ],
)
def test_powers_of_numbers(base, exponent, expected):
    assert power(number(base), number(exponent)).fraction == Fraction(expected)


@pytest.mark.parametrize(
    ("base", "exponent", "message"),
    [
        ("0", "0", "zero to the power of zero"),
        ("0", "-1", "division by zero"),
        ("-8", "1/3", "a negative number to a broken power"),
        ("3", "1000000000", "too long"),
    ],
)
def test_powers_that_are_not_decided(base, exponent, message):
    with pytest.raises(UndecidedError, match=message):
        power(number(base), number(exponent))


def test_powers_of_sums_and_letters():
    x = symbol("x")
    square = power(x + number("1"), number("2"))

    assert square.equals(x * x + number("2") * x + number("1"))
    assert power(x, number("1000")).equals(power(power(x, number("10")), number("100")))
    assert power(number("2"), x).equals(power(number("2"), x))
    assert power(number("2"), x).equals(power(number("4"), x)) is None
    with pytest.raises(UndecidedError, match="too high a power of a sum"):
        power(x + number("1"), number("65"))


@pytest.mark.parametrize(
    ("radicand", "degree", "factor", "remaining"),
    [("12", 2, "2", "3"), ("1/2", 2, "1/2", "2"), ("-54", 3, "-3", "2"), ("0.25", 2, "0.5", "1")],
)
def test_roots_are_taken_out(radicand, degree, factor, remaining):
    expected = number(factor) * root(number(remaining), degree)

    assert root(number(radicand), degree).equals(expected)


def test_roots_of_negative_numbers_and_of_constants():
    assert root(number("-4"), 2).equals(number("2") * symbol("i"))
    assert root(symbol("pi") * symbol("pi"), 2).equals(symbol("pi"))
    with pytest.raises(UndecidedError, match="an even root of a negative number"):
        root(number("-16"), 4)


def test_the_root_of_a_square_with_a_letter_is_not_its_base():
    x = symbol("x")

    assert root(x * x, 2).equals(x) is None


@pytest.mark.parametrize("number", [1, 2, 97, 360, 19_997 * 19_993, 2**20 * 3])
def test_prime_factors(number):
    product = 1
    for prime, exponent in prime_factors(number):
        assert all(prime % divisor for divisor in range(2, int(prime**0.5) + 1))
        product *= prime**exponent

    assert product == number


def test_large_factors_are_not_looked_for():
    with pytest.raises(UndecidedError, match="too large to factor"):
        prime_factors(1_000_003 * 1_000_033)
    with pytest.raises(UndecidedError, match="too large to factor"):
        prime_factors(2**3_000)
    with limited_work(100), pytest.raises(UndecidedError, match="too much work"):
        prime_factors(30_011)
