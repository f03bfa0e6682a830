"""Samples of Every Eval Ever: `<uuid>_samples.jsonl`, schema 0.3.0.

Source: evaleval/every_eval_ever, `instance_level_eval.schema.json`.
"""

from .logs import Content, Log, Marks, Record, listed

FORMAT = "eee"
MARKS = Marks(fields=[("evaluation_id", "sample_id", "interaction_type")])


def read(content: Content) -> Log:
    """Return the log."""
    return Log(
        rows=content.rows,
        columns={
            "id": lambda record: record["sample_id"],
            "task": lambda record: record["evaluation_name"],
            "prediction": prediction,
            "references": lambda record: listed(record["input"]["reference"]),
            "logged": lambda record: {"score": float(record["evaluation"]["score"])},
            "error": lambda record: bool(record.get("error")),
        },
        system=content.first.get("model_id"),
        task=content.first.get("evaluation_name"),
        variants={
            name: lambda record, name=name: str(record.get(name))  # type: ignore[misc]
            for name in ("evaluation_name", "evaluation_result_id")
        },
    )


def prediction(record: Record) -> str | None:
    """Return the answer that was extracted at the end, or else the first output."""
    final = [part for part in record.get("answer_attribution") or [] if part["is_terminal"]]
    if final:
        return str(final[-1]["extracted_value"])
    texts = listed((record.get("output") or {}).get("raw") or [None])
    answer: str | None = texts[0]
    return answer
