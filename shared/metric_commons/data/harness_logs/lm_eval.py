"""Logs of the LM Evaluation Harness, versions 0.4.0 to 0.4.13: samples, and means of tasks.

Samples are in `samples_<task>_<date>.jsonl`, means with standard errors in `results_<date>.json`.
Numbers among the responses are strings, and the target is its Python `str()`. If a task has several
filters, every document is logged once for each. Up to 0.4.2 the file is an indented JSON array,
without names of filters and metrics.

Source: EleutherAI/lm-evaluation-harness, `loggers/evaluation_tracker.py`, `evaluator.py`.
"""

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ...statistics.arguments.python_syntax import syntax_tree
from ..files.streams import uncompressed_name
from .declared_formats import instructions
from .logs import Content, LogFormat, LoggedMeans, Record, argmax, listed

_OF_MEANS = "results versions config"
_FIELDS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl?")
# A list of strings in single quotes, without characters that have a special meaning in Python,
# whose own parser would take 15 microseconds.
_PLAIN_LIST = re.compile(r"\['[^'\\\n\r\0]*'(?:, '[^'\\\n\r\0]*')*\]")
_NUMBERS = (*"-0123456789", "inf", "nan")  # how a log-likelihood begins in text form
_INDEX = re.compile(r"\d+")


def _run(content: Content) -> dict[str, Any]:
    """Return the samples, together with the file of results beside them, or the means."""
    if content.has(_OF_MEANS):
        return _means(content.first)
    path = content.path
    match = _NAME.fullmatch(uncompressed_name(path))
    if match is None:
        return {"columns": {"task": lambda _: None}, "variants": {"filter": _filter_names()}}
    task = match["task"]
    data = content.beside(path.with_name(f"results_{match['date']}.json"))
    results = json.loads(data or "{}")
    higher = results.get("higher_is_better", {}).get(task) or {}
    return {
        "columns": {"task": lambda _: task},
        "system": results.get("model_name") or path.resolve().parent.name,
        "task": task,
        "samples": results.get("n-samples", {}).get(task, {}).get("effective"),
        "variants": {"filter": _filter_names()},
        "lower_is_better": frozenset(metric for metric, is_up in higher.items() if not is_up),
    }


def _filter_names() -> Callable[[Record], str]:
    """Return a function for the filter of a row; before 0.4.7 it is the number of its block."""
    blocks: Counter[Any] = Counter()

    def name(record: Record) -> str:
        if record.get("filter") is not None:
            return str(record["filter"])
        blocks[record["doc_id"]] += 1
        return str(blocks[record["doc_id"]] - 1)

    return name


def _literal(text: Any, kinds: type | tuple[type, ...]) -> Any:
    """Return the value of Python's syntax in a text if it is of these kinds, or else the text."""
    if isinstance(text, str) and text[:1] in ("[", "{"):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            value = ast.literal_eval(syntax_tree(text, "eval"))
            return value if isinstance(value, kinds) else text
    return text


def literal_list(target: Any) -> list[str]:
    """Return the references in a target.

    >>> literal_list("['a', 'b']"), literal_list("[a]"), literal_list(["a"])
    (['a', 'b'], ['[a]'], ['a'])
    """
    if isinstance(target, str) and _PLAIN_LIST.fullmatch(target):  # the usual case
        return target[2:-2].split("', '")
    is_list = isinstance(target, str) and target.endswith("]")
    return list(map(str, listed(_literal(target, list) if is_list else target)))


def prediction(record: Record) -> str:
    """Return the first answer, after the filter."""
    answer = record["filtered_resps"][0]
    if isinstance(answer, str) and (not answer.startswith(_NUMBERS) or _is_generated(record)):
        return answer
    while isinstance(answer, list) and answer and not _is_pair(answer):
        answer = answer[0]
    if not isinstance(answer, str) or not _is_generated(record):
        raise ValueError("the log has log-likelihoods but no text of an answer")
    return answer


def references(record: Record) -> list[str]:
    """Return the accepted answers."""
    return literal_list(record["target"])


def reference(record: Record) -> Any:
    """Return the target: a value, or its text; since 0.4.5 a list or an object is logged by `str`.

    >>> reference({"target": "{'a': True}"}), reference({"target": "[f(a=1)]"})
    ({'a': True}, '[f(a=1)]')
    """
    value = record["target"]
    with suppress(ValueError, TypeError, RecursionError):
        json.loads(value)
        return value
    return _literal(value, (list, dict))


def option_scores(record: Record) -> list[float]:
    """Return the log-likelihood of each option."""
    return [float(response[0]) for response in _responses(record)]


def option_probabilities(record: Record) -> list[float]:
    """Return the softmax of the log-likelihoods."""
    scores = option_scores(record)
    powers = [math.exp(score - max(scores)) for score in scores]
    total = math.fsum(powers)
    return [power / total for power in powers]


def truth(record: Record) -> list[int]:
    """Return whether each option is right, 1 or 0."""
    right = _right_options(record)
    return [int(position in right) for position in range(len(_responses(record)))]


