"""How many rows or clusters a benchmark needs to find a difference."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...statistics.arguments.domains import Level, Positive, check_option
from ..results.rendering import Table, column, label
from .verdicts import deviation_of

if TYPE_CHECKING:  # since it imports numpy
    from .comparisons import Pair


class PlannedRows(NamedTuple):
    """The number of rows needed to find an effect, from the differences of two systems."""

    a: str
    b: str
    module: str
    score: str
    rows: int
    n_clusters: int | None
    deviation: float  # of the differences of rows, or of clusters
    power: float | None  # of these rows for the effect; None if rows do not vary, or are one
    mde: float | None  # minimum detectable effect of these rows at the desired power
    rows_needed: int | None  # or clusters


def plans(
    pairs: Sequence["Pair"], effect: float, *, alpha: float = 0.05, power: float = 0.8
) -> list[PlannedRows]:
    """Return the power of the rows of each pair for an effect, and the number that would be enough.

    Both are for the two-sided t-test, with the standard error of the difference that `compare`
    finds. If rows come in clusters, clusters are counted.

    Args:
        pairs: the systems with the number of each row.
        effect: the mean difference to be found, above 0.
        alpha: the level of the test.
        power: the desired probability of finding it.

    Raises:
        ValueError: an argument is out of its range, or rows have several fields of clusters.
    """
    from ...statistics.tests.power import detectable, power_of, rows_needed
    from .comparisons import compare_pairs

    check_option("effect", effect, Positive)
    check_option("alpha", alpha, Level)
    check_option("power", power, Level)
    if any(pair.is_crossed for pair in pairs):
        raise ValueError("crossed clusters cannot be planned; name one field with --cluster-by")
    planned = []
    for comparison in compare_pairs(pairs, alpha=alpha, correction="none"):
        units, deviation = deviation_of(comparison)
        found, mde, required = None, None, None
        if deviation > 0:
            found = power_of(effect, deviation, units, alpha)
            mde = detectable(deviation, units, alpha, power)
            required = rows_needed(effect, deviation, alpha, power)
        known = {name: comparison[name] for name in ("a", "b", "module", "score", "rows")}
        planned.append(
            PlannedRows(
                **known,
                n_clusters=comparison.get("n_clusters"),
                deviation=deviation,
                power=found,
                mde=mde,
                rows_needed=required,
            )
        )
    return planned


def plan_table(rows: Sequence[PlannedRows], effect: float, alpha: float, power: float) -> Table:
    """Return one row per pair of systems and score."""
    units = "clusters" if any(plan.n_clusters for plan in rows) else "rows"
    records = [plan._asdict() for plan in rows]
    names = [column(records, "a", label, "A"), column(records, "b", label, "B")]
    columns = [
        column(records, "rows", "{:,}".format),
        column(records, "n_clusters", "{:,}".format, "clusters"),
        column(records, "deviation", "{:.4f}".format),
        column(records, "power", "{:.3f}".format, f"power for {effect:g}"),
        column(records, "mde", "{:.4f}".format),
        column(records, "rows_needed", "{:,}".format, f"{units} needed"),
    ]
    note = (
        f"Two-sided t-test at {alpha:g}. deviation: standard deviation of the differences of "
        f"{units}. mde: the difference that this number of {units} detects with a power of "
        f"{power:g}. {units} needed: to detect {effect:g} with that power, if further {units} are "
        "like these. Scores 0 and 1 need a tenth to a fifth more."
    )
    return Table.of([*names, column(records, "score", label)], columns)._replace(note=note)
