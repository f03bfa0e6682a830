"""Checks that rows can have the numbers in a stored state, in addition to its checksum.

A checksum detects accidental changes. These checks detect deliberate ones, and the mistakes of
other programs: each looks once at the minimum and the maximum of a column.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.checks import RowError
from ...statistics.arguments.domains import Ranges, check_score, score_range
from ...statistics.arithmetic.exact_sums import Multiset, as_float
from ...statistics.intervals.cluster_sums import ClusterSums

_MOST = 2**53
_ROUNDING = 1e-9  # by which a mean of rounded scores may exceed its limit
NOT_NEGATIVE: Ranges = {"*": (0.0, None)}


def check_column(name: str, values: NDArray[Any], ranges: Ranges) -> None:
    """Check that rows can have these numbers.

    Raises:
        RowError: one is impossible.

    >>> check_column("qa_em", np.array([0.0, 7.5]), {"*": (0, 1)})
    Traceback (most recent call last):
    ValueError: qa_em[1] is 7.5, but must lie between 0 and 1
    """
    if score_range(name, ranges) is None or not values.size:
        return
    for end, position in ((values.min(), values.argmin), (values.max(), values.argmax)):
        if math.isnan(end):  # which both ends are if any value is
            raise RowError(name, int(position()), "is NaN, which no row has")
        try:
            check_score(name, float(end), ranges)
        except ValueError as error:
            problem = str(error).partition(", but ")[2]
            raise RowError(name, int(position()), f"is {end}, but {problem}") from error


def check_statistic(name: str, values: NDArray[Any]) -> None:
    """Check that rows can have these counts.

    Raises:
        RowError: one is impossible.

    >>> check_statistic("hits", np.array([3, -1]))
    Traceback (most recent call last):
    ValueError: hits[1] is -1, but must be at least 0
    """
    check_column(name, values, NOT_NEGATIVE)
    if values.size and values.max() >= _MOST:
        raise RowError(name, int(values.argmax()), "is 2**53 or more, which no text has")


def check_at_most(columns: Mapping[str, NDArray[Any]], lesser: str, greater: str) -> None:
    """Check that statistics of rows do not exceed the totals that they belong to.

    Args:
        columns: the statistics by name.
        lesser: the prefix of statistics, such as "count_".
        greater: the prefix of their totals, such as "total_", whose names are otherwise the same.

    Raises:
        RowError: one exceeds its total.

    >>> columns = {"count_1": np.array([0, 3]), "total_1": np.array([2, 2])}
    >>> check_at_most(columns, "count_", "total_")
    Traceback (most recent call last):
    ValueError: count_1[1] is 3, but total_1 is 2
    """
    for name, values in columns.items():
        total = f"{greater}{name.removeprefix(lesser)}"
        if not name.startswith(lesser) or total not in columns:
            continue
        above = values > columns[total]
        if above.any():
            row = int(above.argmax())
            raise RowError(name, row, f"is {values[row]}, but {total} is {columns[total][row]}")


def check_counts(counts: NDArray[Any]) -> None:
    """Check that the number of rows is possible.

    Raises:
        ValueError: it is not.
    """
    if counts.sum(dtype=np.float64) >= _MOST:
        raise ValueError("counts add up to 2**53 rows or more")


def check_scores(scores: Mapping[str, Multiset], ranges: Ranges) -> None:
    """Check that rows can have these scores.

    Raises:
        ValueError: no rows have them.

    >>> check_scores({"em": Multiset.from_values([1]), "f1": Multiset.from_values([1, 0])}, {})
    Traceback (most recent call last):
    ValueError: there are 1 rows of em, but 2 of f1
    """
    first, *_ = scores
    for name, multiset in scores.items():
        check_counts(multiset.counts)
        check_column(name, multiset.values, ranges)
        if len(multiset) != len(scores[first]):
            rows = f"{len(scores[first])} rows of {first}, but {len(multiset)} of {name}"
            raise ValueError(f"there are {rows}")


def check_names(names: Collection[str], required: Iterable[str]) -> None:
    """Check that no score or statistic is missing that every row has.

    Raises:
        ValueError: one is missing.

    >>> check_names(["qa_precision"], ["qa_f1"])
    Traceback (most recent call last):
    ValueError: qa_f1 is missing
    """
    for name in sorted(required):
        if name not in names:
            raise ValueError(f"{name} is missing")


def check_f1(means: Mapping[str, float]) -> None:
    """Check that no mean F1 exceeds the average of its mean precision and its mean recall.

    The F1 of a row is the harmonic mean of both, so it is at most their arithmetic mean.

    Args:
        means: the means of row scores, by name; "f1@5" belongs to "precision@5" and "recall@5",
            and "rouge1" to "rouge1_precision" and "rouge1_recall".

    Raises:
        ValueError: one exceeds it.

    >>> check_f1({"qa_f1": 0.8, "qa_precision": 0.5, "qa_recall": 1.0})
    Traceback (most recent call last):
    ValueError: the mean of qa_f1 is 0.8, more than that of qa_precision and qa_recall, 0.75
    """
    for name, mean in means.items():
        for names in (
            (f"{name}_precision", f"{name}_recall"),
            (name.replace("f1", "precision"), name.replace("f1", "recall")),
        ):
            if name in names or not {*names} <= means.keys():
                continue
            limit = (means[names[0]] + means[names[1]]) / 2
            if mean > limit + _ROUNDING:
                raise ValueError(
                    f"the mean of {name} is {mean}, more than that of {' and '.join(names)}, "
                    f"{limit}"
                )


def check_clusters(clusters: Mapping[str, ClusterSums], scores: Mapping[str, Multiset]) -> None:
    """Check that rows with these scores can have these clusters.

    Raises:
        ValueError: they cannot.

    >>> sums = {"em": ClusterSums.of(["a", "b"], np.array([1.0, 0.0]))}
    >>> check_clusters(sums, {"em": Multiset.from_values([1, 1])})
    Traceback (most recent call last):
    ValueError: clusters of em add up to 1.0, but its rows to 2.0
    """
    if clusters.keys() != scores.keys():
        raise ValueError(f"there are clusters of {[*clusters]}, but scores {[*scores]}")
    for name, sums in clusters.items():
        multiset = scores[name]
        if sums.rows != len(multiset):
            raise ValueError(f"the clusters of {name} have {sums.rows} rows, not {len(multiset)}")
        totals = sums.exact_sum(), multiset.exact_sum()
        if totals[0] != totals[1]:
            of_clusters, of_rows = map(as_float, totals)
            raise ValueError(
                f"clusters of {name} add up to {of_clusters}, but its rows to {of_rows}"
            )
        if not len(multiset):  # every row is an ignored tie
            continue
        unit = Fraction(2) ** sums.power
        low, high = (Fraction(float(end)) / unit for end in multiset.values[[0, -1]])
        for label, (rows, units) in sums.clusters.items():
            if not low * rows <= units <= high * rows:
                raise ValueError(f"the sum of cluster {label!r} of {name} is impossible")
