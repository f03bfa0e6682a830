"""Completions and references as trainers and frameworks pass them."""

from collections.abc import Mapping, Sequence
from typing import Any

_MISSING = {"NAType", "NaTType"}  # missing values of pandas, by the names of their types


def text_of(completion: Any) -> str:
    """Return the text that is judged.

    Of the completion, or of the last message of the assistant in it.

    Args:
        completion: a text; a message with `content`, a text or a list of parts; a list of messages;
            or None, which is an empty text.

    Raises:
        TypeError: it is none of these.

    >>> text_of([{"role": "assistant", "content": "4"}, {"role": "tool", "content": "ok"}])
    '4'
    >>> text_of({"content": [{"type": "text", "text": "a"}, {"type": "image"}]}), text_of(None)
    ('a', '')
    """
    if isinstance(completion, str):
        return completion
    message = message_of(completion)
    content = message.get("content")
    if isinstance(content, list | tuple):
        return "".join(map(_text_of_part, content))
    if content is None or isinstance(content, str):
        return content or ""
    raise TypeError(f"a message has a text as content, got {type(content).__name__}")


def message_of(completion: Any) -> Mapping[str, Any]:
    """Return the message that is judged: the last of the assistant, or else the last.

    >>> message_of([{"role": "assistant", "tool_calls": []}])
    {'role': 'assistant', 'tool_calls': []}
    """
    if completion is None:
        return {}
    if isinstance(completion, str):
        return {"role": "assistant", "content": completion}
    if isinstance(completion, Mapping):
        return completion
    if isinstance(completion, Sequence) and all(isinstance(row, Mapping) for row in completion):
        replies = [message for message in completion if message.get("role") == "assistant"]
        last: Mapping[str, Any] = (replies or list(completion) or [{}])[-1]
        return last
    raise TypeError(f"a completion is a text or a list of messages, got {_shape(completion)}")


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""


def _shape(value: Any) -> str:
    if isinstance(value, Sequence) and len(value):
        return f"a {type(value).__name__} of {type(value[0]).__name__}"
    return type(value).__name__


def reference_values(reference: Any) -> list[Any]:
    """Return the accepted answers of a row: texts and numbers, without None and NaN.

    Args:
        reference: a text, a number, an array, or a list of these.

    Raises:
        TypeError: it is a dictionary; the message lists its fields.

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
        raise TypeError(f"a reference is a text or a list of texts, got the fields {fields}")
    is_nan = isinstance(reference, float) and reference != reference
    is_missing = reference is None or is_nan or type(reference).__name__ in _MISSING
    return [] if is_missing else [reference]
