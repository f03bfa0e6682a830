"""Structured output of models: tool calls, and JSON values."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .call_scores import call_scores
    from .call_texts import read_calls
    from .json_scores import json_scores
    from .json_texts import read_json

__all__ = [
    "call_scores",
    "json_scores",
    "read_calls",
    "read_json",
]

__getattr__ = resolver(
    __name__,
    {
        "call_scores": "call_scores",
        "json_scores": "json_scores",
        "read_calls": "call_texts",
        "read_json": "json_texts",
    },
)
