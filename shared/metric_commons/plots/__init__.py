"""Pictures of results."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .plots import check, deltas, picture

__all__ = ["check", "deltas", "picture"]

__getattr__ = resolver(
    __name__,
    {
        "check": "plots",
        "deltas": "plots",
        "picture": "plots",
    },
)
