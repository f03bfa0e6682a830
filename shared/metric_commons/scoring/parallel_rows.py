"""Scores of rows, made by several processes, and the result of a module that follows from them.

A module that scores row by row first scores rows and then says what they amount to. The first takes
long and can be done for some rows at a time; the second is done once, for all rows, by the function
that `compute` calls for it, so that the result is that of one `compute`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..answers.answerability import ScoredAnswers, scored_answers, summarize_answers
from ..catalog.usage import with_bar
from ..numbers.arrays import as_column
from ..numbers.domains import is_per_row
from ..outcomes.preferences import outcomes, win_rates
from ..ranking.names import parse_measures
from ..ranking.ranking_measures import average
from ..statistics.summary import UNBOUNDED, summarize
from ..statistics.sums import RowStatistics, summarize_sums
from ..texts.token_cache import shared_token_cache
from .system_rows import SystemRows
from .worker_processes import in_order

_ROWS = 16_384  # of a piece: enough to score at full speed, few enough to share them out evenly


class _Kind(NamedTuple):
    """How modules of one kind score rows; the first argument is always the module."""

    score: Callable[[Any, Mapping[str, Any]], Any]  # rows, as values that may be sent
    summarize: Callable[..., dict[str, Any]]  # the scores of all pieces, and what is asked for


def _means(metric: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    scores = metric.compute(**columns, per_example=True)["per_example"]
    return {
        name: np.array(values, object if name in metric.row_texts else None)
        for name, values in scores.items()
    }


def _summary_of_means(
    metric: Any, pieces: Sequence[Mapping[str, Any]], **reporting: Any
) -> dict[str, Any]:
    scores = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    texts = {name: scores.pop(name).tolist() for name in metric.row_texts & scores.keys()}
    averages = {name: UNBOUNDED for name in scores if name in metric.unbounded}
    if metric.scores_are == "rankings":
        averages = {m.name: average(m) for m in parse_measures(metric.options["measures"])}
    result = summarize(scores, averages, **reporting)
    if texts and reporting.get("per_example"):
        result["per_example"] |= texts
    return result


def _outcomes(metric: Any, columns: Mapping[str, Any]) -> Any:
    return outcomes(metric.checked(**columns)["predictions"])


def _summary_of_outcomes(metric: Any, pieces: Sequence[Any], **reporting: Any) -> dict[str, Any]:
    return win_rates(np.concatenate(pieces), ties=metric.options["ties"], **reporting)


def _sums(metric: Any, columns: Mapping[str, Any]) -> Any:
    return metric.row_statistics(**columns).sums_of_rows()  # without functions, which are not sent


def _summary_of_sums(metric: Any, pieces: Sequence[Any], **reporting: Any) -> dict[str, Any]:
    empty: RowStatistics = metric.row_statistics()
    names = {piece.names for piece in pieces}
    if len(names) == 1:  # in the order in which one process has them
        values = np.concatenate([piece.values for piece in pieces])
        statistics = replace(empty, names=names.pop(), values=values)
    else:
        first, *parts = (replace(empty, names=piece.names, values=piece.values) for piece in pieces)
        statistics = first.joined(*parts)
    metric.check_sums(statistics)
    return summarize_sums(statistics, **reporting)


def _answers(metric: Any, columns: Mapping[str, Any]) -> ScoredAnswers:
    checked = metric.checked(**columns)
    return scored_answers(**checked, no_answer_texts=metric.options["no_answer_texts"])


def _summary_of_answers(
    metric: Any, pieces: Sequence[ScoredAnswers], **reporting: Any
) -> dict[str, Any]:
    names = ("no_answer_threshold", "threshold_ties")
    options = {name: metric.options[name] for name in names}
    return summarize_answers(ScoredAnswers.joined(pieces), **options, **reporting)


_KINDS = {
    "means": _Kind(_means, _summary_of_means),
    "rankings": _Kind(_means, _summary_of_means),
    "outcomes": _Kind(_outcomes, _summary_of_outcomes),
    "sums": _Kind(_sums, _summary_of_sums),
    "answers": _Kind(_answers, _summary_of_answers),
}

# Of a system and a module the function from what is asked for to the result.
Summaries = dict[tuple[str, str], Callable[..., dict[str, Any]]]


def summaries_of_rows(
    metrics: Mapping[str, Any],
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
        if metric.scores_are in _KINDS and not _has_rows(metric, options[name])
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
            name: _KINDS[metric.scores_are].score(
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
    return {key: _summary(configured[key[1]], of_pieces) for key, of_pieces in scores.items()}


def _columns(metric: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    names = [name for name in metric.input_names if inputs.get(name) is not None]
    return {name: as_column(name, inputs[name]) for name in names}


def _are_matched(columns: Mapping[str, Any]) -> bool:
    """Whether rows go together by their ids, as the dictionaries of SQuAD do, and not by order."""
    return any(
        len(rows) and isinstance(rows[0], dict) and "id" in rows[0] for rows in columns.values()
    )


def _summary(metric: Any, pieces: Sequence[Any]) -> Callable[..., dict[str, Any]]:
    return lambda **reporting: _KINDS[metric.scores_are].summarize(metric, pieces, **reporting)


def _has_rows(metric: Any, options: Mapping[str, Any]) -> bool:
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
