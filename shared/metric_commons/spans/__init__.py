"""Precision, recall and F1 of spans: entities, chunks and other tagged parts of texts."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .spans import span_statistics

__all__ = [
    "span_statistics",
]

__getattr__ = resolver(
    __name__,
    {
        "span_statistics": "spans",
    },
)
