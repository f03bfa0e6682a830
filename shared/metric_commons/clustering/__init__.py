"""Scores of clusters, from their points or against true labels."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .clustering_measures import clustering_scores

__all__ = ["clustering_scores"]

__getattr__ = resolver(
    __name__,
    {
        "clustering_scores": "clustering_measures",
    },
)
