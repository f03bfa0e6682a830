"""One number for each row of two systems, whose mean is the difference of their scores.

Where a score is no mean of rows, the number is the difference of the influences of both rows on the
score at the rows of both systems together. Exchanging the systems in a row then changes no
influence, so that sign flips of these numbers exchange rows, to first order.
"""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ...data.files.stored import to_jsonable
from ...statistics.arguments.arrays import Floats
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.sum_distributions import SumFunction, SumRatio
from ...statistics.intervals.sums import RowStatistics
from ...statistics.intervals.weighted_units import DrawnScore, weighted_draws
from ...statistics.resampling.row_units import RowUnits
from ...statistics.tests.laws import Drawn, Ends
from ...statistics.tests.significance import Differences
from ..rows.row_tables import RowTable, concatenated

_STEP = 1e-6  # part of the sums of both systems by which a sum is moved
_PARTS = 32  # of the way from one system to the other
_DIGITS = 12  # of an influence by leaving out a row, so that equal rows have equal ones
_DRAWS = 10_000
_WORSE = 1.5  # times the largest difference: an unseen one of a score without bounds


def differences_of_sums(
    first: RowStatistics,
    second: RowStatistics,
    name: str,
    scores: tuple[float, float],
    limits: Ends,
) -> Differences:
    """Return the differences of a score that follows from sums over rows.

    Args:
        first: the statistics of system A.
        second: those of system B on the same rows.
        name: the score.
        scores: of both systems.
        limits: the range of the score.

    >>> def share(sums):
    ...     return {"share": sums["right"] / sums["all"]}
    >>> a, b = (
    ...     RowStatistics(("right", "all"), np.array(rows), share, share)
    ...     for rows in ([[2, 2], [3, 3]], [[1, 2], [3, 4]])
    ... )
    >>> found = differences_of_sums(a, b, "share", (1.0, 2 / 3), (0.0, 1.0))
    >>> found.numbers.round(4).tolist(), found.kind
    ([0.3646, 0.302], 'influences')
    """
    names = tuple(sorted({*first.names, *second.names}))
    a, b = (side.columns(names).astype(np.float64) for side in (first, second))
    totals = [np.array([math.fsum(column.tolist()) for column in side.T]) for side in (a, b)]
    # The slopes on the way from the sums of one system to those of the other: their mean is that of
    # the difference, also where a kink is between, such as that of the penalty for short texts.
    parts = (np.arange(_PARTS)[:, np.newaxis] + 0.5) / _PARTS
    points = totals[1] + parts * (totals[0] - totals[1])
    law = first.distributions(names).get(name)

    def values(sums: Floats) -> Floats:
        columns = dict(zip(names, sums.T, strict=True))
        if isinstance(law, SumFunction):
            return law.score(columns)
        if isinstance(law, SumRatio):
            top, bottom = law.units(columns)
            return np.asarray(law.scale * top / bottom)
        rows = (dict(zip(names, row, strict=True)) for row in sums.tolist())
        return np.array([first.scores(row)[name] for row in rows])

    slopes = np.zeros(len(names))
    for number in np.flatnonzero(totals[0] + totals[1]):
        moved = np.zeros(len(names))
        moved[number] = _STEP * abs(totals[0][number] + totals[1][number])
        with np.errstate(all="ignore"):
            change = values(points + moved) - values(points - moved)
        change = change[np.isfinite(change)]
        slopes[number] = change.mean() / (2 * moved[number]) if change.size else 0.0
    reach = limits[1] - limits[0]
    if math.isinf(reach) and isinstance(law, SumRatio):
        columns = dict(zip(names, np.concatenate([a, b]).T, strict=True))
        reach = law.scale * law.bounds(*law.units(columns))[1]
    return _scaled(len(a) * ((a - b) @ slopes), scores, reach, limits)


def differences_of_inputs(
    first: RowTable,
    second: RowTable,
    name: str,
    scores: tuple[float, float],
    limits: Ends,
    influences: Mapping[str, tuple[Floats, Floats]],
) -> Differences | None:
    """Return the differences of a score of all rows together; None if it has none.

    Args:
        first: the rows of system A.
        second: the same rows of system B.
        name: the score.
        scores: of both systems.
        limits: the range of the score.
        influences: those of the rows of both systems, by score.
    """
    if name not in influences:
        if name not in first.metric.drawn_scores:
            return None
        law = drawn_law(first, second, name)
        return Differences(np.zeros(len(first)), scores, limits, _of_scores(limits), "slopes", law)
    a, b = influences[name]
    both = np.concatenate([a, b])
    spread = float(np.nanmax(both) - np.nanmin(both))
    reach = limits[1] - limits[0]
    reach = _WORSE * spread if math.isinf(reach) else max(reach, spread)
    return _scaled(a - b, scores, reach, limits)


def _of_scores(limits: Ends) -> Ends:
    return limits[0] - limits[1], limits[1] - limits[0]


