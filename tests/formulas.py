"""Random formulas: their notation, equal ones, and their values to 60 digits.

A formula is a tuple of its kind and its parts, such as ("+", ("number", "1/2"), ("root", 2, 3)).
It is written and computed here without the code that is tested, with decimal numbers of 60 digits.
"""

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

DIGITS = 60
PI = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"
E = "2.71828182845904523536028747135266249775724709369995957496696762772407663035354759"
# Letters stand for numbers that satisfy no equation by chance.
LETTERS = {
    "x": "1.73920184756612094857362910475839201847566120948573629104758392018475661209485736",
    "y": "0.48201937465820193746582019374658104928374659102837465910283746591028374659102837",
}


class Complex(NamedTuple):
    """A complex number of two decimal numbers."""

    real: Decimal
    imaginary: Decimal = Decimal(0)

    def plus(self, number, factor=1):
        return Complex(self.real + factor * number.real, self.imaginary + factor * number.imaginary)

    def times(self, number):
        return Complex(
            self.real * number.real - self.imaginary * number.imaginary,
            self.real * number.imaginary + self.imaginary * number.real,
        )

    def over(self, number):
        square = number.size() ** 2
        if square < Decimal("1e-20"):
            raise ZeroDivisionError
        conjugate = Complex(number.real / square, -number.imaginary / square)
        return self.times(conjugate)

    def size(self):
        return (self.real**2 + self.imaginary**2).sqrt()


def value(formula):
    """The number that a formula is; a ZeroDivisionError if it is none."""
    match formula:
        case "number", text:
            fraction = Fraction(text)
            return Complex(Decimal(fraction.numerator) / Decimal(fraction.denominator))
        case "root", degree, radicand:
            return Complex(Decimal(radicand) ** (Decimal(1) / Decimal(degree)))
        case "letter", name:
            if name == "i":
                return Complex(Decimal(0), Decimal(1))
            return Complex(Decimal({"pi": PI, "e": E, **LETTERS}[name]))
        case "+", left, right:
            return value(left).plus(value(right))
        case "-", left, right:
            return value(left).plus(value(right), -1)
        case "*", left, right:
            return value(left).times(value(right))
        case "/", left, right:
            return value(left).over(value(right))
        case "^", base, exponent:
            power = Complex(Decimal(1))
            for _ in range(abs(exponent)):
                power = power.times(value(base))
            return power if exponent >= 0 else Complex(Decimal(1)).over(power)
    raise ValueError(formula)


def computed(formula):
    """The value to 60 digits, or None if it is too large, too small, or no number."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        try:
            number = value(formula)
        except ZeroDivisionError:
            return None
        return number if number.size() < 10**9 else None


def differ(left, right):
    """Whether two values are different beyond what 60 digits may lose."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        return left.plus(right, -1).size() > Decimal("1e-35")


def draw(random, depth=3):
    """A random formula."""
    if depth and random.random() < 0.75:
        kind = random.choice("++--**//^")
        if kind == "^":
            return kind, draw(random, depth - 1), random.choice([-2, -1, 2, 2, 3])
        return kind, draw(random, depth - 1), draw(random, depth - 1)
    match random.randrange(8):
        case 0:
            return (
                "root",
                random.choice([2, 2, 2, 3, 4]),
                random.choice([2, 3, 5, 6, 8, 12, 18, 50]),
            )
        case 1:
            return "letter", random.choice(["pi", "e", "i", "x", "y", "x"])
        case 2:
            numerator, denominator = random.randint(1, 9), random.choice([2, 3, 4, 5, 7, 8])
            return "number", str(Fraction(numerator, denominator))
        case 3:
            return "number", random.choice(["0.5", "0.25", "1.2", "3.75", "-2", "-0.1"])
    return "number", str(random.randint(-4, 12))


def rearranged(formula, random):
    """A formula that is equal by a law of arithmetic, applied somewhere in it."""
    match formula:
        case ("+" | "*") as kind, left, right:
            parts = rearranged(left, random), rearranged(right, random)
            if kind == "*" and parts[1][0] in ("+", "-") and random.random() < 0.5:
                inner, first, second = parts[1]
                return inner, ("*", parts[0], first), ("*", parts[0], second)
            return (kind, *parts[::-1]) if random.random() < 0.5 else (kind, *parts)
        case "-", left, right:
            parts = rearranged(left, random), rearranged(right, random)
            if random.random() < 0.5:
                return "+", ("*", ("number", "-1"), parts[1]), parts[0]
            return "-", *parts
        case "/", left, right:
            parts = rearranged(left, random), rearranged(right, random)
            if random.random() < 0.4:
                return "*", parts[0], ("^", parts[1], -1)
            if random.random() < 0.4:
                factor = ("number", str(random.choice([2, 3, -5])))
                return "/", ("*", parts[0], factor), ("*", factor, parts[1])
            return "/", *parts
        case "^", base, 2:
            return "*", rearranged(base, random), rearranged(base, random)
        case "^", base, exponent:
            return "^", rearranged(base, random), exponent
        case "root", 2, radicand if random.random() < 0.5:
            return "*", ("number", "1/2"), ("root", 2, 4 * radicand)
        case "root", 2, radicand if random.random() < 0.5:
            return "/", ("number", str(radicand)), formula
    return formula


def notation(formula, random):
    """A formula as LaTeX or plain text, in one of many ways to write it."""
    match formula:
        case "number", text:
            return _number(text, random)
        case "root", 2, radicand:
            return random.choice([r"\sqrt{%d}", "sqrt(%d)", "%d^{1/2}"]) % radicand
        case "root", degree, radicand:
            ways = [rf"\sqrt[{degree}]{{{radicand}}}", rf"{radicand}^{{1/{degree}}}"]
            return random.choice(ways)
        case "letter", name:
            return random.choice([r"\pi", "π", "pi"]) if name == "pi" else name
        case ("+" | "-") as kind, left, right:
            return f"{notation(left, random)} {kind} {_factor(right, random)}"
        case "*", left, right:
            sign = random.choice([r" \cdot ", "*", r"\times ", ""])
            return f"({notation(left, random)}){sign}({notation(right, random)})"
        case "/", left, right:
            if random.random() < 0.7:
                command = random.choice([r"\frac", r"\dfrac"])
                return f"{command}{{{notation(left, random)}}}{{{notation(right, random)}}}"
            return f"({notation(left, random)})/({notation(right, random)})"
        case "^", base, exponent:
            return rf"\left({notation(base, random)}\right)^{{{exponent}}}"
    raise ValueError(formula)


def _factor(formula, random):
    text = notation(formula, random)
    return f"({text})" if formula[0] in ("+", "-", "number") else text


def _number(text, random):
    if "/" not in text:
        return text
    numerator, denominator = text.split("/")
    whole, remainder = divmod(int(numerator), int(denominator))
    ways = [text, rf"\frac{{{numerator}}}{{{denominator}}}", rf"\tfrac{numerator}{denominator}"]
    if len(numerator) > 1 or len(denominator) > 1:
        ways.pop()
    if whole > 0:
        ways.append(rf"{whole}\frac{{{remainder}}}{{{denominator}}}")
    return f"({random.choice(ways)})"
