"""The front matter of model cards on the Hub, with the scores of a result.

Source:
    huggingface/hub-docs, `modelcard.md`.
"""

import math
from typing import Any

from ...evaluation.results.results import Results


def model_index(results: Results, dataset: str, scale: float) -> dict[str, Any]:
    """Return the front matter of model cards: for each system its scores that are numbers.

    Args:
        results: the results of the systems, which are called like their models.
        dataset: the dataset on the Hub.
        scale: the factor to multiply scores by; it is never guessed.

    Raises:
        ValueError: a score is undefined.
    """
    entries = []
    for system, modules in results.systems.items():
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
            "dataset": {"type": dataset, "name": dataset},
            "metrics": metrics,
        }
        entries.append({"name": system, "results": [evaluation]})
    return {"model-index": entries}


def _scaled(value: float, scale: float) -> float:
    """Return a score on the scale of a leaderboard, without float noise: 0.412 becomes 41.2.

    >>> _scaled(0.29, 100)
    29.0
    """
    if not math.isfinite(value):
        raise ValueError(f"the score is {value}, which no leaderboard accepts")
    return float(f"{value * scale:.15g}")
