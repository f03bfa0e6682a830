"""Extraction of the answer from the text of a model."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .extraction import extract_answers
    from .extraction_steps import STEPS

__all__ = [
    "STEPS",
    "extract_answers",
]

__getattr__ = resolver(
    __name__,
    {
        "STEPS": "extraction_steps",
        "extract_answers": "extraction",
    },
)
