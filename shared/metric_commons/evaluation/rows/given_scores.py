"""Scores that are there already: a table with a row for each score, or a column for each system."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...module.catalog.request import Missing
from ...statistics.arguments.checks import RowError, nearest, shown
from .blocks import Tables, finished
from .logged_scores import SCORES, LoggedScores
from .row_tables import RowTable, row_labels
from .rows import Rows, Values
from .samples import BOUNDS

_SYSTEM = ("system", "model", "name")
_ID = ("id", "item", "question", "question_id", "example", "query")
_SCORE = ("score", "value")
_METRIC = "metric"
_NO_SYSTEM = (*_ID, "index", "row", "seed", "")


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
    scores: dict[tuple[str, str], dict[Any, list[float]]] = {}  # by system and score, and by id
    labels: dict[str, dict[Any, Any]] = {field: {} for field in clusters}
    wide = named or _systems(columns, {ids, *clusters})
    for column in wide if owner is None or score is None else [score]:
        for row, cell in enumerate(columns[column]):
            called = column, "score"
            if owner is not None and score is not None:
                metric_of_row = str(columns[_METRIC][row]) if _METRIC in columns else column
                called = str(columns[owner][row]), metric_of_row
            of_ids = scores.setdefault(called, {})
            key = len(of_ids) if ids is None else columns[ids][row]
            of_ids.setdefault(key, []).append(_number(column, row, cell))
            for field, known_labels in labels.items():
                label = columns[field][row]
                if label != (known := known_labels.setdefault(key, label)):
                    cause = f"is {shown(label)}, but an earlier row of {key!r} has {shown(known)}"
                    raise RowError(field, row, cause)
    systems = list(dict.fromkeys(name for name, _ in scores))
    if len(systems) < 2:
        listed = ", ".join(columns)
        raise ValueError(
            f"a comparison needs the scores of two systems; of {listed} these are: {systems}. Rows "
            "must be scored first: score MODULE FILE -p FIELD -p FIELD -r FIELD --compare"
        )
    keys = list(dict.fromkeys(key for of_ids in scores.values() for key in of_ids))
    clusters_of = {field: [of_ids[key] for key in keys] for field, of_ids in labels.items()}
    of_rows = row_labels(Rows(columns={}, ids=keys, clusters=clusters_of), len(keys))
    ends = None if bounds is None else (bounds[0], bounds[1])
    metric = LoggedScores(frozenset({"*"} if lower_is_better else ()), SCORES, ends)
    names = list(dict.fromkeys(name for _, name in scores))
    values: Values = {}  # by system: a row for each score
    for owner_of_row in systems:
        by_id = [scores.get((owner_of_row, name), {}) for name in names]
        values[owner_of_row] = np.array([[_mean(of.get(key)) for key in keys] for of in by_id])
    gaps = {name: np.isnan(of_system).any(axis=0) for name, of_system in values.items()}
    if missing == BOUNDS and bounds is None and np.any([*gaps.values()]):
        raise ValueError("missing='bounds' needs bounds, the lowest and the highest possible score")
    if missing == "skip":  # for all systems
        gaps = dict.fromkeys(gaps, np.any([*gaps.values()], axis=0))
    tables: Tables = {}
    for name, of_system in values.items():
        found = dict(zip(names, of_system, strict=True))
        reasons = ["unscored" * gap for gap in gaps[name].tolist()]
        tables[name] = {SCORES: RowTable(metric=metric, columns=found, reasons=reasons, **of_rows)}
    return finished(tables, missing)


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


def _mean(values: Sequence[float] | None) -> float:
    return math.fsum(values) / len(values) if values else math.nan
