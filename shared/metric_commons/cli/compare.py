"""`metric-commons compare`: whether one run is better than another by more than chance."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..evaluation.comparisons import Pair
from ..evaluation.rendering import Table
from ..evaluation.results import Results, aggregation_of, signed_comparisons
from ..evaluation.signature import provenance
from ..evaluation.usage import UsageError, check_outputs
from ..files.stored import write_whole
from .options import Resamples, Save, Seed
from .outputs import Form, show
from .trec import (
    JudgedOnly,
    MaxDepth,
    Measures,
    Missing,
    Qrels,
    RelevanceLevel,
    ScoreDtype,
    Scoring,
    parsed,
    score_queries,
    summary,
)

if TYPE_CHECKING:
    from ..ranking.names import Measure
    from ..ranking.runs import QueryScores

_CORRECTIONS = {"holm": "holm", "bh": "benjamini_hochberg"}


def compare(
    qrels: Qrels,
    run_a: Annotated[Path, typer.Argument(metavar="RUN_A", help="The run of system A.")],
    run_b: Annotated[Path, typer.Argument(metavar="RUN_B", help="The run of system B.")],
    measures: Measures = None,
    test: Annotated[
        Literal["permutation", "t", "wilcoxon"],
        typer.Option(help="Random signs of differences, Student's t, or signed ranks."),
    ] = "permutation",
    alternative: Annotated[
        Literal["two-sided", "greater", "less"],
        typer.Option(help="Whether A is different, greater or less, if it is not chance."),
    ] = "two-sided",
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    alpha: Annotated[
        float, typer.Option(metavar="LEVEL", help="A corrected p-value below it is significant.")
    ] = 0.05,
    correction: Annotated[
        Literal["holm", "bh"],
        typer.Option(help="For several measures: Holm, or Benjamini and Hochberg."),
    ] = "holm",
    missing: Missing = "zero",
    relevance_level: RelevanceLevel = 1,
    score_dtype: ScoreDtype = "float64",
    max_depth: MaxDepth = None,
    judged_only: JudgedOnly = False,
    save: Save = None,
    form: Form = "table",
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the differences, as .png, .svg or .pdf."),
    ] = None,
) -> None:
    """Compare two retrieval runs query by query.

    metric-commons compare qrels.txt bm25.run dense.run -m ndcg@10 -m map

    The p-value says how likely a difference as large would be if the systems
    were equally good. Intervals are of the mean difference, at 95 %. A query
    that is skipped for one run is left out of both.
    """
    measures_asked = _averaged(parsed(measures))
    check_outputs([save, plot], [qrels, run_a, run_b])
    if plot:
        from ..plots import check, deltas  # a missing library is said before a large file is read

        check(plot)
    scoring = Scoring(missing, relevance_level, score_dtype, max_depth, judged_only)
    scored_runs = score_queries(qrels, [run_a, run_b], measures_asked, scoring)
    runs = _paired(scored_runs.runs)

    results = Comparisons(
        systems={
            name: {"ir_ranking": summary(scores_of_queries, measures_asked, scoring, intervals={})}
            for name, scores_of_queries in runs.items()
        },
        comparisons=signed_comparisons(
            _pairs(runs, measures_asked),
            test=test,
            alternative=alternative,
            n_resamples=resamples,
            seed=seed,
            alpha=alpha,
            correction=_CORRECTIONS[correction],
        ),
        provenance=provenance(scored_runs.inputs),
    )
    picture = deltas(plot, runs, results.comparisons) if plot else b""
    if save:
        results.save(save)
    if plot:
        write_whole(plot, [picture])
    show(results, form)


class Comparisons(Results):
    """Two runs, and for each measure which of them is better."""

    def tables(self) -> list[Table]:
        """A row a measure; which run is A, and which B, stands below."""
        table = super().tables()[-1]
        first = self.comparisons[0]
        return [
            Table(
                ["measure", *table.header[3:]],
                [row[2:] for row in table.rows],
                1,
                {(row, column - 2) for row, column in table.best},
                f"A is {first['a']}, B is {first['b']}.",
            )
        ]


def _averaged(measures: "tuple[Measure, ...]") -> "tuple[Measure, ...]":
    """The measures, if each is a mean over queries, which is what is tested."""
    from ..ranking.names import AGGREGATION

    for name, kind, *_ in measures:
        if aggregation_of([kind], AGGREGATION):
            raise UsageError(
                f"--measure: {name!r} is no mean over queries, so it cannot be compared"
            )
    return measures


def _paired(runs: "dict[str, QueryScores]") -> "dict[str, QueryScores]":
    """The runs on the queries that count for both."""
    first, second = runs.values()
    shared = [query for query in first if query in second]
    if not shared:
        raise ValueError(f"{' and '.join(runs)} have no query in common")
    return {name: {query: run[query] for query in shared} for name, run in runs.items()}


def _pairs(runs: "dict[str, QueryScores]", measures: "tuple[Measure, ...]") -> Iterator[Pair]:
    """Both runs by each measure, query by query."""
    a, b = runs
    for name, *_ in measures:
        columns = (
            [query[name] for query in scores_of_queries.values()]
            for scores_of_queries in runs.values()
        )
        yield Pair(a, b, "ir_ranking", name, *columns)
