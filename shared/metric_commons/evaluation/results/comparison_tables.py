"""Tables of comparisons, and statements about what was tested and assumed."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .rendering import (
    PLAIN,
    Notation,
    NumberFormat,
    Table,
    counted,
    interval_of_difference,
    label,
    p_value,
)
from .standings import Comparison, option_of

_SHORT = {"benjamini_hochberg": "bh"}
CORRECTED_BY = {
    "bonferroni": "Bonferroni's method",
    "holm": "Holm's method",
    "benjamini_hochberg": "the method of Benjamini and Hochberg",
}
NOT_EQUAL = "A difference that is not significant does not show that the systems are equal."


def table(
    comparisons: Sequence[Comparison],
    lower: Callable[[Comparison], bool],
    notation: Notation = PLAIN,
) -> Table:
    """Return one row per comparison, with the better system as A, significant ones in bold.

    Of p-values that were corrected together, the corrected ones are shown.

    Args:
        comparisons: the comparisons to show.
        lower: whether the lower mean of a comparison is the better one.
        notation: of the numbers.
    """
    formats = formats_of_differences(comparisons, notation)
    correction = _common(option_of(pair, "correction") for pair in comparisons)
    level = _common(option_of(pair, "confidence_level") for pair in comparisons)
    heading = label(f"p_{_SHORT.get(correction, correction or 'adjusted')}")
    if all(option_of(pair, "tests") == 1 for pair in comparisons):
        heading = "p_value"
    rows, significant, notes = [], set(), [test_of(comparisons)]
    for row, pair in enumerate(comparisons):
        shown = winner_first(pair, lower(pair))
        form = formats[scored_by(pair)]
        rows.append(
            [
                label(shown["a"]),
                label(shown["b"]),
                form.heading(label(shown["score"])),
                form.number(float(shown["A_mean"])),
                form.number(float(shown["B_mean"])),
                form.number(float(shown["diff"]), signed=True),
                interval_of_difference(shown, form),
                p_value(shown["p_adjusted"]),
            ]
        )
        if shown["significant"]:
            significant.add((row, 5))
        if gaps := pair.get("missing_rows"):
            both = f"{label(pair['a'])} and {label(pair['b'])}"
            notes.append(
                f"{counted(gaps, 'row')} of {both} are missing: p and interval hold whatever their "
                "scores are."
            )
    notes.append(NOT_EQUAL)
    if significant:
        notes.append("Bold: a significant difference.")
    header = ["A", "B", "score", "A_mean", "B_mean", "Diff(A-B)"]
    header += [f"{100 * level:g}% interval" if level else "interval", heading]
    return Table(
        header,
        rows,
        3,
        significant,
        " ".join(filter(None, notes)),
        "Differences of systems",
        kind="differences",
        explanation=" ".join([*corrected_by(comparisons), *laws(comparisons)]),
    )


def scored_by(comparison: Comparison) -> tuple[str, str]:
    """Return the module and the score of a comparison."""
    return comparison["module"], comparison["score"]


def formats_of_differences(
    comparisons: Sequence[Comparison], notation: Notation
) -> dict[tuple[str, str], NumberFormat]:
    """Return the format of the numbers of each score."""
    by_score: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        by_score.setdefault(scored_by(comparison), []).append(comparison)
    return {
        key: notation.format_of_score(
            *key,
            [member[name] for member in members for name in ("A_mean", "B_mean")],
            [member["confidence_interval"] for member in members],
        )
        for key, members in by_score.items()
    }


def winner_first(comparison: Comparison, is_lower_better: bool) -> Comparison:
    """Return a comparison with the better system as A, as tables show it.

    A one-sided test is not changed, since it is about A.

    >>> x_y = {"a": "x", "b": "y", "A_mean": 0.0, "B_mean": 1.0, "diff": -1.0}
    >>> shown = winner_first(x_y | {"confidence_interval": [-1.0, -0.1]}, is_lower_better=False)
    >>> shown["a"], shown["diff"], shown["confidence_interval"]
    ('y', 1.0, [0.1, 1.0])
    """
    is_a_better = (comparison["diff"] > 0) != is_lower_better
    is_one_sided = option_of(comparison, "alternative") not in (None, "two-sided")
    if is_one_sided or is_a_better or not comparison["diff"]:
        return comparison
    low, high = comparison["confidence_interval"]
    return comparison | {
        "a": comparison["b"],
        "b": comparison["a"],
        "A_mean": comparison["B_mean"],
        "B_mean": comparison["A_mean"],
        "diff": -comparison["diff"],
        "confidence_interval": [-high, -low],
    }


def statement(comparisons: Sequence[Comparison]) -> str:
    """Return the test and its data, what it assumes, and a caution.

    >>> options = {"test": "permutation", "alternative": "two-sided", "assume": "exchangeable"}
    >>> options |= {"correction": "none", "tests": 1}
    >>> pair = {"test": "sign_flip_exact", "rows": 8, "n_clusters": 4, "options": options}
    >>> print(statement([pair]))
    Permutation test on 8 rows in 4 clusters. Assumes that the systems could be exchanged cluster \
