"""The rows of one system: the inputs of each module, the labels of rows, and their samples.

Samples of several rows, such as the epochs of an answer, are reduced to one score each: a mean over
all rows would count a sample with many rows more than others, and intervals would take repeats of
one sample for independent samples and be far too narrow.

Samples without a score count as zero, or leave bounds: the means if each had the worst score, and
the best. The interval reaches from the lower end of the one to the upper end of the other (Manski,
Nonparametric bounds on treatment effects, 1990).
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median, mode
from typing import Any, Literal, NamedTuple, Self

from ...module.catalog.request import ROW_LABELS, Missing
from ...module.declaration.declarations import Module
from ...statistics.arguments.checks import check_labels
from ..results.comparisons import crossed_labels

Reduce = Literal["mean", "max", "median", "mode"]


class RowSamples(NamedTuple):
    """The sample of each row, and the samples that have another row without a score."""

    positions: Sequence[int]  # of the sample of each row, from 0
    size: int  # the number of samples
    reduce: Reduce
    gaps: Sequence[int] = ()  # the samples of rows without a score
    is_bounded: bool = False  # whether such samples leave bounds; otherwise such rows count as zero

    def reduced(self, values: Sequence[float]) -> list[float]:
        """Return the value of each sample, from the values of its rows; NaN if it has none.

        >>> RowSamples([0, 1, 0], 2, "mean", [1]).reduced([1.0, 1.0, 0.0])
        [0.5, 0.5]
        >>> RowSamples([0, 0], 2, "mean", [1], is_bounded=True).reduced([1.0, 0.0])
        [0.5, nan]
        """
        members: list[list[float]] = [[] for _ in range(self.size)]
        for position, value in zip(self.positions, values, strict=True):
            members[position].append(value)
        for position in () if self.is_bounded else self.gaps:
            members[position].append(0.0)
        reduction = _REDUCTIONS[self.reduce]
        return [float(reduction(values)) if values else math.nan for values in members]


_REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "max": max,
    "median": median,
    "mode": mode,
}


def numbered(ids: Sequence[Hashable]) -> tuple[list[int], list[Any]]:
    """Return the position of each id among the distinct ones, and these in the order of rows.

    >>> numbered(["a", "b", "a"])
    ([0, 1, 0], ['a', 'b'])
    """
    positions: dict[Hashable, int] = {}
    return [positions.setdefault(name, len(positions)) for name in ids], list(positions)


class InputError(ValueError):
    """A module refuses the input of one system."""

    def __init__(self, system: str, error: ValueError) -> None:
        super().__init__(f"system {system!r}: {error}")
        self.system, self.error = system, error


@dataclass(frozen=True, kw_only=True)
class SystemRows:
    """The rows of one system."""

    inputs: Mapping[str, Mapping[str, Any]]  # by module: its columns
    groups: Sequence[Any] | None = None
    clusters: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None  # crossed if by field
    ids: Sequence[Any] | None = None
    # By module: the sample of each row, if samples have several rows.
    samples: Mapping[str, RowSamples] = field(default_factory=dict)
    judged: Any = None  # the references of all rows, if some are not scored
    excluded: Mapping[str, int] = field(default_factory=dict)  # rows that do not count, by reason
    choices: Mapping[str, Any] = field(default_factory=dict)  # of rows, which affect scores

    def __len__(self) -> int:
        module, columns = next(iter(self.inputs.items()))
        if module in self.samples:
            return self.samples[module].size
        return len(next(column for column in columns.values() if column is not None))

    def references(self) -> Any:
        """Return the references of all rows, if a module takes any."""
        if self.judged is not None:
            return self.judged
        columns = (columns.get("references") for columns in self.inputs.values())
        return next((column for column in columns if column is not None), None)

    def answered(self, missing: Missing) -> Self:
        """Return the rows with a prediction; the others are excluded, or get a score later.

        >>> columns = {"predictions": ["a", None], "references": ["a", "b"]}
        >>> rows = SystemRows(inputs={"qa_em": columns}, ids=["x", "y"])
        >>> rows.answered("skip").ids, rows.answered("bounds").choices
        (['x'], {'missing': ['bounds:1']})
        """
        predictions = next(iter(self.inputs.values())).get("predictions")
        if predictions is None:
            return self
        rows = [row for row, value in enumerate(predictions) if value is not None]
        gaps = sorted({*range(len(predictions))} - {*rows})
        if not gaps:
            return self
        inputs = {module: taken(columns, rows) for module, columns in self.inputs.items()}
        if missing == "skip":
            labels = {name: taken(getattr(self, name), rows) for name in ROW_LABELS}
            return replace(self, inputs=inputs, excluded={"unanswered": len(gaps)}, **labels)
        samples = RowSamples(rows, len(predictions), "mean", gaps, is_bounded=missing == "bounds")
        return replace(
            self,
            inputs=inputs,
            samples=dict.fromkeys(inputs, samples),
            judged=self.references(),
            choices={"missing": [f"{missing}:{len(gaps)}"]},
        )


def check_same_rows(systems: Mapping[str, SystemRows]) -> None:
    """Check that the systems have the same number of rows and the same references."""
    (first, rows_a), *systems_left = systems.items()
    for system, rows_b in systems_left:
        if len(rows_a) != len(rows_b):
            raise ValueError(
                f"systems {first!r} and {system!r} have {len(rows_a)} and {len(rows_b)} rows; "
                "only systems with the same rows can be compared"
            )
        references_a, references_b = rows_a.references(), rows_b.references()
        if references_a is references_b or as_list(rows_a.ids) != as_list(rows_b.ids):
            continue
        for row, (row_a, row_b) in enumerate(zip(references_a, references_b, strict=False)):
            if as_list(row_a) != as_list(row_b):
                raise ValueError(
                    f"systems {first!r} and {system!r} have different references in row {row}; "
                    "only systems with the same rows can be compared"
                )


def row_labels(systems: Mapping[str, SystemRows]) -> dict[str, dict[str, list[Any]]]:
    """Return the ids and clusters of the rows of each system, if there are any."""
    labels_by_system: dict[str, dict[str, list[Any]]] = {}
    for system, rows in systems.items():
        columns = (("id", "ids", rows.ids), ("cluster", "clusters", rows.clusters))
        for name, option, column in columns:
            if column is None:
                continue
            try:
                labels = (
                    crossed_labels(column, len(rows))
                    if isinstance(column, Mapping)
                    else check_labels(option, column, len(rows))
                )
            except ValueError as error:
                raise InputError(system, error) from error
            labels_by_system.setdefault(system, {})[name] = labels
    return labels_by_system


def as_list(row: Any) -> Any:
    """Return an array as a list, and anything else unchanged."""
    return row.tolist() if hasattr(row, "tolist") else row


def scores_of_samples(
    name: str,
    metric: Module,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    reported: Mapping[str, Any],
    samples: RowSamples,
) -> dict[str, Any]:
    """Return the result of `compute` if each sample were a row.

    Raises:
        ValueError: the module has no scores of rows that could be reduced, or rows without a score
            could have any.
    """
    import numpy as np  # so that help does not wait for it

    from ...statistics.arguments.domains import range_of_rows
    from ...statistics.intervals.summary import Average, summarize
    from ..states.score_kind import kind_of

    if not kind_of(metric).reduces_samples:
        reason = (
            "rows that are missing leave no bounds; skip them"
            if samples.is_bounded
            else "rows of one id cannot become one; choose one row of each id with --where"
        )
        raise ValueError(f"{name} does not score row by row, so that {reason}")
    inputs = {column: columns[column] for column in metric.feature_sets[0]}
    result = metric.compute(**inputs, **options, per_example=True)
    if metric.row_texts & result.keys():
        raise ValueError(
            "explain is about single rows, and here the rows of one id become one; leave it out"
        )
    scores = {
        score: np.array(samples.reduced(values)) for score, values in result["per_example"].items()
    }
    ends = {
        name: range_of_rows(name, metric.score_ranges, values) for name, values in scores.items()
    }
    averages = {name: Average(bounds=bounds) for name, bounds in ends.items()}
    reporting = dict(reported)
    if not samples.is_bounded:
        return summarize(scores, averages, **reporting)
    for score, bounds in ends.items():
        if math.inf in map(abs, bounds):
            raise ValueError(
                f"{score} of a row that is missing may be any number, so there are no bounds; skip "
                "such rows"
            )
    available = sorted(set(samples.positions))
    labels = {name: reporting.pop(name, None) for name in ("clusters", "groups")}
    available_labels = {name: taken(column, available) for name, column in labels.items()}
    filled = [
        {name: np.nan_to_num(scores[name], nan=bounds[side]) for name, bounds in ends.items()}
        for side in (0, 1)
    ]
    low, high = (summarize(columns, averages, **reporting, **labels) for columns in filled)
    columns = {name: values[available] for name, values in scores.items()}
    result = summarize(columns, averages, **reporting, **available_labels) | {
        "per_example": {name: values.tolist() for name, values in scores.items()}
    }
    return _bounded(result, low, high, [*scores], samples.size - len(available))


def taken(column: Any, rows: Sequence[int]) -> Any:
    """Return the values of these rows; of a mapping, those of each of its columns.

    >>> taken("abc", [0, 2]), taken({"item": "abc"}, [1]), taken(None, [0])
    (['a', 'c'], {'item': ['b']}, None)
    """
    if column is None:
        return None
    if isinstance(column, Mapping):
        return {name: taken(values, rows) for name, values in column.items()}
    return [column[row] for row in rows]


def _bounded(
    result: dict[str, Any],
    low: Mapping[str, Any],
    high: Mapping[str, Any],
    scores: Sequence[str],
    missing: int,
) -> dict[str, Any]:
    """Return the result of the available rows with the bounds of all rows, also for each group."""
    bounded = result | {
        "score_bounds": {name: [low[name], high[name]] for name in scores},
        "missing_rows": missing,
    }
    if "confidence_interval" in low:
        lower, upper = low["confidence_interval"], high["confidence_interval"]
        bounded["confidence_interval"] = {n: [lower[n][0], upper[n][1]] for n in scores}
    if "groups" in low:
        nothing = dict.fromkeys(scores, math.nan) | {"n": 0}
        bounded["groups"] = {
            group: _bounded(
                available, low["groups"][group], filled, scores, filled["n"] - available["n"]
            )
            for group, filled in high["groups"].items()
            for available in [result.get("groups", {}).get(group, nothing)]
        }
    return bounded
