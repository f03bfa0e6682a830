"""Scores of predicted numbers against references: errors, R2 and correlations."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .errors import regression_scores

__all__ = [
    "regression_scores",
]

__getattr__ = resolver(
    __name__,
    {
        "regression_scores": "errors",
    },
)
