"""Comparing saved results: pairs of systems on the same rows, and decisions."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .combined_results import compare

__all__ = [
    "compare",
]

__getattr__ = resolver(
    __name__,
    {
        "compare": "combined_results",
    },
)
