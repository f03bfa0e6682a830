"""Whether a new system is worse than a baseline, tested again and again while it is scored."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from ...statistics.arguments.domains import Positive, Range, check_option
from ...statistics.tests.confidence_sequences import ConfidenceSequence
from ..results.rendering import counted, label
from ..results.results import Results, find_score
from .verdicts import INFERIOR, NOT_INFERIOR, UNDECIDED, only_system


class Look(NamedTuple):
    """The verdict after all rows so far."""

    verdict: str  # NOT_INFERIOR, UNDECIDED or INFERIOR
    differences: ConfidenceSequence  # above 0 where the new system is better
    sentence: str


def gate_at_any_time(
    new: Results,
    baseline: Results,
    *,
    score: str,
    margin: float,
    alpha: float = 0.05,
    total: int | None = None,
) -> Look:
    """Test whether a new system is inferior, by an interval that holds for all looks together.

    Rows count in the order of the new result, which must be random; between looks rows may only be
    appended. The baseline may have further rows.

    Args:
        new: a result with the scores of its rows, from 0 to 1.
        baseline: a result with the scores of the same rows.
        score: which score, as `score` or `module.score`.
        margin: the loss that would matter, above 0.
        alpha: the probability of each of the two wrong verdicts at any look; the interval has the
            level 1 - 2 alpha.
        total: the number of rows, or clusters, of the whole benchmark; None for a population.

    Raises:
        ValueError: an option is out of its range, the score is not a mean of rows, or a row has no
            score or is not in the baseline.

    >>> from ..scoring.scoring import score
    >>> rows = {"references": ["x"] * 80, "rows": True}
    >>> old, new = (score("qa_em", predictions=[text] * 80, **rows) for text in "yx")
    >>> gate_at_any_time(new, old, score="qa_em", margin=0.05).sentence
    'qa_em: 80 rows, difference +1.0000 [+0.8553, +1.0000] at 90 % over all looks: not inferior \
by 0.05.'
    """
    check_option("margin", margin, Positive)
    check_option("alpha", alpha, Annotated[float, Range(0, 0.5, strict=True)])
    sides = {"new": new, "baseline": baseline}
    names = {side: only_system(results, side) for side, results in sides.items()}
    module, name = find_score(score, {side: sides[side].systems[names[side]] for side in sides})
    tables = []
    for side, results in sides.items():
        result = results.systems[names[side]].get(module)
        table = results.rows.get(names[side], {}).get(module)
        if (
            not result
            or not table
            or name in {**result.aggregation}
            or name not in table.row_scores
        ):
            raise ValueError(
                f"there is no score {score!r} of rows in the {side} result; --sequential is for "
                "means of rows in a known range"
            )
        tables.append(table)
    scores, rivals = (table.row_scores[name].tolist() for table in tables)
    rows = _rows_of_baseline(tables[0].ids, tables[1].ids, len(scores))
    if rows and max(rows) >= len(rivals):
        raise ValueError(f"row {len(rivals)} of the new system is not in the baseline")
    is_lower_better = name in new.systems[names["new"]][module].lower_is_better
    sign = -1 if is_lower_better else 1
    differences = ConfidenceSequence(1 - 2 * alpha, (-1.0, 1.0), total)
    differences.update(
        [sign * (value - rivals[row]) for value, row in zip(scores, rows, strict=True)],
        tables[0].labels()["clusters"],
    )
    if len(scores) == len(rivals):
        differences.close()
    low, high = differences.interval
    verdict = NOT_INFERIOR if low > -margin else INFERIOR if high < -margin else UNDECIDED
    return Look(verdict, differences, _sentence(score, differences, verdict, margin, sign))


def _rows_of_baseline(
    ids: Sequence[Any] | None, ids_of_baseline: Sequence[Any] | None, rows: int
) -> list[int]:
    """Return the row of the baseline for each row of the new system."""
    if (ids is None) != (ids_of_baseline is None):
        raise ValueError("only one of both results has ids; score both with --id and --rows")
    if ids is None or ids_of_baseline is None:
        return list(range(rows))
    numbers = {key: row for row, key in enumerate(ids_of_baseline)}
    for row, key in enumerate(ids):
        if key not in numbers:
            raise ValueError(f"row {row}, {key!r}, of the new system is not in the baseline")
    return [numbers[key] for key in ids]


def _sentence(
    score: str, sequence: ConfidenceSequence, verdict: str, margin: float, sign: int
) -> str:
    """Return rows, interval and verdict on one line."""
    unit = "cluster" if sequence.units != sequence.rows else "row"
    shown = counted(f"{sequence.units:,}", unit)
    if sequence.total:
        shown = f"{sequence.units:,} of {sequence.total:,} {unit}s"
    low, high = sequence.interval
    lower = "; positive: lower, so better" if sign < 0 else ""
    mean = "unknown" if math.isnan(sequence.mean) else f"{sequence.mean:+.4f}"
    return (
        f"{label(score)}: {shown}, difference {mean} [{low:+.4f}, {high:+.4f}] at "
        f"{100 * sequence.level:g} % over all looks{lower}: {verdict} by {margin:g}."
    )
