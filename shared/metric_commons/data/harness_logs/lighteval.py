"""Details of lighteval: a Parquet table with the columns `doc`, `model_response` and `metric`.

Its manual calls them `__doc__`, `__model_response__` and `__metric__`.
Source: huggingface/lighteval, `logging/evaluation_tracker.py`, `tasks/requests.py`.
"""

import re
from typing import Any

from .logs import Content, LogFormat, Record, argmax, listed, numbers_alone

_COLUMNS = ("doc", "model_response", "metric")
_NAME = re.compile(r"details_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d.-]+\.parquet")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT.*")


def _has_columns(content: Content) -> bool:
    """Return whether a table has the columns of details."""
    return all(name in content.first or f"__{name}__" in content.first for name in _COLUMNS)


def prediction(record: Record) -> str:
    """Return the first answer, after post-processing."""
    response = record["model_response"]
    texts = response.get("text_post_processed") or response.get("text")
    if not texts:
        raise ValueError("the log has log-probabilities but no text of an answer")
    return str(listed(texts)[0])


def references(record: Record) -> list[str]:
    """Return the right choices."""
    choices = record["doc"]["choices"]
    return [choices[position] for position in listed(record["doc"]["gold_index"])]


def option_scores(record: Record) -> list[float]:
    """Return the log-probability of each choice."""
    scores: list[float] = record["model_response"].get("logprobs") or []
    if len(scores) != len(record["doc"]["choices"]):
        raise ValueError("the log has no log-probabilities of the choices")
    return scores


def truth(record: Record) -> list[int]:
    """Return whether each choice is right, 1 or 0."""
    right = listed(record["doc"]["gold_index"])
    return [int(position in right) for position in range(len(record["doc"]["choices"]))]


def _plain(record: Record) -> dict[str, Any]:
    return {name: record[name if name in record else f"__{name}__"] for name in _COLUMNS}


def _details(content: Content) -> dict[str, Any]:
    match = _NAME.fullmatch(content.path.name)
    folder = content.path.resolve().parent
    rows = enumerate(content.rows)
    return {
        "rows": ((line, _plain(record) | {"row": row}) for row, (line, record) in rows),
        "system": folder.parent.name if _DATE.fullmatch(folder.name) else None,
        "task": match["task"] if match else None,
    }


FORMATS = (
    LogFormat(
        name="lighteval",
        kinds=["parquet"],
        further=_has_columns,
        columns={
            "id": lambda record: record["doc"].get("id") or record["row"],
            "task": lambda record: record["doc"].get("task_name"),
            "prediction": prediction,
            "references": references,
            "option_scores": option_scores,
            "truth": truth,
            "predicted": lambda record: argmax(option_scores(record)),
            "label": lambda record: listed(record["doc"]["gold_index"])[0],
            "logged": lambda record: numbers_alone(record["metric"]),
        },
        computed=_details,
    ),
)
