"""Memory files of UltraRAG: a list of steps, each with the variables that it wrote.

The value of a variable is that of the last step. Source: OpenBMB/UltraRAG, `client.py`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..files.json_rows import Row
from .logs import Content, LogFormat, listed

_SCORES = "memory_eval_res"


def _last_values(content: Content) -> dict[str, Any]:
    """Return a row for each reference."""
    memory: dict[str, Any] = {}
    for _, step in content.rows:
        memory |= step["memory"]
    answers = "memory_pred_ls" if "memory_pred_ls" in memory else "memory_ans_ls"
    return {"rows": _rows(memory), "columns": {"prediction": answers}}


def _rows(memory: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of variables with one value per reference; averages are left out."""
    rows = len(memory["memory_gt_ls"])
    columns = {name: value for name, value in memory.items() if isinstance(value, list)}
    for name in ("memory_pred_ls", "memory_ans_ls"):
        if name in columns and len(columns[name]) != rows:
            raise ValueError(f"{name} has {len(columns[name])} rows, but memory_gt_ls has {rows}")
    columns = {name: values for name, values in columns.items() if len(values) == rows}
    scores = {
        name: values
        for name, values in (memory.get(_SCORES) or {}).items()
        if isinstance(values, list)
    }
    for row in range(rows):
        values = {name: column[row] for name, column in columns.items()}
        yield None, values | {"row": row, _SCORES: {n: s[row] for n, s in scores.items()}}


FORMATS = (
    LogFormat(
        name="ultrarag",
        kinds=["document"],
        marks=[("step", "memory")],
        columns={
            "id": "row",
            "references": lambda record: listed(record["memory_gt_ls"]),
            "logged": _SCORES,
        },
        computed=_last_values,
    ),
)
