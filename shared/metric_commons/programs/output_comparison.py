"""Whether an output or a returned value is the expected one.

The comparison takes place in the process of the caller, which programs cannot reach. What they
write is compared piece by piece, so that time grows with its size, and memory does not.
"""

import io
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Literal

Comparison = Literal["lines", "tokens", "floats"]

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_LONGEST_NUMBER = 400  # characters; with a tolerance, longer ones are only compared as text
_LONGEST_PIECE = 1 << 21  # bytes of a line, word or value; longer ones are only compared as bytes
_BLOCK = 1 << 16  # bytes that are split into words at once
_WORD, _GAP = re.compile(r"\S+"), re.compile(rb"\s")


def output_difference(
    output: bytes, expected: str, compare: Comparison, tolerance: float = 1e-6
) -> str:
    r"""Return the place where an output differs from the expected one; empty if it does not.

    "lines" is LiveCodeBench's comparison: both texts and each of their lines are stripped; lines
    are equal as text, or else as lists of numbers with digits alone (Python's `Decimal`, which it
    uses, also reads `1_000` as 1000 and `Infinity` as `inf`). "tokens" compares words as text.
    "floats" compares words; numbers may differ by the tolerance if the expected one has a decimal
    point or an exponent.

    >>> output_difference(b"3.0 +5 \n", "3 5", "lines")
    ''
    >>> output_difference(b"1\n2\n3\n", "1\n2\n", "lines")
    'line 3 differs'
    >>> output_difference(b"0.3333333", "0.33333333", "floats", 1e-6)
    ''
    """
    texts = _stripped(output), _stripped(expected.encode("utf-8", "surrogatepass"))
    if texts[0] == texts[1]:
        return ""
    if compare == "lines":
        return _line_difference(*texts)
    return _word_difference(*texts, tolerance if compare == "floats" else None)


def _line_difference(output: bytes, expected: bytes) -> str:
    lines, expected_lines = (map(bytes.strip, io.BytesIO(text)) for text in (output, expected))
    for number, pair in enumerate(zip_longest(lines, expected_lines, fillvalue=b""), 1):
        if not _are_equal_lines(*pair):
            return f"line {number} differs"
    return ""


def _stripped(text: bytes) -> bytes:
    """Return a text without white space at its ends; in a long one only that of ASCII counts."""
    return text.strip() if len(text) > _LONGEST_PIECE else _text(text).strip().encode()


def _are_equal_lines(line: bytes, expected: bytes) -> bool:
    if line == expected:
        return True
    if max(len(line), len(expected)) > _LONGEST_PIECE:
        return False
    text, expected_text = _text(line).strip(), _text(expected).strip()
    if text == expected_text:
        return True
    words = zip_longest(_WORD.finditer(text), _WORD.finditer(expected_text))
    return all(pair[0] and pair[1] and _are_equal_numbers(pair[0][0], pair[1][0]) for pair in words)


def _text(piece: bytes) -> str:
    return piece.decode("utf-8", "replace")


def _are_equal_numbers(word: str, expected: str) -> bool:
    are_numbers = _NUMBER.fullmatch(word) and _NUMBER.fullmatch(expected)
    return bool(are_numbers) and Decimal(word) == Decimal(expected)


def _word_difference(output: bytes, expected: bytes, tolerance: float | None) -> str:
    pairs = zip_longest(_words(output), _words(expected))
    for number, (word, expected_word) in enumerate(pairs, 1):
        if word == expected_word:
            continue
        is_close = (
            word is not None
            and expected_word is not None
            and tolerance is not None
            and _are_close_words(word, expected_word, tolerance)
        )
        if not is_close:
            return f"word {number} differs"
    return ""


def _words(text: bytes) -> Iterator[str]:
    start = 0
    while start < len(text):
        gap = _GAP.search(text, start + _BLOCK)
        end = gap.start() if gap else len(text)
        piece = text[start:end]
        if len(piece) <= _LONGEST_PIECE:
            yield from _text(piece).split()
        else:
            yield piece.decode("latin-1")
        start = end


def _are_close_words(word: str, expected: str, tolerance: float) -> bool:
    """Return whether two words are numbers that are close; infinity and NaN are text."""
    if max(len(word), len(expected)) > _LONGEST_NUMBER:
        return False
    if "." not in expected and "e" not in expected.lower():
        return _are_equal_numbers(word, expected)
    if not (_NUMBER.fullmatch(word) and _NUMBER.fullmatch(expected)):
        return False
    return are_close(float(word), float(expected), tolerance)


def are_close(value: float, expected: float, tolerance: float) -> bool:
    """Return whether numbers differ by at most the tolerance, or this fraction of the expected one.

    This is testlib's comparison. Infinite numbers are close only to themselves.

    >>> are_close(1e9, 1e9 + 1, 1e-6), are_close(0.0, 1e-7, 1e-6), are_close(0, float("inf"), 1)
    (True, True, False)
    """
    if value == expected:
        return True
    return abs(value - expected) <= tolerance * max(1.0, abs(expected)) < float("inf")


def is_expected_value(
    line: memoryview | bytes, expected: Any, tolerance: float | None = None
) -> bool:
    """Return whether a line of JSON is the expected value.

    With a tolerance, numbers may differ by it if a float is expected. True is not a number. The
    line comes from a program, so it is read only if it is about as long as the expected value.

    >>> is_expected_value(b"[1, 2.0]", [1, 2]), is_expected_value(b"true", 1)
    (True, False)
    >>> is_expected_value(b"0.30000000000000004", 0.3, 1e-6)
    True
    """
    text = json.dumps(expected).encode()
    if line == text and b"NaN" not in text:
        return True
    if len(line) > min(_LONGEST_PIECE, 10 * len(text) + _LONGEST_NUMBER):
        return False
    try:
        return _are_equal_values(json.loads(bytes(line)), json.loads(text), tolerance)
    except (ValueError, RecursionError):
        return False


def _are_equal_values(value: Any, expected: Any, tolerance: float | None) -> bool:
    if isinstance(value, bool) or isinstance(expected, bool):
        return value is expected
    if isinstance(value, list) and isinstance(expected, list):
        return len(value) == len(expected) and all(
            _are_equal_values(*pair, tolerance) for pair in zip(value, expected, strict=True)
        )
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(
            _are_equal_values(value[key], item, tolerance) for key, item in expected.items()
        )
    if value == expected:
        return True
    if tolerance is None or not isinstance(value, int | float) or not isinstance(expected, float):
        return False
    try:
        return are_close(value, expected, tolerance)
    except OverflowError:  # an integer greater than any float
        return False
