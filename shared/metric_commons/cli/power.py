"""`metric-commons power`: the number of rows needed to find a difference."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..comparison.saved_rows import read_with_rows
from ..comparison.verdicts import plan_table, plans
from ..console.options import Alpha, ClusterBy, Power, Rows, Scores
from ..console.outputs import show_tables
from ..files.stored import to_jsonable


def power(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="RESULT", help="Results of two systems, written by --save."),
    ],
    effect: Annotated[
        float,
        typer.Option(metavar="DIFFERENCE", help="The mean difference that a test should find."),
    ],
    scores: Scores = None,
    rows: Rows = None,
    cluster_by: ClusterBy = None,
    alpha: Alpha = 0.05,
    power: Power = 0.8,
    format_name: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Format of the printed output.")
    ] = "table",
) -> None:
    """Plan a benchmark: how many rows are needed to find a difference.

    metric-commons power results.json --effect 0.02

    The answer depends on how much the differences of two systems vary from row
    to row, which is estimated from saved results. For each pair of systems it
    prints the power of the present rows, the smallest difference that they can
    detect, and the number of rows for the desired difference. Use it for
    planning; the power of a finished test adds nothing to its p-value.
    """
    from ..comparison.combined_results import compare

    compared = compare(
        *read_with_rows(paths, rows or [], cluster_by=cluster_by), scores=scores, correction="none"
    )
    planned = plans(compared.comparisons, effect, alpha=alpha, power=power)
    if format_name == "json":
        listed = [to_jsonable(plan._asdict()) for plan in planned]
        content = {"effect": effect, "alpha": alpha, "power": power, "plans": listed}
        typer.echo(json.dumps(content, indent=2))
    else:
        show_tables([plan_table(planned, effect, alpha, power)])
