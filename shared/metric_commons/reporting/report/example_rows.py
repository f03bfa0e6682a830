"""The choice of example rows: the worst ones, and those on which systems differ most."""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ...evaluation.results.rendering import counted
from ...evaluation.results.results import Results
from ...module.catalog.catalog import known_class, score_scale
from ...statistics.arguments.arrays import Floats, Integers


class Ranking(NamedTuple):
    """Rows of one kind, and the reason for choosing them."""

    title: str
    reason: str
    rows: Sequence[int]


def rank_rows(results: Results, count: int) -> tuple[list[str], list[Ranking]] | str:
    """Return the scores by which rows are ranked, and at most `count` rows of each kind.

    The score of a row is the mean of the first score of each module, and higher is better if
    possible. Rows that all systems got right are never the worst. If there are no such scores,
    return the reason.
    """
    for lower, has_means in product((False, True), (True, False)):
        firsts = [_first_scores(results, s, lower, has_means) for s in results.systems]
        names = list(firsts[0]) if firsts else []
        scores = [name for name in names if all(name in columns for columns in firsts)]
        if scores:
            break
    else:
        return "The scored rows were not given (score --rows), so there are no examples."
    if len({len(columns[name][1]) for columns in firsts for name in scores}) > 1:
        return "Systems have different numbers of rows, so there are no examples side by side."
    numbers = np.array([[columns[name][1] for name in scores] for columns in firsts])
    best = np.array([firsts[0][name][0] for name in scores])
    rows = _mean(-numbers if lower else numbers, axis=1)  # of each system
    means = _mean(rows, axis=0)
    is_wrong = ~np.isnan(means) & (numbers != best[:, None]).any(axis=(0, 1))
    systems, total = list(results.systems), counted(means.size, "row")
    score = f"mean of {', '.join(scores[:-1])} and {scores[-1]}" if scores[1:] else scores[0]
    lowest = np.min(means[is_wrong], initial=math.inf)
    reason = (
        f"The {'highest' if lower else 'lowest'} {score}"
        f"{' over all systems' if len(systems) > 1 else ''}: {-lowest if lower else lowest:.4g} in "
        f"{(means[is_wrong] == lowest).sum():,} of {total}"
    )
    rankings = [_ranking("Worst", reason, means[is_wrong], np.flatnonzero(is_wrong), count)]
    if len(systems) == 2:
        for first in (0, 1):
            better, worse = systems[first], systems[1 - first]
            gains = rows[first] - rows[1 - first]
            (found,) = np.nonzero(gains > 0)
            wins = f"{better} is better in {counted(found.size, 'row')}"
            reason = f"The largest differences in {score}; {wins}"
            title = f"{better} better than {worse}"
            rankings.append(_ranking(title, reason, -gains[found], found, count))
    elif len(systems) > 2:
        spreads = np.sqrt(_mean((rows - means) ** 2, axis=0))
        (found,) = np.nonzero(spreads > 0)
        reason = (
            f"The {score} varies most between systems, first where these are split most evenly; "
            f"they differ in {counted(found.size, 'row')}"
        )
        rankings.append(_ranking("Most different", reason, -spreads[found], found, count))
    rankings = [ranking for ranking in rankings if ranking.rows]
    return scores, rankings + _unparsed(results, total, count)


def _first_scores(
    results: Results, system: str, lower: bool, has_means: bool
) -> dict[str, tuple[float, Floats]]:
    """Return the best value and the rows of the first score of each module.

    Args:
        results: the results.
        system: the system.
        lower: whether the scores are those of which the lowest are the best.
        has_means: whether the mean over the rows must be a score of the result.
    """
    firsts = {}
    for module, result in results.systems[system].items():
        table = results.rows.get(system, {}).get(module)
        for name, column in ({} if table is None else table.row_scores).items():
            is_mean = not (has_means and name in result.aggregation)
            if is_mean and name in result.scores and (name in result.lower_is_better) == lower:
                scale = None if known_class(module) is None else score_scale(module, name)
                firsts[name] = 1.0 if scale is None else scale.best, column
                break
    return firsts


def _mean(values: Floats, axis: int) -> Floats:
    """Return the mean of the finite values; NaN if there are none."""
    finite = np.isfinite(values)
    counts = np.where(finite.any(axis), finite.sum(axis), np.nan)
    means: Floats = np.where(finite, values, 0.0).sum(axis) / counts
    return means


def _ranking(title: str, reason: str, keys: Floats, rows: Integers, count: int) -> Ranking:
    """Return the rows with the lowest keys; of too many that tie, some from all over the file."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    tied = np.flatnonzero(ordered == ordered[min(count, len(order)) - 1]) if len(order) else order
    if not len(order) or tied[-1] < count:
        return Ranking(title, f"{reason}.", rows[order[:count]].tolist())
    room = count - int(tied[0])
    order[tied[:room]] = order[tied[np.arange(room) * len(tied) // room]]
    reason += f"; {room} of the {len(tied):,} rows that tie are shown."
    return Ranking(title, reason, rows[order[:count]].tolist())


def _unparsed(results: Results, total: str, count: int) -> list[Ranking]:
    """Return the rows with a prediction in which no answer was found, if there are any."""
    unparsed = {
        system: {
            row
            for table in tables.values()
            for row in np.flatnonzero(table.row_scores.get("unparsed", ())).tolist()
        }
        for system, tables in results.rows.items()
    }
    rows = sorted(set().union(*unparsed.values()))
    if not rows:
        return []
    parts = [f"{system} {len(numbers):,}" for system, numbers in unparsed.items() if numbers]
    cut = f"; these are the first {count}" if len(rows) > count else ""
    reason = (
        f"Predictions in which no answer was found; they score 0 ({', '.join(parts)} of "
        f"{total}){cut}."
    )
    return [Ranking("Unparsed", reason, rows[:count])]
