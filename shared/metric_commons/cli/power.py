"""`metric-commons power`: how many rows it takes to find a difference."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..comparison.saved_rows import read_with_rows
from ..comparison.verdicts import plan_table, plans
from ..console.options import Alpha, ClusterBy, Power, Rows, Scores
from ..console.outputs import show_tables
from ..files.stored import plain


def power(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="RESULT", help="Results of two systems, which --save wrote."),
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
    form: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Format of what is printed.")
    ] = "table",
) -> None:
    """Plan a benchmark: how many rows are needed to find a difference.

    metric-commons power results.json --effect 0.02

    The answer depends on how much the differences of two systems vary from row
    to row, which is taken from saved results. For every two systems it prints
    the power of the present rows, the smallest difference that they can find,
    and the number of rows for the wanted difference, all for the test that
    `compare` makes. Use it for planning; the power of a finished test says no
    more than its p-value.
    """
    from ..comparison.combined_results import pairs_of_results

    results = read_with_rows(paths, rows or [], cluster_by=cluster_by)
    pairs = pairs_of_results(*results, scores=scores)
    planned = plans(pairs, effect, alpha=alpha, power=power)
    if form == "json":
        listed = [plain(plan._asdict()) for plan in planned]
        content = {"effect": effect, "alpha": alpha, "power": power, "plans": listed}
        typer.echo(json.dumps(content, indent=2))
    else:
        show_tables([plan_table(planned, effect, alpha, power)])
