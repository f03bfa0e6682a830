"""Samples of several rows, such as the epochs of an answer, and rows that have no score.

Rows of one sample are reduced to one score each: a mean over all rows would count a sample with
many rows more than others, and intervals would take repeats of one sample for independent samples
and be far too narrow.

Rows without a score count as zero, or leave bounds: the means if each had the worst score, and the
best. The interval reaches from the lower end of the one to the upper end of the other (Manski,
Nonparametric bounds on treatment effects, 1990).
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median, mode
from typing import Any

import numpy as np

from ...module.catalog.request import Missing, Reduce
from ...statistics.arguments.domains import range_of_rows
from .logged_scores import LOGGED, LoggedScores, scores_of_samples
from .row_tables import RowTable, result, scored
from .rows import Rows

BOUNDS = "bounds"  # among the conditions of a table: missing rows may have any score
_REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "max": max,
    "median": median,
    "mode": mode,
}
_REASONS = {
    "error": "ended in an error",
    "unscored": "have no score",
    "unanswered": "have no answer",
}


def samples_of_rows(
    tables: Mapping[str, RowTable],
    missing: Missing = "refuse",
    reduce: Reduce | None = None,
    *,
    score: str | None = None,
    repeats_allowed: bool = False,
    conditions: Mapping[str, Any] | None = None,
) -> dict[str, RowTable]:
    """Return the tables of a system with one row for each sample that counts.

    Args:
        tables: its rows by module; scores of a log are those of its samples.
        missing: what becomes of rows without a score.
        reduce: how the scores of several rows with one id become one; None for their mean.
        score: the score of a log to use; None for all.
        repeats_allowed: whether rows may have the same id even without `reduce`.
        conditions: how rows were selected; "left_out" counts others.

    Raises:
        ValueError: rows have no score and `missing` is "refuse"; no row has one; rows with the same
            id have different labels; or the scores of a module are not those of single rows.
    """
    described = dict(conditions or {})
    left_out = Counter(described.pop("left_out", {}))
    tables = dict(tables)
    outcomes = set()
    for name, table in tables.items():
        if LOGGED in table.columns:
            tables[name], others = _logged(table, score)
            left_out |= others
            outcomes |= set() if isinstance(table.metric, LoggedScores) else {name}
    absent = {
        row: reason
        for table in tables.values()
        for row, reason in enumerate(table.reasons)
        if reason
    }
    if absent:
        counts, rows = Counter(absent.values()), len(next(iter(tables.values())))
        if missing == "refuse":
            listed = ", ".join(f"{count} {_REASONS[reason]}" for reason, count in counts.items())
            raise ValueError(
                f"of {rows} samples, {listed}; exclude them with --missing skip, count them as 0 "
                "with --missing zero, or as worst and best with --missing bounds"
            )
        if len(absent) == rows and (
            missing == "skip" or not all(t.columns for t in tables.values())
        ):
            raise ValueError("no samples remain to be scored")
        if missing == "skip":
            kept = [row for row in range(rows) if row not in absent]
            tables = {name: table.take(kept) for name, table in tables.items()}
            left_out |= counts
        else:
            described["missing"] = {missing: len(absent)}
            tables = {name: _filled(table, missing) for name, table in tables.items()}
    positions, firsts = _samples(next(iter(tables.values())).ids)
    has_repeats = len(firsts) < len(positions) and (repeats_allowed or reduce is not None)
    if has_repeats:
        described["reduce"] = reduce or "mean"
    if left_out:
        described["left_out"] = dict(left_out)
    for name, table in tables.items():
        if name in outcomes:
            table = _outcomes(table, positions, firsts)
        elif has_repeats:
            table = _reduced(table, positions, firsts, reduce or "mean")
        tables[name] = replace(table, reasons=(), conditions={**described, **table.conditions})
    return tables


def _logged(table: RowTable, score: str | None) -> tuple[RowTable, Counter[str]]:
    """Return the scores of a log as columns, and counts of values that are no numbers."""
    columns, others = scores_of_samples([each or {} for each in table.columns[LOGGED]], score)
    arrays = {name: np.array(values, np.float64) for name, values in columns.items()}
    known = table.reasons or [""] * len(table)
    gaps: Any = np.isnan([*arrays.values()]).any(axis=0).tolist()
    reasons = [reason or "unscored" * gap for reason, gap in zip(known, gaps, strict=True)]
    return replace(table, columns=arrays, reasons=reasons), others


def _filled(table: RowTable, missing: Missing) -> RowTable:
    """Return the table in which rows without a score have 0 or, for bounds, NaN."""
    if not any(table.reasons):
        return table
    _check_rows(table, "rows that are missing leave no bounds; skip them")
    if missing == BOUNDS:
        return table
    gaps = np.array([bool(reason) for reason in table.reasons])
    return replace(table, columns={n: np.where(gaps, 0.0, c) for n, c in table.columns.items()})


def _check_rows(table: RowTable, problem: str) -> None:
    """Check that the module scores single rows, and says nothing about them in words."""
    if table.metric.score_kind != "means":
        raise ValueError(f"{table.module} does not score row by row, so that {problem}")
    if table.texts:
        raise ValueError(
            "explain is about single rows, and here the rows of one id become one; leave it out"
        )


def _samples(ids: Sequence[Any] | None) -> tuple[list[int], list[int]]:
    """Return the number of the sample of each row, and the first row of each sample.

    >>> _samples(["a", "b", "a"])
    ([0, 1, 0], [0, 1])
    """
    if ids is None:
        return [], []
    numbers: dict[Any, int] = {}
    firsts: list[int] = []
    for row, name in enumerate(ids):
        if name not in numbers:
            numbers[name] = len(firsts)
            firsts.append(row)
    return [numbers[name] for name in ids], firsts


def _reduced(
    table: RowTable, positions: Sequence[int], firsts: Sequence[int], reduce: Reduce
) -> RowTable:
    """Return one row for each sample; NaN for one that lacks the score of a row."""
    problem = "rows of one id cannot become one; choose one row of each id with --where"
    _check_rows(table, problem)
    reduction = _REDUCTIONS[reduce]
    columns = {
        name: [
            math.nan if any(map(math.isnan, of_sample)) else reduction(of_sample)
            for of_sample in values
        ]
        for name, column in table.columns.items()
        for values in [_by_sample(column.tolist(), positions, len(firsts))]
    }
    arrays = {name: np.array(values, np.float64) for name, values in columns.items()}
    return replace(_first_rows(table, positions, firsts), columns=arrays)


def _outcomes(table: RowTable, positions: Sequence[int], firsts: Sequence[int]) -> RowTable:
    """Return the scores of samples by a module that takes whether each of their rows passed.

    Raises:
        ValueError: there are several scores, or the score is neither 0 nor 1.
    """
    if len(table.columns) > 1:
        names = " or ".join(table.columns)
        raise ValueError(f"which score shows that a sample passed? --metric {names}")
    (column,) = table.columns.values()
    for value in column[~np.isnan(column)].tolist():
        if value not in (0, 1):
            raise ValueError(f"a sample either passed or failed, 1 or 0, but its score is {value}")
    if not firsts:
        positions = firsts = range(len(table))
    passed = _by_sample(column.tolist(), positions, len(firsts))
    alone = _first_rows(table, positions, firsts)
    reasons = ["unscored" if any(map(math.isnan, values)) else "" for values in passed]
    predictions = [[int(v) for v in values if not math.isnan(v)] for values in passed]
    rows = Rows(
        columns={"predictions": predictions},
        ids=alone.ids,
        groups=alone.groups,
        clusters=alone.clusters,
        reasons=reasons,
    )
    return replace(scored(table.metric, rows), digests=alone.digests)


def _by_sample(values: Sequence[Any], positions: Sequence[int], samples: int) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in range(samples)]
    for position, value in zip(positions, values, strict=True):
        found[position].append(value)
    return found


def _first_rows(table: RowTable, positions: Sequence[int], firsts: Sequence[int]) -> RowTable:
    """Return the first row of each sample; all rows of a sample must have the same labels."""
    for name, labels in {"groups": table.groups or (), **table.clusters}.items():
        for row, label in enumerate(labels):
            earlier = labels[firsts[positions[row]]]
            if label is not earlier and label != earlier:
                raise ValueError(
                    f"row {row}: {label!r} in {name} differs from the label of an earlier row with "
                    f"the same id, {earlier!r}"
                )
    return table.take(firsts)


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

    def filled(side: int) -> dict[str, Any]:
        columns = {n: np.nan_to_num(v, nan=ends[n][side]) for n, v in table.columns.items()}
        return result(replace(table, columns=columns), **reporting)

    missing = np.any([np.isnan(values) for values in table.columns.values()], axis=0)
    available = table.take(np.flatnonzero(~missing))
    scores = [*table.columns]
    found = result(available, **reporting)
    return _bounded(found, filled(0), filled(1), scores, int(missing.sum()))


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
