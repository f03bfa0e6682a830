"""`metric-commons power`: the number of rows needed to find a difference."""

from pathlib import Path
from typing import Annotated

import typer

from ...evaluation.comparison.plans import plan_table, plans
from ...evaluation.comparison.saved_results import read_results
from ..console import options
from ..console.outputs import show_json, show_tables


def power(
    paths: Annotated[list[Path], typer.Argument(metavar="RESULT")],
    *,
    effect: Annotated[float, typer.Option(metavar="DIFFERENCE")],
    scores: options.Scores = None,
    cluster_by: options.ClusterBy = None,
    alpha: options.Alpha = 0.05,
    power: options.Power = 0.8,
    format_name: options.PrintedFormat = "table",
) -> None:
    """Plan a benchmark: how many rows are needed to find a difference.

    metric-commons power new.json old.json --effect 0.02

    The answer depends on how much the differences of two systems vary from row
    to row, which is estimated from saved results. For each pair of systems it
    prints the power of the present rows, the smallest difference that they can
    detect, and the number of rows for the desired difference, all for the t-test.
    Use it for planning; the power of a finished test adds nothing to its p-value.

    Args:
        paths: Results of two systems, written by --save, or rows by --rows.
        effect: The mean difference that a test should find.
    """
    from ...evaluation.comparison.combined_results import pairs_of_results

    results = [read_results(path, cluster_by or []) for path in paths]
    pairs = pairs_of_results(*results, scores=scores)
    planned = plans(pairs, effect, alpha=alpha, power=power)
    if format_name == "json":
        listed = [plan._asdict() for plan in planned]
        show_json({"effect": effect, "alpha": alpha, "power": power, "plans": listed})
    else:
        show_tables([plan_table(planned, effect, alpha, power)])
