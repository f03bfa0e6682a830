"""Paired comparisons of systems: does one score better on the same rows by more than chance?

Rows are joined by id; a score of two systems becomes one number for each row; the test of these
numbers is a comparison. Unless scores are named, only the main score of each module is compared:
since p-values are corrected for their number, every further score, such as precision and recall
next to F1, would cost all others power.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...data.files.stored import to_jsonable
from ...module.declaration.declarations import REPORTING
from ...statistics.arguments.arrays import Integers
from ...statistics.arguments.domains import score_range
from ...statistics.intervals.methods import score_bounds
from ...statistics.tests.corrections import adjusted, significance_level
from ...statistics.tests.significance import Differences, compared
from ..results.module_results import ModuleResult, check_averages, signature
from ..results.results import Results, find_scores
from ..results.standings import Comparison
from ..rows.joins import in_order_of
from ..rows.row_tables import RowTable
from ..rows.samples import BOUNDS
from .influences import differences_of_inputs, differences_of_sums, influences

NOTHING = "there is no score of single rows that two systems share"
_DEFAULTS = {"test": "permutation", "alternative": "two-sided", "assume": "exchangeable"}


class Pair(NamedTuple):
    """One score of two systems, as one number for each row.

    Args:
        a: the first system.
        b: the second one.
        module: the module of the score.
        score: its name.
        differences: the numbers of the rows that count for both; None if there is a problem.
        fillings: the same with missing rows that have the lowest and the highest score.
        missing: how many rows lack a score and may have any; None if such rows do not count.
        problem: why the two are not compared.
    """

    a: str
    b: str
    module: str
    score: str
    differences: Differences | None = None
    fillings: Sequence[Differences] = ()
    missing: int | None = None
    problem: str = ""

    @property
    def is_crossed(self) -> bool:
        """Return whether the clusters of rows are labels by field."""
        return self.differences is not None and isinstance(self.differences.clusters, Mapping)


def with_comparisons(
    results: Results,
    names: Iterable[tuple[str, str]],
    scores: Collection[str] | None = None,
    *,
    bounds: Sequence[float] | None = None,
    **testing: Any,
) -> Results:
    """Return the results with comparisons of these systems, and with why others are missing.

    Raises:
        ValueError: as in `paired_scores` and `compare_pairs`, which have the arguments; or the
            named scores are no scores of single rows.
    """
    pairs = list(paired_scores(results, names, scores, bounds))
    if scores and not pairs:
        raise ValueError(NOTHING)
    problems = [
        f"{pair.a} and {pair.b} are not compared by {pair.score}: {pair.problem}"
        for pair in pairs
        if pair.problem
    ]
    record = {"not_compared": problems} if problems else {}
    return replace(
        results,
        comparisons=compare_pairs(pairs, bounds=bounds, **testing),
        provenance=results.provenance | record,
    )


def compare_pairs(
    pairs: Iterable[Pair],
    *,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    correction: Any = "bonferroni",
    bounds: Sequence[float] | None = None,
    **testing: Any,
) -> list[Comparison]:
    """Return both scores of each pair, their difference with its interval, and its p-value.

    P-values are corrected for all pairs: the option `tests` is their number. Each comparison has a
    signature. Pairs with a problem are not compared.

    Args:
        pairs: the systems with the number of each row.
        alpha: a corrected p-value below it is significant.
        confidence_level: of the intervals. Where p-values are corrected by "bonferroni", the
            intervals are simultaneous and agree with them.
        correction: "bonferroni", "holm", "benjamini_hochberg" or "none".
        bounds: those with which the pairs were made, to be recorded.
        **testing: `test`, `alternative`, `assume`, `margin` and `power` of `significance.compare`.

    Raises:
        ValueError: the rows do not suit the test.
    """
    asked = _DEFAULTS | {name: value for name, value in testing.items() if value is not None}
    listed = [(pair, pair.differences) for pair in pairs if pair.differences is not None]
    tests, level = len(listed), significance_level(confidence_level)
    if correction == "bonferroni":
        level /= max(tests, 1)
    found = [
        compared(rows, pair.fillings, interval_alpha=level, alpha=alpha, **asked)
        for pair, rows in listed
    ]
    options = asked | ({} if bounds is None else {"bounds": list(bounds)})
    options |= {"alpha": alpha, "correction": correction, "tests": tests}
    options |= {"confidence_level": confidence_level}
    if asked["test"] != "permutation":
        del options["assume"]  # the law of the permutation test alone
    comparisons = []
    p_adjusted = adjusted([result["p_value"] for result in found], correction).tolist()
    for (pair, rows), result, p in zip(listed, found, p_adjusted, strict=True):
        used: dict[str, Any] = {}
        if pair.is_crossed:
            used = {"test": result["test"], "clusters": list(rows.clusters or ())}
        elif "n_clusters" in result:
            used = {"clusters": result["n_clusters"]}
        number = int(rows.numbers.size)
        names = {"a": pair.a, "b": pair.b, "module": pair.module, "score": pair.score}
        tested = {"rows": number, "p_adjusted": p, "significant": p < alpha}
        comparison: Comparison = names | result | tested
        if pair.missing is not None:
            comparison["missing_rows"] = pair.missing
        if rows.kind in ("influences", "slopes"):
            comparison["influences"] = True
        if tests > 1 and correction == "bonferroni":
            comparison["simultaneous"] = True
        line = signature("paired_significance", options | used, number)
        comparisons.append(comparison | {"options": options, "signature": line})
    return comparisons


def paired_scores(
    results: Results,
    names: Iterable[tuple[str, str]],
    scores: Collection[str] | None = None,
    bounds: Sequence[float] | None = None,
) -> Iterator[Pair]:
    """Yield the scores that the systems of each pair share.

    A score is a mean over rows, computed from sums over rows, or from the inputs of all rows.

    Args:
        results: all systems, with their scored rows.
        names: the two systems of each pair.
        scores: which to compare, as `score` or `module.score`; those without scores of rows are
            skipped; None for the main score of each module.
        bounds: the lowest and the highest possible score of a row; None for those that the module
            declares.

    Raises:
        ValueError: a score is missing, or the options, ids or clusters of two systems differ.
    """
    limits = None if bounds is None else score_bounds(bounds)
    find_scores(scores or (), results.systems)  # which refuses those that there are not

    for a, b in names:
        for module, result in results.systems[a].items():
            rival = results.systems[b].get(module)
            if rival is None or not all(module in results.rows.get(side, {}) for side in (a, b)):
                continue
            first, second = (results.rows[side][module] for side in (a, b))
            kinds, of_rival = _comparable(result, first), _comparable(rival, second)
            shared = [name for name in kinds if name in of_rival]
            if shared:
                _check_options(module, {a: result, b: rival})
            second = in_order_of(first, second, (a, b))
            chosen = [name for name in shared if name == result.main_score] or shared[:1]
            chosen += [name for name in shared if name in first.metric.also_compared]
            if scores is not None:
                chosen = [n for n in shared if n in scores or f"{module}.{n}" in scores]
            of_inputs = [name for name in chosen if kinds[name] == "inputs"]
            found = influences(first, second, of_inputs) if of_inputs else {}
            for name in chosen:
                pair = Pair(a, b, module, name)
                if kinds[name] == "means":
                    yield _of_means(pair, first, second, limits)
                    continue
                if len(first.clusters) > 1:
                    raise ValueError(f"crossed clusters are for means of rows, and {name} is none")
                means = result.scores[name], rival.scores[name]
                ends = score_range(name, first.metric.score_ranges) or (-math.inf, math.inf)
                if not np.isfinite(means).all():
                    yield pair._replace(problem="it is undefined or infinite")
                    continue
                if kinds[name] == "sums":
                    sums = first.statistics, second.statistics
                    yield _counting(pair, differences_of_sums(*sums, name, means, ends), first)
                    continue
                rows = differences_of_inputs(first, second, name, means, ends, found)
                yield _counting(pair, rows, first)


def _of_means(
    pair: Pair, first: RowTable, second: RowTable, limits: tuple[float, float] | None
) -> Pair:
    """Return the differences of the scores of rows, also with missing rows filled."""
    a, b = (table.row_scores[pair.score] for table in (first, second))
    ranges = first.metric.score_ranges
    bounds = limits
    if bounds is None and ranges:
        bounds = score_range(pair.score, ranges) or (-math.inf, math.inf)
    rows = np.flatnonzero(~(np.isnan(a) | np.isnan(b)))
    if not rows.size:
        return pair._replace(problem="no row counts for both")

    def differences(a: Any, b: Any, rows: Integers) -> Differences:
        return Differences.of_scores(a[rows], b[rows], bounds, _clusters(first, rows))

    pair = pair._replace(differences=differences(a, b, rows))
    if not any(BOUNDS in table.conditions.get("missing", {}) for table in (first, second)):
        return pair
    pair = pair._replace(missing=int(a.size - rows.size))
    if not pair.missing or bounds is None or math.inf in bounds:
        return pair
    every = np.arange(a.size)
    filled = [
        differences(np.where(np.isnan(a), end, a), np.where(np.isnan(b), other, b), every)
        for end, other in (bounds, bounds[::-1])
    ]
    return pair._replace(fillings=filled)


def _counting(pair: Pair, found: Differences | None, table: RowTable) -> Pair:
    """Return the influences of the rows that have some."""
    if found is None:
        return pair._replace(problem="no test is known for it")
    rows = np.flatnonzero(~np.isnan(found.numbers))
    if not rows.size:
        return pair._replace(problem="no row counts for both")
    found = replace(found, numbers=found.numbers[rows], clusters=_clusters(table, rows))
    return pair._replace(differences=found)


def _clusters(table: RowTable, rows: Integers) -> Any:
    """Return one label for each of these rows, or labels by field if they are crossed."""
    labels = {
        name: [column[row] for row in rows.tolist()] for name, column in table.clusters.items()
    }
    return labels if len(labels) > 1 else next(iter(labels.values()), None)


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


def _check_options(module: str, results: Mapping[str, ModuleResult]) -> None:
    """Check that two systems were scored with the same options."""
    check_averages({system: {module: result} for system, result in results.items()})
    (a, first), (b, second) = results.items()
    options = [
        to_jsonable({name: v for name, v in result.options.items() if name not in REPORTING})
        for result in (first, second)
    ]
    if options[0] != options[1]:
        raise ValueError(
            f"{module} scored {a!r} and {b!r} with different options: {first.signature} "
            f"and {second.signature}"
        )
