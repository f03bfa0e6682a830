"""How many items and templates are needed to find a difference, from crossed rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..results.comparisons import Pair, clusters_of_rows
from ..results.rendering import Table, label

_MORE = 2  # labels of the field with the fewest, whose worth is said


class CrossedPlan(NamedTuple):
    """The numbers of labels needed to find an effect, from the differences of two systems."""

    a: str
    b: str
    module: str
    score: str
    levels: dict[str, int]  # of each field
    parts: dict[str, float]  # of the variance: each field, and the rest
    power: float  # of these rows for the effect
    required: dict[str, int | None]  # labels of one field, if the other keeps its own
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
        few, many = sorted(pilot.levels, key=lambda field: pilot.levels[field])
        planned.append(
            CrossedPlan(
                *(pair.a, pair.b, pair.module, pair.score, pilot.levels, pilot.parts),
                pilot.power_of(effect, pilot.levels, alpha),
                {field: pilot.required(field, effect, alpha, power) for field in pilot.levels},
                _worth(few, many, pilot.worth(few, _MORE, many)),
            )
        )
    return planned


def _worth(few: str, many: str, number: int | None) -> str:
    """Return what two more labels of one field are worth in labels of the other."""
    start = f"{_MORE} more of {few} narrow the interval "
    if number is None:
        return f"{start}more than any number of {many} would."
    return f"{start}as much as {number:,} more of {many}."


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
