"""Arguments of a call compared with possible answers as in BFCL's AST checker for Python.

The Berkeley Function Calling Leaderboard lists for each argument the accepted values, with "" for
an argument that may be omitted. A right value has the declared type and is one of them; a value of
another type, if it is the type of the accepted values, is the name of a variable.

Source: ShishirPatil/gorilla, berkeley-function-call-leaderboard, `ast_checker.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..statistics.arguments.checks import OptionError
from .json_equality import bfcl_spelling
from .tool_declarations import DeclaredTool

_TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "number": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "object": dict,
    "any": str,
}


def bfcl_arguments(
    tool: DeclaredTool, arguments: Mapping[str, Any], accepted: Mapping[str, Sequence[Any]]
) -> tuple[int, int]:
    """Return the numbers of right arguments and of all; an accepted absence counts in neither.

    Args:
        tool: the declaration.
        arguments: the arguments of the predicted call.
        accepted: for each argument the accepted values.

    Raises:
        OptionError: a declared type is unknown.

    >>> tool = DeclaredTool({"n": {"type": "integer"}, "unit": {"type": "string"}}, ["n"])
    >>> bfcl_arguments(tool, {"n": 5}, {"n": [5], "unit": ["cm", ""]})
    (1, 1)
    >>> bfcl_arguments(tool, {"n": 5.0}, {"n": [5]})
    (0, 1)
    """
    absent = {
        name
        for name, values in accepted.items()
        if name not in arguments and "" in values and name not in tool.required
    }
    names = (arguments.keys() | accepted.keys() | set(tool.required)) - absent
    right = 0
    for name in names:
        if name in arguments and name in accepted and name in tool.properties:
            right += _is_accepted(name, tool.properties[name], arguments[name], accepted[name])
    return right, len(names)


def _is_accepted(name: str, schema: Mapping[str, Any], value: Any, accepted: Sequence[Any]) -> bool:
    declared = schema.get("type")
    kind = _declared_type(name, schema)
    has_items = declared in ("array", "tuple") and isinstance(schema.get("items"), Mapping)
    item_kind = _declared_type(name, schema["items"]) if has_items else None
    if declared == "tuple" and type(value) is tuple:
        value = list(value)
    if kind is float and type(value) is int:
        value = _as_float(value)
    fits, is_variable = _has_type(value, accepted, kind, item_kind)
    if not fits:
        return False
    if is_variable:
        return value in accepted
    if kind is dict:
        return _is_accepted_object(value, accepted)
    if kind is list and item_kind is dict:
        return any(
            isinstance(values, list)
            and len(values) == len(value)
            and all(
                _is_accepted_object(item, [target])
                for item, target in zip(value, values, strict=True)
            )
            for values in accepted
        )
    if kind is str:
        return _spelled(value) in [_spelled(text) for text in accepted if type(text) is str]
    if kind is list:
        return [_spelled(item) for item in value] in [
            [_spelled(item) for item in values]
            for values in accepted
            if isinstance(values, list | str)
        ]
    return value in accepted


def _declared_type(name: str, schema: Mapping[str, Any]) -> type:
    declared = schema.get("type")
    if not isinstance(declared, str) or declared not in _TYPES:
        raise OptionError(
            "tools", f"declare {name!r} with the type {declared!r}, which BFCL does not have"
        )
    return _TYPES[declared]


def _as_float(value: int) -> float | int:
    try:
        return float(value)
    except OverflowError:  # no accepted value is so large
        return value


def _has_type(
    value: Any, accepted: Sequence[Any], kind: Any, item_kind: type | None
) -> tuple[bool, bool]:
    """Return whether a value has an accepted type, and whether it is a variable.

    The accepted types are the declared type and the type of the first accepted value. A variable is
    compared unchanged.
    """
    answer_kind = next((type(answer) for answer in accepted if answer != ""), None)
    is_variable = answer_kind is not None and answer_kind is not kind
    if type(value) is kind:
        fits = item_kind is None or any(
            type(answer) is not list
            or all(_has_type(item, answer, item_kind, None)[0] for item in value)
            for answer in accepted
        )
        return fits, is_variable
    if answer_kind is not None and type(value) is answer_kind:
        return True, True
    return False, is_variable


def _is_accepted_object(value: Any, accepted: Sequence[Any]) -> bool:
    """Return whether each key has one of its accepted values, and missing keys may be missing."""
    for answer in accepted:
        if not isinstance(answer, dict) or not all(isinstance(v, list) for v in answer.values()):
            continue
        if all(
            key in answer and _spelled(inner) in [_spelled(target) for target in answer[key]]
            for key, inner in value.items()
        ) and all(key in value or "" in values for key, values in answer.items()):
            return True
    return False


def _spelled(value: Any) -> Any:
    return bfcl_spelling(value) if isinstance(value, str) else value
