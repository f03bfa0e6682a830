"""States: what rows leave behind so that parts of a dataset can be merged exactly."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .parts import Part
    from .state import State

__all__ = [
    "Part",
    "State",
]

__getattr__ = resolver(
    __name__,
    {
        "Part": "parts",
        "State": "state",
    },
)
