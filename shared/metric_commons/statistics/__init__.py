"""From the scores of rows to statements: means, intervals and significance tests."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from ..resampling.bootstrap import mean_interval
    from .cluster_sums import ClusterSums
    from .corrections import adjusted, benjamini_hochberg, holm, max_t
    from .differences import DifferenceInterval, Equivalence, difference_interval, equivalence
    from .estimates import estimate_interval, influence_interval, influence_spread
    from .intervals import interval
    from .paired_sums import compare_sums
    from .paired_tests import PairedTest, paired_test
    from .power import Pilot, minimum_detectable, power_of, required_labels, required_rows
    from .proportions import Interval, f1_interval, proportion_interval
    from .ranks import letters, rank_intervals, tiers
    from .significance import (
        compare,
        compare_measures,
        p_values,
        simultaneous_intervals,
    )
    from .summary import Average, mean, summarize
    from .sums import RowStatistics, summarize_sums

__all__ = [
    "Average",
    "ClusterSums",
    "DifferenceInterval",
    "Equivalence",
    "Interval",
    "PairedTest",
    "Pilot",
    "RowStatistics",
    "adjusted",
    "benjamini_hochberg",
    "compare",
    "compare_measures",
    "compare_sums",
    "difference_interval",
    "equivalence",
    "estimate_interval",
    "f1_interval",
    "holm",
    "influence_interval",
    "influence_spread",
    "interval",
    "letters",
    "max_t",
    "mean",
    "mean_interval",
    "minimum_detectable",
    "p_values",
    "paired_test",
    "power_of",
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
        "Average": "summary",
        "ClusterSums": "cluster_sums",
        "DifferenceInterval": "differences",
        "Equivalence": "differences",
        "Interval": "proportions",
        "PairedTest": "paired_tests",
        "Pilot": "power",
        "RowStatistics": "sums",
        "adjusted": "corrections",
        "benjamini_hochberg": "corrections",
        "compare": "significance",
        "compare_measures": "significance",
        "compare_sums": "paired_sums",
        "difference_interval": "differences",
        "equivalence": "differences",
        "estimate_interval": "estimates",
        "f1_interval": "proportions",
        "holm": "corrections",
        "influence_interval": "estimates",
        "influence_spread": "estimates",
        "interval": "intervals",
        "letters": "ranks",
        "max_t": "corrections",
        "mean": "summary",
        "mean_interval": ".resampling.bootstrap",
        "minimum_detectable": "power",
        "p_values": "significance",
        "paired_test": "paired_tests",
        "power_of": "power",
        "proportion_interval": "proportions",
        "rank_intervals": "ranks",
        "required_labels": "power",
        "required_rows": "power",
        "simultaneous_intervals": "significance",
        "summarize": "summary",
        "summarize_sums": "sums",
        "tiers": "ranks",
    },
)
