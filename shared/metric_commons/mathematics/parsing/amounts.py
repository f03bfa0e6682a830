"""Amounts: formulas with units and other suffixes, and ratios."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..algebra.exact_values import rational, symbol
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
