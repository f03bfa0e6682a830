"""Modules, systems and rows brought together into one result, its file and its tables."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .catalog import load, names, path
    from .combined_results import compare
    from .evaluations import Evaluation
    from .parts import Part
    from .presets import PRESETS
    from .results import Results
    from .scoring import score
    from .state import State

__all__ = [
    "PRESETS",
    "Evaluation",
    "Part",
    "Results",
    "State",
    "compare",
    "load",
    "names",
    "path",
    "score",
]

__getattr__ = resolver(
    __name__,
    {
        "Evaluation": "evaluations",
        "PRESETS": "presets",
        "Part": "parts",
        "Results": "results",
        "State": "state",
        "compare": "combined_results",
        "load": "catalog",
        "names": "catalog",
        "path": "catalog",
        "score": "scoring",
    },
)
