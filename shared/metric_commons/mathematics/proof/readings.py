"""Readings: mathematical objects as text, so that a person sees what an answer was taken for."""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import cast

from ..algebra.algebraic import Algebraic, Constant
from ..algebra.exact_values import (
    EMPTY,
    UNIT,
    Exp,
    Generator,
    Logarithm,
    Monomial,
    Opaque,
    Polynomial,
    Sum,
    Value,
)
from ..parsing.structures import (
    BasedNumber,
    Bracketed,
    ChosenContent,
    Collection,
    Congruence,
    Dates,
    Equation,
    Inequalities,
    Infinity,
    MathObject,
    Matrix,
    NamedValues,
    Noted,
    Permutation,
    Piecewise,
    Quantity,
    Ratio,
    RealInterval,
    RealSet,
    Statement,
    TimeOfDay,
    Unit,
    Words,
)

KINDS: dict[type, str] = {
    Infinity: "an infinity",
    Bracketed: "a tuple or an interval",
    RealSet: "a set of numbers",
    Ratio: "a ratio",
    Matrix: "a matrix",
    BasedNumber: "digits to a base",
    Permutation: "a permutation",
    Equation: "an equation",
    NamedValues: "named values",
    Inequalities: "inequalities",
    Congruence: "a congruence",
    Statement: "a statement",
    Quantity: "a quantity",
    Noted: "an answer with a text",
    ChosenContent: "a choice",
    Words: "words",
    Dates: "a date",
    TimeOfDay: "a time of day",
    Piecewise: "cases",
}
_LONGEST = 300  # characters of a reading
_MAX_BITS = 400  # of an integer that is written in digits
_DEEPEST = 12  # roots within roots, and functions of functions
_ROOTS = {Fraction(1, 2): "√", Fraction(1, 3): "∛"}


def reading(content: MathObject) -> str:
    r"""Return what an answer was read as.

    >>> from ..parsing.mathematical_answers import parse_answer
    >>> for text in ("x < 5", r"\{5\}", "2ab", r"\frac{1}{2} \text{ km}", "Yes"):
    ...     print(reading(parse_answer(text).content))
    x ∈ (-∞, 5)
    {5}
    2·a·b
    1/2 · 1000 m
    "yes"
    """
    text = _Printer().content(content)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


