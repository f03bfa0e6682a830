"""`metric-commons compare`: whether one run is better than another by more than chance."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from metric_commons.results import Table, plain, provenance, signature, write_whole

from .outputs import Form, Misuse, check_outputs, show
from .trec import (
    JudgedOnly,
    MaxDepth,
    Measures,
    Missing,
    OfQueries,
    Qrels,
    Rankings,
    RelevanceLevel,
    Resamples,
    Save,
    ScoreDtype,
    Scoring,
    Seed,
    parsed,
    score_queries,
    summary,
)

if TYPE_CHECKING:
    from metric_commons.measures import Measure

_CORRECTIONS = {"holm": "holm", "bh": "benjamini_hochberg"}
_LEVEL = 0.95  # of the intervals


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
    asked = _averaged(parsed(measures))
    check_outputs([save, plot], [qrels, run_a, run_b])
    if plot:
        from . import plots  # a missing library is said before a large file is read

        plots.check(plot)
    scoring = Scoring(missing, relevance_level, score_dtype, max_depth, judged_only)
    scored = score_queries(qrels, [run_a, run_b], asked, scoring)
    runs = _paired(scored.runs)

    testing = {
        "test": test,
        "alternative": alternative,
        "n_resamples": resamples,
        "seed": seed,
        "alpha": alpha,
        "correction": _CORRECTIONS[correction],
    }
    results = Comparisons(
        systems={
            name: {"ir_ranking": summary(of_queries, asked, scoring, bootstrap={})}
            for name, of_queries in runs.items()
        },
        comparisons=_comparisons(runs, asked, testing),
        provenance=provenance(scored.inputs),
    )
    picture = plots.deltas(plot, runs, results.comparisons) if plot else b""
    if save:
        results.save(save)
    if plot:
        write_whole(plot, [picture])
    show(results, form)


class Comparisons(Rankings):
    """Two runs, and for each measure which of them is better."""

    def tables(self) -> list[Table]:
        """A row a measure, the better mean in bold, and so is what is significant.

        The interval comes last, since on a narrow screen it is what goes on below.
        """
        (correction,) = {each["options"]["correction"] for each in self.comparisons}
        short = next(name for name, full in _CORRECTIONS.items() if full == correction)
        header = ["measure", "A_mean", "B_mean", "Diff(A-B)", "p_value", f"p_{short}"]
        bold = {
            (row, column)
            for row, each in enumerate(self.comparisons)
            for column, holds in (
                (1, each["diff"] > 0),
                (2, each["diff"] < 0),
                (6, each["significant"]),
            )
            if holds
        }
        rows = [_cells(each) for each in self.comparisons]
        return [Table([*header, "significant", f"{_LEVEL:.0%} interval"], rows, 1, bold)]

    def signatures(self) -> list[str]:
        """How the runs were scored, and how they were compared."""
        compared = (each["signature"] for each in self.comparisons)
        return list(dict.fromkeys([*super().signatures(), *compared]))

    def to_csv(self) -> str:
        """Every number in full, a line a measure."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        numbers = ["A_mean", "B_mean", "diff", "p_value", "p_adjusted", "significant", "rows"]
        lines.writerow(["a", "b", "score", *numbers, "low", "high"])
        for each in plain(self.comparisons):
            cells = (each[name] for name in ("a", "b", "score", *numbers))
            lines.writerow([*cells, *each["confidence_interval"]])
        return text.getvalue()


def p_value(p: float) -> str:
    """Four digits, but never zero.

    >>> p_value(0.0321), p_value(3e-7)
    ('0.0321', '<0.0001')
    """
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _averaged(measures: "tuple[Measure, ...]") -> "tuple[Measure, ...]":
    """The measures, if each is a mean over queries, which is what is tested."""
    for name, kind, *_ in measures:
        if kind == "gm_map" or kind.startswith("num_"):
            raise Misuse(f"--measure: {name!r} is no mean over queries, so it cannot be compared")
    return measures


def _paired(runs: dict[str, OfQueries]) -> dict[str, OfQueries]:
    """The runs on the queries that count for both."""
    first, second = runs.values()
    shared = [query for query in first if query in second]
    if not shared:
        raise ValueError(f"{' and '.join(runs)} have no query in common")
    return {name: {query: run[query] for query in shared} for name, run in runs.items()}


def _comparisons(
    runs: dict[str, OfQueries], measures: "tuple[Measure, ...]", testing: dict[str, Any]
) -> list[dict[str, Any]]:
    """The comparison of each measure, as the file has it."""
    from metric_commons.significance import compare_measures

    (a, of_a), (b, of_b) = runs.items()
    columns = (
        {name: [query[name] for query in of_queries.values()] for name, *_ in measures}
        for of_queries in (of_a, of_b)
    )
    told = {
        "rows": len(of_a),
        "options": testing | {"confidence_level": _LEVEL},
        "signature": signature("paired_significance", {"A": a, "B": b, **testing}, len(of_a)),
    }
    compared = compare_measures(*columns, confidence_level=_LEVEL, **testing)
    return [{"a": a, "b": b, "score": name, **each, **told} for name, each in compared.items()]


def _cells(comparison: dict[str, Any]) -> list[str]:
    low, high = comparison["confidence_interval"]
    return [
        comparison["score"],
        *(f"{comparison[name]:.4f}" for name in ("A_mean", "B_mean", "diff")),
        *(p_value(comparison[name]) for name in ("p_value", "p_adjusted")),
        "yes" if comparison["significant"] else "no",
        f"[{low:.4f}, {high:.4f}]",
    ]
