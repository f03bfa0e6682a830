"""What a metric of your own derives from, and what turns its rows into a result."""

from typing import TYPE_CHECKING

from .lazy import resolver

if TYPE_CHECKING:
    from .module.declaration.module import (
        ANSWERS_AND_REFERENCES,
        TEXTS_AND_REFERENCES,
        BatchComparison,
        BatchMetric,
    )
    from .statistics.intervals.summary import summarize

__all__ = [
    "ANSWERS_AND_REFERENCES",
    "TEXTS_AND_REFERENCES",
    "BatchComparison",
    "BatchMetric",
    "summarize",
]

__getattr__ = resolver(
    __name__,
    {
        "ANSWERS_AND_REFERENCES": "module.declaration.module",
        "BatchComparison": "module.declaration.module",
        "BatchMetric": "module.declaration.module",
        "TEXTS_AND_REFERENCES": "module.declaration.module",
        "summarize": "statistics.intervals.summary",
    },
    __package__,
)
