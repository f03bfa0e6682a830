"""Reading JSON texts: RFC 8259, with a limit on nesting.

NaN and Infinity make a text invalid, and the last value of a repeated key counts. Python's reader
stops at a depth that depends on its version and on its caller; here the limit is fixed.
"""

import json
from collections.abc import Callable
from typing import Any, NoReturn

NESTING = 256  # levels of objects and lists


class InvalidJsonError(ValueError):
    """A text that is not JSON."""


def _refuse_constant(constant: str) -> NoReturn:
    raise InvalidJsonError(f"{constant} is not a JSON value")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
# Reads no white space around the value.
_SCANNER: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]


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
    level = [value]
    for depth in range(NESTING + 1):
        children: list[Any] = []
        for container in level:
            if isinstance(container, dict):
                children.extend(container.values())
            elif isinstance(container, list):
                children.extend(container)
        if not children and not any(isinstance(inner, dict | list) for inner in level):
            return depth
        level = children
    return NESTING + 1


def unfenced(text: str) -> str:
    r"""Return the content of a Markdown fence that is the whole text; any other text unchanged.

    >>> unfenced("```json\n[1]\n```"), unfenced("See: ```1```")
    ('[1]', 'See: ```1```')
    """
    stripped = text.strip()
    if not stripped.startswith("```") or not stripped.endswith("```"):
        return text
    first_line, line_break, _ = stripped[3:].partition("\n")
    start = 3 + len(first_line) + 1
    language = first_line.rstrip(" \t").replace("-", "_")
    is_language = language.isascii() and (not language or language.replace("_", "a").isalnum())
    if not line_break or not is_language or start > len(stripped) - 3:
        return text
    content = stripped[start:-3].rstrip(" \t")
    return content.removesuffix("\n")
