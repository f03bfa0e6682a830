"""Tool calls in the forms that models and frameworks write.

Texts have the marks of a family of models, JSON, or Python; messages have calls and a text.
A text without any sign of a call has none. A text that attempts a call and cannot be read is
unreadable, which is different from having no call.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from ..text.tokens.fences import fenced_code
from ..text.tokens.thoughts import Thoughts, answer_of
from .call_marks import inside, json_value, marked_values
from .json_texts import json_spans
from .python_calls import Call, UnreadableCallError, read_python_calls

Turns = Literal["all", "last"]
CallFormat = Literal[
    "auto", "hermes", "qwen3_coder", "llama", "deepseek", "mistral", "gemma", "json", "python"
]

# Precedes the JSON text of a prediction that was an object, as in RFC 7464, because texts of models
# may be expected in another form.
OBJECT_MARK = "\x1e"

_PYTHON_START = re.compile(r"'?\[?\s*[A-Za-z_][\w.]*\s*\(")
_PYTHON_LIST = re.compile(r"\[\s*+[A-Za-z_][\w.]*+\((?:\s*+\)|\s*+\w++\s*+=(?!=)|\s*+\w*+\Z)")
_NAME_AND_JSON = re.compile(r"[\w.-]+\n\s*\{")
_BROKEN = re.compile(
    r'\{\s*+"(?:name|tool_name|action|function)"\s*+:\s*+(?:\{|"[^"]*+'
    r'(?:"\s*+,\s*+"(?:arguments|parameters|args|action_input|input)"\s*+:|(?:"[\s,]*+"?\w*+)?\Z))'
)
_NAMES = ("name", "function", "tool_name", "action")
_ARGUMENTS = frozenset(("arguments", "parameters", "args", "input", "action_input"))
_HOLDERS = frozenset(
    ("function", "functionCall", "function_call", "toolUse")
)  # of a name and arguments
_CALLS = ("tool_use", "function_call", "tool_call")  # types of parts and items
_SILENT = ("reasoning", "thinking", "function_call_output", "tool_result")


def read_calls(
    prediction: str,
    call_format: CallFormat = "auto",
    turns: Turns = "all",
    thoughts: Thoughts = "strip",
) -> list[Call]:
    """Return the calls of a prediction; empty if it does not attempt one.

    Args:
        prediction: the text of a model; or the JSON text of calls, of a message or of several,
            after `OBJECT_MARK`.
        call_format: the form of texts; "auto" reads the marks of all families of models, JSON and
            Python, also after other words.
        turns: "all" for the calls of all messages of the assistant in their order, or "last" for
            its last message.
        thoughts: "strip" to leave out calls in thoughts, "keep", or the marks around thoughts.

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
        value = json_value(prediction[1:])
    else:
        text = answer_of(prediction, thoughts)
        if text is None:
            raise UnreadableCallError("the thoughts do not end")
        value = _value_of_text(text.strip(), call_format)
    messages = value if isinstance(value, list) else [value]
    if not any(map(_is_message, messages)):
        if not any(isinstance(part, dict) and "text" in part for part in messages):
            return _calls(value)
        messages = [{"content": messages}]
    replies = [_calls_and_text(message) for message in messages if _is_reply(message)]
    replies = replies if turns == "all" else replies[-1:]
    calls = [call for made, _ in replies for call in made]
    if calls:  # apart from the texts, which then have none
        return calls
    return [call for _, text in replies for call in read_calls(text, call_format, turns, thoughts)]


