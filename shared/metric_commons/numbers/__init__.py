"""Numerical basics for all rooms: exact sums, multisets, ratios, pair counts and checks."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .checks import OptionError, RowError
    from .exact_sums import Multiset
    from .ratios import precision_recall_f1

__all__ = ["Multiset", "OptionError", "RowError", "precision_recall_f1"]

__getattr__ = resolver(
    __name__,
    {
        "Multiset": "exact_sums",
        "OptionError": "checks",
        "RowError": "checks",
        "precision_recall_f1": "ratios",
    },
)
