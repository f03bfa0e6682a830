"""Scores of rows, made by several processes, and the result of a module that follows from them.

A module that scores row by row first scores rows and then says what they amount to. The first takes
long and can be done for some rows at a time; the second is done once, for all rows, by the function
that `compute` calls for it, so that the result is that of one `compute`.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from ..base.declarations import Module
from ..base.row_module import RowModule
from ..catalog.usage import with_bar
from ..numbers.arrays import as_column
from ..numbers.domains import is_per_row
from ..score_kinds.score_kind import kind_of
from ..texts.token_cache import shared_token_cache
from .system_rows import SystemRows
from .worker_processes import in_order

_ROWS = 16_384  # of a piece: enough to score at full speed, few enough to share them out evenly

# Of a system and a module the function from what is asked for to the result.
Summaries = dict[tuple[str, str], Callable[..., dict[str, Any]]]


def summaries_of_rows(
    metrics: Mapping[str, Module],
    systems: Mapping[str, SystemRows],
    options: Mapping[str, Mapping[str, Any]],
    jobs: int,
    *,
    progress: bool = False,
) -> Summaries:
    """The functions from what is asked for to results, once several processes have scored all rows.

    Modules whose rows have no scores of their own, and those with an option for each row, are left
    out: `compute` of all rows is for them.

    Args:
        metrics: modules by their names.
        systems: their rows.
        options: of each module those that move its scores.
        jobs: how many processes.
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
        if name not in rows.units
        and not _are_matched(inputs := _columns(metric, rows.inputs[name]))
    }
    pieces = [
        (system, start)
        for system in dict.fromkeys(system for system, _ in columns)
        for start in range(0, _length(columns, system), _ROWS)
    ]

    @shared_token_cache()
    def work(piece: tuple[str, int]) -> dict[str, Any]:
        system, start = piece
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
    with closing(in_order(work, pieces, jobs)) as results:
        steps = with_bar(pieces, "scoring") if progress else pieces
        for (system, _), by_module in zip(steps, results, strict=True):
            for name, of_piece in by_module.items():
                scores.setdefault((system, name), []).append(of_piece)
    return {
        (system, name): partial(
            kind_of(configured[name]).summarize_blocks, configured[name], of_pieces
        )
        for (system, name), of_pieces in scores.items()
    }


def _columns(metric: RowModule, inputs: Mapping[str, Any]) -> dict[str, Any]:
    names = [name for name in metric.input_names if inputs.get(name) is not None]
    return {name: as_column(name, inputs[name]) for name in names}


def _are_matched(columns: Mapping[str, Any]) -> bool:
    """Whether rows go together by their ids, as the dictionaries of SQuAD do, and not by order."""
    return any(
        len(rows) and isinstance(rows[0], dict) and "id" in rows[0] for rows in columns.values()
    )


def _has_rows(metric: RowModule, options: Mapping[str, Any]) -> bool:
    """Whether an option has a value for each row, such as the choices of each question."""
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
