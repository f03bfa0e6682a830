"""`metric-commons trec`: one result from judgments and runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..catalog.presets import run_options
from ..catalog.usage import UsageError
from ..comparison.run_pairs import (
    labels_of,
    paired,
    pairs_of_runs,
    read_clusters,
)
from ..console.options import (
    OUTPUT,
    STATISTICS,
    Caption,
    Confidence,
    Correction,
    Decimals,
    IntervalMethod,
    LatexLabel,
    Percent,
    Resamples,
    Save,
    Seed,
    TableKind,
    WholeLimit,
    correction_named,
)
from ..console.outputs import Presentation, check_output_format, check_written, say_written, show
from ..console.run_scores import (
    DEFAULT_MEASURES,
    Rankings,
    Scoring,
    averaged,
    score_queries,
    selected_measures,
    summary,
)
from ..console.trec_eval import lines, printed, relstring_length
from ..numbers.progress import set_quiet
from ..results.comparisons import compare_pairs
from ..results.module_results import provenance
from ..results.results import FORMATS

# Options shared by the two commands on runs.


def measures_like(incomplete: str) -> Iterator[str]:
    """The measures that begin with a text, for completion."""
    from ..ranking.names import NAMES

    usual = (*DEFAULT_MEASURES, *NAMES)
    return (name for name in dict.fromkeys(usual) if name.startswith(incomplete))


Qrels = Annotated[Path, typer.Argument(metavar="QRELS", help="Relevance judgments.")]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        autocompletion=measures_like,
        metavar="NAME",
        help="A measure, such as ndcg@10, map, P@5 or rbp(p=0.95); repeatable. By default "
        f"{', '.join(DEFAULT_MEASURES)}.",
    ),
]
Missing = Annotated[
    Literal["zero", "skip"],
    typer.Option(
        help="A judged query that is not in the run: count it as zero (trec_eval -c), or skip it, "
        "as trec_eval does by default."
    ),
]
RelevanceLevel = Annotated[
    int,
    typer.Option(
        "--relevance-level",
        "-l",
        metavar="LEVEL",
        help="The lowest grade that counts as relevant (trec_eval -l).",
    ),
]
ScoreDtype = Annotated[
    Literal["float64", "float32"],
    typer.Option(
        help="Precision of the scores of runs: float64 as in trec_eval 10, float32 as in 9."
    ),
]
MaxDepth = Annotated[
    int | None,
    typer.Option(
        "--max-depth",
        "-M",
        min=1,
        metavar="N",
        help="Use only the first N documents of each query (trec_eval -M).",
    ),
]
JudgedOnly = Annotated[
    bool,
    typer.Option("--judged-only", "-J", help="Remove documents without a judgment (trec_eval -J)."),
]
MeasureScores = Annotated[
    list[str] | None,
    typer.Option(
        "--scores",
        metavar="NAME",
        help="Which of these measures to show, write and compare; without --measure, the measures "
        "to compute.",
    ),
]
_FORMATS = (*FORMATS, "trec_eval")


def _check_trec_format(name: str) -> str:
    """Check the name of a format of output for runs, and return it."""
    return name if name == "trec_eval" else check_output_format(name) or name


TrecFormat = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        callback=_check_trec_format,
        help=f"Format of the printed output: {', '.join(_FORMATS)}. With trec_eval the output and "
        "the defaults are those of that program: -m official, and queries without results are "
        "skipped unless -c is given.",
        rich_help_panel=OUTPUT,
    ),
]


def trec(
    context: typer.Context,
    qrels: Qrels,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Runs to score.")],
    measures: Measures = None,
    scores: MeasureScores = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Options that reproduce another tool: trec_eval, ultrarag."
        ),
    ] = None,
    per_query: Annotated[
        bool,
        typer.Option("--per-query", "-q", help="Also print and save the scores of each query."),
    ] = False,
    missing: Missing = "zero",
    complete: Annotated[
        bool, typer.Option("--complete", "-c", help="The same as --missing zero (trec_eval -c).")
    ] = False,
    relevance_level: RelevanceLevel = 1,
    score_dtype: ScoreDtype = "float64",
    max_depth: MaxDepth = None,
    judged_only: JudgedOnly = False,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Test every two runs against each other, on the queries that all have.",
            rich_help_panel=STATISTICS,
        ),
    ] = False,
    correction: Correction = "holm",
    cluster_by: Annotated[
        Path | None,
        typer.Option(
            "--cluster-by",
            metavar="FILE",
            help="Lines of query and cluster, such as its topic: intervals and tests count "
            "clusters instead of queries.",
            rich_help_panel=STATISTICS,
        ),
    ] = None,
    confidence: Confidence = None,
    interval: IntervalMethod = "auto",
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    per_example: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the scores of each query as JSON Lines, for compare and gate.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    no_summary: Annotated[
        bool,
        typer.Option(
            "--no-summary",
            "-n",
            help="With --format trec_eval: do not print means (trec_eval -n).",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    documents: Annotated[
        int | None,
        typer.Option(
            "--collection-size",
            "-N",
            min=0,
            metavar="N",
            help="With --format trec_eval: number of documents in the collection, for the fourth "
            "weight of utility (trec_eval -N).",
        ),
    ] = None,
    save: Save = None,
    format_name: TrecFormat = "table",
    digits: Decimals = None,
    percent: Percent = False,
    table: TableKind = None,
    caption: Caption = "",
    latex_label: LatexLabel = "",
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",  # -q is that of trec_eval
            callback=lambda value: set_quiet(quiet=value),
            help="Show no progress, and not which files were written.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    max_unpacked: WholeLimit = None,
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
    """
    output = None
    if format_name == "trec_eval":
        if scores:
            raise UsageError("--scores is not for --format trec_eval; name measures with -m")
        output = lines(measures, documents)
        measures = list(dict.fromkeys(line.measure for line in output if line.measure)) or ["num_q"]
        if len(runs) > 1:
            raise UsageError(f"--format trec_eval is for one run, got {len(runs)}")
    elif no_summary or documents is not None:
        option = "no-summary" if no_summary else "collection-size"
        raise UsageError(f"--{option} is an option of --format trec_eval")
    presentation = Presentation(format_name, digits, percent, table, caption, latex_label)
    presentation.check()
    parsed_measures = selected_measures(measures, scores)
    if compare and len(runs) < 2:
        raise UsageError("--compare needs at least two runs")
    if compare:
        averaged(parsed_measures)
    if cluster_by is not None and not (compare or confidence or per_example):
        raise UsageError(
            "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"
        )
    check_written([save, per_example], [qrels, *runs])
    missing = _missing(context, missing, complete=complete, skips=output is not None)
    scoring = Scoring(missing, relevance_level, score_dtype, max_depth, judged_only)
    if preset:
        scoring = _preset(preset, scoring, context)
    length = relstring_length(output) if output and per_query else None
    scored_runs = score_queries(qrels, runs, parsed_measures, scoring, relstring=length)

    clusters = None if cluster_by is None else read_clusters(cluster_by)
    comparisons = []
    if compare:
        shared_queries = paired(scored_runs.runs)
        names = [measure.name for measure in parsed_measures]
        comparisons = compare_pairs(
            pairs_of_runs(shared_queries, names, clusters),
            correction=correction_named(correction),
            n_resamples=resamples,
            seed=seed,
        )
    intervals = {
        "confidence_level": confidence,
        "interval": interval,
        "n_resamples": resamples,
        "seed": seed,
    }
    results = Rankings(
        systems={
            run: {
                "ir_ranking": summary(
                    query_scores,
                    parsed_measures,
                    scoring,
                    means=scored_runs.means[run],
                    intervals=intervals if confidence is not None else {},
                    per_query=per_query,
                    preset=preset,
                    clusters=clusters,
                )
            }
            for run, query_scores in scored_runs.runs.items()
        },
        comparisons=comparisons,
        provenance=provenance(scored_runs.inputs),
        row_labels={
            run: {
                "id": list(queries),
                **({} if clusters is None else {"cluster": labels_of(queries, clusters)}),
            }
            for run, queries in scored_runs.runs.items()
        },
    )
    if per_example:
        results = results.save_per_example(per_example)
    if save:
        results.save(save)
    if output is None:
        show(results, presentation)
        say_written(per_example, save)
        return
    from ..files.trec import run_tag  # here, so that printing help does not wait for numpy

    for (name, query_scores), path in zip(scored_runs.runs.items(), runs, strict=True):
        for text in printed(
            output,
            query_scores,
            scored_runs.means[name],
            per_query=per_query,
            summary=not no_summary,
            tag=run_tag(path),
            relstrings=scored_runs.relstrings,
        ):
            typer.echo(text)
    say_written(per_example, save)


def _missing(
    context: typer.Context, missing: Literal["zero", "skip"], *, complete: bool, skips: bool
) -> Literal["zero", "skip"]:
    """The treatment of queries without results, by --missing, -c, or the default of the format."""
    source = context.get_parameter_source("missing")
    is_chosen = source is not None and source.name == "COMMANDLINE"
    if complete and is_chosen and missing == "skip":
        raise UsageError("--complete and --missing skip contradict each other")
    if complete or not skips or is_chosen:
        return "zero" if complete else missing
    return "skip"


def _preset(name: str, scoring: Scoring, context: typer.Context) -> Scoring:
    """The scoring with the options of a preset, which must not be set by flags, too."""
    try:
        settings = {k: v for k, v in run_options(name).items() if k in Scoring._fields}
    except ValueError as error:
        raise UsageError(f"--preset: {error}") from error
    for option in settings:
        source = context.get_parameter_source(option)
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"--{option.replace('_', '-')} is set by --preset {name}")
    return scoring._replace(**settings)
