"""Which scores of which systems are compared, row by row.

Unless scores are named, only the main score of each module is compared: since p-values are
corrected for their number, every further score, such as precision and recall next to F1, would cost
all others power.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ...data.files.stored import to_jsonable
from ...module.catalog.catalog import load_without_evaluate, score_ranges
from ...module.declaration.declarations import REPORTING
from ...statistics.arguments.checks import nearest
from ...statistics.arguments.domains import range_of_rows
from ..results.comparisons import Pair
from ..results.joins import joined_rows
from ..results.module_results import (
    ModuleResult,
    Systems,
    check_averages,
    functions_of_rows,
    functions_of_sums,
    means_of_rows,
)
from ..results.results import Results

if TYPE_CHECKING:
    from ...statistics.intervals.sums import RowStatistics
    from .pseudovalues import ScoredInputs


class PairedRows(NamedTuple):
    """How the rows of two systems correspond, in the order of the first one."""

    order_b: Sequence[int] | None  # row numbers of the second; None for the same order
    clusters: Sequence[Any] | None


def paired_scores(
    results: Results, names: Iterable[tuple[str, str]], scores: Collection[str] | None = None
) -> Iterator[Pair]:
    """Yield the scores that the systems of each pair share.

    A score is a mean over rows, computed from sums over rows, or from the inputs of all rows.

    Args:
        results: all systems, with the scores of their rows.
        names: the two systems of each pair.
        scores: which to compare, as `score` or `module.score`; those without scores of rows are
            skipped; None for the main score of each module.

    Raises:
        ValueError: a score is missing, none can be compared, or the options, ids or clusters of two
            systems differ.
    """
    if scores is not None:
        _check(scores, results.systems)

    @cache
    def statistics(system: str, module: str) -> "RowStatistics":
        return row_statistics(system, module, results.systems[system][module])

    @cache
    def inputs(system: str, module: str, names: tuple[str, ...]) -> "ScoredInputs":
        from .pseudovalues import ScoredInputs  # imports numpy, so only on use

        return ScoredInputs(system, module, results.systems[system][module], names)

    for a, b in names:
        rows = _shared_rows(results.row_labels, a, b)
        for module, result in results.systems[a].items():
            rival = results.systems[b].get(module)
            if rival is None:
                continue
            is_incomplete = result.missing_rows or rival.missing_rows
            columns, columns_b = means_of_rows(result), means_of_rows(rival)
            shared = [name for name in columns if name in columns_b]
            functions = functions_of_sums(rival)
            shared += [name for name in functions_of_sums(result) if name in functions]
            drawn = functions_of_rows(rival)
            shared += [name for name in functions_of_rows(result) if name in drawn]
            if shared:
                _check_options(module, a, b, result, rival)
            chosen = [name for name in shared if name == result.main_score] or shared[:1]
            if scores is not None:
                chosen = [n for n in shared if n in scores or f"{module}.{n}" in scores]
            names_of_module = [
                name
                for name in chosen
                if name in columns or math.isfinite(result.scores[name] - rival.scores[name])
            ]
            of_sums = [name for name in names_of_module if name in functions]
            if of_sums:
                sums_a, sums_b = statistics(a, module), statistics(b, module)
                if rows.order_b is not None:
                    sums_b = sums_b.take(rows.order_b)
                for name in of_sums:
                    yield Pair(a, b, module, name, (), (), rows.clusters, sums_a, sums_b)
            of_inputs = [name for name in names_of_module if name in drawn and name not in columns]
            if of_inputs:
                first, second = (inputs(system, module, tuple(of_inputs)) for system in (a, b))
                pseudovalues = first.pseudovalues(second, rows.order_b)
                for name in of_inputs:
                    pair = Pair(a, b, module, name, (), (), rows.clusters)
                    if name in pseudovalues:
                        values_a, values_b = (v.tolist() for v in pseudovalues[name])
                        means = result.scores[name], rival.scores[name]
                        yield pair._replace(scores_a=values_a, scores_b=values_b, estimates=means)
                    else:
                        score = first.drawn_score(name, second, rows.order_b)
                        yield pair._replace(drawn=(len(first), score))
            for name in names_of_module:
                if name in functions or name not in columns:
                    continue
                scores_b = columns_b[name]
                if rows.order_b is not None:
                    scores_b = [scores_b[row] for row in rows.order_b]
                pair = Pair(a, b, module, name, columns[name], scores_b, rows.clusters)
                yield pair._replace(ends=_ends(pair)) if is_incomplete else pair


def _ends(pair: Pair) -> tuple[float, float] | None:
    """Return the lowest and the highest possible score of a row; None if there are no bounds."""
    ends = range_of_rows(pair.score, score_ranges(pair.module), [*pair.scores_a, *pair.scores_b])
    return ends if all(map(math.isfinite, ends)) else None


def _check_options(module: str, a: str, b: str, result: ModuleResult, rival: ModuleResult) -> None:
    """Check that two systems were scored with the same options."""
    check_averages({a: {module: result}, b: {module: rival}})
    first, second = (
        to_jsonable({name: v for name, v in part.options.items() if name not in REPORTING})
        for part in (result, rival)
    )
    if first != second:
        raise ValueError(
            f"{module} scored {a!r} and {b!r} with different options: {result.signature} "
            f"and {rival.signature}"
        )


def row_statistics(system: str, module: str, result: ModuleResult) -> "RowStatistics":
    """Return the statistics of rows, with the functions that compute scores from their sums.

    Raises:
        ValueError: the rows lack a statistic, the scores differ from those of the result, or an
            option was a function, and a file stores only its name.
    """
    options = {name: value for name, value in result.options.items() if name not in REPORTING}
    try:
        statistics = load_without_evaluate(module, **options).row_statistics()
    except ValueError as error:
        raise ValueError(
            f"{module} of system {system!r} cannot be recomputed from saved rows: {error}"
        ) from error
    if result.row_sums is not None:
        names, values = result.row_sums
        if missing := [name for name in statistics.names if name not in names]:
            raise ValueError(f"the rows of system {system!r} lack {missing[0]} of {module}")
        statistics = replace(statistics, names=names, values=values)
    scores = statistics.result()
    for name in functions_of_sums(result):
        pair = scores[name], result.scores[name]
        if not (math.isclose(*pair, rel_tol=1e-9, abs_tol=1e-12) or all(map(math.isnan, pair))):
            raise ValueError(
                f"{name} of the rows of system {system!r} is {scores[name]}, but the result says "
                f"{result.scores[name]}; the rows belong to another result"
            )
    return statistics


def _check(scores: Collection[str], systems: Systems) -> None:
    """Check that every named score exists, and that at least one of them can be compared."""
    all_scores: dict[str, None] = {}
    scores_of_rows: dict[str, None] = {}
    for results in systems.values():
        for module, result in results.items():
            comparable = [
                *means_of_rows(result),
                *functions_of_sums(result),
                *functions_of_rows(result),
            ]
            for names, columns in ((all_scores, result.scores), (scores_of_rows, comparable)):
                names.update(dict.fromkeys(columns))
                names.update(dict.fromkeys(f"{module}.{name}" for name in columns))
    for score in scores:
        if score not in all_scores:
            listed = ", ".join(name for name in scores_of_rows if "." not in name) or "none"
            hint = nearest(score, scores_of_rows) or f"; there are {listed}"
            raise ValueError(f"there is no score {score!r} of rows{hint}")
    if scores_of_rows and not any(score in scores_of_rows for score in scores):
        raise ValueError(
            f"score {next(iter(scores))!r} is neither a mean of rows nor computed from them, so it "
            "cannot be compared"
        )


def _shared_rows(
    row_labels: Mapping[str, Mapping[str, Sequence[Any]]], a: str, b: str
) -> PairedRows:
    """Return how the rows of two systems correspond: by their ids, or else by their order."""
    labels_a, labels_b = (row_labels.get(system, {}) for system in (a, b))
    ids_a, ids_b = labels_a.get("id"), labels_b.get("id")
    order = None
    if ids_a is not None and ids_b is not None and list(ids_a) != list(ids_b):
        try:
            order = joined_rows(ids_a, ids_b, (repr(a), repr(b)))
        except ValueError as error:
            raise ValueError(
                f"{error}; score both on the same rows, with --id and --per-example"
            ) from error
    if (ids_a is None) != (ids_b is None):
        first, second = (a, b) if ids_a is not None else (b, a)
        raise ValueError(
            f"the rows of {first!r} have ids, those of {second!r} do not; score both with --id and "
            "--per-example"
        )
    clusters, clusters_b = labels_a.get("cluster"), labels_b.get("cluster")
    if order is not None and clusters_b is not None:
        clusters_b = [clusters_b[row] for row in order]
    if (None if clusters is None else list(clusters)) != (
        None if clusters_b is None else list(clusters_b)
    ):
        raise ValueError(
            f"the rows of {a!r} and {b!r} have different clusters; score both with the same"
        )
    return PairedRows(order, clusters)
