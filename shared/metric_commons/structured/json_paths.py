"""Paths of the fields of JSON values, such as `$.items[].id`: all positions of a list are `[]`."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any

from ..numbers.domains import Parsed

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r'\.[A-Za-z_]\w*|\[\]|\["(?:[^"\\]|\\.)*"\]')


def step(path: str, key: str) -> str:
    """The path of a field of an object.

    >>> step("$", "id"), step("$[]", "a.b")
    ('$.id', '$[]["a.b"]')
    """
    if _IDENTIFIER.fullmatch(key):
        return f"{path}.{key}"
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def checked_paths(paths: Any) -> tuple[str, ...]:
    """Check that these are paths of fields.

    Raises:
        ValueError: one is not.

    >>> checked_paths(["$.items[].id"])
    ('$.items[].id',)
    >>> checked_paths(["items.id"])
    Traceback (most recent call last):
    ValueError: 'items.id' is not a path of a field, such as '$.items[].id'
    """
    is_list = isinstance(paths, Sequence) and not isinstance(paths, str)
    for path in paths if is_list else [paths]:
        if not isinstance(path, str) or not _is_path(path):
            raise ValueError(f"{path!r} is not a path of a field, such as '$.items[].id'")
    if not is_list:
        raise ValueError(f"expected a list of paths, such as [{paths!r}]")
    return tuple(paths)


def _is_path(path: str) -> bool:
    if not path.startswith("$"):
        return False
    position = 1
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            return False
        position = match.end()
    return position > 1


Paths = Annotated[
    Sequence[str], Parsed(checked_paths, "a list of paths of fields, such as '$.items[].id'")
]
