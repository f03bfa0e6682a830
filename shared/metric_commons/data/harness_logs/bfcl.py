"""Files of the Berkeley Function Calling Leaderboard: results of a model, and possible answers.

A result is the text of a model, or a list of calls `{name: arguments}` of a model with a function
calling interface. Possible answers are in a file of their own, to be joined by id; the questions,
with the declarations of the tools, are in the folder above it, in a file with the same name.

Source: ShishirPatil/gorilla, berkeley-function-call-leaderboard, `bfcl_eval/data`.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from .logs import Content, LogFormat, Record

_NUMBER = re.compile(r"_\d+(?:-\d+)*$")


def _is_bfcl(content: Content) -> bool:
    """Return whether the first record is a result, or has calls with lists of accepted values."""
    match content.first.get("ground_truth"):
        case [dict(call), *_] if len(call) == 1:
            (values,) = call.values()
            return isinstance(values, dict) and all(isinstance(v, list) for v in values.values())
    return content.has("latency")


def category(record: Record) -> str:
    """Return the category of a question: the beginning of its id.

    >>> category({"id": "live_simple_3-2-1"})
    'live_simple'
    """
    return _NUMBER.sub("", str(record["id"]))


def message(record: Record) -> Any:
    """Return the text of a model, or its calls.

    >>> message({"result": [{"f": '{"a": 1}'}]})
    [{'name': 'f', 'arguments': '{"a": 1}'}]
    """
    result = record["result"]
    return _calls(result) if isinstance(result, list) else str(result)


def _calls(calls: list[Any]) -> list[dict[str, Any]]:
    """Return calls `{name: arguments}` as records of name and arguments."""
    pairs = [pair for call in calls if isinstance(call, Mapping) for pair in call.items()]
    return [{"name": name, "arguments": arguments} for name, arguments in pairs]


def _no_call(record: Record) -> list[Any]:
    """Return the expected calls of a question for which no tool is suitable: none.

    Raises:
        ValueError: the question has possible answers, in another file.
    """
    if "irrelevance" not in category(record):
        raise ValueError("the possible answers are in another file; name it with --references")
    return []


def _columns(content: Content) -> dict[str, Any]:
    """Return the results, or the possible answers with the tools of their questions."""
    if not content.has("ground_truth"):
        return {"columns": {"prediction": message, "message": message, "reference": _no_call}}
    folder = content.path.resolve().parent
    data = b""
    if folder.name == "possible_answer":
        data = content.beside(folder.parent / content.path.name)
    questions = [json.loads(line) for line in data.splitlines() if line.strip()]
    tools = {question["id"]: question.get("function") or [] for question in questions}

    def expected(record: Record) -> Any:
        calls = _calls(record["ground_truth"])
        if record["id"] not in tools:
            return calls
        return {"tool_calls": calls, "tools": tools[record["id"]]}

    return {
        "columns": {"reference": expected},
        "options": {"arguments": "bfcl"},  # each argument is a list of accepted values
    }


FORMATS = (
    LogFormat(
        name="bfcl",
        marks=["id result latency", "id ground_truth"],
        further=_is_bfcl,
        columns={"id": "id", "task": category},
        computed=_columns,
    ),
)
