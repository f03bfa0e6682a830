"""Samples of several rows, such as the epochs of an answer, and samples that lack some rows.

Rows of one sample are reduced to one score each: a mean over all rows would count a sample with
many rows more than others, and intervals would take repeats of one sample for independent samples
and be far too narrow.

Samples without a score count as zero, or leave bounds: the means if each had the worst score, and
the best. The interval reaches from the lower end of the one to the upper end of the other (Manski,
Nonparametric bounds on treatment effects, 1990).
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, mode
from typing import Any

import numpy as np

from ...module.catalog.request import Missing, Reduce
from ...statistics.arguments.arrays import Floats, row_codes
from ...statistics.arguments.domains import range_of_rows
from .row_tables import RowTable, result, row_labels, scored
from .rows import Rows

BOUNDS = "bounds"  # among the conditions of a table: missing rows may have any score
_REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "max": max,
    "median": median,
    "mode": mode,
}


@dataclass(frozen=True)
class Samples:
    """The samples that rows belong to.

    Args:
        positions: of the sample of each row, from 0.
        labels: the ids, groups and clusters of the samples; its columns are the references.
        size: the number of samples.
        reduce: how the scores of several rows become one.
        gaps: the samples of rows without a score.
        is_bounded: whether such samples leave bounds; otherwise such rows count as zero.
    """

    positions: Sequence[int]
    labels: Rows
    size: int
    reduce: Reduce = "mean"
    gaps: Sequence[int] = ()
    is_bounded: bool = False

    def reduced(self, values: Floats) -> Floats:
        """Return the value of each sample, from the values of its rows; NaN if it has none.

        >>> nothing = Rows(columns={})
        >>> Samples([0, 1, 0], nothing, 2, gaps=[1]).reduced(np.array([1.0, 1.0, 0.0]))
        array([0.5, 0.5])
        >>> Samples([0, 0], nothing, 2, gaps=[1], is_bounded=True).reduced(np.array([1.0, 0.0]))
        array([0.5, nan])
        """
        members: list[list[float]] = [[] for _ in range(self.size)]
        for position, value in zip(self.positions, values.tolist(), strict=True):
            members[position].append(value)
        for position in () if self.is_bounded else self.gaps:
            members[position].append(0.0)
        reduction = _REDUCTIONS[self.reduce]
        return np.array([reduction(values) if values else math.nan for values in members], float)


def numbered(ids: Sequence[Hashable]) -> tuple[list[int], list[Any]]:
    """Return the position of each id among the distinct ones, and these in the order of rows.

    >>> numbered(["a", "b", "a"])
    ([0, 1, 0], ['a', 'b'])
    """
    positions: dict[Hashable, int] = {}
    return [positions.setdefault(name, len(positions)) for name in ids], list(positions)


def answered(rows: Rows, missing: Missing) -> tuple[Rows, Samples | None, dict[str, Any]]:
    """Return the rows with a prediction, the samples if others count, and the conditions.

    >>> rows = Rows(columns={"predictions": ["a", None]}, ids=["x", "y"])
    >>> part, samples, conditions = answered(rows, "skip")
    >>> part.ids, samples, conditions
    (['x'], None, {'left_out': {'unanswered': 1}})
    """
    predictions = rows.columns.get("predictions")
    if predictions is None or missing == "refuse":
        return rows, None, {}
    available = [row for row, value in enumerate(predictions) if value is not None]
    gaps = sorted({*range(len(predictions))} - {*available})
    if not gaps:
        return rows, None, {}
    part = rows.take(available)
    if missing == "skip":
        return part, None, {"left_out": {"unanswered": len(gaps)}}
    samples = Samples(available, rows, len(predictions), gaps=gaps, is_bounded=missing == BOUNDS)
    return part, samples, {"missing": {missing: len(gaps)}}


def scored_samples(
    metric: Any, rows: Rows, samples: Samples | None, conditions: Mapping[str, Any]
) -> RowTable:
    """Return the scored rows of a module, one for each sample.

    Raises:
        ValueError: a row is not valid, or the module has no scores of rows that could be reduced.
    """
    if samples is None:
        return replace(scored(metric, rows), conditions=dict(conditions))
    if metric.score_kind != "means":
        raise ValueError(
            f"{metric.name} does not score row by row, so that "
            + (
                "rows that are missing leave no bounds; skip them"
                if samples.is_bounded
                else "rows of one id cannot become one; choose one row of each id with --where"
            )
        )
    unlabelled = replace(rows, ids=None, groups=None, clusters=None)
    table = scored(metric, unlabelled)
    if table.texts:
        raise ValueError(
            "explain is about single rows, and here the rows of one id become one; leave it out"
        )
    references = samples.labels.columns.get("references", ())
    return RowTable(
        metric=metric,
        columns={name: samples.reduced(values) for name, values in table.columns.items()},
        digests=row_codes(references) if len(references) == samples.size else None,
        conditions=dict(conditions),
        **row_labels(samples.labels, samples.size),
    )


def bounded_result(table: RowTable, **reporting: Any) -> dict[str, Any]:
    """Return the result of the rows with a score, with the bounds of all rows.

    Under `score_bounds` and `missing_rows`, also for each group.

    Raises:
        ValueError: a score has no bounds.
    """
    ends = {
        name: range_of_rows(name, table.metric.score_ranges, values.tolist())
        for name, values in table.columns.items()
    }
    for score, bounds in ends.items():
        if math.inf in map(abs, bounds):
            raise ValueError(
                f"{score} of a row that is missing may be any number, so there are no bounds; skip "
                "such rows"
            )
    low, high = (
        result(
            replace(
                table,
                columns={
                    name: np.nan_to_num(values, nan=ends[name][side])
                    for name, values in table.columns.items()
                },
            ),
            **reporting,
        )
        for side in (0, 1)
    )
    missing = np.any([np.isnan(values) for values in table.columns.values()], axis=0)
    available = table.take(np.flatnonzero(~missing))
    return _bounded(result(available, **reporting), low, high, [*table.columns], int(missing.sum()))


def _bounded(
    available: Mapping[str, Any],
    low: Mapping[str, Any],
    high: Mapping[str, Any],
    scores: Sequence[str],
    missing: int,
) -> dict[str, Any]:
    """Return the result of the available rows with the bounds of all rows, also for each group."""
    bounded = dict(available) | {
        "score_bounds": {name: [low[name], high[name]] for name in scores},
        "missing_rows": missing,
    }
    if "confidence_interval" in low:
        lower, upper = low["confidence_interval"], high["confidence_interval"]
        bounded["confidence_interval"] = {n: [lower[n][0], upper[n][1]] for n in scores}
    if "groups" in low:
        nothing = dict.fromkeys(scores, math.nan) | {"n": 0}
        bounded["groups"] = {
            group: _bounded(part, low["groups"][group], filled, scores, filled["n"] - part["n"])
            for group, filled in high["groups"].items()
            for part in [available.get("groups", {}).get(group, nothing)]
        }
    return bounded
