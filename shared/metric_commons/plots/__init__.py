"""Plots of results."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .figures import check
    from .pictures import PICTURES, Kind, picture
    from .query_differences import deltas
    from .systems import System

__all__ = ["PICTURES", "Kind", "System", "check", "deltas", "picture"]

__getattr__ = resolver(
    __name__,
    {
        "Kind": "pictures",
        "PICTURES": "pictures",
        "System": "systems",
        "check": "figures",
        "deltas": "query_differences",
        "picture": "pictures",
    },
)
