"""Several results combined into one, whose systems are compared on the same rows."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import combinations, product
from os import PathLike
from pathlib import Path
from typing import Any

from ...data.tables.tables import Source
from ...module.catalog.request import Missing
from ...module.catalog.usage import UsageError, note
from ...statistics.arguments.arrays import as_column
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Level
from ...statistics.intervals.methods import Assumption, Correction, ScoreBounds
from ...statistics.tests.laws import Alternative
from ...statistics.tests.significance import Test
from ..results.module_results import provenance
from ..results.results import Results
from ..rows.given_scores import tables_of_scores
from ..rows.libraries import columns_of_table, table_names
from .comparisons import NOTHING, Pair, paired_scores, with_comparisons
from .saved_results import is_saved, read_results

_BY_SYSTEM = ("digests", "sources")  # entries of a provenance with a value for each system


def collected(results: Mapping[str, Results]) -> tuple[Results, str]:
    """Return one result with all systems and their origin, in which every two systems are compared.

    Args:
        results: results by name; the name precedes that of a system that is in two of them.

    Returns:
        The systems, and why they were not compared; empty if they were.

    >>> from ..scoring.scoring import score
    >>> rows = {"references": ["a", "b", "c"], "rows": True}
    >>> new = score("qa_em", predictions={"bot": ["a", "b", "c"]}, **rows)
    >>> old = score("qa_em", predictions={"bot": ["a", "x", "y"]}, **rows)
    >>> together, problem = collected({"new": new, "old": old})
    >>> list(together), len(together.comparisons), problem
    (['new: bot', 'old: bot'], 1, '')
    """
    if len(results) == 1:
        return next(iter(results.values())), ""
    pool = pooled(results)
    try:
        return with_comparisons(pool, combinations(pool.systems, 2)), ""
    except ValueError as error:
        return pool, str(error)


def compare(
    *results: Any,
    scores: Sequence[str] | None = None,
    system: str | Sequence[str] | None = None,
    id: str | None = None,  # noqa: A002
    score: str | None = None,
    lower_is_better: bool = False,
    clusters: Sequence[str] = (),
    missing: Missing = "refuse",
    bounds: ScoreBounds | None = None,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    alpha: Level = 0.05,
    correction: Correction = "bonferroni",
    assume: Assumption = "exchangeable",
) -> Results:
    """Compare systems row by row: those of a table of scores, or of results.

    metric-commons compare scores.csv

    metric-commons compare new.json old.json

    The p-value is the probability of a difference at least this large if both systems were equally
    good. A difference that is not significant does not show that they are equal. A row that one
    system lacks is excluded for both.

    With two results, the systems of the first (A) are compared with those of the second (B):
    systems of the same name, renamed to "A: name" and "B: name", or if the results share no name,
    each system of one with each of the other. With any other number of results all pairs of systems
    are compared.

    Args:
        *results: results with their scored rows, or the paths of saved ones or of such rows; or a
            table of scores that are there already: a dictionary of columns, a DataFrame, or the
            path of a file. A long table has a row for each score (columns such as model, id and
            score), a wide one a column for each system.
        scores: show and compare only these scores, as `score` or `module.score`; by default all are
            shown, and the main score of each module is compared. P-values are corrected for the
            number of pairs and scores.
        system: of a table, the column that names the systems, or the columns that are systems, as
            A,B.
        id: of a table, the column of the ids.
        score: of a table, the column of the scores.
        lower_is_better: of a table, the lowest scores are the best.
        clusters: fields of clusters, which are counted instead of rows.
        missing: of a table, what becomes of a row whose score a system lacks; skip leaves it out
            for all systems.
        bounds: the lowest and the highest possible score, such as 0,1.
        test: permutation (sign flips), t, wilcoxon, or mcnemar for scores 0 and 1.
        alternative: alternative hypothesis about A - B: two-sided, greater or less.
        confidence_level: level of the intervals of differences.
        alpha: significance level, for corrected p-values.
        correction: correction of p-values for several comparisons: bonferroni, holm,
            benjamini_hochberg or none.
        assume: what comparisons of means of rows assume: exchangeable (the systems, row by row) or
            nothing.

    Returns:
        The compared systems with their scores, the comparisons, and the ranks if all pairs of
        systems were compared.

    Raises:
        TypeError: an argument is neither a result of `score` nor a table.
        ValueError: the results share no score of rows, or differ in options or rows.

    >>> from ..scoring.scoring import score
    >>> rows = {"references": ["a", "b", "c"], "rows": True}
    >>> new = score("qa_em", predictions={"bot": ["a", "b", "c"]}, **rows)
    >>> old = score("qa_em", predictions={"bot": ["a", "x", "y"]}, **rows)
    >>> (comparison,) = compare(new, old).comparisons
    >>> comparison["a"], comparison["b"], round(comparison["diff"], 4), comparison["p_value"]
    ('A: bot', 'B: bot', 0.6667, 0.5)
    >>> table = {"question": ["q1", "q2", "q3"], "old": [0, 1, 0], "new": [1, 1, 1]}
    >>> compare(table).comparisons[0]["p_value"]
    0.5
    """
    results = tuple(_read(results, clusters))
    of_table = {
        "system": system,
        "id": id,
        "score": score,
        "lower_is_better": lower_is_better,
        "missing": None if missing == "refuse" else missing,
    }
    if all(isinstance(part, Results) for part in results):
        for name, value in of_table.items():
            if value:
                raise OptionError(name, "is for a table of scores")
    elif len(results) != 1:
        if any(isinstance(part, str | PathLike) for part in results):
            raise UsageError(
                "compare needs saved results, or one table of scores; rows need a module: "
                "metric-commons score MODULE FILE -p FIELD -p FIELD -r FIELD --compare; runs: "
                "metric-commons trec QRELS RUN RUN --compare"
            )
        raise TypeError(
            "compare takes results of score, or one table of scores; compare_rows(a, b) takes "
            "scores of rows"
        )
    else:
        tables = tables_of_scores(
            _columns(results[0]),
            system=system.split(",") if isinstance(system, str) and "," in system else system,
            ids=id,
            score=score,
            clusters=clusters,
            lower_is_better=lower_is_better,
            bounds=None if bounds is None else (bounds[0], bounds[1]),
            missing=missing,
        )
        results = (Results.of_rows(tables, {}, {}),)
        note(f"the systems are {', '.join(tables)}")
    pool, names = _pairs(results)
    found = with_comparisons(
        pool,
        names,
        scores,
        bounds=bounds,
        test=test,
        alternative=alternative,
        confidence_level=confidence_level,
        alpha=alpha,
        correction=correction,
        assume=assume,
    )
    if not found.comparisons and "not_compared" not in found.provenance:
        raise ValueError(NOTHING)
    return found.choose(scores)


def pairs_of_results(*results: Results, scores: Sequence[str] | None = None) -> list[Pair]:
    """Return every two systems that `compare` compares, row by row.

    Raises:
        ValueError: as in `compare`.
    """
    pairs = list(paired_scores(*_pairs(results), scores))
    if not pairs:
        raise ValueError(NOTHING)
    return pairs


def _read(parts: Sequence[Any], clusters: Sequence[str]) -> Iterator[Any]:
    """Yield the results that paths name, and anything else unchanged, such as a path of a table."""
    paths = [Path(part) for part in parts if isinstance(part, str | PathLike)]
    for path in paths:
        path.stat()  # report a missing file before anything else
    are_saved = len(paths) < len(parts) or any(map(is_saved, paths[:1]))
    for part in parts:
        is_path = are_saved and isinstance(part, str | PathLike)
        yield read_results(Path(part), clusters) if is_path else part


def _columns(table: Any) -> Mapping[str, Any]:
    """Return the columns of a table of any kind, as lists.

    Raises:
        TypeError: it has no columns.
    """
    if isinstance(table, str | PathLike):
        with closing(Source(Path(table), [])) as source:
            names = list(source.log.names)
        with closing(Source(Path(table), names, numbers=names)) as source:
            return source.columns()
    names = table_names(table) or []
    if not names:
        raise TypeError("compare takes results of score, or one table of scores")
    columns = columns_of_table(table, names)
    return {
        name: as_list if isinstance(as_list := as_column(name, column), list) else as_list.tolist()
        for name, column in columns.items()
    }


def _pairs(results: Sequence[Results]) -> tuple[Results, list[tuple[str, str]]]:
    """Return all systems to compare, under distinct names, and the pairs of them."""
    sides = "AB" if len(results) == 2 else map(str, range(1, len(results) + 1))
    pool = pooled(dict(zip(sides, results, strict=True)))
    if len(results) != 2:
        return pool, list(combinations(pool.systems, 2))
    first, second = (part.systems for part in results)
    common = [(f"A: {name}", f"B: {name}") for name in first if name in second]
    return pool, common or list(product(first, second))


def pooled(results: Mapping[str, Results]) -> Results:
    """Return one result with all systems; those of one name have the name of their result, too."""
    listed = [system for part in results.values() for system in part.systems]
    return merged(
        [
            renamed(part, {s: f"{name}: {s}" if listed.count(s) > 1 else s for s in part.systems})
            for name, part in results.items()
        ]
    )


def renamed(results: Results, names: Mapping[str, str]) -> Results:
    """Return the results of only those systems that have new names, under these names."""

    def under_new_names(values: Mapping[str, Any]) -> dict[str, Any]:
        return {new: values[name] for name, new in names.items() if name in values}

    records = {
        name: under_new_names(results.provenance[name])
        for name in _BY_SYSTEM
        if name in results.provenance
    }
    return replace(
        results,
        systems=under_new_names(results.systems),
        rows=under_new_names(results.rows),
        provenance=results.provenance | records,
    )


def merged(results: Sequence[Results]) -> Results:
    """Return one result with the systems of all results and their origin, without comparisons."""
    inputs: dict[Any, Any] = {}
    record: dict[str, Any] = {}
    for origin in (part.provenance for part in results):
        for source in origin.get("inputs", []):
            inputs.setdefault((source.get("path"), source.get("sha256")), source)
        for name in _BY_SYSTEM:
            if name in origin:
                record[name] = record.get(name, {}) | origin[name]
    return Results(
        systems={name: system for part in results for name, system in part.systems.items()},
        rows={name: tables for part in results for name, tables in part.rows.items()},
        provenance=provenance(inputs.values()) | record,
    )
