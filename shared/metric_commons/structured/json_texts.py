"""Reading JSON texts: RFC 8259, with a limit on nesting.

NaN and Infinity make a text invalid, and the last value of a repeated key counts. Python's reader
stops at a depth that depends on its version and on its caller; here the limit is fixed.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NoReturn

from ..text.tokens.fences import fences, last_code

NESTING = 256  # levels of objects and lists


class InvalidJsonError(ValueError):
    """A text that is not JSON."""


def _refuse_constant(constant: str) -> NoReturn:
    raise InvalidJsonError(f"{constant} is not a JSON value")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
# Reads no white space around the value.
_SCANNER: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]
_FINDER: Callable[[str, int], tuple[Any, int]]
_FINDER = json.JSONDecoder(parse_int=str).scan_once  # type: ignore[attr-defined]
_PIECE = 1 << 16  # characters
_BRACKET = re.compile(r"[{\[]")


def read_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        InvalidJsonError: the text is not JSON, is nested too deeply, or has an integer of
            thousands of digits.

    >>> read_json('{"a": [1, null]}')
    {'a': [1, None]}
    >>> read_json("NaN")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    InvalidJsonError: NaN is not a JSON value
    """
    try:
        value, end = _SCANNER(text, 0)
    except (StopIteration, ValueError, RecursionError):
        value = _decoded(text)
    else:
        if end < len(text):
            value = _decoded(text)
    if text.count("[") + text.count("{") > NESTING and _depth(value) > NESTING:
        raise InvalidJsonError(_TOO_DEEP)
    return value


def _decoded(text: str) -> Any:
    """Return the value of a text with white space around it; raises the error if it is not JSON."""
    try:
        return _DECODER.decode(text)
    except InvalidJsonError:
        raise
    except RecursionError:
        raise InvalidJsonError(_TOO_DEEP) from None
    except ValueError as error:
        raise InvalidJsonError(f"is not JSON: {error}") from None


_TOO_DEEP = f"is nested in more than {NESTING} levels"


def _depth(value: Any) -> int:
    """Return the levels of objects and lists, counted until there are too many."""
    depth, level = 0, [value]
    while depth <= NESTING and (level := [c for c in level if isinstance(c, dict | list)]):
        depth += 1
        level = [child for c in level for child in (c.values() if isinstance(c, dict) else c)]
    return depth


def fenced_json(text: str) -> str:
    r"""Return the last fenced code of a text that is JSON, else the last; a text without any.

    >>> fenced_json("So:\n```json\n[1]\n```\nDone."), fenced_json("[1]")
    ('[1]\n', '[1]')
    """
    code = last_code(fences(text), lambda block: _is_json(block.code))
    return text if code is None else code


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except InvalidJsonError:
        return False
    return True


def json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the objects and lists in a text begin and end, without those inside others.

    What is inside a value that breaks off is no value of its own. Where the reader stops, all that
    it has begun ends, so that it continues there, and takes linear time.

    >>> text = 'See [this]: {"a": [1]}, {"b": [2]'
    >>> [text[start:end] for start, end in json_spans(text)]
    ['{"a": [1]}']
    """
    position = offset = 0
    while bracket := _BRACKET.search(text, position):
        start = bracket.start()
        if start > _PIECE:  # since each error of the reader counts the lines before it
            text, offset, position = text[start:], offset + start, 0
            continue
        try:
            _, position = _FINDER(text, start)
        except json.JSONDecodeError as error:
            position = max(error.pos, start + 1)
        except StopIteration as error:
            position = error.value
        except RecursionError:  # of the levels up to here each has more than NESTING within it
            brackets = _BRACKET.finditer(text, start)
            position = next(islice(brackets, 2 * NESTING, None), bracket).end()
        else:
            yield offset + start, offset + position


def found_json(text: str) -> str:
    """Return the last object or list in a text; a text without any.

    >>> found_json('First {"a": 1}, then {"a": [2]}.'), found_json("None.")
    ('{"a": [2]}', 'None.')
    """
    spans = [(0, len(text)), *json_spans(text)]
    return text[slice(*spans[-1])]
