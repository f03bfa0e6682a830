"""Samples of several rows, such as the epochs of an answer, reduced to one score each.

A mean over all rows would count a sample with many rows more than others, and intervals would take
repeats of one sample for independent samples and be far too narrow.

Samples without a score count as zero, or leave bounds: the means if each had the worst score, and
the best. The interval reaches from the lower end of the one to the upper end of the other (Manski,
Nonparametric bounds on treatment effects, 1990).
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from statistics import fmean, median, mode
from typing import Any, Literal, NamedTuple

from ...module.declaration.declarations import Module

Reduce = Literal["mean", "max", "median", "mode"]


class RowSamples(NamedTuple):
    """The sample of each row, and the samples that have another row without a score."""

    positions: Sequence[int]  # of the sample of each row, from 0
    size: int  # the number of samples
    reduce: Reduce
    gaps: Sequence[int] = ()  # the samples of rows without a score
    is_bounded: bool = False  # whether such samples leave bounds; otherwise such rows count as zero

    def reduced(self, values: Sequence[float]) -> list[float]:
        """Return the value of each sample, from the values of its rows; NaN without any.

        >>> RowSamples([0, 1, 0], 2, "mean", [1]).reduced([1.0, 1.0, 0.0])
        [0.5, 0.5]
        >>> RowSamples([0, 0], 2, "mean", [1], is_bounded=True).reduced([1.0, 0.0])
        [0.5, nan]
        """
        members: list[list[float]] = [[] for _ in range(self.size)]
        for position, value in zip(self.positions, values, strict=True):
            members[position].append(value)
        for position in () if self.is_bounded else self.gaps:
            members[position].append(0.0)
        reduction = _REDUCTIONS[self.reduce]
        return [float(reduction(values)) if values else math.nan for values in members]


_REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "max": max,
    "median": median,
    "mode": mode,
}


def numbered(ids: Sequence[Hashable]) -> tuple[list[int], list[Any]]:
    """Return the position of each id among the distinct ones, and these in the order of rows.

    >>> numbered(["a", "b", "a"])
    ([0, 1, 0], ['a', 'b'])
    """
    positions: dict[Hashable, int] = {}
    return [positions.setdefault(name, len(positions)) for name in ids], list(positions)


def scores_of_samples(
    name: str,
    metric: Module,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    reported: Mapping[str, Any],
    samples: RowSamples,
) -> dict[str, Any]:
    """Return the result of `compute` if each sample were a row.

    Raises:
        ValueError: the module has no scores of rows that could be reduced, or rows without a score
            could have any.
    """
    import numpy as np  # so that help does not wait for it

    from ...statistics.arguments.domains import range_of_rows
    from ...statistics.intervals.summary import Average, summarize
    from ..states.score_kind import kind_of

    if not kind_of(metric).reduces_samples:
        reason = (
            "rows that are missing leave no bounds; skip them"
            if samples.is_bounded
            else "rows of one id cannot become one; choose one row of each id with --where"
        )
        raise ValueError(f"{name} does not score row by row, so that {reason}")
    inputs = {column: columns[column] for column in metric.feature_sets[0]}
    result = metric.compute(**inputs, **options, per_example=True)
    if metric.row_texts & result.keys():
        raise ValueError(
            "explain is about single rows, and here the rows of one id become one; leave it out"
        )
    scores = {
        score: np.array(samples.reduced(values)) for score, values in result["per_example"].items()
    }
    ends = {
        name: range_of_rows(name, metric.score_ranges, values) for name, values in scores.items()
    }
    averages = {name: Average(bounds=bounds) for name, bounds in ends.items()}
    reporting = {option: value for option, value in reported.items() if option != "conventions"}
    if not samples.is_bounded:
        return summarize(scores, averages, **reporting)
    for score, bounds in ends.items():
        if math.inf in map(abs, bounds):
            raise ValueError(
                f"{score} of a row that is missing may be any number, so there are no bounds; skip "
                "such rows"
            )
    at_hand = sorted(set(samples.positions))
    labels = {name: reporting.pop(name, None) for name in ("clusters", "groups")}
    of_hand = {name: taken(column, at_hand) for name, column in labels.items()}
    filled = [
        {name: np.nan_to_num(scores[name], nan=bounds[side]) for name, bounds in ends.items()}
        for side in (0, 1)
    ]
    low, high = (summarize(columns, averages, **reporting, **labels) for columns in filled)
    columns = {name: values[at_hand] for name, values in scores.items()}
    result = summarize(columns, averages, **reporting, **of_hand) | {
        "per_example": {name: values.tolist() for name, values in scores.items()}
    }
    return _bounded(result, low, high, [*scores], samples.size - len(at_hand))


def taken(column: Any, rows: Sequence[int]) -> Any:
    """Return the values of these rows; of a mapping, those of each of its columns.

    >>> taken("abc", [0, 2]), taken({"item": "abc"}, [1]), taken(None, [0])
    (['a', 'c'], {'item': ['b']}, None)
    """
    if column is None:
        return None
    if isinstance(column, Mapping):
        return {name: taken(values, rows) for name, values in column.items()}
    return [column[row] for row in rows]


def _bounded(
    result: dict[str, Any],
    low: Mapping[str, Any],
    high: Mapping[str, Any],
    scores: Sequence[str],
    missing: int,
) -> dict[str, Any]:
    """Return the result of the rows at hand with the bounds of all rows, also of each group."""
    bounded = result | {
        "score_bounds": {name: [low[name], high[name]] for name in scores},
        "missing_rows": missing,
    }
    if "confidence_interval" in low:
        lower, upper = low["confidence_interval"], high["confidence_interval"]
        bounded["confidence_interval"] = {n: [lower[n][0], upper[n][1]] for n in scores}
    if "groups" in low:
        nothing = dict.fromkeys(scores, math.nan) | {"n": 0}
        bounded["groups"] = {
            group: _bounded(
                of_hand, low["groups"][group], filled, scores, filled["n"] - of_hand["n"]
            )
            for group, filled in high["groups"].items()
            for of_hand in [result.get("groups", {}).get(group, nothing)]
        }
    return bounded
