"""How many rows or clusters a benchmark needs to find a difference."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...statistics.arguments.domains import Level, Positive, check_option
from ..results.comparisons import Pair, compare_pairs, is_crossed
from ..results.rendering import Table, label
from .verdicts import deviation_of


class PlannedRows(NamedTuple):
    """The number of rows needed to find an effect, from the differences of two systems."""

    a: str
    b: str
    module: str
    score: str
    rows: int
    n_clusters: int | None
    deviation: float  # of the differences of rows, or of clusters
    power: float  # of these rows for the effect; NaN if rows do not vary, or are one
    mde: float  # minimum detectable effect of these rows at the desired power
    rows_needed: int | None  # or clusters; None where power is NaN


def plans(
    pairs: Sequence[Pair], effect: float, *, alpha: float = 0.05, power: float = 0.8
) -> list[PlannedRows]:
    """Return the power of the rows of each pair for an effect, and the number that would be enough.

    Both are for the two-sided t-test, with the standard error of the difference that `compare`
    finds. If rows come in clusters, clusters are counted.

    Args:
        pairs: the systems with their scores of each row.
        effect: the mean difference to be found, above 0.
        alpha: the level of the test.
        power: the desired probability of finding it.

    Raises:
        ValueError: an argument is out of its range, or rows have several fields of clusters.
    """
    from ...statistics.tests.power import detectable, power_of, rows_needed

    check_option("effect", effect, Positive)
    check_option("alpha", alpha, Level)
    check_option("power", power, Level)
    if any(is_crossed(pair.clusters) for pair in pairs):
        raise ValueError("crossed clusters cannot be planned; name one field with --cluster-by")
    planned = []
    for comparison in compare_pairs(pairs, alpha=alpha, correction="none"):
        units, deviation = deviation_of(comparison)
        found, mde, required = math.nan, math.nan, None
        if deviation > 0:
            found = power_of(effect, deviation, units, alpha)
            mde = detectable(deviation, units, alpha, power)
            required = rows_needed(effect, deviation, alpha, power)
        a, b, module, score, rows = (
            comparison[name] for name in ("a", "b", "module", "score", "rows")
        )
        clusters = comparison.get("n_clusters")
        planned.append(
            PlannedRows(a, b, module, score, rows, clusters, deviation, found, mde, required)
        )
    return planned


def plan_table(rows: Sequence[PlannedRows], effect: float, alpha: float, power: float) -> Table:
    """Return one row per pair of systems and score."""
    has_clusters = any(plan.n_clusters for plan in rows)
    units = "clusters" if has_clusters else "rows"
    return Table(
        [
            *("A", "B", "score", "rows"),
            *(["clusters"] if has_clusters else []),
            *("deviation", f"power for {effect:g}", "mde", f"{units} needed"),
        ],
        [
            [
                *(label(plan.a), label(plan.b), label(plan.score), f"{plan.rows:,}"),
                *([f"{plan.n_clusters:,}" if plan.n_clusters else ""] if has_clusters else []),
                f"{plan.deviation:.4f}",
                "" if math.isnan(plan.power) else f"{plan.power:.3f}",
                "" if math.isnan(plan.mde) else f"{plan.mde:.4f}",
                "" if plan.rows_needed is None else f"{plan.rows_needed:,}",
            ]
            for plan in rows
        ],
        3,
        set(),
        f"Two-sided t-test at {alpha:g}. deviation: standard deviation of the differences of "
        f"{units}. mde: the difference that this number of {units} detects with a power of "
        f"{power:g}. {units} needed: to detect {effect:g} with that power, if further {units} are "
        "like these. Scores 0 and 1 need about a tenth more.",
    )
