"""Amounts: formulas with units and other suffixes, ratios, and sums such as 5 ft 3 in."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..algebra.exact_values import Value, rational, symbol
from ..algebra.work_limits import UndecidedError
from .conventions import Context
from .expressions import parse_expression
from .notation import Token
from .separators import split_at_signs
from .structures import (
    EVERY_INTEGER,
    Bracketed,
    Collection,
    MathObject,
    Noted,
    Quantity,
    Ratio,
    as_value,
)
from .units import measured

_HOURS = ("h", "hr", "hrs")
_MINUTES = ("m", "min", "mins")


def parse_amount(all_tokens: Sequence[Token], context: Context) -> MathObject:
    r"""Return the meaning of a formula with the text after it; "± 3" is the list 3, -3.

    Raises:
        UndecidedError: it is not understood.

    >>> from .notation import tokens
    >>> parse_amount(tokens(r"10 \text{ billion}"), Context()).fraction
    Fraction(10000000000, 1)
    """
    if not all_tokens:
        raise UndecidedError("nothing")
    if all_tokens[0].is_command("bigcup"):
        return _union_of_all(all_tokens, context)
    ratio, colons = split_at_signs(all_tokens, ":")
    if colons:
        text = "".join(token.text for token in all_tokens)
        return Ratio(tuple(parse_expression(part, context) for part in ratio), text)
    if len(all_tokens) == 3 and all_tokens[1].text == "to" and all_tokens[1].kind != "sign":
        ends = [parse_expression(all_tokens[index : index + 1], context) for index in (0, 2)]
        return Ratio(tuple(ends), "".join(token.text for token in all_tokens))  # 3 to 4
    if [token.text for token in all_tokens[1:-1]] == ["out", "of"]:
        part, whole = (as_value(_values([all_tokens[end]], context)) for end in (0, -1))
        return part / whole
    compound = _compound(all_tokens, context)
    if compound is not None:
        return compound
    amount, suffix = measured(all_tokens, context)
    if (suffix.noun or suffix.note) and any(token.is_sign("*") for token in amount):
        raise UndecidedError("a product with a noun, such as the sides of a matrix")
    number = _values(amount, context)
    if suffix.scale != 1:
        number = as_value(number) * rational(suffix.scale)
    if suffix.note:
        return Noted(number, suffix.note)
    if suffix.unit is None and not suffix.noun and not suffix.is_percent:
        return number
    if isinstance(number, Collection) and not number.in_braces:
        items = (
            Quantity(item, suffix.unit, suffix.noun, suffix.is_percent) for item in number.items
        )
        return Collection(tuple(items))
    return Quantity(number, suffix.unit, suffix.noun, suffix.is_percent)


def _union_of_all(all_tokens: Sequence[Token], context: Context) -> Noted:
    r"""Read \bigcup_{k=-\infty}^{\infty} (k, k + 1), which is equal to a union of the same sets."""
    texts = "".join(token.text for token in all_tokens[:14])
    bounds = re.match(r"bigcup_\{(\w)=-∞\}\^(?:\{∞\}|∞)", texts)
    if bounds is None:
        raise UndecidedError("a union without bounds")
    start = 10 + 2 * bounds[0].endswith("}")
    letters = {**context.values_of_letters, bounds[1]: symbol(EVERY_INTEGER)}
    context = replace(context, values_of_letters=letters)
    return Noted(parse_expression(all_tokens[start:], context), "union")


def _values(amount: Sequence[Token], context: Context) -> MathObject:
    """Return one value, or a list of two where the formula has ±."""
    signs = [token.text for token in amount if token.is_sign("±∓")]
    if not signs:
        return parse_expression(amount, context)
    if signs.count("±") > 1:
        raise UndecidedError("several ±")
    contents = [parse_expression(amount, replace(context, plus_minus=sign)) for sign in (1, -1)]
    match contents:
        case [Collection(items, True), Collection(more_items, True)]:  # {1 ± 2, 5} is one set
            return Collection((*items, *more_items), in_braces=True)
        case [Bracketed(), Bracketed()]:
            raise UndecidedError("± inside brackets")
    return Collection(tuple(contents))


def _compound(all_tokens: Sequence[Token], context: Context) -> MathObject | None:
    """Return 5 ft 3 in as one quantity; None for any other form."""
    starts = [
        index
        for index, token in enumerate(all_tokens)
        if token.kind == "number"
        and (not index or all_tokens[index - 1].kind in ("word", "text"))
        and (not index or token.is_spaced or _ends_time(all_tokens[index - 1]))
    ]
    if len(starts) < 2 or starts[0]:
        return None
    ends = [*starts[1:], len(all_tokens)]
    parts: list[Quantity] = []
    for start, end in zip(starts, ends, strict=True):
        part = list(all_tokens[start:end])
        if parts and part[-1].text == "m" and all_tokens[start - 1].text in _HOURS:
            part[-1] = Token("word", "min", is_spaced=True)
        amount, suffix = measured(part, context)
        if suffix.unit is None or len(amount) != 1:
            return None
        parts.append(Quantity(parse_expression(amount, context), suffix.unit))
    return total_quantity(parts)


def _ends_time(token: Token) -> bool:
    """Return whether 2h30m may go on after this token without a space."""
    return token.kind == "text" or token.text in (*_HOURS, *_MINUTES)


def total_quantity(parts: Sequence[MathObject]) -> Quantity | None:
    """Return the sum of quantities in decreasing units of one dimension; None for any others."""
    quantities = [part for part in parts if isinstance(part, Quantity)]
    units = [quantity.unit for quantity in quantities if quantity.unit is not None]
    if len(units) < len(parts) or len({unit.powers for unit in units}) > 1:
        return None
    factors = [unit.factor for unit in units]
    if sorted(set(factors), reverse=True) != factors or any(unit.offset for unit in units):
        return None
    total = rational(0)
    for quantity, factor in zip(quantities, factors, strict=True):
        if not isinstance(quantity.number, Value):
            return None
        total += quantity.number * rational(factor / factors[0])
    return Quantity(total, units[0])
