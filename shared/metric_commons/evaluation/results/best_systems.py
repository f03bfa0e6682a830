"""The best of several systems by one score, with an interval that allows for the choice."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.tests.best_of_many import best_of
from ..rows.joins import in_order_of
from ..rows.row_tables import RowTable
from .module_results import Systems


class BestSystem(NamedTuple):
    """The best of several systems by one score."""

    system: str
    score: float
    interval: list[float]
    candidates: int  # systems that could have been chosen, with this one


def best_system(
    module: str,
    score: str,
    systems: Systems,
    rows: Mapping[str, Mapping[str, RowTable]],
    level: float,
) -> BestSystem:
    """Return the best system by a score of a module; see `Results.best`."""
    results = {name: modules[module] for name, modules in systems.items() if module in modules}
    if len(results) < 2:
        raise ValueError(f"the best of systems needs two or more with {score}")
    first = next(iter(results))
    columns: list[Floats] = []
    for system, result in results.items():
        table = rows.get(system, {}).get(module)
        if score in result.aggregation:
            raise ValueError(f"{score} is not a mean of rows, so there is no interval of the best")
        if table is None or score not in table.row_scores:
            raise ValueError(
                f"the scores of rows of system {system!r} are missing; score again with rows=True"
            )
        matched = in_order_of(rows[first][module], table, (first, system))
        columns.append(matched.row_scores[score])
    scores = np.stack(columns, axis=1)
    counting = ~np.isnan(scores).any(axis=1)
    scores = scores[counting]
    if not scores.size or scores.min() < 0 or scores.max() > 1:
        raise ValueError(f"the best by {score} needs scores of rows from 0 to 1")
    labels = rows[first][module].take(np.flatnonzero(counting)).labels()["clusters"]
    if isinstance(labels, Mapping):
        raise ValueError("the best of systems is not for crossed clusters")
    clusters = None if labels is None else Clusters.of_labels(labels, len(labels))
    is_lower_better = score in results[first].lower_is_better
    winner = best_of(1 - scores if is_lower_better else scores, clusters, level=level)
    ends = [1 - winner.high, 1 - winner.low] if is_lower_better else [winner.low, winner.high]
    best = list(results)[winner.number]
    return BestSystem(best, results[best].scores[score], ends, winner.near)