def _scaled(
    numbers: Floats, scores: tuple[float, float], reach: float, limits: Ends
) -> Differences:
    """Return numbers whose mean is the difference of the scores, if it has the same sign.

    Sign flips do not change by a factor.
    """
    counting = numbers[~np.isnan(numbers)]
    difference, mean = scores[0] - scores[1], math.fsum(counting.tolist()) / max(counting.size, 1)
    bounds, of_scores = (-reach, reach), _of_scores(limits)
    if not difference * mean > 0:
        return Differences(numbers, scores, bounds, of_scores, "slopes")
    if of_scores == (-1, 1) and np.isin(counting.round(9), (-1.0, 0.0, 1.0)).all():
        return Differences(numbers.round(9), scores, of_scores, of_scores, "outcomes")
    return Differences(numbers * (difference / mean), scores, bounds, of_scores, "influences")


def influences(
    first: RowTable, second: RowTable, names: Collection[str]
) -> dict[str, tuple[Floats, Floats]]:
    """Return the influences of the rows of two systems on scores that have some.

    Args:
        first: the rows of a system, with their inputs.
        second: the same rows of another system.
        names: the scores.

    >>> from ...module.catalog.catalog import load_without_evaluate
    >>> from ..rows.row_tables import scored
    >>> from ..rows.rows import Rows
    >>> rows = Rows(columns={"predictions": [0, 0, 1, 1], "references": [0, 1, 1, 1]})
    >>> table = scored(load_without_evaluate("classification"), rows)
    >>> influences(table, table, ["accuracy"])["accuracy"][0]
    array([ 0.25, -0.75,  0.25,  0.25])
    """
    if first.metric.influences is None:
        ours, theirs = (_of_leaving_out(table, names) for table in (first, second))
        return {name: (ours[name], theirs[name]) for name in ours if name in theirs}
    found = first.metric.influences(**{**first.options, **_together(first, second)})
    halves = {name: np.split(found[name], 2) for name in names if name in found}
    return {n: (a, b) for n, (a, b) in halves.items() if not np.isnan([a, b]).all()}


def _together(first: RowTable, second: RowTable) -> dict[str, Any]:
    """Return the columns of both systems, one after the other."""
    return {n: concatenated([column, second.columns[n]]) for n, column in first.columns.items()}


def _scores(metric: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of these rows, without intervals, which take time; none if undefined."""
    level = {"confidence_level": None} if "confidence_level" in metric.options else {}
    try:
        scores: dict[str, Any] = metric.compute(**columns, **level)
    except ValueError:
        return {}
    return scores


def _of_leaving_out(table: RowTable, names: Collection[str]) -> dict[str, Floats]:
    """Return the differences that leaving out a row makes; equal rows are left out once."""
    number = len(table)
    kinds: dict[str, list[int]] = {}
    for row, values in enumerate(zip(*table.columns.values(), strict=True)):
        listed = [value.tolist() if hasattr(value, "tolist") else value for value in values]
        kinds.setdefault(json.dumps(to_jsonable(listed)), []).append(row)
    columns = {name: np.empty(number) for name in names}
    for rows in kinds.values():
        others = table.take(np.delete(np.arange(number), rows[0]))
        without = _scores(table.metric, others.columns)
        for name, column in columns.items():
            column[rows] = without.get(name, math.nan)
    return {
        name: ((number - 1) * (float(np.sort(column).mean()) - column)).round(_DIGITS)
        for name, column in columns.items()
        if np.isfinite(column).all()
    }


def drawn_law(first: RowTable, second: RowTable, name: str) -> Drawn:
    """Return the law of a score that is not smooth in the weights of rows.

    Rows, or clusters, are weighted at random, alike for both systems, together with an unseen one
    that A loses for the lower end, and wins for the upper one.

    Args:
        first: the rows of a system, with their inputs.
        second: the same rows of another system.
        name: the score.
    """
    number = len(first)
    units, clusters = np.arange(number), first.labels()["clusters"]
    if clusters is not None:
        units = Clusters.of_labels(clusters, number).numbers
    n_units = int(units.max()) + 1
    given = np.asarray(first.columns.get("sample_weight", np.ones(number)), np.float64)
    size = number / n_units * float(given.mean())
    systems = [
        table.metric.weighted_scores(**table.options, **table.columns) for table in (first, second)
    ]
    (score_a, unseen_a), (score_b, unseen_b) = systems
    places = []  # of the unseen rows among the sums: the lowest and the highest of A, and of B
    for (score, unseen), start in zip(systems, (n_units, n_units + unseen_a), strict=True):
        seen = np.repeat(given[:, np.newaxis], unseen, axis=1)
        values = score(np.concatenate([seen, size * np.eye(unseen)]))[name]
        places += [start + int(np.nanargmin(values)), start + int(np.nanargmax(values))]

    def difference(sums: Floats, _: object) -> dict[str, Floats]:
        rows = given[:, np.newaxis] * sums[units]
        of_a, of_b = np.split(sums[n_units:], [unseen_a])
        value: Floats = score_a(np.concatenate([rows, of_a]))[name]
        return {name: value - score_b(np.concatenate([rows, of_b]))[name]}

    lowering, raising = np.zeros((2, n_units + unseen_a + unseen_b))
    lowering[[places[0], places[3]]] = raising[[places[1], places[2]]] = size
    kinds = RowUnits(np.ones(n_units, np.int64), unobserved=unseen_a + unseen_b)
    drawn = {name: DrawnScore(math.nan, np.stack([lowering, raising]))}
    draws = weighted_draws(kinds, drawn, difference, n_resamples=_DRAWS, seed=0)[name]
    return Drawn(draws.lower, draws.upper)
