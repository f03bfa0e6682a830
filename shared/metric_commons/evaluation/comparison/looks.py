"""Whether a new system is worse than a baseline, tested again and again while it is scored."""

from typing import Annotated, NamedTuple

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
        total: the number of rows of the whole benchmark; None for a population.

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
    systems = {side: results.systems[names[side]] for side, results in sides.items()}
    module, name = find_score(score, systems)
    tables = []
    for side, results in sides.items():
        table = results.rows.get(names[side], {}).get(module)
        result = systems[side].get(module)
        if not result or not table or name in result.aggregation or name not in table.row_scores:
            raise ValueError(
                f"there is no score {score!r} of rows in the {side} result; --sequential is for "
                "means of rows in a known range"
            )
        tables.append(table)
    first, second = tables
    if first.labels()["clusters"] is not None:
        raise ValueError("--sequential is for independent rows, not for clusters of them")
    if (first.ids is None) != (second.ids is None):
        raise ValueError("only one of both results has ids; score both with --id and --rows")
    keys, known = (range(len(t)) if t.ids is None else t.ids for t in tables)
    rows = dict(zip(known, second.row_scores[name].tolist(), strict=True))
    is_lower_better = name in systems["new"][module].lower_is_better
    numbers = []
    for row, (key, value) in enumerate(zip(keys, first.row_scores[name].tolist(), strict=True)):
        if key not in rows:
            shown = "" if first.ids is None else f", {key!r},"
            raise ValueError(f"row {row}{shown} of the new system is not in the baseline")
        numbers.append(rows[key] - value if is_lower_better else value - rows[key])
    differences = ConfidenceSequence(1 - 2 * alpha, (-1.0, 1.0), total)
    differences.update(numbers)
    low, high = differences.interval
    verdict = NOT_INFERIOR if low > -margin else INFERIOR if high < -margin else UNDECIDED
    shown = counted(f"{differences.rows:,}", "row")
    if differences.total:
        shown = f"{differences.rows:,} of {differences.total:,} rows"
    sentence = (
        f"{label(score)}: {shown}, difference {differences.mean:+.4f} [{low:+.4f}, {high:+.4f}] at "
        f"{100 * differences.level:g} % over all looks"
        f"{'; positive: lower, so better' if is_lower_better else ''}: {verdict} by {margin:g}."
    )
    return Look(verdict, differences, sentence)
