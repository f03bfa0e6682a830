"""`power`: the number of rows needed to find a difference."""

from collections.abc import Sequence

from ...evaluation.comparison.combined_results import pairs_of_results
from ...evaluation.comparison.plans import plan_table, plans
from ...statistics.arguments.domains import Level
from .findings import Finding, Saved, opened


def power(
    *results: Saved,
    effect: float,
    scores: Sequence[str] | None = None,
    clusters: str | Sequence[str] | None = None,
    alpha: Level = 0.05,
    power: Level = 0.8,
) -> Finding:
    """Plan a benchmark: how many rows are needed to find a difference.

    metric-commons power new.json old.json --effect 0.02

    The answer depends on how much the differences of two systems vary from row to row, which is
    estimated from saved results. For each pair of systems it prints the smallest difference that
    the present rows can detect, and the number of rows for the desired difference, both for the
    t-test.

    Args:
        *results: Results of two systems, or the paths of what --save or --rows wrote.
        effect: The mean difference that a test should find.
        scores: Plan only for these scores.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        alpha: Significance level of the tests.
        power: Desired power of the suggested number of rows.

    Returns:
        The plan for each pair of systems.
    """
    saved = [opened(part, clusters) for part in results]
    planned = plans(pairs_of_results(*saved, scores=scores), effect, alpha=alpha, power=power)
    record = {"effect": effect, "alpha": alpha, "power": power, "plans": planned}
    return Finding(record, tables=[plan_table(planned, effect, alpha, power)])
