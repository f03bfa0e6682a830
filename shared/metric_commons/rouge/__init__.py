"""ROUGE: n-grams and subsequences that a text has in common with its references."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .rouge_scores import rouge

__all__ = [
    "rouge",
]

__getattr__ = resolver(
    __name__,
    {
        "rouge": "rouge_scores",
    },
)
