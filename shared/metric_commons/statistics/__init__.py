"""From the scores of rows to statements: means, intervals and significance tests."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .bootstrap import mean_interval
    from .significance import benjamini_hochberg, compare, compare_measures, holm, p_values
    from .summary import Average, mean, summarize

__all__ = [
    "Average",
    "benjamini_hochberg",
    "compare",
    "compare_measures",
    "holm",
    "mean",
    "mean_interval",
    "p_values",
    "summarize",
]

__getattr__ = resolver(
    __name__,
    {
        "Average": "summary",
        "benjamini_hochberg": "significance",
        "compare": "significance",
        "compare_measures": "significance",
        "holm": "significance",
        "mean": "summary",
        "mean_interval": "bootstrap",
        "p_values": "significance",
        "summarize": "summary",
    },
)
