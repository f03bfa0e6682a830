"""`metric-commons trec`: one result from judgments and runs."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from ...evaluation.comparison.run_pairs import paired, pairs_of_runs, read_clusters
from ...evaluation.results.comparisons import compare_pairs
from ...evaluation.results.module_results import provenance
from ...evaluation.results.results import FORMATS
from ...module.catalog.presets import run_options
from ...module.catalog.usage import UsageError
from ...statistics.resampling.progress import is_quiet, set_quiet
from ..console import options, run_scores
from ..console.outputs import Presentation, check_written, say_written, show
from ..console.trec_eval import lines, printed, relstring_length

_FORMATS = (*FORMATS, "trec_eval")


@dataclass(frozen=True)
class TrecPresentation(Presentation):
    """The options of how results are printed, with the format of trec_eval."""

    format_name: Annotated[
        str,
        options.output_option(
            "--format",
            metavar="FORMAT",
            callback=options.one_of("--format", lambda: _FORMATS),
            help=f"Format of the printed output: {', '.join(_FORMATS)}. With trec_eval the output "
            "and the defaults are those of that program: -m official, and queries without results "
            "are skipped unless -c is given.",
        ),
    ] = "table"


def trec(
    context: typer.Context,
    qrels: Annotated[Path, typer.Argument(metavar="QRELS")],
    runs: Annotated[list[Path], typer.Argument(metavar="RUN")],
    *,
    measures: run_scores.Measures = None,
    scores: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None,
    preset: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    per_query: Annotated[bool, typer.Option("--per-query", "-q")] = False,
    complete: Annotated[bool, typer.Option("--complete", "-c")] = False,
    scoring: run_scores.Scoring,
    compare: Annotated[bool, options.statistics_option("--compare")] = False,
    correction: options.Correction = "bonferroni",
    assume: options.Assume = "exchangeable",
    cluster_by: Annotated[Path | None, options.statistics_option(metavar="FILE")] = None,
    intervals: options.IntervalOptions,
    rows: Annotated[Path | None, options.output_option(metavar="FILE")] = None,
    no_summary: Annotated[bool, options.output_option("--no-summary", "-n")] = False,
    documents: Annotated[
        int | None, options.output_option("--collection-size", "-N", min=0, metavar="N")
    ] = None,
    save: options.Save = None,
    presentation: TrecPresentation,
    quiet: Annotated[
        bool,
        options.output_option(
            "--quiet",  # -q is that of trec_eval
            callback=lambda value: set_quiet(quiet=value),
            help="Show no progress, and not which files were written.",
        ),
    ] = False,
) -> None:
    """Score retrieval runs; the values equal those of trec_eval to the last bit.

    metric-commons trec qrels.txt bm25.run dense.run.gz -m ndcg@10 -m map

    Qrels have lines of query, iteration, document and relevance, or are BEIR's
    TSV. Runs have lines of query, Q0, document, rank, score and tag. Both may
    also be JSON {query: {document: number}}, or ranx's Parquet with q_id, doc_id
    and score. Files may be compressed; - is standard input. Documents are sorted
    by score, ties by document id; the ranks in the file are ignored.

    metric-commons trec --format trec_eval -q -c -m map -m P.5,10 qrels run

    prints the output of trec_eval -q -c -m map -m P.5,10 qrels run.

    Args:
        qrels: Relevance judgments.
        runs: Runs to score.
        scores: Measures to show, write and compare, among those of --measure; without --measure
            only these are computed.
        preset: Options that reproduce another tool: trec_eval, ultrarag.
        per_query: Also print and save the scores of each query.
        complete: The same as --missing zero (trec_eval -c).
        compare: Test every two runs against each other, on the queries that all have.
        cluster_by: Lines of query and cluster, such as its topic: intervals and tests count
            clusters instead of queries.
        rows: Write the scores of each query, for compare and gate: as JSON Lines if the name ends
            in .jsonl, else as Parquet.
        no_summary: With --format trec_eval: do not print means (trec_eval -n).
        documents: With --format trec_eval: number of documents in the collection, for the fourth
            weight of utility (trec_eval -N).
    """
    output = None
    if presentation.format_name == "trec_eval":
        if scores:
            raise UsageError("--scores is not for --format trec_eval; name measures with -m")
        output = lines(measures, documents)
        measures = list(dict.fromkeys(line.measure for line in output if line.measure)) or ["num_q"]
        if len(runs) > 1:
            raise UsageError(f"--format trec_eval is for one run, got {len(runs)}")
    else:
        options.refuse(context, ["no_summary", "documents"], "is an option of --format trec_eval")
    presentation.check()
    parsed_measures = run_scores.selected_measures(measures, scores)
    if compare and len(runs) < 2:
        raise UsageError("--compare needs at least two runs")
    if compare:
        run_scores.averaged(parsed_measures)
    if cluster_by is not None and not (compare or intervals.confidence_level or rows):
        raise UsageError(
            "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"
        )
    absent = [str(run) for run in runs if not run.exists() and not run.suffix]
    if absent and "@" in absent[0]:
        raise UsageError(f"no such file: {absent[0]}; for a measure say -m {absent[0]}")
    check_written([save, rows], [qrels, *runs])
    if complete and scoring.missing == "skip":
        raise UsageError("--complete and --missing skip contradict each other")
    if output is not None and not complete and not options.is_chosen(context, "missing"):
        scoring = replace(scoring, missing="skip")  # as trec_eval
    if preset:
        try:
            settings = {k: v for k, v in run_options(preset).items() if k in vars(scoring)}
        except ValueError as error:
            raise UsageError(f"--preset: {error}") from error
        options.refuse(context, list(settings), f"is set by --preset {preset}")
        scoring = replace(scoring, **settings)
    length = relstring_length(output) if output and per_query else None
    scored_runs = run_scores.score_queries(qrels, runs, parsed_measures, scoring, relstring=length)

    clusters = None if cluster_by is None else read_clusters(cluster_by)
    comparisons = []
    if compare:
        shared_queries = paired(scored_runs.runs)
        names = [measure.name for measure in parsed_measures]
        comparisons = compare_pairs(
            pairs_of_runs(shared_queries, names, clusters),
            correction=correction,
            assume=assume,
        )
    results = run_scores.RankingResults(
        systems={
            run: {
                "ir_ranking": run_scores.summary(
                    query_scores,
                    parsed_measures,
                    scoring,
                    means=scored_runs.means[run],
                    intervals={} if intervals.confidence_level is None else vars(intervals),
                    per_query=per_query,
                    preset=preset,
                    clusters=clusters,
                )
            }
            for run, query_scores in scored_runs.runs.items()
        },
        comparisons=comparisons,
        provenance=provenance(scored_runs.inputs),
        rows={
            run: {
                "ir_ranking": run_scores.scored_queries(queries, parsed_measures, scoring, clusters)
            }
            for run, queries in scored_runs.runs.items()
        },
    )
    if rows:
        results = results.save_rows(rows)
    if save:
        results.save(save)
    if output is None:
        show(results, presentation)
    else:
        from ...data.trec.trec import run_tag  # here, so that printing help does not wait for numpy

        ((name, query_scores),) = scored_runs.runs.items()
        for text in printed(
            output,
            query_scores,
            scored_runs.means[name],
            per_query=per_query,
            summary=not no_summary,
            tag=run_tag(runs[0]),
            relstrings=scored_runs.relstrings,
        ):
            typer.echo(text)
    if scoring.missing == "zero" and not (
        complete or options.is_chosen(context, "missing") or is_quiet()
    ):
        for run, number in scored_runs.absent.items():
            if number:
                share = f"{number} of {len(scored_runs.runs[run])} judged queries have no results"
                advice = "they count 0 here, and --missing skip leaves them out, as trec_eval does"
                typer.echo(f"note: {run}: {share}; {advice}", err=True)
    say_written(rows, save)
