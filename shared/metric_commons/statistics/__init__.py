"""From the scores of rows to statements: means, intervals and significance tests."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .arguments.checks import OptionError, RowError
    from .arithmetic.exact_sums import Multiset
    from .arithmetic.ratios import precision_recall_f1
    from .intervals.cluster_sums import ClusterSums
    from .intervals.estimates import estimate_interval, influence_interval, influence_spread
    from .intervals.intervals import interval
    from .intervals.proportions import Interval, proportion_interval
    from .intervals.summary import Average, mean, summarize
    from .intervals.sums import RowStatistics, summarize_sums
    from .tests.confidence_sequences import ConfidenceSequence
    from .tests.corrections import benjamini_hochberg, holm, max_t
    from .tests.paired_sums import compare_sums
    from .tests.paired_tests import PairedTest, paired_test
    from .tests.power import minimum_detectable, power_of, required_labels, required_rows
    from .tests.ranks import letters, rank_intervals, tiers
    from .tests.significance import compare, compare_measures, simultaneous_intervals

__all__ = [
    "Average",
    "ClusterSums",
    "ConfidenceSequence",
    "Interval",
    "Multiset",
    "OptionError",
    "PairedTest",
    "RowError",
    "RowStatistics",
    "benjamini_hochberg",
    "compare",
    "compare_measures",
    "compare_sums",
    "estimate_interval",
    "holm",
    "influence_interval",
    "influence_spread",
    "interval",
    "letters",
    "max_t",
    "mean",
    "minimum_detectable",
    "paired_test",
    "power_of",
    "precision_recall_f1",
    "proportion_interval",
    "rank_intervals",
    "required_labels",
    "required_rows",
    "simultaneous_intervals",
    "summarize",
    "summarize_sums",
    "tiers",
]

__getattr__ = resolver(
    __name__,
    {
        "Average": "intervals.summary",
        "ClusterSums": "intervals.cluster_sums",
        "ConfidenceSequence": "tests.confidence_sequences",
        "Interval": "intervals.proportions",
        "Multiset": "arithmetic.exact_sums",
        "OptionError": "arguments.checks",
        "PairedTest": "tests.paired_tests",
        "RowError": "arguments.checks",
        "RowStatistics": "intervals.sums",
        "benjamini_hochberg": "tests.corrections",
        "compare": "tests.significance",
        "compare_measures": "tests.significance",
        "compare_sums": "tests.paired_sums",
        "estimate_interval": "intervals.estimates",
        "holm": "tests.corrections",
        "influence_interval": "intervals.estimates",
        "influence_spread": "intervals.estimates",
        "interval": "intervals.intervals",
        "letters": "tests.ranks",
        "max_t": "tests.corrections",
        "mean": "intervals.summary",
        "minimum_detectable": "tests.power",
        "paired_test": "tests.paired_tests",
        "power_of": "tests.power",
        "precision_recall_f1": "arithmetic.ratios",
        "proportion_interval": "intervals.proportions",
        "rank_intervals": "tests.ranks",
        "required_labels": "tests.power",
        "required_rows": "tests.power",
        "simultaneous_intervals": "tests.significance",
        "summarize": "intervals.summary",
        "summarize_sums": "intervals.sums",
        "tiers": "tests.ranks",
    },
)
