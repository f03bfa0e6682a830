"""Tool calls in the forms that models and frameworks write.

Texts have Hermes' `<tool_call>` tags, JSON, or Python. A text without any sign of a call has none.
A text that attempts a call and cannot be read is unreadable, which is different from having no
call.
"""

import re
from typing import Any, Literal

from .json_texts import InvalidJsonError, read_json, unfenced
from .python_calls import Call, UnreadableCallError, read_python_calls

CallFormat = Literal["auto", "hermes", "json", "python"]

# Precedes the JSON text of a prediction that was an object, as in RFC 7464, because texts of models
# may be expected in another form.
OBJECT_MARK = "\x1e"

_TAG, _END_TAG = "<tool_call>", "</tool_call>"
_PYTHON_START = re.compile(r"'?\[?\s*[A-Za-z_][\w.]*\s*\(")
_PYTHON_LIST_START = re.compile(r"\[\s*[A-Za-z_][\w.]*\s*\(")
_ARGUMENTS = frozenset(("arguments", "parameters", "args", "input"))


def read_calls(prediction: str, call_format: CallFormat = "auto") -> list[Call]:
    """Return the calls of a prediction; empty if it does not attempt one.

    Args:
        prediction: the text of a model; or the JSON text of calls or of a message, after
            `OBJECT_MARK`.
        call_format: the form of texts; "auto" tries tags, then JSON, then Python.

    Raises:
        UnreadableCallError: it attempts a call that cannot be read.

    >>> read_calls('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>')
    [Call(name='f', arguments={'a': 1})]
    >>> read_calls("[f(a=1)]"), read_calls("I cannot do that.")
    ([Call(name='f', arguments={'a': 1})], [])
    """
    if prediction.startswith(OBJECT_MARK):
        return _calls_of_object(_json(prediction[1:]), call_format)
    text = prediction.strip()
    if call_format in ("auto", "hermes") and _TAG in text:
        bodies = [part.partition(_END_TAG)[0] for part in text.split(_TAG)[1:]]
        return [
            call
            for body in bodies
            for call in _calls_of_object(_json(unfenced(body.strip())), call_format)
        ]
    if call_format == "hermes":
        return []
    plain = unfenced(text).strip()
    if call_format in ("auto", "json") and plain.startswith(("{", "[")):
        is_python = call_format == "auto" and _PYTHON_LIST_START.match(plain)
        if not is_python:
            return _calls_of_object(_json(plain), call_format)
    if call_format in ("auto", "python") and _PYTHON_START.match(plain.strip("`\n ")):
        return read_python_calls(plain)
    return []


def expected_calls(value: Any) -> list[Call]:
    """Return the calls of a reference, which is a list of them.

    Raises:
        UnreadableCallError: it is not.

    >>> expected_calls([{"function": {"name": "f", "arguments": '{"a": 1}'}}])
    [Call(name='f', arguments={'a': 1})]
    """
    if not isinstance(value, list):
        raise UnreadableCallError(f"expected a list of calls, got {_kind(value)}")
    return [_call(item) for item in value]


def has_plain_values(prediction: str, reference: str) -> bool:
    """Return whether Python's equality equals JSON's for the values of a row, without booleans.

    Values that were written as Python may be tuples, too, so these do not count.

    >>> has_plain_values('[{"name": "f"}]', "[]"), has_plain_values("[f()]", "[]")
    (True, False)
    """
    is_json = prediction.startswith((_TAG, "{", "[{")) or (
        prediction.startswith(OBJECT_MARK)
        and ('"tool_calls"' in prediction or '"role"' not in prediction)
    )
    return is_json and not any(
        word in text for text in (prediction, reference) for word in ("true", "false")
    )


def _json(text: str) -> Any:
    try:
        return read_json(text)
    except InvalidJsonError as error:
        raise UnreadableCallError(str(error)) from None


def _calls_of_object(value: Any, call_format: CallFormat) -> list[Call]:
    """Return the calls of a message, a list of calls, or one call."""
    if isinstance(value, dict):
        if "tool_calls" in value:
            value = value["tool_calls"] or []
        elif "role" in value and "name" not in value and "function" not in value:
            content = value.get("content")
            return read_calls(content, call_format) if isinstance(content, str) else []
    if isinstance(value, dict):
        value = [value]
    return expected_calls(value)


def _call(value: Any) -> Call:
    if not isinstance(value, dict):
        raise UnreadableCallError(f"a call is {_kind(value)}; expected an object")
    function = value.get("function")
    if isinstance(function, dict):
        value = function
        function = value.get("function")
    name = value.get("name", function)
    if not isinstance(name, str) or not name:
        raise UnreadableCallError("a call has no name")
    fields = _ARGUMENTS & value.keys()
    if len(fields) > 1:
        first, second, *_ = sorted(fields)
        raise UnreadableCallError(f"a call of {name} has both {first!r} and {second!r}")
    arguments: Any = value[next(iter(fields))] if fields else {}
    if isinstance(arguments, str):
        arguments = _json(arguments) if arguments.strip() else {}
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise UnreadableCallError(
            f"the arguments of {name} are {_kind(arguments)}; expected an object"
        )
    return Call(name, arguments)


def _kind(value: Any) -> str:
    """Return the type of a value in the words of JSON.

    >>> _kind([]), _kind(None), _kind(1.5)
    ('a list', 'null', 'a number')
    """
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else kinds.get(type(value), "a number")
