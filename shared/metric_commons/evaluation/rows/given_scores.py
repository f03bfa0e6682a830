"""Scores that are there already: a table with a row for each score, or a column for each system."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...module.catalog.request import Missing
from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import RowError, nearest, shown
from .logged_scores import SCORES, LoggedScores
from .row_tables import RowTable, row_labels
from .rows import Rows
from .samples import BOUNDS

_SYSTEM = ("system", "model", "name")
_ID = ("id", "item", "question", "question_id", "example", "query")
_SCORE = ("score", "value")
_METRIC = "metric"
_NO_SYSTEM = (*_ID, "index", "row", "seed", "")

Tables = dict[str, dict[str, RowTable]]
Scores = dict[tuple[str, str], dict[Any, list[float]]]  # by system and score, and by id


def tables_of_scores(
    columns: Mapping[str, Sequence[Any]],
    *,
    system: str | Sequence[str] | None = None,
    ids: str | None = None,
    score: str | None = None,
    clusters: Sequence[str] = (),
    lower_is_better: bool = False,
    bounds: Sequence[float] | None = None,
    missing: Missing = "refuse",
) -> Tables:
    """Return the scores of a table as scored rows.

    A long table has a row for each score, in columns for the system, the id and the score, by
    their usual names; further rows of one system and id, such as seeds, are averaged. In a wide
    table each column of numbers is a system, but for ids and seeds.

    Args:
        columns: the columns by name.
        system: the column that names the systems, or the columns that are systems.
        ids: the column of the ids; None for the usual names.
        score: the column of the scores; None for the usual names.
        clusters: the columns of clusters.
        lower_is_better: whether the lowest scores are the best.
        bounds: the lowest and the highest possible score; None if they are 0 to 1 or unknown.
        missing: what becomes of scores that a system lacks; "skip" leaves the row out for all.

    Raises:
        ValueError: a column is missing, a score is not a number, or fewer than two systems have
            scores.

    >>> wide = {"question": ["a", "b"], "old": [0, 1], "new": [1, 1]}
    >>> list(tables_of_scores(wide))
    ['old', 'new']
    >>> long = {"model": ["x", "x", "y"], "id": [1, 1, 1], "score": [0.0, 1.0, 0.5]}
    >>> tables_of_scores(long)["x"]["scores"].columns
    {'score': array([0.5])}
    """
    named = [system] if isinstance(system, str) else list(system or ())
    for name in (*named, *filter(None, (ids, score)), *clusters):
        if name not in columns:
            raise ValueError(f"there is no column {name!r}{nearest(name, columns)}")
    if bounds is not None and not -math.inf < bounds[0] < bounds[1] < math.inf:
        raise ValueError(f"bounds must be the lowest and the highest score, got {bounds}")
    ids = ids or _usual(_ID, columns)
    owner = named[0] if len(named) == 1 else None if named else _usual(_SYSTEM, columns)
    score = score or _usual(_SCORE, columns)
    rows = range(len(next(iter(columns.values()))))
    if owner is not None and score is not None:
        metrics = columns.get(_METRIC, [score] * len(rows))
        cells = [(str(columns[owner][row]), str(metrics[row]), score, row) for row in rows]
    else:
        named = named or _systems(columns, {ids, *clusters})
        cells = [(name, "score", name, row) for name in named for row in rows]
    scores: Scores = {}
    labels: dict[str, dict[Any, Any]] = {field: {} for field in clusters}
    counts: Counter[tuple[str, str]] = Counter()  # which number rows without ids
    for system_name, metric_name, column, row in cells:
        cell = system_name, metric_name
        key = counts[cell] if ids is None else columns[ids][row]
        counts[cell] += 1
        value = _number(column, row, columns[column][row])
        scores.setdefault(cell, {}).setdefault(key, []).append(value)
        for field, of_ids in labels.items():
            label, known = columns[field][row], of_ids.setdefault(key, columns[field][row])
            if label != known:
                cause = f"is {shown(label)}, but an earlier row of {key!r} has {shown(known)}"
                raise RowError(field, row, cause)
    systems = list(dict.fromkeys(name for name, _ in scores))
    if len(systems) < 2:
        listed = ", ".join(columns)
        raise ValueError(
            f"a comparison needs the scores of two systems; of {listed} these are: {systems}. Rows "
            "must be scored first: score MODULE FILE -p FIELD -p FIELD -r FIELD --compare"
        )
    ends = None if bounds is None else (bounds[0], bounds[1])
    metric = LoggedScores(frozenset({"*"} if lower_is_better else ()), SCORES, ends)
    tables = {name: _table(metric, name, scores, labels, missing) for name in systems}
    if missing == "skip":
        values = [column for table in tables.values() for column in table.columns.values()]
        complete = np.flatnonzero(~np.isnan(values).any(axis=0))
        if not len(complete):
            raise ValueError("no row has the scores of all systems")
        tables = {name: table.take(complete) for name, table in tables.items()}
    return {name: {SCORES: table} for name, table in tables.items()}


def _usual(names: Sequence[str], columns: Collection[str]) -> str | None:
    lower = {name.lower(): name for name in columns}
    return next((lower[name] for name in names if name in lower), None)


def _systems(columns: Mapping[str, Sequence[Any]], others: Collection[Any]) -> list[str]:
    """Return the columns of numbers that are systems by their names and values."""
    return [
        name
        for name, values in columns.items()
        if name not in others
        and name.lower() not in _NO_SYSTEM
        and not name.startswith("Unnamed:")
        and _are_scores(values)
    ]


def _are_scores(values: Sequence[Any]) -> bool:
    """Return whether these are numbers, also as texts, and not whole and all different as ids."""
    try:
        numbers = [float(value) for value in values if value not in (None, "")]
    except (TypeError, ValueError):
        return False
    are_ids = all(map(float.is_integer, numbers)) and len(set(numbers)) == len(values) > 2
    return bool(numbers) and not are_ids


def _number(name: str, row: int, value: Any) -> float:
    if value is None or value == "":
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise RowError(name, row, f"is {shown(value)}; a score is a number") from None


def _table(
    metric: LoggedScores,
    system: str,
    scores: Scores,
    labels: Mapping[str, Mapping[Any, Any]],
    missing: Missing,
) -> RowTable:
    """Return the scores of a system, with NaN where it has none."""
    ids = list(dict.fromkeys(name for of_ids in scores.values() for name in of_ids))
    columns: dict[str, Floats] = {}
    lacking = np.zeros(len(ids), bool)
    for score in dict.fromkeys(score for _, score in scores):
        found = [scores.get((system, score), {}).get(name, [math.nan]) for name in ids]
        values = np.array([math.fsum(several) / len(several) for several in found])
        absent = np.isnan(values)
        if absent.any() and missing == "refuse":
            name = ids[int(absent.argmax())]
            raise ValueError(
                f"system {system!r} has no {score} for {name!r}; leave such rows out with "
                "missing='skip', or count them with 'zero' or 'bounds'"
            )
        if missing == "zero":
            values[absent] = 0.0
        lacking |= absent
        columns[score] = values
    gaps = int(lacking.sum())
    if missing == BOUNDS and not metric.score_ranges and gaps:
        raise ValueError("missing='bounds' needs bounds, the lowest and the highest possible score")
    clusters = {field: [of_ids[name] for name in ids] for field, of_ids in labels.items()}
    rows = Rows(columns={}, ids=ids, clusters=clusters)
    conditions = {"missing": {missing: gaps}} if gaps else {}
    return RowTable(
        metric=metric, columns=columns, conditions=conditions, **row_labels(rows, len(ids))
    )
