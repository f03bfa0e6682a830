"""`metric-commons trec`: one result from judgments and runs."""

from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import click

from ...data.files.stored import write_whole
from ...evaluation.comparison.run_pairs import paired, read_clusters
from ...evaluation.results.module_results import provenance
from ...evaluation.results.results import FORMATS, Results
from ...module.catalog.presets import run_options
from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import OneOf, Range
from ...statistics.resampling.progress import is_quiet, set_quiet
from ..console import run_scores
from ..console.commands import command, is_chosen, refuse
from ..console.outputs import Presentation, check_written, say_written, show
from ..console.trec_eval import lines, printed, relstring_length
from .compare import Testing

_FORMATS = (*FORMATS, "trec_eval")


@dataclass(frozen=True)
class TrecPresentation(Presentation):
    """The options of how results are printed, with the format of trec_eval.

    Args:
        format_name: Format of the printed output. With trec_eval the output and the defaults are
            those of that program: -m official, and queries without results are skipped unless -c
            is given.
    """

    format_name: Annotated[str, OneOf(_FORMATS)] = "table"


_LEVEL = 0.95  # of the intervals of differences
_UNCERTAINTY = ("confidence_level", "interval", "n_resamples", "seed", "correction", "assume")


def trec(
    qrels: Path,
    runs: list[Path],
    *,
    measures: list[str] | None = None,
    scores: list[str] | None = None,
    preset: str | None = None,
    per_query: bool = False,
    complete: bool = False,
    scoring: run_scores.Scoring,
    compare: bool = False,
    testing: Testing,
    plot: Path | None = None,
    cluster_by: Path | None = None,
    rows: Path | None = None,
    no_summary: bool = False,
    collection_size: Annotated[int, Range(0)] | None = None,
    save: Path | None = None,
    presentation: TrecPresentation,
    quiet: bool = False,
    **uncertainty: Any,
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
        measures: A measure, such as ndcg@10, map, P@5 or rbp(p=0.95); repeatable. By default
            ndcg@10, map, mrr, recall@10 and precision@10.
        scores: Measures to show, write and compare, among those of --measure; without --measure
            only these are computed.
        preset: Options that reproduce another tool: trec_eval, ultrarag.
        per_query: Also print and save the scores of each query.
        complete: The same as --missing zero (trec_eval -c).
        compare: Test every two runs against each other, on the queries that all have.
        plot: With --compare, draw the differences of two runs: .png, .svg or .pdf.
        cluster_by: Lines of query and cluster, such as its topic: intervals and tests count
            clusters instead of queries.
        rows: Write the scores of each query, for compare and gate: as JSON Lines if the name ends
            in .jsonl, else as Parquet.
        no_summary: With --format trec_eval: do not print means (trec_eval -n).
        save: Write the result as JSON.
        quiet: Show no progress, and not which files were written.
        collection_size: With --format trec_eval: number of documents in the collection, for
            the fourth weight of utility (trec_eval -N).
    """
    set_quiet(quiet=quiet)
    correction, assume = uncertainty.pop("correction"), uncertainty.pop("assume")
    output = None
    if presentation.format_name == "trec_eval":
        if scores:
            raise UsageError("--scores is not for --format trec_eval; name measures with -m")
        output = lines(measures, collection_size)
        measures = list(dict.fromkeys(line.measure for line in output if line.measure)) or ["num_q"]
        if len(runs) > 1:
            raise UsageError(f"--format trec_eval is for one run, got {len(runs)}")
    else:
        refuse(["no_summary", "collection_size"], "is an option of --format trec_eval")
    presentation.check()
    parsed_measures = run_scores.selected_measures(measures, scores)
    if compare and len(runs) < 2:
        raise UsageError("--compare needs at least two runs")
    if compare:
        run_scores.averaged(parsed_measures)
    if cluster_by is not None and not (compare or uncertainty["confidence_level"] or rows):
        raise UsageError(
            "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"
        )
    absent = [str(run) for run in runs if not run.exists() and not run.suffix]
    if absent and "@" in absent[0]:
        raise UsageError(f"no such file: {absent[0]}; for a measure say -m {absent[0]}")
    check_written([save, rows, plot], [qrels, *runs])
    if plot:
        if not compare or len(runs) != 2:
            raise UsageError("--plot draws the differences of two runs, with --compare")
        from ...reporting.plots.bar_plots import deltas
        from ...reporting.plots.pictures import check

        check(plot)  # report a missing library before reading a large file
    if complete and scoring.missing == "skip":
        raise UsageError("--complete and --missing skip contradict each other")
    if output is not None and not complete and not is_chosen("missing"):
        scoring = replace(scoring, missing="skip")  # as trec_eval
    if preset:
        try:
            settings = {k: v for k, v in run_options(preset).items() if k in vars(scoring)}
        except ValueError as error:
            raise UsageError(f"--preset: {error}") from error
        refuse(list(settings), f"is set by --preset {preset}")
        scoring = replace(scoring, **settings)
    length = relstring_length(output) if output and per_query else None
    scored_runs = run_scores.score_queries(qrels, runs, parsed_measures, scoring, relstring=length)

    clusters = None if cluster_by is None else read_clusters(cluster_by)
    results: Results = run_scores.RankingResults(
        shows_counts=True,  # which -m names
        systems={
            run: {
                "ir_ranking": run_scores.summary(
                    query_scores,
                    parsed_measures,
                    scoring,
                    means=scored_runs.means[run],
                    intervals={} if uncertainty["confidence_level"] is None else uncertainty,
                    per_query=per_query,
                    preset=preset,
                    clusters=clusters,
                )
            }
            for run, query_scores in scored_runs.runs.items()
        },
        provenance=provenance(scored_runs.inputs),
        rows=run_scores.scored_queries(scored_runs.runs, parsed_measures, scoring, clusters),
    )
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
            confidence_level=uncertainty["confidence_level"] or _LEVEL,
            **vars(testing),
        )
        results = replace(compared, rows=results.rows)
        if plot:
            write_whole(plot, [deltas(plot, shared, results.comparisons)])
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
            click.echo(text)
    if scoring.missing == "zero" and not (complete or is_chosen("missing") or is_quiet()):
        for run, number in scored_runs.absent.items():
            if number:
                share = f"{number} of {len(scored_runs.runs[run])} judged queries have no results"
                advice = "they count 0 here, and --missing skip leaves them out, as trec_eval does"
                click.echo(f"note: {run}: {share}; {advice}", err=True)
    say_written(rows, save, plot)


# The flags of trec_eval; its -q prints the scores of queries.
SCORING_FLAGS = {
    "relevance_level": "--relevance-level -l",
    "max_depth": "--max-depth -M",
    "judged_only": "--judged-only -J",
}
COMMANDS = {
    "trec": command(
        trec,
        like=_UNCERTAINTY,
        flags={
            **SCORING_FLAGS,
            "per_query": "--per-query -q",
            "complete": "--complete -c",
            "no_summary": "--no-summary -n",
            "collection_size": "--collection-size -N",
            "quiet": "--quiet",
        },
        quiet=False,
    )
}
