"""Checks of the types and ranges of the numbers in a stored state, in addition to its checksum.

A checksum detects accidental changes, and these checks the mistakes of other programs: each looks
once at the minimum and the maximum of a column.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.checks import RowError
from ...statistics.arguments.domains import Ranges, check_score, score_range
from ...statistics.arithmetic.exact_sums import Multiset

_MOST = 2**53
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
