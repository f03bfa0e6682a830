"""What every script derives from: `BatchMetric`, its columns and its options."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .module import TEXTS_AND_REFERENCES, BatchComparison, BatchMetric

__all__ = ["TEXTS_AND_REFERENCES", "BatchComparison", "BatchMetric"]

__getattr__ = resolver(
    __name__,
    {
        "BatchComparison": "module",
        "BatchMetric": "module",
        "TEXTS_AND_REFERENCES": "module",
    },
)
