"""`metric-commons power`: how many rows it takes to find a difference."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..evaluation.saved_rows import read_with_rows
from ..evaluation.verdicts import plan_table, plans
from ..files.stored import plain
from .options import Alpha, ClusterBy, Power, Rows, Scores
from .outputs import show_tables


def power(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="RESULT", help="What --save of `score` wrote: two systems."),
    ],
    effect: Annotated[
        float, typer.Option(metavar="DIFFERENCE", help="The mean difference to be found.")
    ],
    scores: Scores = None,
    rows: Rows = None,
    cluster_by: ClusterBy = None,
    alpha: Alpha = 0.05,
    power: Power = 0.8,
    form: Annotated[
        Literal["table", "json"], typer.Option("--format", help="What to print.")
    ] = "table",
) -> None:
    """Plan a benchmark: how many rows find a difference, by those of a saved result.

    metric-commons power results.json --effect 0.02

    What counts is how much two systems differ from row to row. Each two systems
    give an estimate, by the main score of each module or by --scores: the power
    of the rows that there are, the least difference that they find, and how
    many rows find the one that is asked for. This is for planning; the power of
    a test that has been done says no more than its p-value.
    """
    from ..evaluation.scoring import compare

    compared = compare(
        *read_with_rows(paths, rows or [], cluster_by=cluster_by), scores=scores, correction="none"
    )
    planned = plans(compared.comparisons, effect, alpha=alpha, power=power)
    if form == "json":
        listed = [plain(plan._asdict()) for plan in planned]
        content = {"effect": effect, "alpha": alpha, "power": power, "plans": listed}
        typer.echo(json.dumps(content, indent=2))
    else:
        show_tables([plan_table(planned, effect, alpha, power)])
