"""Parts of an answer between commas, "and", "or", or signs of relations."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .notation import CLOSING, OPENING, Token

_CONNECTIVES = {"and": "and", "or": "or", "∨": "or", "∧": "and", "&": "and"}


_SEPARATORS = {",", ";", *_CONNECTIVES, "And", "AND", "Or", "OR"}
_TEXT_AND_CONNECTIVE = re.compile(r"(.*\w),? (and|or)")


class Parts(NamedTuple):
    """The parts that are not empty, and the separators between them."""

    parts: list[list[Token]]
    separators: list[str]


def split_answer(all_tokens: Sequence[Token]) -> Parts:
    """Return the parts between commas, semicolons, "and" and "or" outside brackets.

    >>> from .notation import tokens
    >>> [[token.text for token in part] for part in split_answer(tokens("1, (2, 3) and 4")).parts]
    [['1'], ['(', '2', ',', '3', ')'], ['4']]
    """
    texts = {token.text for token in all_tokens if token.kind != "text"}
    if _SEPARATORS.isdisjoint(texts) and not any(token.kind == "text" for token in all_tokens):
        return Parts([list(all_tokens)] if all_tokens else [], [])
    parts: list[list[Token]] = [[]]
    separators: list[str] = []
    depth = 0
    for token in _with_connectives(all_tokens):
        depth += nesting(token)
        separator = "" if depth else _separator(token)
        if not separator:
            parts[-1].append(token)
        elif parts[-1]:
            parts.append([])
            separators.append(separator)
        elif separators and separator in ("and", "or"):  # ", and"
            separators[-1] = separator
    if not parts[-1]:
        parts.pop()
    return Parts(parts, separators[: max(len(parts) - 1, 0)])


def _with_connectives(all_tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, with "hours and" in a text as two of them."""
    for token in all_tokens:
        match = _TEXT_AND_CONNECTIVE.fullmatch(token.text) if token.kind == "text" else None
        if match:
            yield Token("text", match[1], token.is_spaced)
            yield Token("text", match[2])
        else:
            yield token


def nesting(token: Token) -> int:
    """Return 1 for an opening bracket or the start of a matrix, -1 for the end of one, else 0."""
    if token.kind == "sign":
        return (token.text in OPENING) - (token.text in CLOSING)
    return token.is_command("begin") - token.is_command("end")


def _separator(token: Token) -> str:
    if token.is_sign(",;"):
        return ","
    if token.kind in ("word", "text", "sign"):
        return _CONNECTIVES.get(token.text.strip(" ,").lower(), "")
    return ""


def split_at_signs(all_tokens: Sequence[Token], signs: str) -> Parts:
    """Return the parts between signs outside brackets; empty parts stay."""
    if {token.text for token in all_tokens}.isdisjoint(signs):
        return Parts([list(all_tokens)], [])
    parts: list[list[Token]] = [[]]
    separators: list[str] = []
    depth = 0
    for token in all_tokens:
        depth += nesting(token)
        if not depth and token.is_sign(signs):
            parts.append([])
            separators.append(token.text)
        else:
            parts[-1].append(token)
    return Parts(parts, separators)
