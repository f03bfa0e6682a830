"""Outcomes of programs, as `metric-commons execute` writes them: a line for each sample."""

import math

from .logs import Content, Log, Marks, Record

FORMAT = "execution"
MARKS = Marks(fields=[("task_id", "sample", "outcome", "status")])


def read(content: Content) -> Log:
    """The log; a sample of which nothing is known, since the machine failed, has an error."""
    return Log(
        rows=content.rows,
        columns={
            "id": lambda record: record["task_id"],
            "epoch": lambda record: record["sample"],
            "logged": logged,
            "error": lambda record: record["outcome"] is None,
        },
    )


def logged(record: Record) -> dict[str, float]:
    """Return whether the program passed."""
    outcome = record["outcome"]
    return {"passed": math.nan if outcome is None else float(outcome)}
