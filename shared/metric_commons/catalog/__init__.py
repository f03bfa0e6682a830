"""The list of modules, what they declare, and presets of their options."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .catalog import load, names, path
    from .presets import PRESETS

__all__ = [
    "PRESETS",
    "load",
    "names",
    "path",
]

__getattr__ = resolver(
    __name__,
    {
        "PRESETS": "presets",
        "load": "catalog",
        "names": "catalog",
        "path": "catalog",
    },
)
