"""From the scores of rows to statements: means, intervals and significance tests."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .intervals.intervals import interval
    from .intervals.summary import Average
    from .tests.confidence_sequences import ConfidenceSequence
    from .tests.power import (
        detectable,
        power_of,
        required_labels,
        rows_needed,
    )
    from .tests.ranks import letters, rank_intervals, tiers
    from .tests.significance import compare

__all__ = [
    "Average",
    "ConfidenceSequence",
    "compare",
    "detectable",
    "interval",
    "letters",
    "power_of",
    "rank_intervals",
    "required_labels",
    "rows_needed",
    "tiers",
]

__getattr__ = resolver(
    __name__,
    {
        "Average": "intervals.summary",
        "ConfidenceSequence": "tests.confidence_sequences",
        "compare": "tests.significance",
        "interval": "intervals.intervals",
        "letters": "tests.ranks",
        "detectable": "tests.power",
        "power_of": "tests.power",
        "rank_intervals": "tests.ranks",
        "required_labels": "tests.power",
        "rows_needed": "tests.power",
        "tiers": "tests.ranks",
    },
)
