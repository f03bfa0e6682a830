"""Runs of OpenAI Evals: JSON Lines of a specification, a report and events.

Samples are the events of type `match`. Source: openai/evals, `evals/record.py`.
"""

from .logs import Content, Log, Marks, Record, listed

FORMAT = "openai-evals"
MARKS = Marks(kinds=("lines",), fields=[("spec",)])


def read(content: Content) -> Log:
    """Return the log."""
    specification = content.first["spec"]
    functions = specification.get("completion_fns") or [None]
    return Log(
        rows=(row for row in content.rows if row[1].get("type") == "match"),
        columns={
            "id": lambda record: record["sample_id"],
            "prediction": prediction,
            "references": lambda record: [str(text) for text in listed(record["data"]["expected"])],
            "logged": lambda record: {"accuracy": float(record["data"]["correct"])},
        },
        system=functions[0],
        task=specification.get("eval_name"),
        repeated_ids_allowed=False,  # each match of a sample is a question
    )


def prediction(record: Record) -> str | None:
    """Return the text that was sampled, or else the option that was picked."""
    data = record["data"]
    text: str | None = data.get("sampled", data.get("picked"))
    return text
