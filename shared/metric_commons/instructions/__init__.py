"""Verifiable instructions: whether responses follow them, checked by a program."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .followed_instructions import instruction_statistics

__all__ = [
    "instruction_statistics",
]

__getattr__ = resolver(
    __name__,
    {
        "instruction_statistics": "followed_instructions",
    },
)
