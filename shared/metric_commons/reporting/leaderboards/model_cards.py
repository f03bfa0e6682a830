"""The front matter of model cards on the Hub, with the scores of a result.

Source:
    huggingface/hub-docs, `modelcard.md`.
"""

import math
from pathlib import Path
from typing import Any

from ...evaluation.results.results import Results


def model_index(results: Results, dataset: str | None, scale: float) -> dict[str, Any]:
    """Return the front matter of model cards: for each system its scores that are numbers.

    Args:
        results: the results of the systems, which are called like their models.
        dataset: the dataset on the Hub; by default the name of the rows.
        scale: the factor to multiply scores by; it is never guessed.

    Raises:
        ValueError: a score is undefined.
    """
    entries = []
    for system, modules in results.systems.items():
        name = dataset or _data_name(results, system)
        metrics = [
            {
                "type": score,
                "value": _scaled(value, scale),
                "name": score,
                "args": {"signature": result.signature},
            }
            for result in modules.values()
            for score, value in result.scores.items()
            if isinstance(value, int | float)
        ]
        evaluation = {
            "task": {"type": "other"},
            "dataset": {"type": name, "name": name},
            "metrics": metrics,
        }
        entries.append({"name": system, "results": [evaluation]})
    return {"model-index": entries}


def _data_name(results: Results, system: str) -> str:
    """Return a name for the rows: the task of a log, or the file of the references; else "data"."""
    provenance = results.provenance
    if task := provenance.get("logs", {}).get(system, {}).get("task"):
        return str(task)
    columns = provenance.get("columns", {}).get(system, {})
    column = columns.get("references") or columns.get("predictions")
    return Path(column["path"]).name.partition(".")[0] if column else "data"


def _scaled(value: float, scale: float) -> float:
    """Return a score on the scale of a leaderboard, without float noise: 0.412 becomes 41.2.

    >>> _scaled(0.29, 100)
    29.0
    """
    if not math.isfinite(value):
        raise ValueError(f"the score is {value}, which no leaderboard accepts")
    return float(f"{value * scale:.15g}")
