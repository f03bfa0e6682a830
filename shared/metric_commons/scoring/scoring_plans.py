"""Scoring tables in parts: which columns modules read, and the states that a part leaves behind.

What Spark and `datasets` have in common when they score by parts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ..base.checked_columns import checked_once
from ..base.columns import holds_maps
from ..catalog.arguments import assign, check_supported, input_names
from ..numbers.arrays import as_column
from ..numbers.checks import RowError
from ..numbers.row_digests import row_digest
from ..states.parts import Part
from ..states.state import State, loaded
from ..texts.token_cache import shared_token_cache

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

    modules: Mapping[str, Mapping[str, Any]]  # of each the options that move its scores
    systems: Mapping[str, str]  # of each the column of predictions
    labels: Mapping[str, str]  # columns of references, groups, clusters and ids, if there are any
    intervals: Mapping[str, Any] = field(default_factory=dict)  # what states must know of them

    def names(self) -> list[str]:
        """The columns that are read."""
        return list(dict.fromkeys([*self.systems.values(), *self.labels.values()]))

    def part(self, batches: Iterable[Mapping[str, Any]], before: int = 0) -> Part:
        """The states of these batches, each a mapping from columns to values.

        Args:
            batches: of rows.
            before: how many rows come before the first batch, for messages.

        Raises:
            ValueError: a row is not what it may be.
        """
        part = self._empty_part()
        for batch in batches:
            rows = len(batch[self.names()[0]])
            if rows:
                self._update(part, batch, before)
            before += rows
        return part

    def total(self, parts: Iterable[bytes]) -> Part:
        """Some parts, each in binary form, merged."""
        total = self._empty_part()
        for data in parts:
            total.merge(Part.from_bytes(data))
        return total

    def scores_of_rows(self, batch: Mapping[str, Any], before: int = 0) -> dict[str, list[float]]:
        """The scores of each row of a batch, before which there are so many rows.

        They are those of all modules for one system.
        """
        scores: dict[str, list[float]] = {}
        for name, options in self.modules.items():
            metric = loaded(name)(**options)
            for system in self.systems:
                columns = self.columns(metric, system)
                inputs = {name: batch[column] for name, column in columns.items()}
                try:
                    scores |= metric.compute(**inputs, per_example=True)["per_example"]
                except ValueError as error:
                    raise _located(error, columns, batch, before) from error
        return scores

    def _empty_part(self) -> Part:
        def state(module: str, options: Mapping[str, Any]) -> State:
            supported = loaded(module)().options
            intervals = {name: v for name, v in self.intervals.items() if name in supported}
            return State(module, **options, **intervals)

        return Part(
            {
                system: {module: state(module, options) for module, options in self.modules.items()}
                for system in self.systems
            }
        )

    @checked_once()
    @shared_token_cache()
    def _update(self, part: Part, batch: Mapping[str, Any], before: int) -> None:
        """Take a batch into a part."""
        # Arrow's columns become lists once, not once for each module and digest; but maps, which
        # rankings read in their own way.
        batch = {
            name: column if holds_maps(column) else as_column(name, column)
            for name, column in ((name, batch[name]) for name in self.names())
        }
        labels = {
            label: _listed(batch[column])
            for label, column in self.labels.items()
            if label != "references"
        }
        digests = {
            label: row_digest(batch[self.labels[label]])
            for label in _DIGESTED
            if label in self.labels
        }
        for system, states in part.states.items():
            for state in states.values():
                metric = state.metric
                columns = self.columns(metric, system)
                accepted = {name for name in ("groups", "clusters") if name in metric.options}
                if metric.scores_are == "rankings":
                    accepted.add("ids")
                try:
                    state.update(
                        **{name: batch[column] for name, column in columns.items()},
                        **{name: column for name, column in labels.items() if name in accepted},
                    )
                except ValueError as error:
                    raise _located(error, {**self.labels, **columns}, batch, before) from error
            part.add_digests(system, digests)

    def columns(self, metric: Any, system: str) -> dict[str, str]:
        """Of each input of a module the column.

        Raises:
            ValueError: there is none of an input.
        """
        columns = {**self.labels, "predictions": self.systems[system]}
        for name in input_names(metric):
            if name not in columns:
                raise ValueError(f"{name} must be the name of a column, got None")
        return {name: columns[name] for name in input_names(metric)}


def plan_of_columns(
    metrics: Mapping[str, Any],
    systems: Mapping[str, str],
    labels: Mapping[str, str | None],
    options: Mapping[str, Any],
    intervals: Mapping[str, Any],
) -> ScoringPlan:
    """What is scored of a table that comes in parts.

    Raises:
        ValueError: there is no such option, a module does not support what is asked for, an input
            has no column, or rankings have no ids.
    """
    if labels.get("ids") is None and any(m.scores_are == "rankings" for m in metrics.values()):
        raise ValueError("rankings of several parts need ids: name the column of the queries' ids")
    requested = {name for name, value in intervals.items() if value not in (None, False)}
    requested |= {name for name in ("groups", "clusters") if labels.get(name) is not None}
    check_supported(sorted(requested), metrics)
    plan = ScoringPlan(
        assign(options, {name: metric.options for name, metric in metrics.items()}),
        systems,
        {label: column for label, column in labels.items() if column is not None},
        intervals,
    )
    for metric, system in product(metrics.values(), systems):
        plan.columns(metric, system)
    return plan


def _located(
    error: ValueError, columns: Mapping[str, str], batch: Mapping[str, Any], before: int
) -> ValueError:
    """An error of `predictions[12]` with the table's name for the column, its row and value."""
    if not isinstance(error, RowError) or error.column not in columns:
        return error
    column = columns[error.column]
    value = repr(_listed(batch[column])[error.row])
    excerpt = value if len(value) <= _LONGEST else value[:_LONGEST] + "..."
    problem = error.about(f"column {column!r}")
    return ValueError(f"row {before + error.row}: {problem}; the value is {excerpt}")


def _listed(column: Any) -> list[Any]:
    listed: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return listed
