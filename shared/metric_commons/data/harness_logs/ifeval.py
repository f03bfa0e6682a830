"""IFEval's files: the prompts with their instructions, and the results of its program.

A response has no number of its prompt, so the prompt is the id.

Source: google-research, `instruction_following_eval/evaluation_lib.py`.
"""

from typing import Any

from .logs import Column, Content, Log, Marks, Record

FORMAT = "ifeval"
MARKS = Marks(fields=[("prompt", "instruction_id_list")])


def read(content: Content) -> Log:
    """Return the log, with the columns whose fields the first record has."""
    columns: dict[str, Column] = {"id": lambda record: record["prompt"]}
    if content.has("kwargs"):
        columns["instructions"] = instructions
    if content.has("response"):
        columns["prediction"] = lambda record: record["response"]
    if content.has("follow_all_instructions"):
        strictness = "loose" if "loose" in content.path.name else "strict"
        name = f"prompt_level_{strictness}_acc"
        columns["logged"] = lambda record: {name: float(record["follow_all_instructions"])}
    return Log(rows=content.rows, columns=columns)


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
