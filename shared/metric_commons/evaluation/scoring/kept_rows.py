"""States that keep their rows, for what needs more than a `State` holds.

Scores of single rows, comparisons, and options that are functions, have a value for each row or
follow from all rows need the rows in their order. If several processes score them, block by block,
the scores of all blocks are summarized once, by the function that `compute` calls for it, so the
result is that of one `compute`.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from ...module.catalog.usage import with_bar
from ...module.declaration.declarations import Module
from ...module.declaration.row_module import RowModule
from ...statistics.arguments.arrays import as_column
from ...statistics.arguments.domains import is_per_row
from ...text.tokens.normalizers import shared_token_cache
from ..results.module_results import ModuleResult, module_result
from ..states.means import CountedScores
from ..states.score_kind import kind_of
from .row_samples import scores_of_samples
from .system_rows import InputError, SystemRows, as_list
from .worker_processes import map_ordered

_ROWS = 16_384  # of a block: enough for full speed, few enough for an even distribution


@dataclass(frozen=True)
class KeptRows:
    """The rows of one system for one module: columns, or the scores of blocks.

    Like a `State`, it has a result, but it is not stored.

    Args:
        system: the name of the system.
        module: the name of the module.
        metric: the module.
        options: its options that affect scores.
        rows: the rows.

    >>> from ...module.catalog.catalog import load_without_evaluate
    >>> columns = {"predictions": ["Paris", "Rome"], "references": ["paris", "Oslo"]}
    >>> rows = SystemRows(inputs={"qa_em": columns})
    >>> kept = KeptRows("bot", "qa_em", load_without_evaluate("qa_em"), {}, rows)
    >>> kept.module_result({"per_example": True}).per_example
    {'qa_em': [1.0, 0.0]}
    """

    system: str
    module: str
    metric: Module
    options: Mapping[str, Any]
    rows: SystemRows
    blocks: list[Any] = field(default_factory=list)  # the scores of blocks, in the order of rows

    def columns_of_blocks(self) -> dict[str, Any]:
        """Return the columns, if blocks of them can be scored separately; otherwise none.

        Not if inputs are matched by ids, like the dictionaries of SQuAD, or an option has a value
        for each row, such as the choices of each question.
        """
        metric = self.metric
        if not isinstance(metric, RowModule) or not kind_of(self.metric).separates_rows:
            return {}
        if self.module in self.rows.samples or any(
            self.options.get(name) is not None and is_per_row(option.annotation)
            for name, option in metric.declared_options.items()
        ):
            return {}
        inputs = self.rows.inputs[self.module]
        columns = {
            name: as_column(name, inputs[name])
            for name in metric.input_names
            if inputs.get(name) is not None
        }
        firsts = [column[0] for column in columns.values() if len(column)]
        return {} if any(isinstance(row, dict) and "id" in row for row in firsts) else columns

    def scores_of_block(self, columns: Mapping[str, Any]) -> Any:
        """Return the scores of a block of rows, as values that can be sent to another process."""
        return kind_of(self.metric).score_block(self._configured(), columns)

    def module_result(self, reporting: Mapping[str, Any]) -> ModuleResult:
        """Return the result of all rows.

        Args:
            reporting: the options for reporting.

        Raises:
            InputError: the module refuses a row.
        """
        kind = kind_of(self.metric)
        requested = {
            "conventions": True,
            **reporting,
            "per_example": reporting.get("per_example") or kind.scores_rows,
            "groups": self.rows.groups,
            "clusters": self.rows.clusters,
        }
        reported = {name: v for name, v in requested.items() if name in self.metric.options}
        inputs = self._inputs()
        try:
            result, statistics = self._result(inputs, reported)
        except ValueError as error:
            raise InputError(self.system, error) from error
        row_inputs = inputs if kind.keeps_inputs and requested["per_example"] else {}
        return module_result(
            self.module,
            self.metric,
            result,
            rows=len(self.rows),
            options=self.options,
            reported=reported,
            counts=CountedScores.of_rows(result["per_example"], self.rows.clusters)
            if kind.scores_rows
            and "score_bounds" not in result
            and not isinstance(self.rows.clusters, Mapping)
            else None,
            row_sums=statistics.sums_of_rows()
            if statistics is not None and requested["per_example"]
            else None,
            row_inputs={
                name: list(map(as_list, as_list(as_column(name, column))))
                for name, column in row_inputs.items()
                if column is not None
            },
            choices=self.rows.choices,
            excluded=self.rows.excluded,
        )

    def _configured(self) -> Any:
        """Return the module with its options."""
        return type(self.metric)(**self.options)

    def _inputs(self) -> dict[str, Any]:
        columns = self.rows.inputs[self.module]
        given = [name for name in self.metric.feature_sets[0] if name in columns]
        return self.metric.with_nan({name: columns[name] for name in given})

    def _result(
        self, inputs: Mapping[str, Any], reported: Mapping[str, Any]
    ) -> tuple[dict[str, Any], Any]:
        """Return the result of all rows, and what each adds to sums behind it, if it does."""
        if self.blocks:
            summary = kind_of(self.metric).summarize_blocks(
                self._configured(), self.blocks, **reported
            )
            return summary, getattr(summary, "statistics", None)
        if self.module in self.rows.samples:
            samples = self.rows.samples[self.module]
            columns = self.rows.inputs[self.module]
            return scores_of_samples(
                self.module, self.metric, columns, self.options, reported, samples
            ), None
        return self.metric.compute_with_statistics(**inputs, **self.options, **reported)


def kept_rows(
    metrics: Mapping[str, Module],
    systems: Mapping[str, SystemRows],
    options: Mapping[str, Mapping[str, Any]],
    jobs: int = 1,
    *,
    progress: bool = False,
) -> dict[str, dict[str, KeptRows]]:
    """Return the rows by system and module, scored block by block if there are several jobs.

    Args:
        metrics: the modules by name.
        systems: the rows of each system.
        options: the options of each module that affect its scores.
        jobs: the number of processes.
        progress: show a bar on stderr if it takes longer than a second.

    Raises:
        ValueError: a module refuses a row.
    """
    states = {
        system: {
            name: KeptRows(system, name, metric, options[name], rows)
            for name, metric in metrics.items()
        }
        for system, rows in systems.items()
    }
    if jobs > 1:
        _score_blocks(states, jobs, progress=progress)
    return states


def _score_blocks(
    states: Mapping[str, Mapping[str, KeptRows]], jobs: int, *, progress: bool
) -> None:
    """Score the rows of states in several processes, as far as that can be done block by block."""
    columns = {
        (system, name): found
        for system, modules in states.items()
        for name, state in modules.items()
        if (found := state.columns_of_blocks())
    }
    rows: dict[str, int] = {}
    for (system, _), of_module in columns.items():
        for column in of_module.values():
            if rows.setdefault(system, len(column)) != len(column):
                raise ValueError("the inputs differ in length")
    blocks = [(system, start) for system, n in rows.items() for start in range(0, n, _ROWS)]

    @shared_token_cache()
    def work(block: tuple[str, int]) -> dict[str, Any]:
        system, start = block
        return {
            name: state.scores_of_block(
                {n: c[start : start + _ROWS] for n, c in columns[system, name].items()}
            )
            for name, state in states[system].items()
            if (system, name) in columns
        }

    with closing(map_ordered(work, blocks, jobs)) as results:
        steps = with_bar(blocks, "scoring") if progress else blocks
        for (system, _), by_module in zip(steps, results, strict=True):
            for name, scores in by_module.items():
                states[system][name].blocks.append(scores)
