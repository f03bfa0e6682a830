"""`metric-commons power`: the number of rows needed to find a difference."""

from pathlib import Path
from typing import Literal

from ...evaluation.comparison.plans import plan_table, plans
from ...evaluation.comparison.saved_results import read_results
from ...statistics.arguments.domains import Level
from ..console.commands import command
from ..console.outputs import show_json, show_tables


def power(
    results: list[Path],
    *,
    effect: float,
    scores: list[str] | None = None,
    clusters: list[str] | None = None,
    alpha: Level = 0.05,
    power: Level = 0.8,
    format_name: Literal["table", "json"] = "table",
) -> None:
    """Plan a benchmark: how many rows are needed to find a difference.

    metric-commons power new.json old.json --effect 0.02

    The answer depends on how much the differences of two systems vary from row
    to row, which is estimated from saved results. For each pair of systems it
    prints the power of the present rows, the smallest difference that they can
    detect, and the number of rows for the desired difference, all for the t-test.
    Use it for planning; the power of a finished test adds nothing to its p-value.

    Args:
        results: Results of two systems, written by --save, or rows by --rows.
        effect: The mean difference that a test should find.
        scores: Plan only for these scores.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        alpha: Significance level of the tests.
        power: Desired power of the suggested number of rows.
        format_name: Format of the printed output.
    """
    from ...evaluation.comparison.combined_results import pairs_of_results

    saved = [read_results(path, clusters or []) for path in results]
    planned = plans(pairs_of_results(*saved, scores=scores), effect, alpha=alpha, power=power)
    if format_name == "json":
        listed = [plan._asdict() for plan in planned]
        show_json({"effect": effect, "alpha": alpha, "power": power, "plans": listed})
    else:
        show_tables([plan_table(planned, effect, alpha, power)])


COMMANDS = {"power": command(power, quiet=False)}
