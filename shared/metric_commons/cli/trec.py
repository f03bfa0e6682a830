"""`metric-commons trec`: one result from judgments and runs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from ..catalog.presets import run_options
from ..catalog.usage import UsageError, check_outputs, with_bar
from ..console.options import (
    OUTPUT,
    Caption,
    Confidence,
    Decimals,
    IntervalMethod,
    LatexLabel,
    Percent,
    Resamples,
    Save,
    Seed,
    TableKind,
)
from ..console.outputs import Presentation, check_output_format, say_written, show
from ..console.trec_eval import lines, printed, relstring_length
from ..files.streams import stem
from ..results.module_results import ModuleResult, aggregation_of, interval_options
from ..results.notation import PLAIN, Notation
from ..results.rendering import Table, label
from ..results.results import FORMATS, Results
from ..results.signature import program, provenance

if TYPE_CHECKING:
    from ..ranking.names import Measure
    from ..ranking.runs import QueryScores

_DEFAULTS = ("ndcg@10", "map", "mrr", "recall@10", "precision@10")  # as in ir_ranking


# Options shared by the two commands on runs.

Qrels = Annotated[Path, typer.Argument(metavar="QRELS", help="Relevance judgments.")]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        help="A measure, such as ndcg@10, map, P@5 or rbp(p=0.95); repeatable. By default "
        f"{', '.join(_DEFAULTS)}.",
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
    check_outputs([save, per_example], [qrels, *runs])
    missing = _missing(context, missing, complete=complete, skips=output is not None)
    scoring = Scoring(missing, relevance_level, score_dtype, max_depth, judged_only)
    if preset:
        scoring = _preset(preset, scoring, context)
    length = relstring_length(output) if output and per_query else None
    scored_runs = score_queries(qrels, runs, parsed_measures, scoring, relstring=length)

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
                )
            }
            for run, query_scores in scored_runs.runs.items()
        },
        provenance=provenance(scored_runs.inputs),
        row_labels={run: {"id": list(queries)} for run, queries in scored_runs.runs.items()},
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


class Scoring(NamedTuple):
    """The options of `score_run`, which change scores."""

    missing: Literal["zero", "skip"]
    relevance_level: int
    score_dtype: Literal["float64", "float32"]
    max_depth: int | None
    judged_only: bool


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


class Scored(NamedTuple):
    """The scores of runs for each query and for all queries, and the input files."""

    runs: "dict[str, QueryScores]"
    means: dict[str, dict[str, float]]
    inputs: list[dict[str, Any]]
    relstrings: dict[str, str]  # if requested: the first documents of the last run, by query


class Rankings(Results):
    """Results whose systems are runs, and whose groups are single queries."""

    def tables(self, notation: Notation = PLAIN) -> list[Table]:
        """One row per run and one column per measure; with --per-query also one row per query."""
        scores, *groups = super().tables(notation)
        is_plain = scores.header[0] == "system"
        return [
            scores._replace(header=["run", *scores.header[1:]]) if is_plain else scores,
            *(
                queries._replace(  # without the number of rows, which is 1
                    header=["run", "query", *queries.header[3:]],
                    rows=[[*row[:2], *row[3:]] for row in queries.rows],
                )
                for queries in groups
            ),
        ]


def selected_measures(
    measures: Sequence[str] | None, scores: Sequence[str] | None
) -> "tuple[Measure, ...]":
    """The requested measures, restricted to the scores to show.

    Names are checked before a large file is read.
    """
    if not scores:
        return _parsed("measure", measures or _DEFAULTS)
    selection = _parsed("scores", scores)
    names = [measure.name for measure in _parsed("measure", measures)] if measures else []
    for measure in selection:
        if names and measure.name not in names:
            raise UsageError(f"--scores: {measure.name!r} is not one of {', '.join(names)}")
    return selection


def _parsed(option: str, names: Sequence[str]) -> "tuple[Measure, ...]":
    from ..ranking.names import parse_measures

    try:
        return parse_measures(names)
    except ValueError as error:
        raise UsageError(f"--{option}: {error}") from error


def score_queries(
    qrels: Path,
    runs: Sequence[Path],
    measures: "Iterable[Measure]",
    scoring: Scoring,
    *,
    relstring: int | None = None,
) -> Scored:
    """The scores of each run for each query. Only one run at a time is in memory."""
    from ..files import trec as files
    from ..ranking.runs import relevance_strings, score_run

    names = _names(runs)
    judged, sha256 = files.read_hashed(qrels, files.Qrels)
    scored_runs = Scored({}, {}, [{"path": str(qrels), "sha256": sha256, "rows": len(judged)}], {})
    steps = list(zip(names, runs, strict=True))
    for name, path in with_bar(steps, "scoring", "run"):
        run, sha256 = files.read_hashed(path, files.Run)
        if not {*run.queries} & {*judged.queries}:
            raise ValueError(f"{path} has none of the queries of {qrels}")
        parsed_measures = [measure.name for measure in measures]
        result = score_run(judged, run, parsed_measures, **scoring._asdict())
        scored_runs.runs[name], scored_runs.means[name] = result["per_query"], result["mean"]
        scored_runs.inputs.append({"path": str(path), "sha256": sha256, "rows": len(run)})
        if relstring is not None:
            reading = scoring.score_dtype, scoring.judged_only, scoring.max_depth
            scored_runs.relstrings.update(relevance_strings(judged, run, relstring, *reading))
    return scored_runs


def summary(
    query_scores: "QueryScores",
    measures: "Iterable[Measure]",
    scoring: Scoring,
    *,
    means: Mapping[str, float] | None = None,
    intervals: Mapping[str, Any],
    per_query: bool = False,
    preset: str | None = None,
) -> ModuleResult:
    """The result of one run on these queries; `intervals` are the options of intervals, if any.

    A total that differs from the sum over the queries, such as num_rel where trec_eval -c ignores
    the relevance level, has no interval.
    """
    import numpy as np

    from ..ranking.names import AGGREGATION
    from ..ranking.ranking_measures import average, sequential_mean
    from ..statistics.summary import uncertainty

    rows = len(query_scores)
    scores, estimators = {}, {}
    for measure in measures:
        values = np.array(
            [query[measure.name] for query in query_scores.values()], dtype=np.float64
        )
        average_of_queries = average(measure, sequential_mean)
        mean = average_of_queries(values)
        scores[measure.name] = mean if means is None else means[measure.name]
        if math.isclose(scores[measure.name], mean):
            estimators[measure.name] = partial(average_of_queries.interval, values, None)
    options = {"measures": list(scores), **scoring._asdict(), "map_denominator": "relevant"}
    uncertain = uncertainty(estimators, **intervals) if intervals else {"confidence_interval": {}}
    if intervals:
        options |= interval_options(intervals, uncertain)
    return ModuleResult(
        options=options,
        rows=rows,
        scores=scores,
        **uncertain,
        per_example={
            measure.name: [query[measure.name] for query in query_scores.values()]
            for measure in measures
        },
        aggregation=aggregation_of(scores, AGGREGATION),
        groups={
            query: {**scores_by_measure, "n": 1}
            for query, scores_by_measure in query_scores.items()
        }
        if per_query
        else {},
        signature="",
        conditions={"preset": preset} if preset else {},
        program=program(),
    ).signed("ir_ranking")


def _names(paths: Sequence[Path]) -> list[str]:
    r"""The shortest printable names that distinguish the files.

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
