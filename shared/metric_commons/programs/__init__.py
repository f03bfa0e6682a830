"""Programs that a model wrote: run in isolation, and judged by tests."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .executions import execute

__all__ = [
    "execute",
]

__getattr__ = resolver(
    __name__,
    {
        "execute": "executions",
    },
)
