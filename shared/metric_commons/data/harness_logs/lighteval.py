"""Details of lighteval: a Parquet table with the columns `doc`, `model_response` and `metric`.

Its manual calls them `__doc__`, `__model_response__` and `__metric__`.
Source: huggingface/lighteval, `logging/evaluation_tracker.py`, `tasks/requests.py`.
"""

import re
from typing import Any

from .logs import Content, LogFormat, Record, argmax, listed, numbers_alone

_COLUMNS = {"doc", "model_response", "metric"}
_NAME = re.compile(r"details_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d.-]+\.parquet")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT.*")


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


def _details(content: Content) -> dict[str, Any]:
    match = _NAME.fullmatch(content.path.name)
    folder = content.path.resolve().parent
    return {
        "rows": (
            (None, {name.strip("_"): value for name, value in record.items()} | {"row": row})
            for row, (_, record) in enumerate(content.rows)
        ),
        "system": folder.parent.name if _DATE.fullmatch(folder.name) else None,
        "task": match and match["task"],
    }


FORMATS = (
    LogFormat(
        name="lighteval",
        kinds=["parquet"],
        further=lambda content: {name.strip("_") for name in content.first} >= _COLUMNS,
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
