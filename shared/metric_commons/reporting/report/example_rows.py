"""The choice of example rows: the worst ones, and those on which systems differ most."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...evaluation.results.rendering import counted
from ...evaluation.results.results import Results
from ...module.catalog.catalog import known_class, score_scale


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
    best: dict[str, float] = {}
    for lower, only_means in ((False, True), (False, False), (True, False)):
        columns_of_systems = []
        for system, modules in results.systems.items():
            firsts: dict[str, Sequence[float]] = {}
            for module, result in modules.items():
                # If `only_means`, the mean over the rows is a score of the result.
                table = results.rows.get(system, {}).get(module)
                columns = {} if table is None else table.row_scores
                names = [
                    name
                    for name in columns
                    if name in result.scores
                    and (name in result.lower_is_better) == lower
                    and not (only_means and name in result.aggregation)
                ]
                for name in names[:1]:
                    firsts[name] = columns[name].tolist()
                    scale = None if known_class(module) is None else score_scale(module, name)
                    best[name] = 1.0 if scale is None else scale.best
            columns_of_systems.append(firsts)
        first = columns_of_systems[0] if columns_of_systems else {}
        scores = [name for name in first if all(name in c for c in columns_of_systems)]
        if scores:
            break
    else:
        return "The scored rows were not given (score --rows), so there are no examples."
    sizes = {len(columns[name]) for columns in columns_of_systems for name in scores}
    if len(sizes) > 1:
        return "Systems have different numbers of rows, so there are no examples side by side."
    (total,) = sizes
    sign = -1 if lower else 1
    rows = [
        [sign * _mean(columns[name][row] for name in scores) for columns in columns_of_systems]
        for row in range(total)
    ]
    systems = list(results.systems)
    *first_names, last_name = scores
    score = f"mean of {', '.join(first_names)} and {last_name}" if first_names else last_name
    means = {row: _mean(values) for row, values in enumerate(rows)}
    means = {row: mean for row, mean in means.items() if not math.isnan(mean)}
    right = {
        row
        for row in range(total)
        if all(
            columns[name][row] == best[name] for columns in columns_of_systems for name in scores
        )
    }
    wrong = {row: mean for row, mean in means.items() if row not in right}
    lowest = min(wrong.values(), default=math.nan)
    reason = (
        f"The {'highest' if lower else 'lowest'} {score}"
        f"{' over all systems' if len(systems) > 1 else ''}: {sign * lowest:.4g} in "
        f"{sum(mean == lowest for mean in wrong.values()):,} of {counted(total, 'row')}"
    )
    rankings = [_ranking("Worst", reason, wrong, count)]
    if len(systems) == 2:
        differences = {row: rows[row][0] - rows[row][1] for row in means}
        for direction, (better, worse) in ((1, systems), (-1, systems[::-1])):
            gains = {row: -direction * d for row, d in differences.items() if direction * d > 0}
            wins = f"{better} is better in {counted(len(gains), 'row')}"
            reason = f"The largest differences in {score}; {wins}"
            rankings.append(_ranking(f"{better} better than {worse}", reason, gains, count))
    elif len(systems) > 2:
        spreads = {}
        for row in means:
            finite = [value for value in rows[row] if math.isfinite(value)]
            if max(finite) > min(finite):
                # The squared distances show how evenly systems are split: they are 1 for
                # 0, 0, 1, 1, and 0.75 for 0, 0, 0, 1.
                center = _mean(finite)
                squares = math.fsum((value - center) ** 2 for value in finite)
                spreads[row] = min(finite) - max(finite), -squares
        reason = (
            f"The largest differences in the {score} between systems, first those on which systems "
            f"are split most evenly; they differ in {counted(len(spreads), 'row')}"
        )
        rankings.append(_ranking("Most different", reason, spreads, count))
    rankings = [ranking for ranking in rankings if ranking.rows]
    return scores, rankings + _unparsed(results, total, count)


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the finite values; NaN if there are none."""
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def _ranking(title: str, reason: str, keys: Mapping[int, Any], count: int) -> Ranking:
    """Return the rows with the lowest keys; of too many that tie, some from all over the file."""
    order = sorted(keys, key=keys.__getitem__)
    last = keys[order[count - 1]] if len(order) > count else None
    tied = [row for row in order if keys[row] == last]
    ahead = order[: order.index(tied[0])] if tied else []
    room = count - len(ahead)
    if len(tied) <= room:
        return Ranking(title, f"{reason}.", order[:count])
    chosen = [tied[number * len(tied) // room] for number in range(room)]
    return Ranking(
        title, f"{reason}; {room} of the {len(tied):,} rows that tie are shown.", [*ahead, *chosen]
    )


def _unparsed(results: Results, total: int, count: int) -> list[Ranking]:
    """Return the rows with a prediction in which no answer was found, if there are any."""
    unparsed = {
        system: {
            row
            for table in tables.values()
            for row, share in enumerate(table.row_scores.get("unparsed", ()))
            if share
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
        f"{counted(total, 'row')}){cut}."
    )
    return [Ranking("Unparsed", reason, rows[:count])]
