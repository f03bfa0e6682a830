"""How many rows, clusters, items or templates a benchmark needs to find a difference."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...statistics.arguments.domains import Level, Positive, check_option
from ..results.comparisons import Pair, clusters_of_rows, compare_pairs
from ..results.rendering import Table, label
from .verdicts import deviation_of

_MORE = 2  # further labels of the field with the fewest, whose worth is stated


class Plan(NamedTuple):
    """The number of rows needed to find an effect, from the differences of two systems."""

    a: str
    b: str
    module: str
    score: str
    rows: int
    n_clusters: int | None
    deviation: float  # of the differences of rows, or of clusters
    power: float  # of these rows for the effect; NaN if it cannot be estimated
    mde: float  # minimum detectable effect of these rows at the desired power
    required_rows: int | None  # or clusters; None if these rows do not differ by the effect
    test: str  # "permutation", or "t" for scores that follow from sums


def plans(
    pairs: Sequence[Pair], effect: float, *, alpha: float = 0.05, power: float = 0.8
) -> list[Plan]:
    """Return the power of the rows of each pair for an effect, and the number that would be enough.

    The test is the one of `compare`: for means of rows the two-sided sign-flip test of rows like
    these (see `statistics.Pilot`). Scores that follow from sums have no differences of rows; their
    plan is for the two-sided t-test with the standard error of the difference. If rows come in
    clusters, clusters are counted.

    Args:
        pairs: the systems with their scores of each row.
        effect: the mean difference to be found, above 0.
        alpha: the level of the test.
        power: the desired probability of finding it.

    Raises:
        ValueError: an argument is out of its range.
    """
    check_option("effect", effect, Positive)
    check_option("alpha", alpha, Level)
    check_option("power", power, Level)
    planned = []
    for pair in pairs:
        for comparison in compare_pairs([pair], alpha=alpha, correction="none"):
            units, deviation = deviation_of(comparison)
            numbers: tuple[float, float, int | None] = math.nan, math.nan, None
            if units > 1 and not math.isnan(deviation):
                numbers = _planned(pair, units, deviation, effect, alpha, power)
            a, b, module, score, rows = (
                comparison[name] for name in ("a", "b", "module", "score", "rows")
            )
            test = "permutation" if pair.has_rows else "t"
            of_rows = a, b, module, score, rows, comparison.get("n_clusters"), deviation
            planned.append(Plan(*of_rows, *numbers, test))
    return planned


def _planned(
    pair: Pair, units: int, deviation: float, effect: float, alpha: float, power: float
) -> tuple[float, float, int | None]:
    """Return the power of these rows or clusters, what they can find, and how many are needed."""
    from ...statistics.tests.power import Pilot, minimum_detectable, power_of, required_rows

    if not pair.has_rows:
        return (
            power_of(effect, deviation, units, alpha),
            minimum_detectable(deviation, units, alpha, power),
            required_rows(effect, deviation, alpha, power),
        )
    scored = [
        (a - b, number)
        for number, (a, b) in enumerate(zip(pair.scores_a, pair.scores_b, strict=True))
        if not (math.isnan(a) or math.isnan(b))
    ]
    clusters = None
    if pair.clusters is not None:
        clusters = [pair.clusters[number] for _, number in scored]
    pilot = Pilot([difference for difference, _ in scored], clusters)
    return (
        pilot.power_of(effect, units, alpha),
        pilot.minimum_detectable(units, alpha, power),
        pilot.required_rows(effect, alpha, power),
    )


def plan_table(rows: Sequence[Plan], effect: float, alpha: float, power: float) -> Table:
    """Return one row per pair of systems and score."""
    has_clusters = any(plan.n_clusters for plan in rows)
    units = "clusters" if has_clusters else "rows"
    names = {
        "permutation": "Two-sided permutation test of means of rows",
        "t": "Two-sided t-test of scores that follow from sums",
    }
    tests = [name for test, name in names.items() if any(plan.test == test for plan in rows)]
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
                "" if plan.required_rows is None else f"{plan.required_rows:,}",
            ]
            for plan in rows
        ],
        3,
        set(),
        f"{'; '.join(tests)} at {alpha:g}. deviation: standard deviation of the differences "
        f"of {units}. mde: the difference that this number of {units} detects with a power of "
        f"{power:g}. {units} needed: to detect {effect:g} with that power, if further {units} are "
        "like these; empty if these differ by less.",
    )


class CrossedPlan(NamedTuple):
    """The numbers of labels needed to find an effect, from the differences of two systems."""

    a: str
    b: str
    module: str
    score: str
    levels: dict[str, int]  # of each field
    parts: dict[str, float]  # of the variance: each field, and the rest
    power: float  # of these rows for the effect
    required: dict[str, int | None]  # labels of one field, if only this field grows
    sentence: str


def crossed_plans(
    pairs: Sequence[Pair],
    effect: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> list[CrossedPlan]:
    """Return the plans of pairs of systems whose rows are crossed by two fields.

    Args:
        pairs: the scores of both systems, with two fields of clusters.
        effect: the mean difference to be found, above 0.
        alpha: the level of the test.
        power: the desired probability of finding it.

    Raises:
        ValueError: an argument is out of its range, a score is not a mean of rows, or rows are not
            crossed and balanced.
    """
    import numpy as np

    from ...statistics.tests.power import CrossedPilot

    planned = []
    for pair in pairs:
        if not pair.has_rows:
            raise ValueError(f"{pair.score} is not a mean of rows, as crossed fields require")
        differences = np.subtract(pair.scores_a, pair.scores_b)
        counting = ~np.isnan(differences)
        columns = clusters_of_rows(pair.clusters, counting.nonzero()[0])
        pilot = CrossedPilot(differences[counting], columns)
        scarce, frequent = sorted(pilot.levels, key=lambda field: pilot.levels[field])
        worth = pilot.worth(scarce, _MORE, frequent)
        words = f"more than any number of {frequent} would."
        if worth is not None:
            words = f"as much as {worth:,} more of {frequent}."
        planned.append(
            CrossedPlan(
                *(pair.a, pair.b, pair.module, pair.score, pilot.levels, pilot.parts),
                pilot.power_of(effect, pilot.levels, alpha),
                {field: pilot.required(field, effect, alpha, power) for field in pilot.levels},
                f"{_MORE} more of {scarce} narrow the interval {words}",
            )
        )
    return planned


def crossed_plan_table(plans: Sequence[CrossedPlan], effect: float, power: float) -> Table:
    """Return one row per pair of systems and score."""
    fields = [*plans[0].levels]

    def cells(plan: CrossedPlan) -> list[Any]:
        needed = [plan.required[field] for field in fields]
        return [
            *map(label, (plan.a, plan.b, plan.score)),
            *(f"{plan.levels[field]:,}" for field in fields),
            f"{plan.power:.2f}",
            *("" if number is None else f"{number:,}" for number in needed),
        ]

    sentences = dict.fromkeys(plan.sentence for plan in plans)
    return Table(
        [
            *("A", "B", "score", *map(label, fields), f"power for {effect:g}"),
            *(f"{label(field)} needed" for field in fields),
        ],
        [cells(plan) for plan in plans],
        3,
        set(),
        f"Student's t-test of crossed rows. Needed: to detect {effect:g} with a power of "
        f"{power:g} if only this field grows; empty if no number is enough. {' '.join(sentences)}",
    )
