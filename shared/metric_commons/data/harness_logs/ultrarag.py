"""Memory files of UltraRAG: a list of steps, each with the variables that it wrote.

The value of a variable is that of the last step. Source: OpenBMB/UltraRAG, `client.py`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..files.json_rows import Row
from .logs import Content, LogFormat

_SCORES = "memory_eval_res"
_ANSWERS = ("memory_pred_ls", "memory_ans_ls")


def _last_values(content: Content) -> dict[str, Any]:
    """Return a row for each reference."""
    memory: dict[str, Any] = {}
    for _, step in content.rows:
        memory |= step["memory"]
    rows = len(memory["memory_gt_ls"])
    for name in _ANSWERS:
        answers = memory.get(name)
        if isinstance(answers, list) and len(answers) != rows:
            raise ValueError(f"{name} has {len(answers)} rows, but memory_gt_ls has {rows}")
    return {"rows": _rows(memory, rows)}


def _rows(memory: Mapping[str, Any], rows: int) -> Iterator[Row]:
    """Yield the rows of variables with one value per reference; averages are left out."""

    def row_of(values: Mapping[str, Any], row: int) -> dict[str, Any]:
        columns = {name: column for name, column in values.items() if isinstance(column, list)}
        return {name: column[row] for name, column in columns.items() if len(column) == rows}

    for row in range(rows):
        scores = row_of(memory.get(_SCORES) or {}, row)
        yield None, row_of(memory, row) | {"row": row, _SCORES: scores}


FORMATS = (
    LogFormat(
        name="ultrarag",
        kinds=["document"],
        marks=["step memory"],
        columns={
            "id": "row",
            "prediction": " or ".join(_ANSWERS),
            "references": "memory_gt_ls[]",
            "logged": _SCORES,
        },
        computed=_last_values,
    ),
)
