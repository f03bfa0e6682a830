"""Scoring tables in parts: which columns a module reads, and the state that a part leaves behind.

What Spark, `datasets` and the command line have in common when they score by parts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ..numbers.checks import RowError
from .arguments import REPORTING, input_names
from .state import State, loaded

_LONGEST = 200  # characters of a value in a message


@dataclass(frozen=True)
class Job:
    """A module, its options, and the columns of a table that are its inputs.

    It can be sent to other processes.
    """

    module: str
    columns: Mapping[str, str]  # input: column
    options: Mapping[str, Any] = field(default_factory=dict)
    reporting: Mapping[str, Any] = field(default_factory=dict)
    groups: str | None = None
    clusters: str | None = None
    ids: str | None = None

    @classmethod
    def of(
        cls,
        module: str,
        arguments: Mapping[str, Any],
        *,
        groups: str | None = None,
        clusters: str | None = None,
        ids: str | None = None,
    ) -> Self:
        """The job that the arguments of a call mean: columns of inputs, and options.

        Raises:
            ValueError: there is no such module, or an input has no column.
            TypeError: there is no such option.

        >>> job = Job.of(
        ...     "qa_em", {"predictions": "answer", "references": "gold", "normalizer": "lower"}
        ... )
        >>> job.columns, job.options
        ({'predictions': 'answer', 'references': 'gold'}, {'normalizer': 'lower'})
        """
        metric = loaded(module)()
        inputs = input_names(metric)
        for name in inputs:
            if not isinstance(arguments.get(name), str):
                raise ValueError(
                    f"{name} must be the name of a column, got {arguments.get(name)!r}"
                )
        options = {name: value for name, value in arguments.items() if name not in inputs}
        loaded(module)(**options)
        if metric.scores_are == "rankings" and ids is None:
            raise ValueError(
                "rankings of several parts need ids: name the column of the queries' ids"
            )
        return cls(
            module,
            {name: arguments[name] for name in inputs},
            {name: value for name, value in options.items() if name not in REPORTING},
            {name: value for name, value in options.items() if name in REPORTING},
            groups,
            clusters,
            ids,
        )

    def check_columns(self, columns: Sequence[str]) -> None:
        """Nothing, if a table of these columns has those that are read.

        Raises:
            ValueError: it lacks one.
        """
        for name in self.names():
            if name not in columns:
                raise ValueError(f"there is no column {name!r}; the columns are {list(columns)}")

    def names(self) -> list[str]:
        """The columns that are read."""
        labels = filter(None, (self.groups, self.clusters, self.ids))
        return list(dict.fromkeys([*self.columns.values(), *labels]))

    def state(self, batches: Iterable[Mapping[str, Any]], before: int = 0) -> State:
        """The state of these batches, each a mapping from columns to values.

        Args:
            batches: of rows.
            before: how many rows come before the first batch, for messages.

        Raises:
            ValueError: a row is not what it may be.
        """
        state = self._empty_state()
        for batch in batches:
            inputs = self._inputs(batch)
            rows = len(next(iter(inputs.values())))
            if rows:
                try:
                    state.update(**inputs)
                except ValueError as error:
                    raise self._located(error, batch, before) from error
            before += rows
        return state

    def total(self, states: Iterable[str]) -> State:
        """The states of some parts, each as text, merged."""
        total = self._empty_state()
        for text in states:
            total.merge(State.from_json(text))
        return total

    def _empty_state(self) -> State:
        names = ("confidence_level", "standard_error")
        intervals = {name: self.reporting[name] for name in names if name in self.reporting}
        return State(self.module, **self.options, **intervals)

    def scores_of_rows(self, batch: Mapping[str, Any], before: int = 0) -> dict[str, list[float]]:
        """The scores of each row of a batch, before which there are so many rows."""
        inputs = {name: batch[column] for name, column in self.columns.items()}
        metric = loaded(self.module)(**self.options)
        try:
            scores: dict[str, list[float]] = metric.compute(**inputs, per_example=True)[
                "per_example"
            ]
        except ValueError as error:
            raise self._located(error, batch, before) from error
        return scores

    def _inputs(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        inputs = {name: batch[column] for name, column in self.columns.items()}
        for name, column in (
            ("groups", self.groups),
            ("clusters", self.clusters),
            ("ids", self.ids),
        ):
            if column is not None:
                inputs[name] = _listed(batch[column])
        return inputs

    def _located(self, error: ValueError, batch: Mapping[str, Any], before: int) -> ValueError:
        """An error of `predictions[12]` with the table's name for the column, its row and value."""
        if not isinstance(error, RowError) or error.column not in self.columns:
            return error
        column = self.columns[error.column]
        value = repr(_listed(batch[column])[error.row])
        excerpt = value if len(value) <= _LONGEST else value[:_LONGEST] + "..."
        problem = error.about(f"column {column!r}")
        return ValueError(f"row {before + error.row}: {problem}; the value is {excerpt}")


def _listed(column: Any) -> list[Any]:
    listed: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return listed
