"""Units at the end of an answer, percent signs, and signs of currencies."""

from collections.abc import Sequence
from typing import NamedTuple

from .notation import CURRENCIES, Token

_SPELLINGS = {
    "degree": "degree deg",
    "mm": "mm millimeter millimetre",
    "cm": "cm centimeter centimetre",
    "m": "m meter metre",
    "km": "km kilometer kilometre",
    "inch": "inch inche in",
    "foot": "foot feet ft",
    "yard": "yard",
    "mile": "mile mi",
    "mph": "mph",
    "second": "second sec",
    "minute": "minute min",
    "hour": "hour hr",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year",
    "dollar": "dollar ¤",
    "cent": "cent",
    "euro": "euro €",
    "pound sterling": "£",
    "g": "gram",
    "kg": "kg kilogram",
    "pound": "pound lb",
    "liter": "liter litre",
    "unit": "unit squareunit",
    "point": "point",
    "%": "percent pct percentage",
}
_CURRENCIES = set(CURRENCIES)
_UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}


class Quantity(NamedTuple):
    """The tokens of an amount, and what it is an amount of."""

    amount: Sequence[Token]
    unit: tuple[str, ...]  # ("cm", "^2") is square centimetres
    is_percent: bool


def unit_name(word: str) -> str | None:
    """The unit that a word means, in the singular or the plural.

    >>> unit_name("Feet"), unit_name("miles"), unit_name("cats")
    ('foot', 'mile', None)
    """
    lower = word.lower()
    return _UNITS.get(lower) or _UNITS.get(lower.rstrip("s"))


def without_unit(tokens: Sequence[Token]) -> Quantity:
    r"""The tokens without the units at their end and without signs of currencies.

    Every text behind a formula is a unit, if one that nobody knows. A word is one only if it is in
    the table, has two letters or more, and a number stands somewhere before it.

    >>> from .notation import tokens
    >>> without_unit(tokens("5 feet")).unit, without_unit(tokens(r"12 \text{ cm}^2")).unit
    (('foot',), ('cm', '^2'))
    """
    unit = [_UNITS[token.text] for token in tokens if token.text in _CURRENCIES]
    amount = [token for token in tokens if token.text not in _CURRENCIES]
    suffixes: list[str] = []
    while amount:
        token, head = amount[-1], amount[:-1]
        if token.is_sign("%"):
            suffixes.append("%")
        elif token.is_sign("°"):
            suffixes.append("degree")
        elif token.kind == "text" and head:
            word = "".join(token.text.replace(".", "").split()).lower()
            suffixes += [unit_name(word) or word] if word else []
        elif token.kind == "word" and _is_unit(token.text, head):
            suffixes.append(unit_name(token.text) or "")
        elif token.kind == "number" and _is_squared_unit(head):
            suffixes.append(f"^{token.text}")
            head = head[:-1]
        else:
            break
        amount = head
    unit += reversed(suffixes)
    return Quantity(amount, tuple(name for name in unit if name != "%"), "%" in unit)


def _is_unit(word: str, head: Sequence[Token]) -> bool:
    if len(word) < 2 or not head or head[-1].kind == "command":
        return False
    return unit_name(word) is not None and any(token.kind == "number" for token in head)


def _is_squared_unit(head: Sequence[Token]) -> bool:
    if len(head) < 3 or not head[-1].is_sign("^"):
        return False
    unit = head[-2]
    return unit.kind == "text" or (unit.kind == "word" and _is_unit(unit.text, head[:-2]))