def _value_of_text(text: str, call_format: CallFormat) -> Any:
    """Return the calls in a text, or messages with calls: a list of `Call`, or a value of JSON."""
    reads_json = call_format in ("auto", "json", "llama")
    if reads_json and text.startswith(("{", "[")):
        with suppress(UnreadableCallError):
            return json_value(text)
    marked = list(marked_values(text, call_format))
    if marked:
        return [call for value in marked for call in _calls(value)]
    if not (reads_json or call_format == "python"):
        return []
    is_fenced = text.startswith(("```", "~~~"))
    plain = (fenced_code(text) or "").strip() if is_fenced else text
    reads_python = call_format != "json"
    if reads_python and _PYTHON_START.match(plain.strip("`\n ")):
        return read_python_calls(plain)
    calls = _calls_in_prose(plain) if reads_json else []
    if not calls and reads_json and plain.startswith(("{", "[")):
        return json_value(plain)
    if not calls and reads_json and _NAME_AND_JSON.match(plain):
        return list(inside(plain, is_closed=False))
    list_start = _PYTHON_LIST.search(text) if call_format == "auto" and not calls else None
    return read_python_calls(text[list_start.start() :]) if list_start else calls


def _calls_in_prose(text: str) -> list[Any]:
    """Return the JSON in a text that has a name and arguments, as only calls have.

    Raises:
        UnreadableCallError: such JSON breaks off.
    """
    calls: list[Any] = []
    prose, position = [], 0
    for start, end in json_spans(text):
        prose.append(text[position:start])
        position = end
        value = json_value(text[start:end])
        if isinstance(value, dict):
            value = value.get("tool_calls", [value])
        if isinstance(value, list) and any(map(_is_call, value)):
            calls += value
    if _BROKEN.search("".join([*prose, text[position:]])):
        raise UnreadableCallError("the JSON of a call breaks off")
    return calls


def _calls(value: Any) -> list[Call]:
    """Return the calls of a list of calls and values of JSON, or of one."""
    return expected_calls(value if isinstance(value, list) else [value])


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


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    is_turn = "role" in value and not {"name", "function"} & value.keys()
    return is_turn or "tool_calls" in value or value.get("type") in ("message", *_SILENT)


def _is_reply(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and message.get("role", "assistant") in ("assistant", "model")
        and message.get("type") not in _SILENT
    )


def _calls_and_text(message: Mapping[str, Any]) -> tuple[list[Call], str]:
    """Return the calls that a message of the assistant has apart from its text, and the text."""
    content = message.get("content", message.get("parts"))
    parts = content if isinstance(content, list) else [content]
    calls = [
        part
        for part in (message, *parts)
        if isinstance(part, dict) and (part.get("type") in _CALLS or _held(part))
    ]
    texts = [
        part.get("text") if isinstance(part, dict) and _is_reply(part) else part for part in parts
    ]
    text = "".join(text for text in texts if isinstance(text, str))
    return _calls(message.get("tool_calls") or []) + _calls(calls), text


def _held(value: Mapping[str, Any]) -> Any:
    """Return the object in an object that has the name and the arguments of a call."""
    held = (value[key] for key in _HOLDERS if key in value)
    return next((inner for inner in held if isinstance(inner, dict)), None)


def _is_call(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    is_named = any(isinstance(value.get(key), str) for key in _NAMES)
    return bool(_held(value)) or (is_named and not _ARGUMENTS.isdisjoint(value))


def _call(value: Any) -> Call:
    if isinstance(value, Call):
        return value
    if not isinstance(value, dict):
        raise UnreadableCallError(f"a call is {_kind(value)}; expected an object")
    while held := _held(value):
        value = held
    if len(value) == 1 and value.keys().isdisjoint(_ARGUMENTS | {*_NAMES}):
        ((name, arguments),) = value.items()  # as in the files of BFCL, and in Apertus' texts
        value = {"name": name if isinstance(arguments, dict) else None, "arguments": arguments}
    name = next((value[key] for key in _NAMES if key in value), None)
    if not isinstance(name, str) or not name:
        raise UnreadableCallError("a call has no name")
    fields = _ARGUMENTS & value.keys()
    if len(fields) > 1:
        first, second, *_ = sorted(fields)
        raise UnreadableCallError(f"a call of {name} has both {first!r} and {second!r}")
    arguments = value[next(iter(fields))] if fields else {}
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
