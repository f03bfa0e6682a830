r"""Numerals other than digits: recurring decimals, mixed numbers, words, Roman ones, cycles."""

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from ..algebra.work_limits import UndecidedError
from .notation import Token, TokenReader
from .structures import Permutation

_ONES = tuple(
    (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen "
        "fourteen fifteen sixteen seventeen eighteen nineteen"
    ).split()
)
_TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())
_WORDS = dict(zip(_ONES, range(20), strict=True)) | dict(
    zip(_TENS, range(20, 100, 10), strict=True)
)
_SCALES = {"thousand": 1_000, "million": 10**6, "billion": 10**9}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8}
_ROMAN = re.compile("(?=..)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1_000}
_CYCLES = re.compile(r"(?:\( ?[0-9]+(?:[ ,]+[0-9]+)+ ?\) ?)+|(?:\([0-9]{2,}\) ?){2,}")
_MAX_BLOCK = 6  # digits that recur before an ellipsis
_REPEATS = 3  # the number of times that a block is repeated
_LINES = ("overline", "bar")


def recurring_decimal(
    text: str, reader: TokenReader, chooses: Callable[[str], bool]
) -> Fraction | None:
    r"""Return the number of 0.1\overline{6}, 0.\dot{1}\dot{2} or 0.333...; None if nothing recurs.

    `chooses` says whether 0.1(6) is such a number, rather than a product, and 0.333... is 1/3.

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
    is_digits = reader.following(1).text.isdecimal() and reader.following(2).is_sign(")")
    if reader.next.is_sign("(") and is_digits:
        if not chooses("brackets_recur"):
            return None
        _, block, _ = (reader.take() for _ in range(3))
        return _recurring(text, block.text)
    if reader.next.is_sign("…"):
        reader.take()
        if not chooses("ellipsis"):
            raise UndecidedError("something is left out")
        return _continued(text)
    return None


def _digits(tokens: list[Token]) -> str:
    text = "".join(token.text for token in tokens)
    if not text.isdecimal():
        raise UndecidedError("a line above something other than digits")
    return text


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
    """Return 1/3 for 0.333..., if a block occurs three times before the dots.

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
        if not (slash.is_sign("/") and numerator.text.isdecimal() and denominator.text.isdecimal()):
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


def spelled_number(text: str) -> Fraction | None:
    """Return the number that words spell; None for any other text.

    >>> spelled_number("two hundred and twenty-one"), spelled_number("three quarters")
    (Fraction(221, 1), Fraction(3, 4))
    >>> spelled_number("twenty two three") is None
    True
    """
    words = text.lower().replace("-", " ").split()
    part = words[-1].removesuffix("s").replace("halve", "half") if len(words) == 2 else ""
    if part in _PARTS and words[0] in (*_ONES[1:10], "a"):
        return Fraction(max(_WORDS.get(words[0], 1), 1), _PARTS[part])
    total = group = 0
    smallest, last = 10**12, 1_000  # a number decreases from word to word, except at "hundred"
    for previous, word in pairwise(["", *words]):
        if word in _SCALES and group and _SCALES[word] < smallest:
            smallest = _SCALES[word]
            total, group, last = total + group * smallest, 0, 1_000
        elif word == "hundred" and 0 < group < 10:
            group, last = group * 100, 100
        elif word == "and" and previous in ("hundred", *_SCALES):
            continue
        elif word in _WORDS and _WORDS[word] < last and not (last == 100 and not group):
            is_tens = _WORDS[word] >= 20
            group, last = group + _WORDS[word], 10 if is_tens else 0
        else:
            return None
    return Fraction(total + group) if words and words[-1] != "and" else None


def roman_number(text: str) -> int | None:
    """Return the value of a Roman numeral of two letters or more; None for any other text.

    >>> roman_number("XIV"), roman_number("X"), roman_number("IIX")
    (14, None, None)
    """
    if not _ROMAN.fullmatch(text):
        return None
    digits = [_ROMAN_DIGITS[letter] for letter in text]
    return sum(-a if a < b else a for a, b in pairwise([*digits, 0]))


def permutation(text: str) -> Permutation | None:
    """Return a permutation in cycles, such as (1 2 3)(4 5) and (123)(45); None for any other text.

    Raises:
        UndecidedError: cycles have common numbers, and there are two orders of their product.

    >>> permutation("(1 2 3)") == permutation("(2,3,1)(4 5)"), permutation("(1)") is None
    (False, True)
    """
    if not _CYCLES.fullmatch(text) or ("," in text and text.count("(") == 1):
        return None
    cycles = [re.findall("[0-9]+", part) for part in text.split(")")[:-1]]
    cycles = [[*cycle[0]] if len(cycle) == 1 else cycle for cycle in cycles]
    numbers = [number for cycle in cycles for number in cycle]
    if len(set(numbers)) < len(numbers):
        raise UndecidedError("a product of cycles in one of two orders")
    return Permutation(
        frozenset(
            (int(start), int(end))
            for cycle in cycles
            for start, end in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        )
    )
