"""Results of human-eval: a line for each sample, in `samples.jsonl_results.jsonl`."""

from .logs import Content, Log, Marks

FORMAT = "human-eval"
MARKS = Marks(kinds=("lines",), fields=[("task_id", "passed")])


def read(content: Content) -> Log:
    """Return the samples; those with the same id are of one problem."""
    return Log(
        rows=content.rows,
        columns={
            "id": lambda record: record["task_id"],
            "prediction": lambda record: record["completion"],
            "logged": lambda record: {"passed": float(record["passed"])},
        },
    )
