"""`metric-commons compare`: which systems are better by more than chance."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..catalog.usage import UsageError
from ..comparison.run_pairs import ClusterOfQuery, paired, pairs_of_runs, read_clusters
from ..comparison.saved_rows import is_saved_result, read_with_rows
from ..console.options import (
    STATISTICS,
    Caption,
    ClusterBy,
    Confidence,
    Correction,
    Decimals,
    LatexLabel,
    Percent,
    Predictions,
    Quiet,
    Resamples,
    Rows,
    Save,
    Scores,
    Seed,
    Sort,
    TableKind,
    Top,
    WholeLimit,
    correction_named,
    level,
)
from ..console.outputs import (
    OutputFormat,
    Presentation,
    check_written,
    say_written,
    show,
    show_tables,
)
from ..console.run_scores import Scoring, averaged, score_queries, selected_measures, summary
from ..files.stored import to_jsonable, write_whole
from ..results.comparisons import compare_pairs, statement
from ..results.comparisons import table as table_of
from ..results.module_results import provenance
from ..results.rendering import PLAIN, Notation, Table
from ..results.results import Results
from .trec import (
    JudgedOnly,
    MaxDepth,
    Measures,
    Missing,
    RelevanceLevel,
    ScoreDtype,
)

if TYPE_CHECKING:
    from ..ranking.names import Measure

Labels = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD",
        help="Field of the labels by people, for the corrected difference of two judged systems.",
        rich_help_panel=STATISTICS,
    ),
]
IdField = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="FIELD",
        help="With --labels: field that matches the rows of two files.",
        rich_help_panel=STATISTICS,
    ),
]
_LEVEL = 0.95
# Options for only one of the two kinds of files.
_RUN_OPTIONS = (
    *("measures", "missing", "relevance_level", "score_dtype", "max_depth", "judged_only"),
    "plot",
)
_RESULT_OPTIONS = ("rows",)


def compare(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT|QRELS RUN",
            help="Results written by --save; or relevance judgments and two or more runs.",
        ),
    ],
    measures: Measures = None,
    scores: Scores = None,
    rows: Rows = None,
    labels: Labels = None,
    predictions: Predictions = None,
    id_field: IdField = None,
    cluster_by: ClusterBy = None,
    test: Annotated[
        Literal["permutation", "t", "wilcoxon", "mcnemar", "mcnemar_mid_p", "bootstrap"],
        typer.Option(
            metavar="TEST",
            help="permutation (sign flips), t, wilcoxon, or mcnemar and mcnemar_mid_p for scores 0 "
            "and 1. For corpus scores such as BLEU: permutation (rows are exchanged) or bootstrap.",
            rich_help_panel=STATISTICS,
        ),
    ] = "permutation",
    alternative: Annotated[
        Literal["two-sided", "greater", "less"],
        typer.Option(
            metavar="SIDE",
            help="Alternative hypothesis about A - B: two-sided, greater or less.",
            rich_help_panel=STATISTICS,
        ),
    ] = "two-sided",
    interval: Annotated[
        Literal["auto", "t", "bootstrap"],
        typer.Option(
            metavar="METHOD",
            help="Interval of the difference: auto (chosen by the kind of score), t or bootstrap.",
            rich_help_panel=STATISTICS,
        ),
    ] = "auto",
    confidence: Confidence = None,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    alpha: Annotated[
        float,
        typer.Option(
            metavar="LEVEL",
            parser=level,
            help="Significance level, for corrected p-values.",
            rich_help_panel=STATISTICS,
        ),
    ] = 0.05,
    correction: Correction = "holm",
    missing: Missing = "zero",
    relevance_level: RelevanceLevel = 1,
    score_dtype: ScoreDtype = "float64",
    max_depth: MaxDepth = None,
    judged_only: JudgedOnly = False,
    sort: Sort = None,
    top: Top = None,
    save: Save = None,
    format_name: OutputFormat = "table",
    digits: Decimals = None,
    percent: Percent = False,
    table: TableKind = None,
    caption: Caption = "",
    latex_label: LatexLabel = "",
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the differences of two runs: .png, .svg or .pdf."),
    ] = None,
    quiet: Quiet = False,
    max_unpacked: WholeLimit = None,
) -> None:
    """Compare systems row by row: those of saved results, or retrieval runs.

    metric-commons compare new.json old.json

    metric-commons compare qrels.txt bm25.run dense.run -m ndcg@10 -m map

    metric-commons compare new.jsonl old.jsonl --predictions judge --labels human

    Results need the scores of their rows, which --per-example writes. Systems
    with the same name in two results are compared with each other; otherwise
    all pairs are. For three or more systems the table has
    their possible ranks, and for more than 25 a line of signs instead of
    letters. The best tier and significant differences are in bold.

    The p-value is the probability of a difference at least this large if both
    systems were equally good. A difference that is not significant does not
    show that they are equal. A row that one system lacks is excluded for both.
    With --cluster-by tests count clusters of rows: by a field of the inputs of
    results, or for runs by a file with lines of query and cluster.

    With --labels the files are rows of two systems with the verdicts of a judge
    and, on some rows, labels from 0 to 1 by people: the difference is the one
    that people would see, corrected by the labels.
    """
    testing: dict[str, Any] = {
        "test": test,
        "alternative": alternative,
        "interval": interval,
        "confidence_level": _LEVEL if confidence is None else confidence,
        "n_resamples": resamples,
        "seed": seed,
        "alpha": alpha,
        "correction": correction_named(correction),
    }
    presentation = Presentation(
        format_name, digits, percent, table, caption, latex_label, main="differences"
    )
    presentation.check()
    check_written([save, plot], [*paths, *(rows or [])])
    for path in paths:
        path.stat()  # report a missing file before anything else
    if labels:
        _refuse(context, (*_RUN_OPTIONS, "rows", "test", "save"), "runs and saved results")
        _compare_labelled(paths, predictions, labels, id_field, cluster_by, confidence, format_name)
        return
    _refuse(context, ("predictions", "id_field"), "--labels")
    if is_saved_result(paths[0]):
        _refuse(context, _RUN_OPTIONS, "runs, but these are saved results")
        from ..comparison.combined_results import compare as compare_results

        results = read_with_rows(paths, rows or [], cluster_by=cluster_by)
        compared = compare_results(*results, scores=scores, **testing)
        if sort is not None:
            compared = compared.sort(sort)
        if save:
            compared.save(save)
        show(replace(compared, top=top), presentation)
        say_written(save)
        return
    _refuse(context, _RESULT_OPTIONS, "saved results, but these are runs")
    qrels, *runs = paths
    if len(runs) < 2:
        raise UsageError("compare needs saved results, or judgments and at least two runs")
    if plot and len(runs) > 2:
        raise UsageError(f"--plot draws the differences of two runs, not of {len(runs)}")
    measures_to_compare = averaged(selected_measures(measures, scores))
    if plot:
        from ..plots import check  # report a missing library before reading a large file

        check(plot)
    scoring = Scoring(missing, relevance_level, score_dtype, max_depth, judged_only)
    outputs = save, plot, sort, top, presentation
    clusters = None if cluster_by is None else read_clusters(Path(cluster_by))
    _compare_runs(qrels, runs, measures_to_compare, scoring, testing, outputs, clusters)


def _compare_labelled(
    paths: Sequence[Path],
    predictions: list[str] | None,
    labels: list[str],
    id_field: str | None,
    cluster_by: str | None,
    confidence: float | None,
    format_name: str,
) -> None:
    """Print the difference of two judged systems, corrected by labels."""
    from ..comparison.labelled_systems import corrected_difference, read_systems
    from ..judges.quotations import difference_sentence

    systems = read_systems(
        paths, predictions or [], labels, id_field=id_field, cluster_by=cluster_by
    )
    if len(systems) != 2:
        raise UsageError(f"--labels compares two systems, not {len(systems)}")
    level_of_interval = _LEVEL if confidence is None else confidence
    first, second = systems
    result = corrected_difference(first, second, confidence_level=level_of_interval)
    sentence = difference_sentence(result, first.name, second.name)
    if format_name == "json":
        named = {"a": first.name, "b": second.name, **result, "sentence": sentence}
        typer.echo(json.dumps(to_jsonable(named), indent=2))
        return
    low, high = result["confidence_interval"]["judge_corrected"]
    cells = [
        first.name,
        second.name,
        f"{result['judge_corrected']:+.4f} [{low:+.4f}, {high:+.4f}]",
        f"{result['judged_rate']:+.4f}",
        f"{result['labelled_rate']:+.4f}",
        f"{result['judge_bias']:+.4f}",
        f"{result['labelled']:,}",
        f"{result['effective_labels']:,.0f}",
    ]
    header = ["A", "B", "A - B corrected", "by the judge", "by labels", "bias", "labelled", "worth"]
    show_tables([Table(header, [cells], 2, set(), sentence)])


def _refuse(context: typer.Context, options: Sequence[str], files: str) -> None:
    """Check that none of these options is used."""
    for option in options:
        source = context.get_parameter_source(option)
        if source is not None and source.name == "COMMANDLINE":
            names = {"measures": "measure", "id_field": "id"}
            name = names.get(option, option.replace("_", "-"))
            raise UsageError(f"--{name} is for {files}")


def _compare_runs(
    qrels: Path,
    paths: Sequence[Path],
    measures: "tuple[Measure, ...]",
    scoring: Scoring,
    testing: dict[str, Any],
    outputs: tuple[Path | None, Path | None, str | None, int | None, Presentation],
    clusters: ClusterOfQuery | None,
) -> None:
    """Score the runs, compare all pairs, and write the requested output."""
    save, plot, sort, top, presentation = outputs
    scored_runs = score_queries(qrels, paths, measures, scoring)
    runs = paired(scored_runs.runs)
    names = [measure.name for measure in measures]
    kind = TwoRuns if len(runs) == 2 else Results
    results = kind(
        systems={
            name: {"ir_ranking": summary(scores_of_queries, measures, scoring, intervals={})}
            for name, scores_of_queries in runs.items()
        },
        comparisons=compare_pairs(pairs_of_runs(runs, names, clusters), **testing),
        provenance=provenance(scored_runs.inputs),
    )
    picture = b""
    if plot:
        from ..plots import deltas

        picture = deltas(plot, runs, results.comparisons)
    if sort is not None:
        results = results.sort(sort)
    if save:
        results.save(save)
    if plot:
        write_whole(plot, [picture])
    show(replace(results, top=top), presentation)
    say_written(save, plot)


class TwoRuns(Results):
    """Two runs, compared by each measure."""

    def tables(self, notation: Notation = PLAIN) -> list[Table]:
        """One row per measure, with a note on which run is A and which is B."""
        lower = self.standings.is_lower_better
        table = table_of(self.comparisons, lower, notation=notation, is_winner_first=False)
        first = self.comparisons[0]
        return [
            Table(
                ["measure", *table.header[3:]],
                [row[2:] for row in table.rows],
                1,
                {(row, column - 2) for row, column in table.best},
                f"A is {first['a']}, B is {first['b']}. {statement(self.comparisons)}",
                table.title,
                kind=table.kind,
            )
        ]