def predicted(record: Record) -> Any:
    """Return the position of the most likely option, the first in a tie; or the text."""
    return argmax(option_scores(record)) if _is_choice(record) else prediction(record)


def label(record: Record) -> Any:
    """Return the position of the right option; or the accepted text."""
    right = sorted(_right_options(record)) if _is_choice(record) else references(record)
    if len(right) != 1:
        raise ValueError(f"the target has {len(right)} values, but a class has one")
    return right[0]


def logged(record: Record) -> dict[str, Any]:
    """Return the metrics of the row, even if they are not numbers, so that errors name them."""
    named = record.get("metrics")
    if named is not None:
        return {name: record[name] for name in named}
    others = {name: value for name, value in record.items() if name not in _FIELDS}
    return {name: v for name, v in others.items() if isinstance(v, int | float | list)}


def _is_pair(response: Any) -> bool:
    """Return whether a response is a log-likelihood with a flag for the greedy choice."""
    return (
        isinstance(response, list) and len(response) == 2 and str(response[1]) in ("True", "False")
    )


def _is_choice(record: Record) -> bool:
    return all(map(_is_pair, record["filtered_resps"]))


def _is_generated(record: Record) -> bool:
    """Return whether a model wrote the answer: requests then have options such as `until`."""
    requests = _requests(record)
    return not requests or any(isinstance(value, dict) for value in requests[0])


def _requests(record: Record) -> list[list[Any]]:
    """Return the arguments of each request."""
    requests = record.get("arguments") or []
    if isinstance(requests, dict):
        return [list(request.values()) for request in requests.values()]
    return [listed(request) for request in requests]


def _responses(record: Record) -> list[list[Any]]:
    """Return the responses to the options; with acc_mutual_info also those without a question."""
    responses: list[list[Any]] = record["filtered_resps"]
    if not _is_choice(record):
        raise ValueError("the log has no log-likelihoods of options")
    questions = [request[0] for request in _requests(record)]
    if len(questions) != len(responses) or all(questions) or not any(questions):
        return responses
    return [response for response, question in zip(responses, questions, strict=True) if question]


def _right_options(record: Record) -> set[int]:
    """Return the positions of the right options: the target names them, or has the text of one."""
    targets = references(record)
    if all(_INDEX.fullmatch(target) for target in targets):
        return {int(target) for target in targets}
    texts = [str(request[1]).strip() if len(request) > 1 else "" for request in _requests(record)]
    missing = [target for target in targets if target.strip() not in texts]
    if missing:
        raise ValueError(f"the target {missing[0]!r} is not one of the options")
    return {texts.index(target.strip()) for target in targets}


def _means(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the means of each task."""
    samples = document.get("n-samples") or {}
    directions = document.get("higher_is_better") or {}
    means, lower = [], set()
    scored = {task: _numbers(scores) for task, scores in document["results"].items()}
    groups = {
        member: group
        for group, members in (document.get("group_subtasks") or {}).items()
        for member in members
        if scored.get(group)
    }
    for task, scores in scored.items():
        if scores:
            errors = _numbers(document["results"][task], "_stderr")
            rows = int((samples.get(task) or {}).get("effective") or 0)
            means.append(LoggedMeans(task, scores, errors, rows, groups.get(task)))
        higher = directions.get(task) or {}
        lower |= {score for score in scores if higher.get(score.partition(",")[0]) is False}
    argument = re.search(r"pretrained=([^,]+)", str(document["config"].get("model_args")))
    name = document.get("model_name") or (argument and argument[1])
    return {
        "rows": iter(()),
        "system": name,
        "means": means,
        "lower_is_better": frozenset(lower),
    }


def _numbers(scores: Mapping[str, Any], ending: str = "") -> dict[str, float]:
    """Return the scores by metric and filter, or their errors, whose names have the ending.

    >>> _numbers({"alias": "x", "sample_len": 9, "acc,none": 0.5, "acc_stderr,none": 0.1})
    {'acc,none': 0.5}
    """
    numbers = {}
    for name, value in scores.items():
        metric, comma, chosen = name.partition(",")
        is_number = isinstance(value, int | float) and bool(comma)
        if is_number and metric.endswith("_stderr") == bool(ending):
            numbers[f"{metric.removesuffix(ending)}{comma}{chosen}"] = float(value)
    return numbers


FORMATS = (
    LogFormat(
        name="lm-eval",
        marks=["doc_id resps filtered_resps", _OF_MEANS],
        columns={
            "id": "doc_id",
            "prediction": prediction,
            "references": references,
            "accepted_answers": "doc.answers.text?",  # as in SQuAD v2; the target does not show it
            "message": prediction,
            "reference": reference,
            "option_scores": option_scores,
            "option_probabilities": option_probabilities,
            "truth": truth,
            "predicted": predicted,
            "label": label,
            "logged": logged,
            "instructions": lambda record: instructions(record["doc"]),
        },
        computed=_run,
    ),
)
