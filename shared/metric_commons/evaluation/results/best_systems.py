"""The best of several systems by one score, with an interval that allows for the choice."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..rows.joins import in_order_of
from ..rows.row_tables import RowTable
from .module_results import ModuleResult

_ADVICE = "score again with rows=True"


class BestSystem(NamedTuple):
    """The best of several systems by one score."""

    system: str
    score: float
    interval: list[float]
    candidates: int  # systems that could have been chosen, with this one
    expected_drop: float  # by how much the score is likely to get worse on new rows


def best_system(
    score: str,
    results: Mapping[str, ModuleResult],
    tables: Mapping[str, RowTable],
    level: float,
) -> BestSystem:
    """Return the best system by a score; see `Results.best`.

    Args:
        score: the name of the score.
        results: the result of the score's module for each system.
        tables: the scored rows of that module by system.
        level: the level of the interval.
    """
    from ...statistics.intervals.cluster_sums import Clusters
    from ...statistics.tests.best_of_many import best_of

    if len(results) < 2:
        raise ValueError(f"the best of systems needs two or more with {score}")
    columns: list[Any] = []
    first = next(iter(results))
    for system, result in results.items():
        if score in result.aggregation:
            raise ValueError(f"{score} is not a mean of rows, so there is no interval of the best")
        if system not in tables or score not in tables[system].row_scores:
            raise ValueError(f"the scores of rows of system {system!r} are missing; {_ADVICE}")
        rows = in_order_of(tables[first], tables[system], (first, system))
        columns.append(rows.row_scores[score])
    table = np.stack(columns, axis=1)
    counting = ~np.isnan(table).any(axis=1)
    table = table[counting]
    if not table.size or table.min() < 0 or table.max() > 1:
        raise ValueError(f"the best by {score} needs scores of rows from 0 to 1")
    labels = tables[first].take(np.flatnonzero(counting)).labels()["clusters"]
    if isinstance(labels, Mapping):
        raise ValueError("the best of systems is not for crossed clusters")
    clusters = None if labels is None else Clusters.of_labels(labels, len(labels))
    is_lower_better = score in results[first].lower_is_better
    winner = best_of(1 - table if is_lower_better else table, clusters, level=level)
    ends = [winner.low, winner.high]
    drop = max(winner.mean - math.fsum(ends) / 2, 0.0)
    best = list(results)[winner.number]
    if is_lower_better:
        ends = [1 - winner.high, 1 - winner.low]
    return BestSystem(best, results[best].scores[score], ends, winner.near, drop)
