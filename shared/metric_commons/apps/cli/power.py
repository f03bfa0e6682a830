"""`metric-commons power`: the number of rows needed to find a difference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ...evaluation.comparison.plans import (
    CrossedPlan,
    Plan,
    crossed_plan_table,
    crossed_plans,
    plan_table,
    plans,
)
from ...evaluation.comparison.saved_rows import read_with_rows
from ...evaluation.results.comparisons import is_crossed
from ...evaluation.results.rendering import Table
from ...module.catalog.usage import UsageError
from ..console import options
from ..console.outputs import show_json, show_tables

_HALF_WIDTH = 0.05  # of the interval of a rate whose labels are planned


def power(
    paths: Annotated[list[Path], typer.Argument(metavar="RESULT")],
    effect: Annotated[float | None, typer.Option(metavar="DIFFERENCE")] = None,
    labels: Annotated[str | None, typer.Option(metavar="FIELD")] = None,
    predictions: Annotated[str | None, typer.Option(metavar="FIELD")] = None,
    scores: options.Scores = None,
    rows: options.Rows = None,
    cluster_by: options.ClusterBy = None,
    alpha: options.Alpha = 0.05,
    power: options.Power = 0.8,
    format_name: options.PrintedFormat = "table",
) -> None:
    """Plan a benchmark: how many rows are needed to find a difference.

    metric-commons power results.json --effect 0.02

    The answer depends on how much the differences of two systems vary from row
    to row, which is estimated from saved results. For each pair of systems it
    prints the power of the present rows, the smallest difference that they can
    detect, and the number of rows for the desired difference, all for the test
    that `compare` makes. Use it for planning; the power of a finished test adds
    nothing to its p-value.

    metric-commons power results.json --effect 0.02 --cluster-by item --cluster-by template

    With two fields, each item is answered with each template, and both are
    samples: the plan says how many of each are needed, and how many items a
    further template is worth.

    metric-commons power pilot.jsonl --labels human --predictions judge

    With --labels it plans labels instead: how many of these rows people have to
    label so that the rate, corrected with the judge, is known to plus or minus
    0.05. A pilot of 30 to 50 labels gives the rate and how well the judge
    correlates with it.

    Args:
        paths: Results of two systems, written by --save; or with --labels a pilot's rows.
        effect: The mean difference that a test should find.
        labels: Field of a pilot's labels by people, from 0 to 1: plan how many more to make.
        predictions: With --labels: field of the judge's verdicts.
    """
    if labels is not None:
        from ...evaluation.comparison.labelled_systems import planned_labels, read_systems

        systems = read_systems(paths, [] if predictions is None else [predictions], [labels])
        pilots = [planned_labels(system, _HALF_WIDTH) for system in systems]
        if format_name == "json":
            show_json({"half_width": _HALF_WIDTH, "plans": [plan._asdict() for plan in pilots]})
            return
        header = ["system", "rate", "correlation", "labelled", "rows", "required", "without judge"]
        note = " ".join(plan.sentence(_HALF_WIDTH) for plan in pilots)
        show_tables([Table(header, [plan.cells() for plan in pilots], 1, set(), note)])
        return
    if effect is None:
        raise UsageError("Missing option '--effect', or '--labels' to plan labels")
    from ...evaluation.comparison.combined_results import pairs_of_results

    results = read_with_rows(paths, rows or [], cluster_by=cluster_by or [])
    pairs = pairs_of_results(*results, scores=scores)
    planned: Sequence[Plan | CrossedPlan]
    if is_crossed(pairs[0].clusters):
        crossed = crossed_plans(pairs, effect, alpha=alpha, power=power)
        planned, table = crossed, crossed_plan_table(crossed, effect, power)
    else:
        of_rows = plans(pairs, effect, alpha=alpha, power=power)
        planned, table = of_rows, plan_table(of_rows, effect, alpha, power)
    if format_name == "json":
        listed = [plan._asdict() for plan in planned]
        show_json({"effect": effect, "alpha": alpha, "power": power, "plans": listed})
    else:
        show_tables([table])
