r"""Numerals of several tokens: recurring decimals and mixed numbers."""

from collections.abc import Callable
from fractions import Fraction

from ..algebra.work_limits import UndecidedError
from .notation import Token
from .token_reader import TokenReader

_MAX_BLOCK = 6  # digits that recur before an ellipsis
_REPEATS = 3  # the number of times that a block is repeated
_LINES = ("overline", "bar")


def recurring_decimal(
    text: str, reader: TokenReader, reads_brackets: Callable[[], bool]
) -> Fraction | None:
    r"""Return the number of 0.1\overline{6}, 0.\dot{1}\dot{2} or 0.333...; None if nothing recurs.

    `reads_brackets` says whether 0.1(6) is such a number, rather than a product.

    Raises:
        UndecidedError: it is unclear which digits recur.
    """
    if "." not in text or "e" in text.lower():
        return None
    if reader.next.kind == "command" and reader.next.text in _LINES:
        reader.take()
        return _recurring(text, _digits(reader.group()))
    if reader.next.is_command("dot"):
        return _recurring(text, _dotted(reader))
    is_digits = reader.following(1).kind == "number" and reader.following(2).is_sign(")")
    if reader.next.is_sign("(") and is_digits:
        return _recurring(text, _bracketed(reader)) if reads_brackets() else None
    if reader.next.is_sign("…"):
        reader.take()
        return _continued(text)
    return None


def _digits(tokens: list[Token]) -> str:
    text = "".join(token.text for token in tokens)
    if not text.isdigit():
        raise UndecidedError("a line above something other than digits")
    return text


def _bracketed(reader: TokenReader) -> str:
    reader.take()
    block = reader.take().text
    reader.take()
    return block


def _dotted(reader: TokenReader) -> str:
    r"""Return the block of \dot{1}\dot{2} and of \dot{1}4285\dot{7}."""
    reader.take()
    block = _digits(reader.group())
    if reader.next.kind == "number" and reader.following(1).is_command("dot"):
        block += _digits([reader.take()])
    if reader.next.is_command("dot"):
        reader.take()
        block += _digits(reader.group())
    return block


def _recurring(text: str, block: str) -> Fraction:
    """Return the number with these digits, followed by a recurring block of digits.

    >>> _recurring("0.1", "6")
    Fraction(1, 6)
    """
    decimals = len(text.partition(".")[2])
    integer_part = Fraction(f"{text}0" if text.endswith(".") else text)
    return integer_part + Fraction(int(block), (10 ** len(block) - 1) * 10**decimals)


def _continued(text: str) -> Fraction:
    """0.333... is 1/3, if a block occurs three times before the dots.

    >>> _continued("0.1666")
    Fraction(1, 6)
    """
    _, _, digits = text.partition(".")
    for length in range(1, _MAX_BLOCK + 1):
        block = digits[len(digits) - length :]
        if len(digits) >= _REPEATS * length and digits.endswith(block * _REPEATS):
            return _recurring(text[: len(text) - length], block)
    raise UndecidedError("something is left out")


def mixed_fraction(reader: TokenReader) -> Fraction | None:
    r"""Return the fraction after a whole number in 7\frac34 and 7 3/4; None in 2\frac{\pi}{3}.

    Raises:
        UndecidedError: two numbers are adjacent, or a mixed number may be read in two ways.
    """
    after_division = reader.previous(2).is_sign("/")
    if reader.next.kind == "number":
        numerator, slash, denominator = (reader.take() for _ in range(3))
        if not (slash.is_sign("/") and numerator.text.isdigit() and denominator.text.isdigit()):
            raise UndecidedError("two numbers side by side")
        numerator_digits, denominator_digits = int(numerator.text), int(denominator.text)
    elif reader.next.is_command("frac"):
        state = reader.state()
        reader.take()
        numbers = [_plain_number(reader), _plain_number(reader)]
        if numbers[0] is None or numbers[1] is None or not 0 < numbers[0] < numbers[1]:
            reader.restore(state)
            return None
        numerator_digits, denominator_digits = numbers[0], numbers[1]
    else:
        return None
    if not 0 < numerator_digits < denominator_digits:
        raise UndecidedError("two numbers side by side")
    if after_division or reader.next.is_sign("^!/"):
        raise UndecidedError("a mixed number that may be read in two ways")
    return Fraction(numerator_digits, denominator_digits)


def _plain_number(reader: TokenReader) -> int | None:
    r"""Return an argument of \frac, if it is written in digits."""
    if reader.next.kind == "number" and reader.next.text.isdigit():
        return reader.digit()
    tokens = reader.group()
    text = "".join(token.text for token in tokens)
    return int(text) if text.isdigit() and text.isascii() else None
