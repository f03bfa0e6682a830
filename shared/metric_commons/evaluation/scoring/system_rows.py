"""The rows of one system: the inputs of each module, and the labels of rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ...module.catalog.request import ROW_LABELS, Missing
from ...statistics.arguments.checks import check_labels
from ..results.comparisons import crossed_labels
from .row_samples import RowSamples, taken


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
    choices: Mapping[str, Any] = field(default_factory=dict)  # of rows, which move scores

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

    def at_hand(self, missing: Missing) -> Self:
        """Return the rows with a prediction; the others are excluded, or filled in when scored.

        >>> columns = {"predictions": ["a", None], "references": ["a", "b"]}
        >>> rows = SystemRows(inputs={"qa_em": columns}, ids=["x", "y"])
        >>> rows.at_hand("skip").ids, rows.at_hand("bounds").choices
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


def by_field(clusters: Mapping[str, Sequence[Any]]) -> Any:
    """Return the labels of several fields of clusters by field, or those of the only one, if any.

    >>> by_field({"item": ["a", "b"]}), by_field({})
    (['a', 'b'], None)
    """
    return clusters if len(clusters) > 1 else next(iter(clusters.values()), None)


def as_list(row: Any) -> Any:
    """Return an array as a list, and anything else as it is."""
    return row.tolist() if hasattr(row, "tolist") else row