by cluster, but for a shift: in 4 clusters, one that occurs in fewer than 3/4 of clusters may be \
absent, and a rare one that is much worse would not be noticed. A difference that is not \
significant does not show that the systems are equal.
    """
    parts = [test_of(comparisons), *corrected_by(comparisons), *laws(comparisons), NOT_EQUAL]
    return " ".join(filter(None, parts))


def test_of(comparisons: Sequence[Comparison]) -> str:
    """Return the test and its rows; empty if comparisons differ in it."""
    test = _common(option_of(pair, "test") for pair in comparisons)
    side = _common(option_of(pair, "alternative") for pair in comparisons)
    if test is None or side is None:
        return ""
    if _common(option_of(pair, "assume") for pair in comparisons) == "nothing":
        test = "unseen-row"
    if _common(pair.get("test") for pair in comparisons) == "crossed_t":
        test = "crossed t"  # of the random effects
    words = f"{test} test" if side == "two-sided" else f"one-sided {test} test ({side})"
    if rows := _range(comparisons, "rows"):
        words += f" on {counted(rows, 'row')}"
    if clusters := _range(comparisons, "n_clusters"):
        words += f" in {counted(clusters, 'cluster')}"
    return f"{words[0].upper()}{words[1:]}."


def corrected_by(comparisons: Sequence[Comparison]) -> list[str]:
    """Return how p-values were corrected, and whether intervals were, too."""
    method = CORRECTED_BY.get(_common(option_of(pair, "correction") for pair in comparisons))
    family = _common(option_of(pair, "tests") for pair in comparisons)
    if not method or not family or family < 2:
        return []
    intervals = "Each interval is for one comparison alone, and may disagree with the corrected p."
    if all(pair.get("simultaneous") for pair in comparisons):
        intervals = (
            "The intervals are simultaneous for all comparisons and agree with the corrected p."
        )
    return [f"p is corrected by {method} over {counted(family, 'comparison')}.", intervals]


def laws(comparisons: Sequence[Comparison]) -> list[str]:
    """Return sentences about what p-values and intervals assume, and what they would miss."""
    sentences = []
    assumed = {
        option_of(pair, "assume")
        for pair in comparisons
        if pair.get("test", "").startswith(("sign_flip", "unseen_row"))
    }
    if "exchangeable" in assumed:
        least = min(pair.get("n_clusters") or pair["rows"] for pair in comparisons)
        unit = "cluster" if "n_clusters" in comparisons[0] else "row"
        sentences.append(
            f"Assumes that the systems could be exchanged {unit} by {unit}, but for a shift: in "
            f"{counted(f'{least:,}', unit)}, one that occurs in fewer than 3/{least:,} of {unit}s "
            "may be absent, and a rare one that is much worse would not be noticed."
        )
    if "nothing" in assumed:
        sentences.append(
            "Assumes nothing but the bounds of scores, and allows for an unseen row that one "
            "system loses: small differences of few rows would not be noticed."
        )
    if any(pair.get("influences") for pair in comparisons):
        sentences.append(
            "Scores that are not means of rows are compared by the influences of rows on them."
        )
    return sentences


def _common(values: Iterable[Any]) -> Any:
    """Return the value that all have; None if they differ."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _range(comparisons: Sequence[Comparison], name: str) -> str:
    """Return one number, or the lowest and the highest; an empty text if one is missing."""
    numbers = [pair[name] for pair in comparisons if pair.get(name)]
    if len(numbers) < len(comparisons):
        return ""
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
