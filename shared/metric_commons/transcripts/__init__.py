"""Scores of transcripts against references: word and character error rates."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .edit_rate import error_alignments, error_statistics

__all__ = [
    "error_alignments",
    "error_statistics",
]

__getattr__ = resolver(
    __name__,
    {
        "error_alignments": "edit_rate",
        "error_statistics": "edit_rate",
    },
)
