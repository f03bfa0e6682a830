"""Rational and algebraic numbers as text, such as 1/2 + 2·√3."""

from fractions import Fraction

from .algebraic import Algebraic, Constant

DEEPEST = 12  # roots within roots, and functions of functions, that a text shows
_WRITTEN_BITS = 400  # of an integer that a text shows in digits


def constant_text(number: Constant, depth: int = 0, *, in_product: bool = False) -> str:
    """Return a number as text, also as a factor of a product.

    `depth` is the number of expressions around it; deeper ones are left out.

    >>> from .algebraic import real_root
    >>> constant_text(Fraction(1, 2) + real_root(Fraction(12), 2))
    '1/2 + 2·√3'
    """
    if isinstance(number, Fraction):
        text = fraction_text(number)
        return f"({text})" if in_product and "/" in text else text
    text = _text(number, depth + 1) if depth < DEEPEST else "…"
    return f"({text})" if in_product and " + " in text else text


def _text(number: Algebraic, depth: int) -> str:
    if number.kind == "unit":
        coefficient, turn = number.fraction_and_turn
        direction = "i" if turn == Fraction(1, 4) else f"e^({2 * turn}·π·i)"
        if abs(coefficient) == 1:
            return direction if coefficient > 0 else f"-{direction}"
        return f"{constant_text(coefficient, in_product=True)}·{direction}"
    is_sum = number.kind == "sum"
    parts = [constant_text(part, depth, in_product=not is_sum) for part in number.parts]
    if number.kind == "inverse":
        return f"1/{parts[0]}" if parts[0].startswith("(") else f"1/({parts[0]})"
    if number.kind == "root":
        sign = {2: "√", 3: "∛"}.get(number.degree)
        return f"{sign}{parts[-1]}" if sign else f"{parts[-1]}^(1/{number.degree})"
    # Equal numbers are one object, whose parts have the order in which it was first read.
    are_roots = [isinstance(part, Algebraic) for part in number.parts]
    ordered = [text for _, text in sorted(zip(are_roots, parts, strict=True))]
    if is_sum:
        return " + ".join(sorted(ordered, key=lambda text: text.startswith("-")))
    return "·".join(ordered)


def fraction_text(number: Fraction) -> str:
    """Return a rational number as text; long ones by their size.

    >>> fraction_text(Fraction(1, 2)), fraction_text(Fraction(2**500))
    ('1/2', '(about 2^501)')
    """
    numerator, denominator = (
        str(part) if part.bit_length() <= _WRITTEN_BITS else f"(about 2^{part.bit_length()})"
        for part in (number.numerator, number.denominator)
    )
    return numerator if number.denominator == 1 else f"{numerator}/{denominator}"
