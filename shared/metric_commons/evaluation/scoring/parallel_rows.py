"""Blocks of rows scored by several processes, and the results of modules from all blocks.

Scoring rows takes long and can be done block by block. Summarizing their scores is done once, for
all rows, by the function that `compute` calls for it, so the result is that of one `compute`.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from ...module.catalog.usage import with_bar
from ...module.declaration.declarations import Module
from ...module.declaration.row_module import RowModule
from ...statistics.arguments.arrays import as_column
from ...statistics.arguments.domains import is_per_row
from ...text.tokens.normalizers import shared_token_cache
from ..states.score_kind import kind_of
from .system_rows import SystemRows
from .worker_processes import map_ordered

_ROWS = 16_384  # of a block: enough for full speed, few enough for an even distribution

# By system and module, the function from the options for reporting to the result.
Summaries = dict[tuple[str, str], Callable[..., dict[str, Any]]]


def summaries_of_rows(
    metrics: Mapping[str, Module],
    systems: Mapping[str, SystemRows],
    options: Mapping[str, Mapping[str, Any]],
    jobs: int,
    *,
    progress: bool = False,
) -> Summaries:
    """Score all rows in several processes; return the functions that summarize the scores.

    Modules whose rows cannot be scored separately are left out, and so are those with an option
    that has a value for each row: these need `compute` of all rows.

    Args:
        metrics: the modules by name.
        systems: the rows of each system.
        options: the options of each module that affect its scores.
        jobs: the number of processes.
        progress: show a bar on stderr if it takes longer than a second.

    Raises:
        ValueError: a module refuses a row.
    """
    configured = {
        name: type(metric)(**options[name])
        for name, metric in metrics.items()
        if isinstance(metric, RowModule)
        and kind_of(metric).separates_rows
        and not _has_rows(metric, options[name])
    }
    columns = {
        (system, name): inputs
        for system, rows in systems.items()
        for name, metric in configured.items()
        if name not in rows.samples
        and not _are_matched(inputs := _columns(metric, rows.inputs[name]))
    }
    blocks = [
        (system, start)
        for system in dict.fromkeys(system for system, _ in columns)
        for start in range(0, _length(columns, system), _ROWS)
    ]

    @shared_token_cache()
    def work(block: tuple[str, int]) -> dict[str, Any]:
        system, start = block
        return {
            name: kind_of(metric).score_block(
                metric,
                {
                    column: rows[start : start + _ROWS]
                    for column, rows in columns[system, name].items()
                },
            )
            for name, metric in configured.items()
            if (system, name) in columns
        }

    scores: dict[tuple[str, str], list[Any]] = {}
    with closing(map_ordered(work, blocks, jobs)) as results:
        steps = with_bar(blocks, "scoring") if progress else blocks
        for (system, _), by_module in zip(steps, results, strict=True):
            for name, scores_of_block in by_module.items():
                scores.setdefault((system, name), []).append(scores_of_block)
    return {
        (system, name): partial(
            kind_of(configured[name]).summarize_blocks, configured[name], scores_of_blocks
        )
        for (system, name), scores_of_blocks in scores.items()
    }


def _columns(metric: RowModule, inputs: Mapping[str, Any]) -> dict[str, Any]:
    names = [name for name in metric.input_names if inputs.get(name) is not None]
    return {name: as_column(name, inputs[name]) for name in names}


def _are_matched(columns: Mapping[str, Any]) -> bool:
    """Whether inputs are matched by ids, like the dictionaries of SQuAD, instead of by order."""
    return any(
        len(rows) and isinstance(rows[0], dict) and "id" in rows[0] for rows in columns.values()
    )


def _has_rows(metric: RowModule, options: Mapping[str, Any]) -> bool:
    """Return whether an option has a value for each row, such as the choices of each question."""
    return any(
        options.get(name) is not None and is_per_row(option.annotation)
        for name, option in metric.declared_options.items()
    )


def _length(columns: Mapping[tuple[str, str], Mapping[str, Any]], system: str) -> int:
    lengths = {
        len(column)
        for key, inputs in columns.items()
        if key[0] == system
        for column in inputs.values()
    }
    if len(lengths) > 1:
        raise ValueError("the inputs differ in length")
    return lengths.pop()
