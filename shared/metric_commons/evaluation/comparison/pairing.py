"""Which scores of which systems are compared, row by row.

Unless scores are named, only the main score of each module is compared: since p-values are
corrected for their number, every further score, such as precision and recall next to F1, would cost
all others power.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from ...data.files.stored import to_jsonable
from ...statistics.arguments.checks import nearest
from ...statistics.arguments.domains import score_range
from ...statistics.tests.significance import Differences
from ..results.comparisons import Pair
from ..results.module_results import ModuleResult, check_averages
from ..results.results import Results
from ..rows.joins import in_order_of
from ..rows.plans import Tables
from ..rows.row_tables import RowTable
from ..rows.samples import BOUNDS
from .influences import differences_of_inputs, differences_of_sums, influences


def check_same_rows(tables: Tables) -> None:
    """Check that the systems have the same rows.

    Raises:
        ValueError: they do not.
    """
    (first, modules), *others = tables.items()
    for system, of_system in others:
        for name in modules.keys() & of_system.keys():
            in_order_of(modules[name], of_system[name], (first, system))


def paired_scores(
    results: Results, names: Iterable[tuple[str, str]], scores: Collection[str] | None = None
) -> Iterator[Pair]:
    """Yield the scores that the systems of each pair share.

    A score is a mean over rows, computed from sums over rows, or from the inputs of all rows.

    Args:
        results: all systems, with their scored rows.
        names: the two systems of each pair.
        scores: which to compare, as `score` or `module.score`; those without scores of rows are
            skipped; None for the main score of each module.

    Raises:
        ValueError: a score is missing, none can be compared, or the options, ids or clusters of two
            systems differ.
    """
    if scores is not None:
        _check(scores, results)

    @cache
    def ordered(first: str, system: str, module: str) -> RowTable:
        """Return the rows of a system in the order of those of the first."""
        a, b = results.rows[first][module], results.rows[system][module]
        return in_order_of(a, b, (first, system))

    for a, b in names:
        for module, result in results.systems[a].items():
            rival = results.systems[b].get(module)
            if rival is None or not _has_rows(results, a, b, module):
                continue
            first = results.rows[a][module]
            kinds = _comparable(result, first)
            kinds_b = _comparable(rival, results.rows[b][module])
            shared = [name for name in kinds if name in kinds_b]
            if shared:
                _check_options(module, a, b, result, rival)
            second = ordered(a, b, module)
            chosen = [name for name in shared if name == result.main_score] or shared[:1]
            if scores is not None:
                chosen = [n for n in shared if n in scores or f"{module}.{n}" in scores]
            of_inputs = [name for name in chosen if kinds[name] == "inputs"]
            found = influences(first, second, of_inputs) if of_inputs else {}
            for name in chosen:
                pair = Pair(a, b, module, name, clusters=_clusters(first))
                ends = score_range(name, first.metric.score_ranges) or (-math.inf, math.inf)
                means = result.scores[name], rival.scores[name]
                if kinds[name] == "means":
                    has_missing = any(_is_bounded(table) for table in (first, second))
                    yield pair._replace(
                        scores_a=first.row_scores[name],
                        scores_b=second.row_scores[name],
                        bounds=ends if first.metric.score_ranges else None,
                        has_missing=has_missing,
                    )
                    continue
                if len(first.clusters) > 1:
                    raise ValueError(f"crossed clusters are for means of rows, and {name} is none")
                if not np.isfinite(means).all():
                    continue
                differences: Differences | None = None
                if kinds[name] == "sums":
                    rows = first.statistics, second.statistics
                    differences = differences_of_sums(*rows, name, means, ends)
                else:
                    differences = differences_of_inputs(first, second, name, means, ends, found)
                if differences is not None:
                    yield pair._replace(differences=differences)


def _has_rows(results: Results, a: str, b: str, module: str) -> bool:
    return all(module in results.rows.get(system, {}) for system in (a, b))


def _clusters(table: RowTable) -> Any:
    """Return one label for each row, or the labels of crossed fields."""
    if len(table.clusters) < 2:
        return table.labels()["clusters"]
    columns = table.clusters.values()
    return [dict(zip(table.clusters, labels, strict=True)) for labels in zip(*columns, strict=True)]


def _is_bounded(table: RowTable) -> bool:
    return BOUNDS in table.conditions.get("missing", {})


def _comparable(result: ModuleResult, table: RowTable) -> dict[str, str]:
    """Return the scores that can be compared, each a mean of rows, or of their sums or inputs."""
    names = (name for name in table.row_scores if name in result.scores)  # which may be chosen
    kinds = {name: "means" for name in names if name not in result.aggregation}
    numbers = [name for name, score in result.scores.items() if isinstance(score, float)]
    if table.kept == "sums":
        kinds |= {n: "sums" for n in numbers if result.aggregation.get(n) == "sums"}
    if table.metric.score_kind == "counts":
        kinds |= {n: "inputs" for n in numbers if n not in (*table.row_scores, "standard_error")}
    return kinds


def _check_options(module: str, a: str, b: str, result: ModuleResult, rival: ModuleResult) -> None:
    """Check that two systems were scored with the same options."""
    check_averages({a: {module: result}, b: {module: rival}})
    first, second = (to_jsonable(part.scoring_options()) for part in (result, rival))
    if first != second:
        raise ValueError(
            f"{module} scored {a!r} and {b!r} with different options: {result.signature} "
            f"and {rival.signature}"
        )


def _check(scores: Collection[str], results: Results) -> None:
    """Check that every named score exists, and that at least one of them can be compared."""
    all_scores: dict[str, None] = {}
    scores_of_rows: dict[str, None] = {}
    for system, modules in results.systems.items():
        for module, result in modules.items():
            table = results.rows.get(system, {}).get(module)
            comparable: Mapping[str, Any] = {} if table is None else _comparable(result, table)
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
