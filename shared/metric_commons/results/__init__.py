"""Results: scores of systems, their file, and the tables made from them."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .results import Results

__all__ = [
    "Results",
]

__getattr__ = resolver(
    __name__,
    {
        "Results": "results",
    },
)
