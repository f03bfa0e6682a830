"""Files of the Berkeley Function Calling Leaderboard: results of a model, and possible answers.

A result is the text of a model, or a list of calls `{name: arguments}` of a model with a function
calling interface. Possible answers are in a file of their own, to be joined by id; the questions,
with the declarations of the tools, are in the folder above it, in a file with the same name.

Source: ShishirPatil/gorilla, berkeley-function-call-leaderboard, `bfcl_eval/data`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .logs import Content, LogFormat, Record

_NUMBER = re.compile(r"_\d+(?:-\d+)*$")


def _is_bfcl(content: Content) -> bool:
    """Return whether the first record is a result with its costs, or has possible answers."""
    if content.has("result", "latency"):
        return True
    answers = content.first.get("ground_truth")
    return isinstance(answers, list) and all(map(_is_answer, answers)) and bool(answers)


def _is_answer(call: Any) -> bool:
    """Return whether this is a call whose arguments have lists of accepted values.

    >>> _is_answer({"f": {"a": [1]}}), _is_answer({"text": "a"})
    (True, False)
    """
    if not isinstance(call, dict) or len(call) != 1:
        return False
    (arguments,) = call.values()
    return isinstance(arguments, dict) and all(
        isinstance(values, list) for values in arguments.values()
    )


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
    if not isinstance(result, list):
        return str(result)
    return _calls([call for call in result if isinstance(call, Mapping)])


def _calls(calls: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return calls `{name: arguments}` as records of name and arguments."""
    return [
        {"name": name, "arguments": arguments} for call in calls for name, arguments in call.items()
    ]


def _no_call(record: Record) -> list[Any]:
    """Return the expected calls of a question for which no tool is suitable: none.

    Raises:
        ValueError: the question has possible answers, in another file.
    """
    if "irrelevance" not in category(record):
        raise ValueError("the possible answers are in another file; name it with --references")
    return []


def _expected(record: Record, tools: Mapping[str, Any]) -> Any:
    """Return the expected calls, with the tools of the question if there is a file of questions."""
    calls = _calls(record["ground_truth"])
    if record["id"] not in tools:
        return calls
    return {"tool_calls": calls, "tools": tools[record["id"]]}


def _tools(content: Content) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the tools of each question, and the hash of their file; empty if it is missing."""
    folder = content.path.resolve().parent
    if folder.name != "possible_answer":
        return {}, {}
    data, sidecars = content.beside(folder.parent / content.path.name)
    lines = data.decode("utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    return {record["id"]: record.get("function") or [] for record in records}, sidecars


def _columns(content: Content) -> dict[str, Any]:
    """Return the results, or the possible answers with the tools of their questions."""
    if not content.has("ground_truth"):
        return {"columns": {"prediction": message, "message": message, "reference": _no_call}}
    tools, sidecars = _tools(content)
    return {
        "columns": {"reference": lambda record: _expected(record, tools)},
        "options": {"arguments": "bfcl"},  # each argument is a list of accepted values
        "sidecars": sidecars,
    }


FORMATS = (
    LogFormat(
        name="bfcl",
        marks=[("id", "result", "latency"), ("id", "ground_truth")],
        further=_is_bfcl,
        columns={"id": "id", "task": category},
        computed=_columns,
    ),
)
