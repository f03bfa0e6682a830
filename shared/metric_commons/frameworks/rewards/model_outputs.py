"""Completions and references as trainers, harnesses and trackers pass them.

Outputs may be texts, messages of OpenAI with `tool_calls`, items of its Responses, blocks of
Anthropic, or objects of inspect_ai, verifiers and deepeval, which have the same fields as
attributes. Nothing that a model returned raises an error.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_MISSING = {"NAType", "NaTType"}  # missing values of pandas, by the names of their types
_CALLS = ("function_call", "tool_use", "tool_call")  # types of items and blocks
_OF_TOOLS = ("function_call_output", "tool_result", "reasoning", "thinking")
_PLAIN = str | int | float | None  # values without fields


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
    content = messages[-1].get("content") if messages else ""
    parts = content if isinstance(content, list) else [content]
    return "".join(filter(None, map(_text, parts)))


def replies(completion: Any) -> list[dict[str, Any]] | None:
    """Return the messages of the assistant in a completion, as dictionaries; None without any.

    If the assistant wrote no message, the last one counts.

    >>> call = {"type": "function_call", "name": "f", "arguments": "{}"}
    >>> replies([call, {"type": "function_call_output", "output": "4"}]) == [call]
    True
    >>> replies({"a": 1}) is None
    True
    """
    try:
        value = _plain(completion)
    except Exception:  # circles, or properties that cannot be computed
        return None
    items = value if isinstance(value, list) else [value]
    if not all(map(_is_message, items)):
        return None
    return [item for item in items if _role(item) == "assistant"] or items[-1:]


def has_calls(message: Mapping[str, Any]) -> bool:
    """Return whether a message has calls apart from its text, or a list for them.

    >>> has_calls({"tool_calls": []}), has_calls({"content": "[f()]"})
    (True, False)
    """
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    kinds = {part.get("type") for part in (message, *parts) if isinstance(part, dict)}
    return message.get("tool_calls") is not None or not kinds.isdisjoint(_CALLS)


def _plain(value: Any) -> Any:
    """Return a value of lists and dictionaries, which have the fields of objects."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Sequence):
        return list(map(_plain, value))
    fields = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    return {name: _plain(field) for name, field in fields.items()}


def _is_message(value: Any) -> bool:
    """Return whether a value is a message or an item of a conversation."""
    if not isinstance(value, dict):
        return False
    if value.get("type") in ("message", *_CALLS, *_OF_TOOLS):
        return True
    content = value.get("content", 0)
    return isinstance(content, str | list | None) or isinstance(value.get("tool_calls"), list)


def _role(message: Mapping[str, Any]) -> Any:
    kind = message.get("type")
    if kind in _OF_TOOLS:
        return "tool"
    return "assistant" if kind in _CALLS else message.get("role")


def _text(part: Any) -> str | None:
    if isinstance(part, dict) and part.get("type") not in _OF_TOOLS:
        part = part.get("text")
    return part if isinstance(part, str) else None


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
