"""Values of frameworks that judge one row at a time, as tasks take them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .module_tasks import ModuleRows, ModuleTexts
from .verdicts import Task


def completion_of(value: Any) -> Any:
    """Return a completion that every task takes: a text, None, a message or a list of messages.

    Other values are what a model returned for a field of another type. Values of JSON become
    their JSON text, and others the text that prints them.

    >>> completion_of(42), completion_of({"a": [1]}), completion_of([{"content": "4"}])
    ('42', '{"a": [1]}', [{'content': '4'}])
    """
    if value is None or isinstance(value, str) or _is_message(value):
        return value
    if not isinstance(value, Mapping | list | tuple):
        return str(value)
    if value and not isinstance(value, Mapping) and all(map(_is_message, value)):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):  # keys of other types, or circles
        return str(value)


def _is_message(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value.keys() & {"content", "tool_calls"}:
        return False
    return isinstance(value.get("content"), str | list | tuple | None)


def further_scores(task: Task) -> list[str]:
    """Return the names of the scores that a verdict of this task has beside its own.

    >>> further_scores(ModuleTexts(module="qa_f1", extract="boxed"))
    ['qa_precision', 'qa_recall']
    """
    match task:
        case ModuleTexts():
            plain = replace(task, extract=None, extract_references=None)
            return list(plain.verdict("a", "a").scores)
        case ModuleRows():
            return list(task.verdict(*task.sample).scores)
        case _:
            return []
