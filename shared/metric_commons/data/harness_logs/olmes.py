"""Predictions of OLMES and OLMo-Eval: `task-<number>-<name>-predictions.jsonl`.

`logits_per_byte` is bits per byte: positive, and lower is better, beside `logits_per_char`, which
is negative. Source: allenai/olmes.
"""

import re

from .logs import Content, Log, Marks, Record, argmax, listed, numbers_alone

FORMAT = "olmes"
MARKS = Marks(fields=[("doc_id", "model_output", "label")])
_NAME = re.compile(r"task-\d+-(?P<task>.+)-predictions\.jsonl")
# Values besides scores among the metrics.
_BOOKKEEPING = re.compile(r"predicted_index_.*|correct_choice|num_.*")


def read(content: Content) -> Log:
    """Return the log."""
    match = _NAME.fullmatch(content.path.name)
    return Log(
        rows=content.rows,
        columns={
            "id": lambda record: record.get("native_id", record["doc_id"]),
            "prediction": prediction,
            "references": lambda record: [str(label) for label in listed(record["label"])],
            "option_scores": option_scores,
            "truth": truth,
            "predicted": lambda record: argmax(option_scores(record)),
            "label": lambda record: record["label"],
            "logged": logged,
        },
        task=match["task"] if match else None,
        lower_is_better=frozenset({"bits_per_byte", "logits_per_byte"}),
    )


def prediction(record: Record) -> str:
    """Return the text that the model wrote."""
    output = record["model_output"][0]
    if "continuation" not in output and "text" not in output:
        raise ValueError("the log has sums of logits but no text of an answer")
    return str(output.get("continuation", output.get("text")))


def option_scores(record: Record) -> list[float]:
    """Return the sum of the logits of each option."""
    outputs = record["model_output"]
    if not all("sum_logits" in output for output in outputs):
        raise ValueError("the log has no sums of logits of options")
    return [output["sum_logits"] for output in outputs]


def truth(record: Record) -> list[int]:
    """Return whether each option is right, 1 or 0."""
    if not isinstance(record["label"], int):
        raise ValueError(f"the label {record['label']!r} is not the position of an option")
    return [int(position == record["label"]) for position in range(len(record["model_output"]))]


def logged(record: Record) -> dict[str, float]:
    """Return the scores among the metrics."""
    groups = [record["metrics"]] if "metrics" in record else record["instance_metrics"].values()
    scores = {name: value for metrics in groups for name, value in metrics.items()}
    return {
        name: value
        for name, value in numbers_alone(scores).items()
        if not _BOOKKEEPING.fullmatch(name)
    }
