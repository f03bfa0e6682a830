"""How often each score of rows occurs: the small part of a result from which intervals follow."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..numbers.multisets import Multiset
    from ..statistics.proportions import Interval

# Of each score its values, how often each occurs and, if not 0 and 1, the ends of its range.
ValueCounts = dict[str, list[Any]]

_MAX_VALUES = 5_000  # of a score; where nearly every row has its own, rows have a file for them


def value_counts(scores: "Mapping[str, Multiset]", metric: Any) -> ValueCounts:
    """The counts of those scores that have few values, for a result of the module `metric`.

    >>> from types import SimpleNamespace
    >>> from ..numbers.multisets import Multiset
    >>> em = {"qa_em": Multiset.from_values([1.0, 0.0, 1.0])}
    >>> value_counts(em, SimpleNamespace(scores_are="means"))
    {'qa_em': [[0.0, 1.0], [1, 2]]}
    """
    counts: ValueCounts = {}
    for name, multiset in scores.items():
        if 0 < len(multiset.values) <= _MAX_VALUES:
            ends = ends_of_range(name, metric)
            counts[name] = [*multiset.to_plain(), *([list(ends)] if ends else [])]
    return counts


def row_multisets(columns: Mapping[str, Sequence[float]]) -> "dict[str, Multiset]":
    """The multiset of each score of rows; a row that does not count, which is NaN, is left out."""
    import numpy as np

    from ..numbers.multisets import Multiset

    arrays = {name: np.array(values, np.float64) for name, values in columns.items()}
    return {
        name: Multiset.from_values(values[~np.isnan(values)]) for name, values in arrays.items()
    }


def count_interval(counts: Sequence[Any], confidence_level: float) -> "Interval":
    """The interval of the mean of scores that are counted as `value_counts` has them.

    >>> count_interval([[0.0, 1.0], [1, 2]], 0.95).method
    'clopper_pearson'
    """
    from ..numbers.multisets import Multiset
    from ..statistics.intervals import interval

    values, numbers, *ends = counts
    low, high = ends[0] if ends else (0.0, 1.0)
    # The ends of a file: infinity is not in JSON.
    bounds = (-math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high)
    multiset = Multiset.from_plain([values, numbers])
    return interval(multiset, confidence_level=confidence_level, bounds=bounds)


def ends_of_range(name: str, metric: Any) -> tuple[float, float] | None:
    """The range of a score of rows, if its module says that it is not from 0 to 1."""
    if metric.scores_are != "rankings":
        return None
    from ..ranking.names import parse_measures
    from ..ranking.ranking_measures import average

    bounds = average(parse_measures([name])[0]).bounds
    return None if bounds == (0.0, 1.0) else bounds
