"""Structured output of models: tool calls, and JSON values."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .call_scores import tool_call_scores
    from .call_texts import read_calls
    from .json_scores import json_statistics
    from .json_texts import read_json

__all__ = [
    "json_statistics",
    "read_calls",
    "read_json",
    "tool_call_scores",
]

__getattr__ = resolver(
    __name__,
    {
        "json_statistics": "json_scores",
        "read_calls": "call_texts",
        "read_json": "json_texts",
        "tool_call_scores": "call_scores",
    },
)
