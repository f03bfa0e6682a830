"""`metric-commons trec`: one result from judgments and runs."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from ...data.files.stored import write_whole
from ...data.files.streams import stem
from ...evaluation.results.module_results import (
    ModuleResult,
    aggregation_of,
    module_result,
    provenance,
)
from ...evaluation.results.rendering import label
from ...evaluation.results.results import FORMATS, Results
from ...module.catalog.usage import UsageError, note, with_bar
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Count, Level, OneOf, Range, Resamples, Seed
from ...statistics.intervals.methods import Assumption, Correction, Method
from ..console import trec_eval
from ..console.outputs import WithRows
from ..functions.findings import refuse

if TYPE_CHECKING:
    from ...evaluation.rows.blocks import Tables
    from ...retrieval.runs import QueryScores

_MEASURES = ("ndcg@10", "map", "mrr", "recall@10", "precision@10")  # as in ir_ranking


@dataclass(frozen=True)
class TrecPresentation(WithRows):
    """The options of how results are printed, with the format of trec_eval.

    Args:
        format_name: Format of the printed output. With trec_eval the output and the defaults are
            those of that program: -m official, and queries without results are skipped unless -c
            is given.
        rows: Write the scores of each query, for compare and gate: as JSON Lines if the name ends
            in .jsonl, else as Parquet.
    """

    format_name: Annotated[str, OneOf((*FORMATS, "trec_eval"))] = "table"

    def show(self, results: Results) -> None:
        """Print results in the format."""
        if isinstance(results, RankingResults) and self.format_name == "trec_eval":
            click.echo(results.text, nl=bool(results.text))
        else:
            super().show(results)


@dataclass(frozen=True, kw_only=True, repr=False)
class RankingResults(Results):
    """Results whose systems are runs, and whose groups are single queries."""

    text: str = ""  # in the form of trec_eval, if this was requested


def trec(
    qrels: Path,
    runs: Sequence[Path],
    *,
    measures: Sequence[str] | None = None,
    per_query: bool = False,
    complete: bool = False,
    missing: Literal["zero", "skip"] | None = None,
    relevance_level: int = 1,
    score_dtype: Literal["float64", "float32"] = "float64",
    max_depth: Count | None = None,
    judged_only: bool = False,
    compare: bool = False,
    test: Literal["permutation", "t", "wilcoxon", "mcnemar"] = "permutation",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: Level = 0.05,
    correction: Correction = "bonferroni",
    assume: Assumption = "exchangeable",
    plot: Path | None = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    no_summary: bool = False,
    collection_size: Annotated[int, Range(0)] | None = None,
    as_trec_eval: bool = False,
) -> RankingResults:
    """Score retrieval runs; the values equal those of trec_eval to the last bit.

    metric-commons trec qrels.txt bm25.run dense.run.gz -m ndcg@10 -m map

    Qrels have lines of query, iteration, document and relevance, or are BEIR's TSV. Runs have lines
    of query, Q0, document, rank, score and tag. Both may also be JSON {query: {document: number}}.
    Files may be compressed; - is standard input.
    Documents are sorted by score, ties by document id; the ranks in the file are ignored.

    metric-commons trec --format trec_eval -q -c -m map -m P.5,10 qrels run

    prints the output of trec_eval -q -c -m map -m P.5,10 qrels run.

    Args:
        qrels: Relevance judgments.
        runs: Runs to score.
        measures: A measure, such as ndcg@10, map, P@5 or rbp(p=0.95); repeatable. By default
            ndcg@10, map, mrr, recall@10 and precision@10.
        per_query: Also print and save the scores of each query.
        complete: The same as --missing zero (trec_eval -c).
        missing: A judged query that is not in the run: count it as zero (trec_eval -c, the
            default), or skip it, as trec_eval does by default.
        relevance_level: The lowest grade that counts as relevant (trec_eval -l).
        score_dtype: Precision of the scores of runs: float64 as in trec_eval 10, float32 as in 9.
        max_depth: Use only the first N documents of each query (trec_eval -M).
        judged_only: Remove documents without a judgment (trec_eval -J).
        compare: Test every two runs against each other, on the queries that all have.
        test: permutation (sign flips), t, wilcoxon, or mcnemar for scores 0 and 1.
        alternative: Alternative hypothesis about A - B: two-sided, greater or less.
        alpha: Significance level, for corrected p-values.
        correction: Correction of p-values for several comparisons.
        assume: What comparisons of means of queries assume: exchangeable (the runs, query by query)
            or nothing.
        plot: With --compare, draw the differences of two runs: .png, .svg or .pdf.
        confidence_level: Level of confidence intervals, such as 0.95; without it there are none.
        interval: How intervals are computed; auto chooses by the kind of score.
        n_resamples: Number of resamples, for intervals that need them.
        seed: Seed of the resamples.
        no_summary: With --format trec_eval: do not print means (trec_eval -n).
        collection_size: With --format trec_eval: number of documents in the collection, for
            the fourth weight of utility (trec_eval -N).
        as_trec_eval: Whether the output is that of trec_eval.
    """
    output: Sequence[trec_eval.Line] = ()
    if as_trec_eval:
        output = trec_eval.lines(measures, collection_size)
        measures = list(dict.fromkeys(line.measure for line in output if line.measure)) or ["num_q"]
        if len(runs) > 1:
            raise UsageError(f"--format trec_eval is for one run, got {len(runs)}")
    else:
        of_output = {"no_summary": no_summary, "collection_size": collection_size is not None}
        refuse(of_output, "is an option of --format trec_eval")
    names = _checked_names(measures or _MEASURES, are_compared=compare)
    if compare and len(runs) < 2:
        raise OptionError("compare", "needs at least two runs")
    if plot:
        if not compare or len(runs) != 2:
            raise OptionError("plot", "draws the differences of two runs, with --compare")
        from ...reporting.plots.bar_plots import deltas
        from ...reporting.plots.pictures import check

        check(plot)  # report a missing library before reading a large file
    if complete and missing == "skip":
        raise UsageError("--complete and --missing skip contradict each other")
    scoring = {
        "missing": missing or ("skip" if as_trec_eval and not complete else "zero"),
        "relevance_level": relevance_level,
        "score_dtype": score_dtype,
        "max_depth": max_depth,
        "judged_only": judged_only,
    }
    length = trec_eval.relstring_length(output) if per_query else None
    scored = _scored(qrels, runs, names, scoring, length)
    if scoring["missing"] == "zero" and not (complete or missing):
        for run, number in scored.absent.items():
            note(
                f"{run}: {number} of {len(scored.runs[run])} judged queries have no results; they "
                "count 0 here, and --missing skip leaves them out, as trec_eval does"
            )
    of_intervals = {
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    asked = of_intervals if confidence_level else {}
    tables = _tables(scored.runs, names, scoring)
    results = RankingResults(
        shows_counts=True,  # which -m names
        systems={
            run: {"ir_ranking": _result(scored, run, tables, scoring, asked, per_query=per_query)}
            for run in scored.runs
        },
        provenance=provenance(scored.inputs),
        rows=tables,
    )
    if compare:
        from ...evaluation.comparison.comparisons import with_comparisons  # imports numpy

        shared = _on_common_queries(scored.runs)
        compared = with_comparisons(
            replace(results, rows=_tables(shared, names, scoring)),
            combinations(shared, 2),
            names,
            correction=correction,
            assume=assume,
            confidence_level=confidence_level or 0.95,
            test=test,
            alternative=alternative,
            alpha=alpha,
        )
        results = replace(results, comparisons=compared.comparisons, provenance=compared.provenance)
        if plot:
            write_whole(plot, [deltas(plot, shared, results.comparisons)])
    if not output:
        return results
    from ...data.trec.trec import run_tag  # here, so that printing help does not wait for numpy

    ((name, query_scores),) = scored.runs.items()
    printed = trec_eval.printed(
        output,
        query_scores,
        scored.means[name],
        per_query=per_query,
        summary=not no_summary,
        tag=run_tag(runs[0]),
        relstrings=scored.relstrings,
    )
    return replace(results, text="\n".join(printed))


def trec_words(values: dict[str, Any], how: TrecPresentation) -> RankingResults:
    """Return the results of the words of `trec`."""
    return trec(**values, as_trec_eval=how.format_name == "trec_eval")


class _Scored(NamedTuple):
    """The scores of runs for each query and for all queries, and the input files."""

    runs: "dict[str, QueryScores]"
    means: dict[str, dict[str, float]]
    inputs: list[dict[str, Any]]
    relstrings: dict[str, str]  # if requested: the first documents of the last run, by query
    absent: dict[str, int]  # the number of judged queries without results, of runs that lack any


def _checked_names(measures: Sequence[str], *, are_compared: bool) -> list[str]:
    """Return the names of measures, which must all be means over queries to be compared."""
    from ...retrieval.names import AGGREGATION, parse_measures

    try:
        parsed = parse_measures(measures)
    except ValueError as error:
        hint = "; repeat --measure for each name" if re.search("[, ]", " ".join(measures)) else ""
        raise UsageError(f"--measure: {error}{hint}") from error
    for name, kind, *_ in parsed:
        if are_compared and aggregation_of([kind], AGGREGATION):
            raise UsageError(
                f"--measure: {name!r} is not a mean over queries, so it cannot be compared"
            )
    return [measure.name for measure in parsed]


def _scored(
    qrels: Path,
    runs: Sequence[Path],
    measures: Sequence[str],
    scoring: Mapping[str, Any],
    relstring: int | None,
) -> _Scored:
    """Return the scores of each run for each query. Only one run at a time is in memory."""
    from ...data.trec import trec as files
    from ...retrieval.runs import relevance_strings, score_run

    names = _names(runs)
    judged, sha256 = files.read_hashed(qrels, files.Qrels)
    scored = _Scored({}, {}, [{"path": str(qrels), "sha256": sha256, "rows": len(judged)}], {}, {})
    queries = {*judged.queries}
    for name, path in with_bar(list(zip(names, runs, strict=True)), "scoring", "run"):
        run, sha256 = files.read_hashed(path, files.Run)
        absent = queries - {*run.queries}
        if absent == queries:
            raise ValueError(f"{path} has none of the queries of {qrels}")
        result = score_run(judged, run, measures, **scoring)
        scored.runs[name], scored.means[name] = result["per_query"], result["mean"]
        scored.inputs.append({"path": str(path), "sha256": sha256, "rows": len(run)})
        if absent:
            scored.absent[name] = len(absent)
        if relstring is not None:
            reading = (scoring[key] for key in ("score_dtype", "judged_only", "max_depth"))
            scored.relstrings.update(relevance_strings(judged, run, relstring, *reading))
    return scored


def _names(paths: Sequence[Path]) -> list[str]:
    r"""Return the shortest printable names that distinguish the files.

    >>> _names([Path("runs/bm25.run.gz"), Path("runs/dense.run.gz")])
    ['bm25', 'dense']
    >>> _names([Path("runs/input.a"), Path("runs/input.b\n")])
    ['input.a', 'input.b\\n']
    """
    for shortened in (stem, lambda path: path.name.removesuffix(".gz"), str):
        names = [shortened(path) for path in paths]
        if len(set(names)) == len(names):
            return list(map(label, names))
    repeated = next(name for name in names if names.count(name) > 1)
    raise UsageError(f"run {repeated!r} is given twice")


def _tables(
    runs: "Mapping[str, QueryScores]", names: Sequence[str], scoring: Mapping[str, Any]
) -> "Tables":
    """Return the scores of runs for each query as scored rows."""
    import numpy as np

    from ...evaluation.rows.row_tables import RowTable
    from ...module.catalog.catalog import load_without_evaluate

    options = {key: scoring[key] for key in ("score_dtype", "judged_only")}
    metric = load_without_evaluate("ir_ranking", measures=names, **options)
    tables = {}
    for run, queries in runs.items():
        columns = {n: np.array([q[n] for q in queries.values()], float) for n in names}
        tables[run] = {"ir_ranking": RowTable(metric=metric, columns=columns, ids=list(queries))}
    return tables


def _result(
    scored: _Scored,
    run: str,
    tables: "Tables",
    scoring: Mapping[str, Any],
    intervals: Mapping[str, Any],
    *,
    per_query: bool,
) -> ModuleResult:
    """Return the result of one run.

    A total that differs from the sum over the queries, such as num_rel where trec_eval -c ignores
    the relevance level, has no interval.
    """
    found, means = module_result(tables[run]["ir_ranking"], intervals), scored.means[run]
    for name, mean in means.items():
        for part in found.values.values():
            if isinstance(part, dict) and not math.isclose(found.scores[name], mean):
                part.pop(name, None)
    values = {**found.values, **means}
    if per_query:
        values["groups"] = {query: {**of, "n": 1} for query, of in scored.runs[run].items()}
    options = {"measures": list(means), **scoring}
    further = {name: value for name, value in found.options.items() if name not in options}
    return replace(found, values=values, options=options | further).signed("ir_ranking")


def _on_common_queries(runs: "Mapping[str, QueryScores]") -> "dict[str, QueryScores]":
    """Return the runs on the queries that all of them share."""
    first, *rivals = runs.values()
    shared = [query for query in first if all(query in run for run in rivals)]
    if not shared:
        raise ValueError(f"{' and '.join(runs)} have no query in common")
    return {name: {query: run[query] for query in shared} for name, run in runs.items()}
