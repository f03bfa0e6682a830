"""From a request to a result: modules, systems and rows, in one or several processes."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .evaluations import Evaluation
    from .scoring import score

__all__ = [
    "Evaluation",
    "score",
]

__getattr__ = resolver(
    __name__,
    {
        "Evaluation": "evaluations",
        "score": "scoring",
    },
)
