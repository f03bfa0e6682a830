"""Paths of the fields of JSON values, such as `$.items[].id`: all positions of a list are `[]`."""

import json
import re
from collections.abc import Sequence

from ..statistics.arguments.checks import OptionError

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r'\.[A-Za-z_]\w*|\[\]|\["(?:[^"\\]|\\.)*"\]')


def step(path: str, key: str) -> str:
    """Return the path of a field of an object.

    >>> step("$", "id"), step("$[]", "a.b")
    ('$.id', '$[]["a.b"]')
    """
    if _IDENTIFIER.fullmatch(key):
        return f"{path}.{key}"
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def check_paths(option: str, paths: Sequence[str]) -> None:
    """Check that these are paths of fields.

    Raises:
        OptionError: one is not.

    >>> check_paths("ignore_paths", ["$.items[].id", "items.id"])
    Traceback (most recent call last):
    ValueError: ignore_paths: 'items.id' is not a path of a field, such as '$.items[].id'
    """
    for path in paths:
        if not _is_path(path):
            raise OptionError(
                option, f": {path!r} is not a path of a field, such as '$.items[].id'"
            )


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
