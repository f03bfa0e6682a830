"""`metric-commons trec`: one result from judgments and runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from ...data.files.stored import write_whole
from ...evaluation.comparison.run_pairs import paired, read_clusters
from ...evaluation.results.module_results import provenance
from ...evaluation.results.results import FORMATS, Results
from ...module.catalog.presets import run_options
from ...module.catalog.usage import UsageError, note
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Count, Level, OneOf, Range, Resamples, Seed
from ...statistics.intervals.methods import Assumption, Correction, Method
from ..console import run_scores, trec_eval
from ..console.outputs import WithRows
from ..functions.findings import refuse

_LEVEL = 0.95  # of the intervals of differences


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
        if isinstance(results, run_scores.RankingResults) and self.format_name == "trec_eval":
            click.echo(results.text, nl=bool(results.text))
        else:
            super().show(results)


def trec(
    qrels: Path,
    runs: Sequence[Path],
    *,
    measures: Sequence[str] | None = None,
    scores: Sequence[str] | None = None,
    preset: str | None = None,
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
    cluster_by: Path | None = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    no_summary: bool = False,
    collection_size: Annotated[int, Range(0)] | None = None,
    rows: bool = False,
    as_trec_eval: bool = False,
) -> run_scores.RankingResults:
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
        scores: Measures to show, write and compare, among those of --measure; without --measure
            only these are computed.
        preset: Options that reproduce another tool: trec_eval, ultrarag.
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
        cluster_by: Lines of query and cluster, such as its topic: intervals and tests count
            clusters instead of queries.
        confidence_level: Level of confidence intervals, such as 0.95; without it there are none.
        interval: How intervals are computed; auto chooses by the kind of score.
        n_resamples: Number of resamples, for intervals that need them.
        seed: Seed of the resamples.
        no_summary: With --format trec_eval: do not print means (trec_eval -n).
        collection_size: With --format trec_eval: number of documents in the collection, for
            the fourth weight of utility (trec_eval -N).
        rows: Whether rows are saved, which may have clusters.
        as_trec_eval: Whether the output is that of trec_eval.
    """
    output: Sequence[trec_eval.Line] = ()
    if as_trec_eval:
        refuse({"scores": scores}, "is not for --format trec_eval; name measures with -m")
        output = trec_eval.lines(measures, collection_size)
        measures = list(dict.fromkeys(line.measure for line in output if line.measure)) or ["num_q"]
        if len(runs) > 1:
            raise UsageError(f"--format trec_eval is for one run, got {len(runs)}")
    else:
        of_output = {"no_summary": no_summary, "collection_size": collection_size is not None}
        refuse(of_output, "is an option of --format trec_eval")
    parsed_measures = run_scores.selected_measures(measures, scores)
    if compare and len(runs) < 2:
        raise OptionError("compare", "needs at least two runs")
    if compare:
        run_scores.averaged(parsed_measures)
    if cluster_by is not None and not (compare or confidence_level or rows):
        raise OptionError(
            "cluster_by", "changes only intervals and tests; add --confidence 0.95 or --compare"
        )
    absent = [str(run) for run in runs if not run.exists() and not run.suffix]
    if absent and "@" in absent[0]:
        raise UsageError(f"no such file: {absent[0]}; for a measure say -m {absent[0]}")
    if plot:
        if not compare or len(runs) != 2:
            raise OptionError("plot", "draws the differences of two runs, with --compare")
        from ...reporting.plots.bar_plots import deltas
        from ...reporting.plots.pictures import check

        check(plot)  # report a missing library before reading a large file
    if complete and missing == "skip":
        raise UsageError("--complete and --missing skip contradict each other")
    scoring = run_scores.Scoring(
        missing or ("skip" if as_trec_eval and not complete else "zero"),
        relevance_level,
        score_dtype,
        max_depth,
        judged_only,
    )
    if preset:
        scoring = _with_preset(preset, scoring, missing)
    length = trec_eval.relstring_length(output) if per_query else None
    scored_runs = run_scores.score_queries(qrels, runs, parsed_measures, scoring, relstring=length)
    intervals = {
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    clusters = None if cluster_by is None else read_clusters(cluster_by)
    tables = run_scores.scored_queries(scored_runs.runs, parsed_measures, scoring, clusters)
    results = run_scores.RankingResults(
        shows_counts=True,  # which -m names
        systems={
            run: {
                "ir_ranking": run_scores.summary(
                    tables[run]["ir_ranking"],
                    queries,
                    scored_runs.means[run],
                    scoring,
                    intervals=intervals if confidence_level else {},
                    per_query=per_query,
                    preset=preset,
                )
            }
            for run, queries in scored_runs.runs.items()
        },
        provenance=provenance(scored_runs.inputs),
        rows=tables,
    )
    for run, number in scored_runs.absent.items():
        if number and scoring.missing == "zero" and not (complete or missing):
            share = f"{number} of {len(scored_runs.runs[run])} judged queries have no results"
            advice = "they count 0 here, and --missing skip leaves them out, as trec_eval does"
            note(f"{run}: {share}; {advice}")
    if compare:
        from ...evaluation.comparison.comparisons import with_comparisons  # imports numpy

        shared = paired(scored_runs.runs)
        tables = run_scores.scored_queries(shared, parsed_measures, scoring, clusters)
        compared = with_comparisons(
            replace(results, rows=tables),
            combinations(shared, 2),
            [measure.name for measure in parsed_measures],
            correction=correction,
            assume=assume,
            confidence_level=confidence_level or _LEVEL,
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

    ((name, query_scores),) = scored_runs.runs.items()
    printed = trec_eval.printed(
        output,
        query_scores,
        scored_runs.means[name],
        per_query=per_query,
        summary=not no_summary,
        tag=run_tag(runs[0]),
        relstrings=scored_runs.relstrings,
    )
    return replace(results, text="\n".join(printed))


def _with_preset(
    preset: str, scoring: run_scores.Scoring, missing: str | None
) -> run_scores.Scoring:
    """Return the options of a preset, which no other option may set."""
    try:
        settings = {k: v for k, v in run_options(preset).items() if k in vars(scoring)}
    except ValueError as error:
        raise OptionError("preset", f": {error}") from error
    default: Mapping[str, Any] = vars(run_scores.Scoring())
    chosen = {n: v != default[n] for n, v in vars(scoring).items() if n in settings}
    refuse(chosen | {"missing": missing and "missing" in settings}, f"is set by --preset {preset}")
    return replace(scoring, **settings)


def trec_words(values: dict[str, Any], how: TrecPresentation) -> run_scores.RankingResults:
    """Return the results of the words of `trec`."""
    return trec(**values, as_trec_eval=how.format_name == "trec_eval")
