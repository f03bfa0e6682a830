"""The base of every script: `BatchMetric`, its columns and its options."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .module import (
        ANSWERS_AND_REFERENCES,
        TEXTS_AND_REFERENCES,
        BatchComparison,
        BatchMetric,
    )

__all__ = ["ANSWERS_AND_REFERENCES", "TEXTS_AND_REFERENCES", "BatchComparison", "BatchMetric"]

__getattr__ = resolver(
    __name__,
    {
        "ANSWERS_AND_REFERENCES": "module",
        "BatchComparison": "module",
        "BatchMetric": "module",
        "TEXTS_AND_REFERENCES": "module",
    },
)
