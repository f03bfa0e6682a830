"""How often each value of a score occurs: enough to compute its interval without the rows."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base.declarations import Module
from .score_kind import kind_of

if TYPE_CHECKING:
    from ..statistics.proportions import Interval
    from .counted_scores import CountedScores

# By score: its values, their counts and, unless they are 0 and 1, the ends of its range.
ValueCounts = dict[str, list[Any]]
# By score: a power of two, and the kinds of clusters: rows, sum in units of 2**power, their number.
ClusterCounts = dict[str, list[Any]]

_MAX_VALUES = 5_000  # of a score; with more distinct values, only the file of rows has them


def value_counts(counts: "CountedScores", metric: Module) -> tuple[ValueCounts, ClusterCounts]:
    """The counts of those scores that have few values, for a result of the module `metric`.

    Clusters of a score are counted, too, by their number of rows and the sum of these; a score
    with too many kinds of clusters has no counts.

    >>> from types import SimpleNamespace
    >>> from .counted_scores import CountedScores
    >>> counts = CountedScores.of_rows({"qa_em": [1.0, 0.0, 1.0]})
    >>> value_counts(counts, SimpleNamespace(score_kind="means", unbounded=frozenset()))
    ({'qa_em': [[0.0, 1.0], [1, 2]]}, {})
    """
    kind = kind_of(metric)
    values: ValueCounts = {}
    clusters: ClusterCounts = {}
    for name, multiset in counts.scores.items():
        if not 0 < len(multiset.values) <= _MAX_VALUES:
            continue
        if counts.clusters is not None:
            sums = counts.clusters[name]
            kinds = Counter(sums.clusters.values())
            if len(kinds) > _MAX_VALUES:
                continue
            listed = [[*kind, number] for kind, number in sorted(kinds.items())]
            clusters[name] = [sums.power, listed]
        ends = kind.bounds(metric, name, (multiset.values[0], multiset.values[-1]))
        values[name] = [*multiset.to_plain(), *([] if ends == (0.0, 1.0) else [list(ends)])]
    return values, clusters


def count_interval(
    counts: Sequence[Any], confidence_level: float, clusters: Sequence[Any] | None = None
) -> "Interval":
    """The interval of the mean of a score from its counts.

    Args:
        counts: the values of the score and their counts, as `value_counts` returns them.
        confidence_level: of the interval.
        clusters: the counts of its clusters; None if rows stand alone.

    >>> count_interval([[0.0, 1.0], [1, 2]], 0.95).method
    'clopper_pearson'
    >>> count_interval([[0.0, 1.0], [2, 4]], 0.95, [0, [[2, 1, 2], [2, 2, 1]]]).n_clusters
    3
    """
    from ..numbers.multisets import Multiset
    from ..statistics.cluster_sums import ClusterSums
    from ..statistics.intervals import interval

    values, numbers, *ends = counts
    low, high = ends[0] if ends else (0.0, 1.0)
    # A file stores infinite ends as null, since JSON has no infinity.
    bounds = (-math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high)
    sums = None
    if clusters is not None:
        power, kinds = clusters
        pairs = [(rows, units) for rows, units, number in kinds for _ in range(number)]
        sums = ClusterSums.reduced({str(n): pair for n, pair in enumerate(pairs)}, power)
    return interval(
        Multiset.from_plain([values, numbers]),
        confidence_level=confidence_level,
        bounds=bounds,
        clusters=sums,
    )
