"""Completions and references as trainers, harnesses and trackers pass them.

Outputs may be texts, messages of OpenAI with `tool_calls`, items of its Responses, blocks of
Anthropic, or objects of inspect_ai, verifiers and deepeval, which have the same fields as
attributes. Nothing that a model returned raises an error.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_MISSING = {"NAType", "NaTType"}  # missing values of pandas, by the names of their types
_CALLS = ("function_call", "tool_use", "tool_call")  # types of items and blocks
_MESSAGES = ("message", *_CALLS, "function_call_output", "tool_result", "reasoning", "thinking")
_PLAIN = str | bytes | int | float | None  # values without fields
_ABSENT = object()


class ReferenceTypeError(TypeError):
    """A reference has a type that references cannot have."""


def text_of(completion: Any) -> str:
    """Return the text that is judged: all of a completion, or its last message of the assistant.

    Args:
        completion: a text; a message, an item or a list of these, whose parts are joined; None,
            which is an empty text. Any other value becomes its JSON text, or else the text that
            `str` returns.

    >>> text_of([{"role": "assistant", "content": "4"}, {"role": "tool", "content": "ok"}])
    '4'
    >>> text_of({"content": [{"type": "text", "text": "a"}, {"type": "image"}]}), text_of(b"b")
    ('a', 'b')
    >>> text_of(None), text_of(42), text_of({"a": [1]})
    ('', '42', '{"a": [1]}')
    """
    if isinstance(completion, str):
        return completion
    messages = replies(completion)
    if messages is None:
        return _printed(completion)
    return str(messages[-1]["content"]) if messages else ""


def replies(completion: Any) -> list[dict[str, Any]] | None:
    """Return the messages of the assistant in a completion; None if it has no messages.

    Each has a role, the text of its content, and `tool_calls` if it has any. If the assistant wrote
    no message, the last one counts.

    >>> call = {"type": "function_call", "name": "f", "arguments": "{}"}
    >>> replies([call, {"type": "function_call_output", "output": "4"}])
    [{'role': 'assistant', 'content': '', 'tool_calls': [{'name': 'f', 'arguments': '{}'}]}]
    >>> replies({"a": 1}) is None
    True
    """
    if isinstance(completion, _PLAIN):
        return None
    items = completion if isinstance(completion, Sequence) else [completion]
    if not all(map(_is_message, items)):
        return None
    by_assistant = [item for item in items if _role(item) == "assistant"]
    return list(map(_reply, by_assistant or items[-1:]))


def calling(calls: Iterable[Any], content: Any = "") -> dict[str, Any]:
    """Return the message of an assistant that makes calls, which are objects or dictionaries.

    >>> calling([{"name": "f", "input_parameters": {"a": 1}}])["tool_calls"]
    [{'name': 'f', 'arguments': {'a': 1}}]
    """
    return {"role": "assistant", "content": content, "tool_calls": list(map(_call, calls))}


def _field(value: Any, name: str, default: Any = None) -> Any:
    """Return a field of a mapping, or an attribute of an object."""
    if isinstance(value, Mapping):
        return value.get(name, default)
    try:
        return getattr(value, name, default)
    except Exception:  # a property that cannot be computed
        return default


def _is_message(value: Any) -> bool:
    """Return whether a value is a message or an item of a conversation."""
    if isinstance(value, _PLAIN | Sequence):
        return False
    if _field(value, "type") in _MESSAGES:
        return True
    content = _field(value, "content", _ABSENT)
    if content is _ABSENT:
        return isinstance(_field(value, "tool_calls"), list | tuple)
    return isinstance(content, str | bytes | list | tuple | None)


def _role(message: Any) -> Any:
    kind = _field(message, "type")
    if kind in ("function_call_output", "tool_result", "reasoning", "thinking"):
        return "tool"
    return "assistant" if kind in _CALLS else _field(message, "role")


def _reply(message: Any) -> dict[str, Any]:
    content, listed = _field(message, "content"), _field(message, "tool_calls")
    parts = content if isinstance(content, list | tuple) else [content]
    calls = list(map(_call, listed)) if isinstance(listed, list | tuple) else []
    calls += [_call(part) for part in (*parts, message) if _field(part, "type") in _CALLS]
    reply = {"role": "assistant", "content": "".join(_texts(parts))}
    return reply | ({"tool_calls": calls} if listed is not None or calls else {})


def _call(value: Any) -> Any:
    """Return a call with `name` and `arguments`; other values unchanged."""
    if isinstance(value, str | int | float | list | tuple | None):
        return value
    function = _field(value, "function")
    if function is not None and not isinstance(function, str):
        return _call(function)
    call = {"name": _field(value, "name") or function}
    for name in ("arguments", "parameters", "args", "input", "input_parameters"):
        arguments = _field(value, name, _ABSENT)
        if arguments is not _ABSENT:
            return call | {"arguments": arguments}
    return call


def _texts(parts: Iterable[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, bytes):
            yield part.decode("utf-8", "replace")
        elif isinstance(part, str):
            yield part
        elif _field(part, "type") not in ("reasoning", "thinking"):
            text = _field(part, "text")
            if isinstance(text, str):
                yield text


def _printed(value: Any) -> str:
    if value is None or isinstance(value, bytes):
        return (value or b"").decode("utf-8", "replace")
    try:
        if isinstance(value, Mapping | list | tuple):
            import json  # only for values other than texts

            return json.dumps(value, ensure_ascii=False, default=str)
    except Exception:  # keys of other types, or circles
        pass
    try:
        return str(value)
    except Exception:  # an object that cannot be printed
        return f"<{type(value).__name__}>"


def sole(values: Sequence[Any]) -> Any:
    """Return the only one of several accepted answers, or all of them.

    Harnesses have a list of targets even if a module takes one, such as a JSON text.

    >>> sole(["4"]), sole(["4", "four"])
    ('4', ['4', 'four'])
    """
    return values[0] if len(values) == 1 else list(values)


def reference_values(reference: Any) -> list[Any]:
    """Return the accepted answers of a row: texts and numbers, without None and NaN.

    Args:
        reference: a text, a number, an array, or a list of these.

    Raises:
        ReferenceTypeError: it is a dictionary; the message lists its fields.

    >>> reference_values(["a", None, [2, float("nan")]]), reference_values(None)
    (['a', 2], [])
    """
    if isinstance(reference, str):
        return [reference]
    if hasattr(reference, "tolist"):  # arrays and numbers of numpy and torch
        reference = reference.tolist()
    if isinstance(reference, list | tuple):
        return [value for item in reference for value in reference_values(item)]
    if isinstance(reference, Mapping):
        fields = ", ".join(map(repr, reference))
        raise ReferenceTypeError(
            f"a reference is a text or a list of texts, got the fields {fields}"
        )
    is_nan = isinstance(reference, float) and reference != reference
    is_missing = reference is None or is_nan or type(reference).__name__ in _MISSING
    return [] if is_missing else [reference]
