"""How many rows or clusters a benchmark needs to find a difference."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...statistics.arguments.domains import Level, Positive, check_option
from ..results.rendering import Table, column, label

if TYPE_CHECKING:  # since it imports numpy
    from .comparisons import Pair


def plans(
    pairs: Sequence["Pair"], effect: float, *, alpha: float = 0.05, power: float = 0.8
) -> list[dict[str, Any]]:
    """Return for each pair the number of rows that would be enough to find an effect.

    Each has `a`, `b`, `module`, `score`, `rows`, `n_clusters`, the standard `deviation` of the
    differences of rows, `mde`, the difference that these rows detect with the desired power, and
    `rows_needed`; None where rows do not vary. Both are for the two-sided t-test, with the standard
    error of the difference that `compare` finds. If rows come in clusters, clusters are counted.

    Args:
        pairs: the systems with the number of each row.
        effect: the mean difference to be found, above 0.
        alpha: the level of the test.
        power: the desired probability of finding it.

    Raises:
        ValueError: an argument is out of its range, or rows have several fields of clusters.
    """
    from ...statistics.tests.power import detectable, rows_needed
    from .comparisons import compare_pairs

    check_option("effect", effect, Positive)
    check_option("alpha", alpha, Level)
    check_option("power", power, Level)
    if any(pair.is_crossed for pair in pairs):
        raise ValueError("crossed clusters cannot be planned; name one field with --cluster-by")
    planned = []
    for comparison in compare_pairs(pairs, alpha=alpha, correction="none"):
        units = comparison.get("n_clusters") or comparison["rows"]
        deviation = comparison["standard_error"] * math.sqrt(units)
        plan = {name: comparison[name] for name in ("a", "b", "module", "score", "rows")}
        plan |= {"n_clusters": comparison.get("n_clusters"), "deviation": deviation}
        plan |= {"mde": None, "rows_needed": None}
        if deviation > 0:
            plan["mde"] = detectable(deviation, units, alpha, power)
            plan["rows_needed"] = rows_needed(effect, deviation, alpha, power)
        planned.append(plan)
    return planned


def plan_table(
    planned: Sequence[dict[str, Any]], effect: float, alpha: float, power: float
) -> Table:
    """Return one row per pair of systems and score."""
    units = "clusters" if any(plan["n_clusters"] for plan in planned) else "rows"
    names = [column(planned, "a", label, "A"), column(planned, "b", label, "B")]
    columns = [
        column(planned, "rows", "{:,}".format),
        column(planned, "n_clusters", "{:,}".format, "clusters"),
        column(planned, "deviation", "{:.4f}".format),
        column(planned, "mde", "{:.4f}".format),
        column(planned, "rows_needed", "{:,}".format, f"{units} needed"),
    ]
    note = (
        f"Two-sided t-test at {alpha:g}. deviation: standard deviation of the differences of "
        f"{units}. mde: the difference that this number of {units} detects with a power of "
        f"{power:g}. {units} needed: to detect {effect:g} with that power, if further {units} are "
        "like these. Scores 0 and 1 need a tenth to a fifth more."
    )
    return Table.of([*names, column(planned, "score", label)], columns)._replace(note=note)
