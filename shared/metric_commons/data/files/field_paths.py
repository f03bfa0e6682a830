"""Paths to values inside records: `a.b`, `a[0]`, `a.0`, `a[*].b`, `["g.old"].l`.

A path that leads nowhere is an error, never a silently missing value; and a path without `[*]`
leads to one value, never to a list of matches.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

# A quoted name in brackets or alone, a number or a star in brackets, or a plain name.
_STEP = re.compile(r"""\["([^"]+)"\]|"([^"]+)"|\[(\*|-?\d+)\]|\.?([^.\[\]"]+)|\.(?=")""")
_NUMBER = re.compile(r"-?\d+")


class PathError(ValueError):
    """A path leads nowhere in a record."""


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[str | int, ...]:
    """Return the steps of a path: names, positions and `*`.

    >>> steps("a.b[0]"), steps('"g.old".l[*].v')
    (('a', 'b', 0), ('g.old', 'l', '*', 'v'))

    Raises:
        ValueError: the syntax is not valid.
    """
    parsed: list[str | int] = []
    end = 0
    for match in _STEP.finditer(path):
        if match.start() != end:
            break
        end = match.end()
        if match[3] is not None:
            parsed.append("*" if match[3] == "*" else int(match[3]))
        elif name := match[1] or match[2] or match[4]:
            parsed.append(name)
    if end != len(path) or not parsed:
        raise ValueError(f"field path {path!r} is not valid after {path[:end]!r}")
    return tuple(parsed)


def value_at(record: Any, path: str) -> Any:
    """Return the value at the end of a path; a field whose name is the whole path takes precedence.

    >>> value_at({"resps": [["4", "5"]]}, "resps.0.1"), value_at({"a.b": 1, "a": {"b": 2}}, "a.b")
    ('5', 1)
    >>> value_at({"l": [{"v": 1}, {"v": 2}]}, "l[*].v")
    [1, 2]

    Raises:
        ValueError: the path leads nowhere, or its syntax is not valid.
    """
    if isinstance(record, Mapping) and path in record:
        return record[path]
    return _walked(record, steps(path), path)


def _walked(value: Any, remaining: Sequence[str | int], path: str) -> Any:
    for index, step in enumerate(remaining):
        if step == "*":
            if not isinstance(value, list):
                raise PathError(f"{path}: [*] needs a list, not {type(value).__name__}")
            return [_walked(item, remaining[index + 1 :], path) for item in value]
        if isinstance(value, list) and _NUMBER.fullmatch(str(step)):
            position = int(step)
            if not -len(value) <= position < len(value):
                raise PathError(f"{path}: no item {step} in a list of {len(value)}")
            value = value[position]
        elif isinstance(value, Mapping) and str(step) in value:
            value = value[str(step)]
        else:
            raise PathError(f"{path}: no {step!r} in {type(value).__name__}")
    return value
