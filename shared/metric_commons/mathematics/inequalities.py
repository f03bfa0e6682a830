"""Inequalities: those of one letter and a constant are intervals, others signs of differences."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .exact_values import Value
from .expressions import parse_expression
from .notation import Token
from .structures import (
    Bracketed,
    Inequalities,
    Inequality,
    Infinity,
    MathObject,
    as_value,
)
from .work_limits import UndecidedError

SIGNS = "<>≤≥≠"
_MIRRORED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", "≠": "≠"}
_CONSTANTS = {"pi", "e", "i"}
_OPENING, _CLOSING = {"<": "(", "≤": "["}, {"<": ")", "≤": "]"}


class NamedInequality(NamedTuple):
    """What an inequality says, and of which letter if it is an interval."""

    name: str | None
    content: MathObject


def parse_inequality(tokens: Sequence[Token]) -> NamedInequality:
    r"""An inequality of two or three sides; "x < 3" is the interval from minus infinity to 3.

    Raises:
        UndecidedError: it has more sides, or sides that are no values.

    >>> from .notation import tokens
    >>> parse_inequality(tokens(r"1 \le x < 2")).content.brackets
    '[)'
    """
    sides, signs = _sides_and_signs(tokens)
    if len(signs) > 2:
        raise UndecidedError("more than three sides")
    contents = [parse_expression(side) for side in sides]
    return _interval(contents, signs) or NamedInequality(None, _differences(contents, signs))


def _sides_and_signs(tokens: Sequence[Token]) -> tuple[list[list[Token]], list[str]]:
    sides: list[list[Token]] = [[]]
    signs: list[str] = []
    for previous, token in pairwise([Token("end", ""), *tokens]):
        if token.is_sign(SIGNS):
            signs.append(token.text)
            sides.append([])
        elif token.is_sign("=") and previous.is_sign("<>"):  # <= and >=
            signs[-1] = {"<": "≤", ">": "≥"}[previous.text]
        else:
            sides[-1].append(token)
    return sides, signs


def _interval(contents: Sequence[MathObject], signs: Sequence[str]) -> NamedInequality | None:
    """The interval in which a letter lies, if that is what is said."""
    if signs[0] in ">≥":
        contents, signs = contents[::-1], [_MIRRORED[sign] for sign in reversed(signs)]
    if not set(signs) <= {"<", "≤"}:
        return None
    names = [_letter(content) for content in contents]
    low: MathObject
    high: MathObject
    match names:
        case [str(name), None]:  # x < b
            low, high = Infinity(-1), contents[1]
            brackets = f"({_CLOSING[signs[0]]}"
        case [None, str(name)]:  # a < x
            low, high = contents[0], Infinity(1)
            brackets = f"{_OPENING[signs[0]]})"
        case [None, str(name), None]:  # a < x < b
            low, high = contents[0], contents[2]
            brackets = _OPENING[signs[0]] + _CLOSING[signs[1]]
        case _:
            return None
    if len(signs) == 1 and not (_is_constant(low) and _is_constant(high)):
        return None
    return NamedInequality(name, Bracketed(brackets, (low, high)))


def _letter(content: MathObject) -> str | None:
    """The name, if the content is a single letter without a subscript."""
    if not isinstance(content, Value) or content.term is None:
        return None
    coefficient, monomial = content.term
    match coefficient, *monomial:
        case 1, (str(name), 1) if len(name) == 1 and name not in _CONSTANTS:
            return name
    return None


def _is_constant(content: MathObject) -> bool:
    """Whether no letter is in it; functions may hold one unseen."""
    if not isinstance(content, Value):
        return isinstance(content, Infinity)
    return all(not isinstance(g, str) or g in _CONSTANTS for g in content.generators)


def _differences(contents: Sequence[MathObject], signs: Sequence[str]) -> MathObject:
    parts = []
    for sign, (left, right) in zip(signs, pairwise(map(as_value, contents)), strict=True):
        if sign in ">≥":
            sign, left, right = _MIRRORED[sign], right, left
        parts.append(Inequality(sign, left - right))
    return parts[0] if len(parts) == 1 else Inequalities(tuple(parts))
