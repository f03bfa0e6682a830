"""`metric-commons compare`: which systems are better by more than chance."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import typer

from ...data.files.stored import write_whole
from ...evaluation.comparison.run_pairs import paired, pairs_of_runs, read_clusters
from ...evaluation.comparison.saved_results import is_saved, read_results
from ...evaluation.results.comparison_tables import statement
from ...evaluation.results.comparison_tables import table as table_of
from ...evaluation.results.comparisons import compare_pairs
from ...evaluation.results.module_results import provenance
from ...evaluation.results.rendering import PLAIN, Notation, Table
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError
from ...statistics.resampling.progress import is_quiet
from ..console import options, run_scores
from ..console.outputs import (
    Outputs,
    Presentation,
    check_written,
    say_written,
)


@dataclass(frozen=True)
class DifferencesFirst(Presentation):
    """The options of how comparisons are printed."""

    main: ClassVar[str] = "differences"


@dataclass(frozen=True)
class Testing:
    """The options of comparisons, with the names of their arguments.

    Args:
        test: permutation (sign flips), t, wilcoxon, or mcnemar for scores 0 and 1.
        alternative: Alternative hypothesis about A - B: two-sided, greater or less.
        alpha: Significance level, for corrected p-values.
    """

    confidence_level: options.ConfidenceLevel = 0.95
    test: Annotated[
        Literal["permutation", "t", "wilcoxon", "mcnemar"],
        options.statistics_option(metavar="TEST"),
    ] = "permutation"
    alternative: Annotated[
        Literal["two-sided", "greater", "less"], options.statistics_option(metavar="SIDE")
    ] = "two-sided"
    alpha: options.Alpha = 0.05
    correction: options.Correction = "bonferroni"
    assume: options.Assume = "exchangeable"
    bounds: options.Bounds = None


# Options for tables of scores only.
_TABLE_OPTIONS = ("system", "id_field", "score", "lower_is_better")
# Options for runs only.
_RUN_OPTIONS = ("measures", *(item.name for item in fields(run_scores.Scoring)), "plot")
_ONLY_RUN_OPTIONS = tuple(name for name in _RUN_OPTIONS if name != "missing")


def compare(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="RESULT|QRELS RUN")],
    *,
    measures: run_scores.Measures = None,
    scores: options.Scores = None,
    cluster_by: options.ClusterBy = None,
    system: Annotated[str | None, options.statistics_option(metavar="NAMES")] = None,
    id_field: Annotated[str | None, options.statistics_option("--id", metavar="COLUMN")] = None,
    score: Annotated[str | None, options.statistics_option(metavar="COLUMN")] = None,
    lower_is_better: Annotated[bool, options.statistics_option("--lower-is-better")] = False,
    testing: Testing,
    scoring: run_scores.Scoring,
    sort: options.Sort = None,
    top: options.Top = None,
    save: options.Save = None,
    presentation: DifferencesFirst,
    plot: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
) -> None:
    """Compare systems row by row: those of a table of scores, of saved results, or runs.

    metric-commons compare scores.csv

    metric-commons compare new.json old.json

    metric-commons compare qrels.txt bm25.run dense.run -m ndcg@10 -m map

    A table of scores is wide (a column for each system) or long (columns such as
    model, id and score); a line on stderr says what was taken for systems.

    Results need their scored rows, which --rows writes. Systems
    with the same name in two results are compared with each other; otherwise
    all pairs are compared. For three or more systems the table has their possible
    ranks, and for more than 25 a line of signs instead of letters. The best tier
    and significant differences are in bold.

    The p-value is the probability of a difference at least this large if both
    systems were equally good. A difference that is not significant does not
    show that they are equal. A row that one system lacks is excluded for both.
    With --cluster-by tests count clusters of rows: by a field that rows were scored
    with, or for runs by a file with lines of query and cluster.

    Args:
        paths: A table of scores; results written by --save, or rows by --rows; or relevance
            judgments and two or more runs.
        system: Of a table: the column that names the systems, or the columns of systems, as A,B.
        id_field: Of a table: the column of the ids.
        score: Of a table: the column of the scores.
        lower_is_better: Of a table: the lowest scores are the best.
        plot: Draw the differences of two runs: .png, .svg or .pdf.
    """
    presentation.check()
    check_written([save, plot], paths)
    for path in paths:
        path.stat()  # report a missing file before anything else
    outputs = Outputs(presentation, save, sort=sort)
    if is_saved(paths[0]):
        options.refuse(context, _RUN_OPTIONS, "is for runs, but these are saved results")
        from ...evaluation.comparison.combined_results import compare as compare_results

        results = [read_results(path, cluster_by or []) for path in paths]
        outputs.write(compare_results(*results, scores=scores, **vars(testing)), top)
        return
    if len(paths) == 1:
        options.refuse(context, _ONLY_RUN_OPTIONS, "is for runs, but this is a table of scores")
        from ...evaluation.comparison.combined_results import compare as compare_results

        named = system and system.split(",")
        compared = compare_results(
            paths[0],
            scores=scores,
            system=named[0] if named and len(named) == 1 else named,
            id=id_field,
            score=score,
            lower_is_better=lower_is_better,
            clusters=cluster_by or (),
            missing=scoring.missing if options.is_chosen(context, "missing") else "refuse",
            **vars(testing),
        )
        if not is_quiet():
            typer.echo(f"note: the systems are {', '.join(compared.systems)}", err=True)
        outputs.write(compared, top)
        return
    options.refuse(context, _TABLE_OPTIONS, "is for a table of scores")
    qrels, *runs = paths
    if len(runs) < 2:
        raise UsageError(
            "compare needs saved results, or judgments and at least two runs; rows need a module: "
            f"metric-commons score MODULE {qrels} -p FIELD -p FIELD -r FIELD --compare"
        )
    if plot and len(runs) > 2:
        raise UsageError(f"--plot draws the differences of two runs, not of {len(runs)}")
    measures_to_compare = run_scores.averaged(run_scores.selected_measures(measures, scores))
    if plot:
        from ...reporting.plots.bar_plots import deltas
        from ...reporting.plots.pictures import check

        check(plot)  # report a missing library before reading a large file
    clusters_path = options.one_field(cluster_by, "a comparison of runs")
    clusters = None if clusters_path is None else read_clusters(Path(clusters_path))
    scored = run_scores.score_queries(qrels, runs, measures_to_compare, scoring)
    queries_of_runs = paired(scored.runs)
    names = [measure.name for measure in measures_to_compare]
    kind = RunComparison if len(queries_of_runs) == 2 else Results
    compared = kind(
        systems={
            name: {
                "ir_ranking": run_scores.summary(
                    queries, measures_to_compare, scoring, intervals={}
                )
            }
            for name, queries in queries_of_runs.items()
        },
        comparisons=compare_pairs(pairs_of_runs(queries_of_runs, names, clusters), **vars(testing)),
        provenance=provenance(scored.inputs),
    )
    if plot:
        write_whole(plot, [deltas(plot, queries_of_runs, compared.comparisons)])
    outputs.write(compared, top)
    say_written(plot)


class RunComparison(Results):
    """Two runs, compared by each measure."""

    def tables(self, notation: Notation = PLAIN) -> list[Table]:
        """Return one row per measure, with a note on which run is A and which is B."""
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
