"""Whether an output or a returned value is the expected one.

The comparison takes place in the process of the caller, which programs cannot reach.
"""

import json
import re
from decimal import Decimal
from typing import Any, Literal

Comparison = Literal["lines", "tokens", "floats"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_LONGEST_NUMBER = 400  # characters; longer ones are only compared as text


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
    '3 lines, expected 2'
    >>> output_difference(b"0.3333333", "0.33333333", "floats", 1e-6)
    ''
    """
    if output.rstrip() == expected.encode("utf-8", "surrogatepass").rstrip():
        return ""
    text = output.decode("utf-8", "replace")
    if compare == "lines":
        return _line_difference(text, expected)
    return _word_difference(text, expected, tolerance if compare == "floats" else None)


def _line_difference(output: str, expected: str) -> str:
    lines, expected_lines = (
        [line.strip() for line in text.strip().split("\n")] for text in (output, expected)
    )
    if len(lines) != len(expected_lines):
        return f"{len(lines)} lines, expected {len(expected_lines)}"
    for number, (line, expected_line) in enumerate(zip(lines, expected_lines, strict=True), 1):
        if line != expected_line and not _are_equal_numbers(line, expected_line):
            return f"line {number} differs"
    return ""


def _are_equal_numbers(line: str, expected: str) -> bool:
    words, expected_words = line.split(), expected.split()
    if not all(map(_NUMBER.fullmatch, [*words, *expected_words])):
        return False
    return [*map(Decimal, words)] == [*map(Decimal, expected_words)]


def _word_difference(output: str, expected: str, tolerance: float | None) -> str:
    words, expected_words = output.split(), expected.split()
    if len(words) != len(expected_words):
        return f"{len(words)} words, expected {len(expected_words)}"
    for number, (word, expected_word) in enumerate(zip(words, expected_words, strict=True), 1):
        is_equal = word == expected_word or (
            tolerance is not None and _are_close_words(word, expected_word, tolerance)
        )
        if not is_equal:
            return f"word {number} differs"
    return ""


def _are_close_words(word: str, expected: str, tolerance: float) -> bool:
    """Return whether two words are numbers that are close; infinity and NaN are text."""
    if max(len(word), len(expected)) > _LONGEST_NUMBER:
        return False
    if not (_NUMBER.fullmatch(word) and _NUMBER.fullmatch(expected)):
        return False
    if "." not in expected and "e" not in expected.lower():
        return Decimal(word) == Decimal(expected)
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


def are_equal_values(value: Any, expected: Any, tolerance: float | None = None) -> bool:
    """Return whether a returned value is the expected one, both as JSON would keep them.

    With a tolerance, numbers may differ by it if a float is expected. True is not a number.

    >>> are_equal_values([(1, 2)], [[1, 2]]), are_equal_values({1: "a"}, {"1": "a"})
    (True, True)
    >>> are_equal_values(True, 1), are_equal_values([1.0], [1])
    (False, True)
    >>> are_equal_values([0.1 + 0.2], [0.3]), are_equal_values([0.1 + 0.2], [0.3], 1e-6)
    (False, True)
    """
    return _are_equal(json_value(value), json_value(expected), tolerance)


def _are_equal(value: Any, expected: Any, tolerance: float | None) -> bool:
    if isinstance(value, bool) or isinstance(expected, bool):
        return value is expected
    if isinstance(value, list) and isinstance(expected, list):
        return len(value) == len(expected) and all(
            _are_equal(item, expected_item, tolerance)
            for item, expected_item in zip(value, expected, strict=True)
        )
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(
            _are_equal(value[key], expected[key], tolerance) for key in value
        )
    if value == expected:
        return True
    if tolerance is None or not (isinstance(value, int | float) and isinstance(expected, float)):
        return False
    try:
        return are_close(value, expected, tolerance)
    except OverflowError:  # an integer greater than any float
        return False


def json_value(value: Any) -> Any:
    """Return a plain value as JSON would keep it: tuples are lists, keys are texts.

    >>> json_value({1: (2, None), None: {3}})
    {'1': [2, None], 'null': {3}}
    """
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, dict):
        return {_key(key): json_value(item) for key, item in value.items()}
    return value


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool | int | float):
        return json.dumps(key)
    return repr(key)
