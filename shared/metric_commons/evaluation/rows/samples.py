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
from ...statistics.arguments.checks import alternatives
from ...statistics.arguments.domains import range_of_rows
from .joins import check_unique
from .logged_scores import LOGGED, LoggedScores
from .row_tables import RowTable, result, scored
from .rows import Named, Rows, Values

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
    conditions: Named | None = None,
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
        ValueError: rows have no score and `missing` is "refuse"; no row has one; an id occurs
            twice, or its rows have different labels; or the scores of a module are not those of
            single rows.
    """
    described = dict(conditions or {})
    left_out = Counter(described.pop("left_out", {}))
    logged = {name for name, table in tables.items() if LOGGED in table.columns}
    tables = dict(tables)
    for name in logged:
        tables[name], others = _logged(tables[name], score)
        left_out |= others
    reasons = [table.reasons for table in tables.values() if table.reasons]
    absent = [next(filter(None, of_row), "") for of_row in zip(*reasons, strict=True)]
    if counts := Counter(filter(None, absent)):
        if missing == "refuse":
            listed = ", ".join(f"{count} {_REASONS[reason]}" for reason, count in counts.items())
            raise ValueError(
                f"of {len(absent)} samples, {listed}; exclude them with --missing skip, count them "
                "as 0 with --missing zero, or as worst and best with --missing bounds"
            )
        has_scores = all(table.columns for table in tables.values())
        if all(absent) and (missing == "skip" or not has_scores):
            raise ValueError("no samples remain to be scored")
        if missing == "skip":
            kept = [row for row, reason in enumerate(absent) if not reason]
            tables = {name: table.take(kept) for name, table in tables.items()}
            left_out |= counts
        else:
            described["missing"] = {missing: counts.total()}
            tables = {name: _filled(table, missing) for name, table in tables.items()}
    ids = next(iter(tables.values())).ids
    has_repeats = ids is not None and len(set(ids)) < len(ids)
    if has_repeats and not repeats_allowed and reduce is None:
        check_unique(ids)
    if has_repeats:
        described["reduce"] = reduce or "mean"
    if left_out:
        described["left_out"] = dict(left_out)
    for name, table in tables.items():
        if name in logged and not isinstance(table.metric, LoggedScores):
            table = _outcomes(table)
        elif has_repeats:
            table = _reduced(table, _REDUCTIONS[reduce or "mean"])
        tables[name] = replace(table, reasons=(), conditions={**described, **table.conditions})
    return tables


def _logged(table: RowTable, score: str | None) -> tuple[RowTable, Counter[str]]:
    """Return the scores of a log as columns, and counts of values that are not numbers.

    A sample that lacks one score has none.

    Raises:
        ValueError: there are no scores, or none that is one number per sample.
    """
    samples = [sample or {} for sample in table.columns[LOGGED]]
    names = list(dict.fromkeys(name for sample in samples for name in sample))
    if not names:
        raise ValueError("the log has no scores; its samples were not scored")
    if score is not None:
        chosen = [name for name in names if name == score or name.startswith(f"{score}.")]
        if not chosen:
            raise ValueError(f"the log has no metric {score!r}{alternatives(score, names)}")
        names = chosen
    others = Counter(
        name
        for sample in samples
        for name in names
        if not isinstance(sample.get(name, 0), int | float)
    )
    numbers = [name for name in names if name not in others]
    if not numbers or (score is not None and others):
        raise ValueError(
            f"{', '.join(others)}: the log has no number per row, but the input of a measure of "
            "all rows, such as pairs of reference and prediction; score the answers with a module"
        )
    scores = np.array([[s.get(name, math.nan) for s in samples] for name in numbers], np.float64)
    gaps: Any = np.isnan(scores).any(axis=0)
    scores[:, gaps] = math.nan
    known = table.reasons or [""] * len(table)
    reasons = [reason or "unscored" * gap for reason, gap in zip(known, gaps.tolist(), strict=True)]
    return replace(table, columns=dict(zip(numbers, scores, strict=True)), reasons=reasons), others


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


def _reduced(table: RowTable, reduction: Callable[[Sequence[float]], float]) -> RowTable:
    """Return one row for each sample; NaN for one that lacks the score of a row."""
    _check_rows(table, "rows of one id cannot become one; choose one row of each id with --where")
    samples = _samples(table)

    def reduced(rows: Sequence[int], column: Sequence[float]) -> float:
        values = [column[row] for row in rows]
        return math.nan if any(map(math.isnan, values)) else reduction(values)

    columns = {}
    for name, column in table.columns.items():
        listed = column.tolist()
        columns[name] = np.array([reduced(rows, listed) for rows in samples], np.float64)
    return replace(table.take([rows[0] for rows in samples]), columns=columns)


def _outcomes(table: RowTable) -> RowTable:
    """Return the scores of samples by a module that takes whether each of their rows passed.

    Raises:
        ValueError: there are several scores, or the score is neither 0 nor 1.
    """
    if len(table.columns) > 1:
        names = " or ".join(table.columns)
        raise ValueError(f"which score shows that a sample passed? --metric {names}")
    (outcomes,) = (column.tolist() for column in table.columns.values())
    for value in outcomes:
        if not math.isnan(value) and value not in (0, 1):
            raise ValueError(f"a sample either passed or failed, 1 or 0, but its score is {value}")
    samples = _samples(table)
    passed = [
        [int(outcomes[row]) for row in rows if not math.isnan(outcomes[row])] for rows in samples
    ]
    reasons = [
        "unscored" * (len(known) < len(rows)) for known, rows in zip(passed, samples, strict=True)
    ]
    scores = scored(table.metric, Rows(columns={"predictions": passed}, reasons=reasons))
    return replace(table.take([rows[0] for rows in samples]), columns=scores.columns)


def _samples(table: RowTable) -> list[list[int]]:
    """Return the rows of each sample, which must have the same labels."""
    samples: dict[Any, list[int]] = {}
    for row, name in enumerate(table.ids or range(len(table))):
        samples.setdefault(name, []).append(row)
    for field, labels in {"groups": table.groups or (), **table.clusters}.items():
        for first, *others in samples.values() if labels else ():
            for row in others:
                if labels[row] != labels[first]:
                    raise ValueError(
                        f"row {row}: {labels[row]!r} in {field} differs from the label of an "
                        f"earlier row with the same id, {labels[first]!r}"
                    )
    return [*samples.values()]


def bounded_result(table: RowTable, **reporting: Any) -> Values:
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

    def filled(side: int) -> Values:
        columns = {n: np.nan_to_num(v, nan=ends[n][side]) for n, v in table.columns.items()}
        return result(replace(table, columns=columns), **reporting)

    missing = np.isnan([*table.columns.values()]).any(axis=0)
    found = result(table.take(np.flatnonzero(~missing)), **reporting)
    return _bounded(found, filled(0), filled(1), [*ends], int(missing.sum()))


def _bounded(
    found: Named,
    low: Named,
    high: Named,
    scores: Sequence[str],
    missing: int,
) -> Values:
    """Return a result with the bounds of all rows, also for each group."""
    bounded = {**found, "missing_rows": missing}
    bounded["score_bounds"] = {name: [low[name], high[name]] for name in scores}
    if "confidence_interval" in low:
        lower, upper = low["confidence_interval"], high["confidence_interval"]
        bounded["confidence_interval"] = {n: [lower[n][0], upper[n][1]] for n in scores}
    if "groups" in low:
        nothing = dict.fromkeys(scores, math.nan) | {"n": 0}
        bounded["groups"] = {}
        for name, best in high["groups"].items():
            part = found.get("groups", {}).get(name, nothing)
            gaps = best["n"] - part["n"]
            bounded["groups"][name] = _bounded(part, low["groups"][name], best, scores, gaps)
    return bounded
