"""From a request to a result: modules, systems and rows, in one or several processes."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .evaluations import Evaluation
    from .scoring import score
    from .states import Part, State

__all__ = [
    "Evaluation",
    "Part",
    "State",
    "score",
]

__getattr__ = resolver(
    __name__,
    {
        "Evaluation": "evaluations",
        "Part": "states",
        "State": "states",
        "score": "scoring",
    },
)
