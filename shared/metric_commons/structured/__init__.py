"""Structured output of models: tool calls, and JSON values."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .call_scores import tool_call_scores
    from .json_scores import json_statistics

__all__ = [
    "json_statistics",
    "tool_call_scores",
]

__getattr__ = resolver(
    __name__,
    {
        "json_statistics": "json_scores",
        "tool_call_scores": "call_scores",
    },
)
