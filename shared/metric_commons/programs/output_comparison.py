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

from .plain_values import unpacked

Comparison = Literal["lines", "tokens", "floats"]

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_LONGEST_NUMBER = 400  # characters; with a tolerance, longer ones are only compared as text
_LONGEST_PIECE = 1 << 21  # bytes of a line or word; longer ones are only compared as bytes
_BLOCK = 1 << 16  # bytes that are split into words at once
_WORD, _GAP = re.compile(r"\S+"), re.compile(rb"\s")
_BLANKS = bytes(32 if bytes([code]).isspace() else 46 for code in range(256))

# Parts of values as `packed` writes them.
_SHORT_NUMBER = re.compile(r'\{"(?:[if]": "[^"]{1,300}"|c": \["[^"]{1,40}", "[^"]{1,40}"\])\}')
_TEXT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_LONGEST_KEY = 1_000  # characters of a key that is no text
_DECODER = json.JSONDecoder()


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
            counts = [text.count(b"\n") + 1 for text in (output, expected)]
            if counts[0] == counts[1]:
                return f"line {number} differs"
            return f"{counts[0]} lines, expected {counts[1]}"
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
        if word is None or expected_word is None:
            return f"{_word_count(output)} words, expected {_word_count(expected)}"
        if word == expected_word:
            continue
        is_close = tolerance is not None and _are_close_words(word, expected_word, tolerance)
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


def _word_count(text: bytes) -> int:
    blanks = text.translate(_BLANKS)
    return blanks.count(b" .") + blanks.startswith(b".")


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
    text: str,
    expected: Any,
    tolerance: float | None = None,
    start: int = 0,
    stop: int | None = None,
) -> bool:
    """Return whether a text, or a part, is JSON of `packed` of the expected value.

    Both are compared as JSON would keep them: a tuple is a list, and the keys of objects are texts.

    With a tolerance, numbers may differ by it if a float is expected. True is not a number. The
    text comes from a program, so it is read only as far as it agrees with the expected value.

    >>> is_expected_value('{"t": [{"i": "0x1"}, {"f": "2.0"}]}', [1, 2])
    True
    >>> is_expected_value("true", 1), is_expected_value('{"d": [[{"i": "0x1"}, "a"]]}', {"1": "a"})
    (False, True)
    >>> is_expected_value('{"f": "0.30000000000000004"}', 0.3, 1e-6)
    True
    """
    stop = len(text) if stop is None else stop
    return _end_of_value(text, start, json_value(expected), tolerance) == stop


def _end_of_value(text: str, start: int, expected: Any, tolerance: float | None) -> int:
    """Return the end of the expected value that starts here; -1 if there is another."""
    if isinstance(expected, list):
        return _end_of_list(text, start, expected, tolerance)
    if isinstance(expected, dict):
        return _end_of_object(text, start, expected, tolerance)
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        return _end_of_number(text, start, expected, tolerance)
    return _end_of(json.dumps(expected), text, start)


def _end_of(part: str, text: str, start: int) -> int:
    return start + len(part) if text.startswith(part, start) else -1


def _end_of_list(text: str, start: int, expected: list[Any], tolerance: float | None) -> int:
    end = max(_end_of('{"l": [', text, start), _end_of('{"t": [', text, start))
    for number, item in enumerate(expected):
        if number and end >= 0:
            end = _end_of(", ", text, end)
        if end < 0:
            return -1
        end = _end_of_value(text, end, item, tolerance)
    return _end_of("]}", text, end) if end >= 0 else -1


def _end_of_object(text: str, start: int, expected: dict[str, Any], tolerance: float | None) -> int:
    longest = max((len(json.dumps(key)) for key in expected), default=0)
    missing = set(expected)
    end = _end_of('{"d": [', text, start)
    while missing:
        if len(missing) < len(expected) and end >= 0:
            end = _end_of(", ", text, end)
        end = _end_of("[", text, end) if end >= 0 else -1
        if end < 0:
            return -1
        key, end = _read_key(text, end, longest)
        end = _end_of(", ", text, end) if key in missing else -1
        if end < 0:
            return -1
        missing.remove(key)
        end = _end_of_value(text, end, expected[key], tolerance)
        end = _end_of("]", text, end) if end >= 0 else -1
    return _end_of("]}", text, end) if end >= 0 else -1


def _read_key(text: str, start: int, longest: int) -> tuple[str, int]:
    """Return the key of an object and its end; a text of at most so many characters."""
    if text.startswith('"', start):
        match = _TEXT.match(text, start, start + longest)
        return (json.loads(match[0]), match.end()) if match else ("", -1)
    key, size = _DECODER.raw_decode(text[start : start + _LONGEST_KEY])
    return _key(unpacked(key)), start + size


def _end_of_number(text: str, start: int, expected: float, tolerance: float | None) -> int:
    match = _SHORT_NUMBER.match(text, start)
    if match is None:
        return _end_of(f'{{"i": "{expected:#x}"}}', text, start) if type(expected) is int else -1
    is_right = _are_close_numbers(unpacked(json.loads(match[0])), expected, tolerance)
    return match.end() if is_right else -1


def _are_close_numbers(value: Any, expected: float, tolerance: float | None) -> bool:
    if value == expected:
        return True
    if tolerance is None or isinstance(value, complex) or not isinstance(expected, float):
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
