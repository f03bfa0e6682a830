"""Tool calls in the forms that models and frameworks write.

Texts have the marks of a family of models, JSON, or Python; messages have calls beside their text.
A text without any sign of a call has none. A text that attempts a call and cannot be read is
unreadable, which is different from having no call.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

from .call_formats import FORMATS, CallFormat, json_value
from .json_texts import unfenced
from .python_calls import Call, UnreadableCallError, read_python_calls

Turns = Literal["all", "last"]

# Precedes the JSON text of a prediction that was an object, as in RFC 7464, because texts of models
# may be expected in another form.
OBJECT_MARK = "\x1e"

_PYTHON_START = re.compile(r"'?\[?\s*[A-Za-z_][\w.]*\s*\(")
_PYTHON_LIST_START = re.compile(r"\[\s*[A-Za-z_][\w.]*\s*\(")
_TAG = "<tool_call>"
_ARGUMENTS = frozenset(("arguments", "parameters", "args", "input"))


def read_calls(
    prediction: str, call_format: CallFormat = "auto", turns: Turns = "all"
) -> list[Call]:
    """Return the calls of a prediction; empty if it does not attempt one.

    Args:
        prediction: the text of a model; or the JSON text of calls, of a message or of several,
            after `OBJECT_MARK`.
        call_format: the form of texts; "auto" looks for the marks of each family of models, then
            tries JSON, then Python.
        turns: "all" for the calls of all messages of the assistant in their order, or "last" for
            its last message.

    Raises:
        UnreadableCallError: it attempts a call that cannot be read.

    >>> read_calls('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>')
    [Call(name='f', arguments={'a': 1})]
    >>> read_calls('Well. [TOOL_CALLS]f[ARGS]{"a": 1}')
    [Call(name='f', arguments={'a': 1})]
    >>> read_calls("[f(a=1)]"), read_calls("I cannot do that.")
    ([Call(name='f', arguments={'a': 1})], [])
    """
    if prediction.startswith(OBJECT_MARK):
        return _calls_of_object(json_value(prediction[1:]), call_format, turns)
    text = prediction.strip()
    names = FORMATS if call_format == "auto" else {call_format} & FORMATS.keys()
    for name in names:
        if any(mark in text for mark in FORMATS[name].marks) or (
            name == "llama" and call_format == "llama" and "<function=" in text
        ):
            values = list(FORMATS[name].read(text))
            if not values:
                raise UnreadableCallError("a call is cut off")
            return [call for value in values for call in _calls(value)]
    if call_format not in ("auto", "json", "python", "llama"):
        return []
    plain = unfenced(text).strip()
    if call_format != "python" and plain.startswith(("{", "[")):
        is_python = call_format != "json" and _PYTHON_LIST_START.match(plain)
        if not is_python:
            return _calls_of_object(json_value(plain), call_format, turns)
    if call_format != "json" and _PYTHON_START.match(plain.strip("`\n ")):
        return read_python_calls(plain)
    return []


def _calls(value: Any) -> list[Call]:
    """Return the calls of a list of values of JSON, or of one."""
    if isinstance(value, Call):
        return [value]
    if isinstance(value, list) and value and isinstance(value[0], Call):
        return value
    return expected_calls([value] if isinstance(value, dict) else value)


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
    is_json = is_json and "<function=" not in prediction
    return is_json and not any(
        word in text for text in (prediction, reference) for word in ("true", "false")
    )


def _calls_of_object(value: Any, call_format: CallFormat, turns: Turns) -> list[Call]:
    """Return the calls of a message or several, a list of calls, or one call."""
    messages = [value] if isinstance(value, dict) else value
    if isinstance(messages, list) and any(_is_message(item) for item in messages):
        return _calls_of_messages(messages, call_format, turns)
    return _calls(value)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and (
        "tool_calls" in value
        or ("role" in value and "name" not in value and "function" not in value)
    )


def _calls_of_messages(
    messages: Sequence[Any], call_format: CallFormat, turns: Turns
) -> list[Call]:
    """Return the calls of the assistant; where a message has calls apart, texts have none."""
    replies = [
        message
        for message in messages
        if isinstance(message, dict) and message.get("role", "assistant") == "assistant"
    ]
    replies = replies if turns == "all" else replies[-1:]
    if any("tool_calls" in message for message in replies):
        return [c for message in replies for c in _calls(message.get("tool_calls") or [])]
    texts = [message.get("content") for message in replies]
    return [c for text in texts if isinstance(text, str) for c in read_calls(text, call_format)]


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
        arguments = json_value(arguments) if arguments.strip() else {}
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