class _Printer:
    """Writes objects; `depth` counts those that are open."""

    def __init__(self) -> None:
        self._depth = 0

    def content(self, content: MathObject) -> str:
        match content:
            case Value():
                return self.value(content)
            case Infinity(sign):
                return "∞" if sign > 0 else "-∞"
            case Bracketed(brackets, items):
                return f"{brackets[0]}{self._listed(items)}{brackets[-1]}"
            case Collection(items, in_braces):
                return f"{{{self._listed(items)}}}" if in_braces else self._listed(items)
            case RealSet(intervals):
                return " ∪ ".join(map(self._interval, intervals)) or "∅"
            case Ratio(parts):
                return " : ".join(map(self.content, parts))
            case Matrix(rows):
                return f"[{', '.join(f'[{self._listed(row)}]' for row in rows)}]"
            case BasedNumber(digits, base):
                return f"{self.value(digits)} to the base {self.value(base)}"
            case Permutation(images):
                return ", ".join(f"{start} ↦ {end}" for start, end in sorted(images))
            case NamedValues(names, values):
                pairs = zip(names, values, strict=True)
                return ", ".join(f"{name} = {self.content(value)}" for name, value in pairs)
            case Inequalities(signs, differences):
                pairs_of_signs = zip(differences, signs, strict=True)
                return ", ".join(f"{self.value(left)} {sign} 0" for left, sign in pairs_of_signs)
            case Congruence(difference, modulus):
                return f"{self.value(difference)} ≡ 0 (mod {modulus})"
            case Statement(sides, signs):
                rest = zip(signs, sides[1:], strict=True)
                return self.value(sides[0]) + "".join(f" {s} {self.value(v)}" for s, v in rest)
            case Noted(inner, note):
                return f'{self.content(inner)} with "{note}"'
            case ChosenContent(letter, inner):
                return f"({letter}) {self.content(inner)}"
            case Words(text):
                return f'"{text}"'
            case Dates(possible):
                days = (day.isoformat().removeprefix("0004-") for day in possible)
                return " or ".join(sorted(days))
            case TimeOfDay(seconds):
                return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} of a day"
            case Piecewise(letter, pieces):
                cases = (f"{self.value(v)} for {letter} ∈ {self.content(s)}" for s, v in pieces)
                return "; ".join(cases)
            case Quantity():
                return self._quantity(content)
            case Equation():
                return self._equation(content)

    def _listed(self, items: Iterable[MathObject]) -> str:
        return ", ".join(map(self.content, items))

    def _interval(self, part: RealInterval) -> str:
        low, high = self.content(part.low), self.content(part.high)
        if low == high:
            return f"{{{low}}}"
        return f"{'[' if part.has_low else '('}{low}, {high}{']' if part.has_high else ')'}"

    def _equation(self, equation: Equation) -> str:
        if equation.content is None:
            return "?" if equation.difference is None else f"{self.value(equation.difference)} = 0"
        relation = "∈" if isinstance(equation.content, RealSet) else "="
        return f"{equation.name} {relation} {self.content(equation.content)}"

    def _quantity(self, quantity: Quantity) -> str:
        number = self.content(quantity.number)
        if quantity.is_percent:
            return f"{number} %"
        if quantity.unit is not None:
            return f"{number} · {_unit(quantity.unit)}".replace("· 1 ", "")
        return f"{number} {quantity.noun}".strip()

    def value(self, value: Value) -> str:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                return "…"
            numerator = self._polynomial(value.numerator)
            if value.denominator is UNIT or value.denominator == UNIT:
                return numerator
            return f"({numerator})/({self._polynomial(value.denominator)})"
        finally:
            self._depth -= 1

    def _polynomial(self, terms: Polynomial) -> str:
        ordered = sorted(
            (-sum(exponent for _, exponent in monomial), self._term(monomial, constant))
            for monomial, constant in terms.items()
        )
        return " + ".join(term for _, term in ordered).replace("+ -", "- ") or "0"

    def _term(self, monomial: Monomial, constant: Constant) -> str:
        powers = [self._power(generator, exponent) for generator, exponent in monomial]
        if not powers:
            return self._constant(constant)
        if constant == 1:
            return "·".join(sorted(powers))
        factor = "-" if constant == -1 else f"{self._constant(constant, in_product=True)}·"
        return factor + "·".join(sorted(powers))

    def _power(self, generator: Generator, exponent: int | Fraction) -> str:
        base = self._generator(generator)
        if isinstance(generator, Sum):
            base = f"({base})"
        if exponent == 1:
            return base
        if exponent in _ROOTS:
            return f"{_ROOTS[Fraction(exponent)]}{base}"
        is_plain = isinstance(exponent, int) or exponent.denominator == 1
        return f"{base}^{exponent}" if is_plain and exponent > 0 else f"{base}^({exponent})"

    def _generator(self, generator: Generator) -> str:
        match generator:
            case str():
                return "π" if generator == "pi" else generator
            case Opaque(function, arguments):
                name = function.partition("(")[0]
                values = [self._of_form(argument) for argument in arguments]
                return f"{name}({', '.join(values)})" if values else name
            case Logarithm(argument):
                return f"ln({self._argument(argument)})"
            case Sum(terms):
                return self.value(Value(dict(terms)))
            case Exp(monomial, is_imaginary, factor, is_square):
                parts = ["i"] if is_imaginary else []
                if factor is not None:
                    parts.append(
                        f"√{self._constant(factor)}" if is_square else self._constant(factor)
                    )
                if monomial != EMPTY:
                    parts.append(self._term(monomial, Fraction(1)))
                return f"e^({'·'.join(parts)})" if parts else "e"

    def _argument(self, argument: int | Algebraic | str) -> str:
        return argument if isinstance(argument, str) else self._constant(_as_constant(argument))

    def _of_form(self, form: Hashable) -> str:
        numerator, denominator = cast(Sequence[Iterable[tuple[Monomial, Constant]]], form)
        return self.value(Value(dict(numerator), dict(denominator)))

    def _constant(self, number: Constant, *, in_product: bool = False) -> str:
        if isinstance(number, Fraction):
            text = _fraction(number)
            return f"({text})" if in_product and "/" in text else text
        self._depth += 1
        text = self._algebraic(number) if self._depth <= _DEEPEST else "…"
        self._depth -= 1
        return f"({text})" if in_product and " + " in text else text

    def _algebraic(self, number: Algebraic) -> str:
        if number.kind == "unit":
            coefficient, turn = number.fraction_and_turn
            direction = "i" if turn == Fraction(1, 4) else f"e^({2 * turn}·π·i)"
            if abs(coefficient) == 1:
                return direction if coefficient > 0 else f"-{direction}"
            return f"{self._constant(coefficient, in_product=True)}·{direction}"
        parts = [self._constant(part, in_product=number.kind != "sum") for part in number.parts]
        if number.kind in ("sum", "product"):
            # Equal numbers are one object, whose parts have the order in which it was first read.
            are_roots = [isinstance(part, Algebraic) for part in number.parts]
            ordered = [text for _, text in sorted(zip(are_roots, parts, strict=True))]
            if number.kind == "product":
                return "·".join(ordered)
            return " + ".join(sorted(ordered, key=lambda text: text.startswith("-")))
        if number.kind == "inverse":
            return f"1/{parts[0]}" if parts[0].startswith("(") else f"1/({parts[0]})"
        sign = {2: "√", 3: "∛"}.get(number.degree)
        return f"{sign}{parts[-1]}" if sign else f"{parts[-1]}^(1/{number.degree})"


def _as_constant(number: "int | Algebraic") -> Constant:
    return Fraction(number) if isinstance(number, int) else number


def _fraction(number: Fraction) -> str:
    parts = (number.numerator, number.denominator)
    texts = [
        str(part) if part.bit_length() <= _MAX_BITS else f"(about 2^{part.bit_length()})"
        for part in parts
    ]
    return texts[0] if number.denominator == 1 else "/".join(texts)


def _unit(unit: Unit) -> str:
    names = [
        name if power == 1 else f"{name}^{power}" if power > 0 else f"{name}^({power})"
        for name, power in sorted(unit.powers, key=lambda item: (-item[1], item[0]))
    ]
    factor = "" if unit.factor == 1 else f"{_fraction(unit.factor)} "
    offset = f" from {_fraction(-unit.offset)}" if unit.offset else ""
    return factor + "·".join(names) + offset
