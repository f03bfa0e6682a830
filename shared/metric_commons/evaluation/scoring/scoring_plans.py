"""Plans for scoring in parts: the columns that modules read, and the way from rows to states.

Files, Spark and `datasets` all take this way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from ...module.catalog.catalog import module_class, name_of, own_scripts
from ...module.catalog.request import ROW_LABELS, Request
from ...module.declaration.columns import checked_once, holds_maps
from ...module.declaration.declarations import Module, assign, check_supported, texts_of_rows
from ...statistics.arguments.arrays import as_column, row_digest
from ...statistics.arguments.checks import RowError
from ..states.score_kind import kind_of
from .states import Part, State
from .system_rows import InputError

_LONGEST = 200  # characters of a value in a message
_DIGESTED = ("references", "ids")


@dataclass(frozen=True)
class ScoringPlan:
    """Modules with their options, and the columns of a table that they read.

    It can be sent to other processes.

    >>> plan = ScoringPlan({"qa_em": {}}, {"bot": "answer"}, {"references": "gold"})
    >>> part = plan.part([{"answer": ["Paris", "Rome"], "gold": ["paris", "Oslo"]}])
    >>> plan.total([part.to_bytes()]).results()["bot"]
    {'qa_em': 0.5}
    """

    modules: Mapping[str, Mapping[str, Any]]  # by module: the options that affect its scores
    systems: Mapping[str, str | None]  # by system: the column of predictions, if there is one
    labels: Mapping[str, str]  # all other columns: inputs, groups, clusters and ids
    intervals: Mapping[str, Any] = field(default_factory=dict)  # that states need in advance

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"scripts": own_scripts(self.modules)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for script in state.pop("scripts").values():
            name_of(Path(script))
        vars(self).update(state)

    def names(self) -> list[str]:
        """Return the columns that are read."""
        return list(dict.fromkeys(filter(None, [*self.systems.values(), *self.labels.values()])))

    def part(self, blocks: Iterable[Mapping[str, Any]], before: int = 0) -> Part:
        """Return the states of these blocks, each a mapping from columns to values.

        Args:
            blocks: of rows.
            before: the number of rows before the first block, for messages.

        Raises:
            ValueError: a row is not valid.
        """
        part = self.empty_part()
        for block in blocks:
            rows = len(block[self.names()[0]])
            if rows:
                try:
                    self.update(part, block, before)
                except InputError as error:
                    columns = self._fields(error.system)
                    raise _located(error.error, columns, block, before) from error
            before += rows
        return part

    def total(self, parts: Iterable[bytes]) -> Part:
        """Merge parts in their binary form."""
        total = self.empty_part()
        for data in parts:
            total.merge(Part.from_bytes(data))
        return total

    def scores_of_rows(self, block: Mapping[str, Any], before: int = 0) -> dict[str, list[float]]:
        """Return the scores of each row of a block, by all modules, for one system.

        Args:
            block: its columns.
            before: the number of rows before it, for messages.
        """
        scores: dict[str, list[float]] = {}
        for name, options in self.modules.items():
            for option in texts_of_rows(options):
                raise ValueError(f"{option} adds texts, which columns of scores do not hold")
            metric = module_class(name)(**options)
            for system in self.systems:
                columns = self.columns(metric, system)
                inputs = {name: block[column] for name, column in columns.items()}
                try:
                    scores |= metric.compute(**inputs, per_example=True)["per_example"]
                except ValueError as error:
                    raise _located(error, columns, block, before) from error
        return scores

    def empty_part(self, preset: str | None = None) -> Part:
        """Return the states of no rows."""

        def state(module: str, options: Mapping[str, Any]) -> State:
            supported = module_class(module).declared_options
            intervals = {name: v for name, v in self.intervals.items() if name in supported}
            return State(module, **options, **intervals)

        states = {
            system: {module: state(module, options) for module, options in self.modules.items()}
            for system in self.systems
        }
        return Part(states, [], preset)

    @checked_once()
    def update(
        self,
        part: Part,
        block: Mapping[str, Any],
        before: int,
        systems: Iterable[str] | None = None,
    ) -> None:
        """Add a block of rows, with `before` rows before it, to the states of these systems.

        Raises:
            InputError: a module refuses a row of the block.
        """
        # Arrow's columns become lists once, not once for each module and digest, except for maps,
        # which rankings read in their own way.
        systems = list(self.systems if systems is None else systems)
        names = {field for system in systems for field in self._fields(system).values()}
        block = {name: _read_once(name, block[name]) for name in names}
        labels = {
            label: _listed(block[column])
            for label, column in self.labels.items()
            if label in ROW_LABELS
        }
        digests = {
            label: row_digest(block[column])
            for label, column in self.labels.items()
            if label in _DIGESTED
        }
        for system in systems:
            for state in part.states[system].values():
                metric = state.metric
                columns = self.columns(metric, system)
                accepted: dict[str, Any] = {
                    name: column
                    for name, column in labels.items()
                    if name != "ids" and name in metric.options
                }
                if state.keeps_ids:
                    rows = len(next(iter(block.values())))
                    accepted["ids"] = labels.get("ids") or range(before, before + rows)
                try:
                    inputs = {name: block[column] for name, column in columns.items()}
                    state.update(**metric.with_nan(inputs), **accepted)
                except ValueError as error:
                    raise InputError(system, error) from error
            part.add_digests(system, digests)

    def columns(self, metric: Module, system: str) -> dict[str, str]:
        """Return the column of each input of a module.

        Raises:
            ValueError: an input has none.
        """
        columns = self._fields(system)
        for name in metric.required_inputs:
            if name not in columns:
                raise ValueError(f"{name} must be the name of a column, got None")
        return {name: columns[name] for name in metric.input_names if name in columns}

    def _fields(self, system: str) -> dict[str, str]:
        """Return the columns of a system by the names of inputs and labels."""
        predictions = self.systems[system]
        return {**self.labels, **({"predictions": predictions} if predictions else {})}


def plan_of_columns(
    request: Request,
    metrics: Mapping[str, Module],
    systems: Mapping[str, str | None],
    labels: Mapping[str, str | None],
) -> ScoringPlan:
    """Return the plan for a table that is scored in parts.

    Raises:
        ValueError: an option is unknown, a module does not support the request, an input has no
            column, or rankings have no ids.
    """
    if labels.get("ids") is None and any(kind_of(m).needs_ids for m in metrics.values()):
        raise ValueError("rankings of several parts need ids: name the column of the queries' ids")
    intervals = {
        "confidence_level": request.confidence_level,
        "standard_error": request.standard_error,
    }
    requested = {name for name, value in intervals.items() if value not in (None, False)}
    requested |= {name for name in ("groups", "clusters") if labels.get(name) is not None}
    check_supported(sorted(requested), metrics)
    plan = ScoringPlan(
        assign(request.options or {}, {name: metric.options for name, metric in metrics.items()}),
        systems,
        {label: column for label, column in labels.items() if column is not None},
        intervals,
    )
    for metric, system in product(metrics.values(), systems):
        plan.columns(metric, system)
    return plan


def _located(
    error: ValueError, columns: Mapping[str, str], block: Mapping[str, Any], before: int
) -> ValueError:
    """Return an error about `predictions[12]`, with the name of the column, row and value."""
    if not isinstance(error, RowError) or error.column not in columns:
        return error
    column = columns[error.column]
    value = repr(_listed(block[column])[error.row])
    excerpt = value if len(value) <= _LONGEST else value[:_LONGEST] + "..."
    problem = error.about(f"column {column!r}")
    return ValueError(f"row {before + error.row}: {problem}; the value is {excerpt}")


def _read_once(name: str, column: Any) -> Any:
    return column if isinstance(column, list) or holds_maps(column) else as_column(name, column)


def _listed(column: Any) -> list[Any]:
    if isinstance(column, list):
        return column
    listed: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return listed
