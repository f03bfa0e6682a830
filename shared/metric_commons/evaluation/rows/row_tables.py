"""Scored rows: what a module needs of each row of a system, one line a row.

A table holds the scores of rows, the sums that scores follow from, or the inputs themselves. To
merge tables is to concatenate them, and a result is what `compute` itself does with the columns,
so it has the same bits however the rows were divided.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ...data.files.stored import to_jsonable
from ...module.declaration.declarations import REPORTING, Module
from ...statistics.arguments.arrays import Column, Floats, Integers, as_column, row_codes
from ...statistics.arguments.checks import check_labels
from ...statistics.arguments.domains import range_of_rows, score_range
from ...statistics.intervals.summary import Average, summarize
from ...statistics.intervals.sums import RowStatistics
from .logged_scores import LOGGED, LoggedScores
from .rows import Named, Rows, Values, called_clusters

Kept = Literal["scores", "sums", "inputs"]
# What is kept of a row, by the kind of the module's scores; the inputs for all others.
_KEPT: Mapping[str, Kept] = {"means": "scores", "rankings": "scores", "sums": "sums"}
_ALONE = {"confidence_level": None, "standard_error": False}
_OF_ROWS = ("columns", "ids", "groups", "clusters", "digests", "texts", "reasons")


def kept_by(metric: Module) -> Kept:
    """Return what is kept of the rows of a module."""
    return _KEPT.get(metric.score_kind, "inputs")


@dataclass(frozen=True, kw_only=True)
class RowTable:
    """The scored rows of one system and module.

    Args:
        metric: the module, with its options.
        columns: the scores, sums or inputs of rows by name; NaN is the score of a row that does
            not count.
        ids: a text for each row; None if there are none. They are distinct once all rows are in
            one table.
        groups: likewise, but not distinct.
        clusters: labels of rows, by field.
        digests: a number for the references of each row, by which tables show that they are of
            the same rows.
        texts: what a module has to say about rows, by name.
        reasons: why a row has no score, "" for others; none if all rows have one.
        conditions: how rows were selected, and whatever else changes scores and is no option:
            texts, or numbers of rows by reason, which add up.
    """

    metric: Any
    columns: Named
    ids: Sequence[Any] | None = None
    groups: Sequence[Any] | None = None
    clusters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    digests: NDArray[np.uint64] | None = None
    texts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    reasons: Sequence[str] = ()
    conditions: Named = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), self.reasons))

    @property
    def module(self) -> str:
        """Return the name of the module."""
        return str(self.metric.name)

    @property
    def options(self) -> Values:
        """Return the options that affect scores."""
        return {name: v for name, v in self.metric.options.items() if name not in REPORTING}

    @property
    def kept(self) -> Kept:
        """Return what the columns are."""
        return kept_by(self.metric)

    @cached_property
    def row_scores(self) -> dict[str, Floats]:
        """Return the scores of single rows; none if the module has none."""
        if self.kept == "scores":
            return dict(self.columns)
        if self.kept == "sums":
            scores: Named = self.statistics.of_rows()
        elif "per_example" in self.metric.options:
            alone = {name: v for name, v in _ALONE.items() if name in self.metric.options}
            scores = self.metric.compute(**self.columns, **alone, per_example=True)["per_example"]
        else:
            scores = {}
        return {name: np.array(values, np.float64) for name, values in scores.items()}

    @cached_property
    def statistics(self) -> RowStatistics:
        """Return the sums, with the functions that compute scores from them."""
        empty: RowStatistics = self.metric.row_statistics()
        if not self.columns:
            return empty
        values = np.stack([*self.columns.values()], axis=1)
        return replace(empty, names=tuple(self.columns), values=values)

    def take(self, rows: Sequence[int] | Integers) -> Self:
        """Return some of the rows, in this order."""
        order = np.asarray(rows, np.int64)
        listed = order.tolist()

        def part(columns: Sequence[Any]) -> Any:
            (column,) = columns
            if isinstance(column, np.ndarray):
                return column[order]
            return [column[row] for row in listed]

        return self.with_rows([self], part)

    def with_rows(
        self, parts: Sequence["RowTable"], combined: Callable[[Sequence[Any]], Any]
    ) -> Self:
        """Return the table with other rows, each column made of those of some tables."""

        def of_name(name: str) -> Any:
            columns = [getattr(part, name) for part in parts]
            if isinstance(columns[0], Mapping):
                return {key: combined([column[key] for column in columns]) for key in columns[0]}
            return columns[0] if columns[0] is None or not len(columns[0]) else combined(columns)

        return replace(self, **{name: of_name(name) for name in _OF_ROWS})

    def labels(self) -> Values:
        """Return the groups and clusters, as modules take them."""
        clusters: Any = self.clusters or None
        if len(self.clusters) == 1:
            (clusters,) = self.clusters.values()
        return {"groups": self.groups, "clusters": clusters}


def scored(metric: Any, rows: Rows, digests: NDArray[np.uint64] | None = None) -> RowTable:
    """Return the scored rows of a module with its options; a row without an answer has NaN.

    Args:
        metric: the module.
        rows: the rows, which may be none.
        digests: as in `RowTable`; None to make those of the references.

    Raises:
        ValueError: a row or a label is not valid.

    >>> from ...module.catalog.catalog import load_without_evaluate
    >>> rows = Rows(columns={"predictions": ["Paris", "Rome"], "references": ["paris", "Oslo"]})
    >>> table = scored(load_without_evaluate("qa_em"), rows)
    >>> table.columns["qa_em"], result(table)
    (array([1., 0.]), {'qa_em': 0.5})
    """
    reasons = rows.reasons if any(rows.reasons) else ()
    here = [row for row, reason in enumerate(reasons) if not reason]
    answered = rows.take(here) if reasons else rows
    columns: Values = {}
    texts: Values = {}
    if LOGGED in rows.columns:
        columns = {LOGGED: answered.columns[LOGGED]}
    elif here or not reasons:
        columns, texts = _kept_columns(metric, answered.columns)
    number = len(reasons) or len(next(iter(columns.values()), ()))
    if reasons:
        columns = {name: _spread(column, here, number) for name, column in columns.items()}
        texts = {name: _spread(column, here, number) for name, column in texts.items()}
    references = rows.columns.get("references")
    if digests is None and references is not None:
        digests = row_codes(metric.with_nan({"references": references})["references"])
    return RowTable(
        metric=metric,
        columns=columns,
        digests=digests,
        texts=texts,
        reasons=reasons,
        **row_labels(rows, number),
    )


def _kept_columns(metric: Any, given: Named) -> tuple[Values, Values]:
    """Return the scores, sums or inputs of rows by name, and texts about rows."""
    given = {name: column for name, column in given.items() if column is not None}
    inputs = metric.with_nan({n: given[n] for n in metric.input_names if n in given})
    of_options = {n: given[n] for n in metric.options if n in given and n not in inputs}
    kept = kept_by(metric)
    if kept == "scores":
        found = metric.result_of_rows(**inputs, **of_options, **_ALONE)
        columns = getattr(found, "scores", None)
        if columns is None:  # of a module that returns another dictionary
            found = metric.compute(**inputs, **of_options, **_ALONE, per_example=True)
            columns = {name: np.array(values) for name, values in found["per_example"].items()}
        return columns, {name: found[name] for name in metric.row_texts & found.keys()}
    if kept == "sums":
        statistics = metric.row_statistics(**inputs, **of_options)
        columns = dict(zip(statistics.names, statistics.values.T, strict=True))
        # Rows without tags count as rows.
        return columns or {"": np.zeros(len(statistics), np.int64)}, {}
    columns = {n: c for n, c in metric.checked(**inputs).items() if c is not None}
    return columns | {name: as_column(name, column) for name, column in of_options.items()}, {}


def _spread(column: Any, rows: Sequence[int], number: int) -> Any:
    """Return the column of all rows, of which some have these values."""
    if isinstance(column, np.ndarray):
        nothing = math.nan if column.dtype.kind == "f" else 0
        full = np.full((number, *column.shape[1:]), nothing, column.dtype)
        full[list(rows)] = column
        return full
    values = [None] * number
    for row, value in zip(rows, column, strict=True):
        values[row] = value
    return values


def row_labels(rows: Rows, number: int) -> Values:
    """Return the ids, groups and clusters of rows as texts.

    Raises:
        ValueError: a label is not valid, there is not one for each row, or two are called alike,
            such as 1 and "1".
    """

    def texts(name: str, labels: Any) -> list[str] | None:
        return None if labels is None else check_labels(name, labels, number)

    called = called_clusters(rows.clusters)
    return {
        "ids": texts("ids", rows.ids),
        "groups": texts("groups", rows.groups),
        "clusters": {name: texts(words, rows.clusters[name]) for words, name in called.items()},
    }


def result(table: RowTable, **reporting: Any) -> Values:
    """Return the result of `compute` for all rows of a table.

    Args:
        table: the rows.
        **reporting: the options for reporting that the module has.

    Raises:
        ValueError: the module cannot report this, or its score is undefined.
    """
    metric = table.metric
    reporting |= {name: v for name, v in table.labels().items() if name in metric.options}
    if table.kept == "inputs":
        found: Values = metric.compute(**table.columns, **reporting)
        return found
    if table.kept == "sums":
        metric.check_sums(table.statistics)
        try:
            return dict(summarize(table.statistics, **reporting))
        except KeyError as error:  # of a file that was changed
            raise ValueError(f"the rows have no column {error}") from None
    texts = dict(table.texts) if reporting.get("per_example") else {}
    return summarize(table.columns, _averages(table), **reporting) | texts


def _averages(table: RowTable) -> dict[str, Average]:
    """Return how the scores of rows become one score, with the range of each."""
    metric = table.metric
    if metric.score_kind == "rankings":
        from ...retrieval.names import parse_measures
        from ...retrieval.ranking_measures import average

        return {m.name: average(m) for m in parse_measures(metric.options["measures"])}
    averages = {}
    for name, values in table.columns.items():
        bounds = score_range(name, metric.score_ranges)
        if isinstance(metric, LoggedScores) and not metric.score_ranges:
            bounds = range_of_rows(name, {}, values.tolist())
        if bounds is not None:
            averages[name] = Average(bounds=bounds)
    return averages


def joined(tables: Iterable[RowTable]) -> RowTable:
    """Return all rows of tables of one system and module, in their order.

    Raises:
        ValueError: the tables differ in module, options, columns or labels.

    >>> from ...module.catalog.catalog import load_without_evaluate
    >>> metric = load_without_evaluate("qa_em")
    >>> columns = [{"predictions": [text], "references": ["a"]} for text in "ab"]
    >>> result(joined(scored(metric, Rows(columns=of_part)) for of_part in columns))
    {'qa_em': 0.5}
    """
    parts = list(tables)
    parts = [part for part in parts if len(part)] or parts[:1]
    first = next((part for part in parts if part.columns), parts[0])
    for part in parts:
        check_mergeable(first, part)
    if len(parts) == 1:
        return first
    names = [*first.columns]
    if first.kept == "sums" and any([*part.columns] != names for part in parts):
        names = sorted({name for part in parts for name in part.columns})

    def filled(part: RowTable) -> RowTable:
        """Return the part with all columns, although perhaps none of its rows has an answer."""
        columns, texts, rows = dict(part.columns), dict(part.texts), len(part)
        for name in names:
            if first.kept == "sums":  # those that a part lacks are 0 there
                columns.setdefault(name, np.zeros(rows, np.int64))
            elif name not in columns:
                columns[name] = _spread(first.columns[name][:0], [], rows)
        for name, column in first.texts.items():
            texts.setdefault(name, _spread(column[:0], [], rows))
        reasons = part.reasons or [""] * rows * has_reasons
        return replace(part, columns={n: columns[n] for n in names}, texts=texts, reasons=reasons)

    has_reasons = any(part.reasons for part in parts)
    conditions = _added_conditions([part.conditions for part in parts])
    return replace(first.with_rows([*map(filled, parts)], concatenated), conditions=conditions)


def concatenated(columns: Sequence[Column | Sequence[Any]]) -> Any:
    """Return one column, as an array if all are arrays of numbers of one shape.

    >>> concatenated([np.array([1.0]), np.array([2.0])]), concatenated([np.array([1]), ["a"]])
    (array([1., 2.]), [1, 'a'])
    """
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    kinds = {
        (a.dtype.kind if a.dtype.kind in "bUu" else "number", a.shape[1:]) for a in arrays
    }  # unsigned and signed integers would become floats
    if len(arrays) == len(columns) and len(kinds) == 1:
        return np.concatenate(arrays)
    rows: list[Any] = []
    for column in columns:
        rows += column.tolist() if isinstance(column, np.ndarray) else column
    return rows


def check_mergeable(first: RowTable, part: RowTable) -> None:
    """Check that two tables have the same module and options and, if they have rows, columns.

    Raises:
        ValueError: they do not.
    """
    if part.module != first.module:
        raise ValueError(f"rows of {part.module} cannot be merged with rows of {first.module}")
    options = part.options
    for name, value in first.options.items():
        if to_jsonable(other := options[name]) != to_jsonable(value):  # a file has no tuples
            raise ValueError(
                f"rows of different options cannot be merged: {name} is {value!r} in some and "
                f"{other!r} in others"
            )
    if not (len(first) and len(part)):
        return
    of_inputs = first.columns and part.columns and first.kept != "sums"
    names = []
    for table in (first, part):
        labels = {"ids": table.ids, "groups": table.groups}
        names.append({name for name, column in labels.items() if column is not None})
        names[-1].update(table.clusters, table.columns if of_inputs else ())
    if different := sorted(names[0] ^ names[1]):
        raise ValueError(f"some rows have {', '.join(different)}, others have none")


def _added_conditions(parts: Sequence[Named]) -> Values:
    """Return the conditions of all rows, in which numbers of rows are added up.

    >>> _added_conditions([{"filter": "x", "left_out": {"error": 1}}, {"filter": "x"}])
    {'filter': 'x', 'left_out': {'error': 1}}
    """
    total: Values = {}
    for name in dict.fromkeys(name for conditions in parts for name in conditions):
        values = [conditions.get(name) for conditions in parts]
        counts = [Counter(value) for value in values if isinstance(value, Mapping)]
        if not counts and any(value != values[0] for value in values):
            raise ValueError(f"rows of different conditions cannot be merged: {name}")
        total[name] = dict(sum(counts, Counter[str]())) if counts else values[0]
    return total
