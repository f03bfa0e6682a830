"""Tables of comparisons, and statements about what was tested and assumed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from .comparisons import Comparison, option_of
from .rendering import (
    PLAIN,
    Notation,
    NumberFormat,
    Table,
    counted,
    formats_of_differences,
    interval_of_difference,
    label,
    p_value,
    scored_by,
)

if TYPE_CHECKING:
    pass


_SHORT = {
    "bonferroni": "p_bonferroni",
    "holm": "p_holm",
    "benjamini_hochberg": "p_bh",
    "none": "p_none",
}
CORRECTED_BY = {
    "bonferroni": "Bonferroni's method",
    "holm": "Holm's method",
    "benjamini_hochberg": "the method of Benjamini and Hochberg",
}
NOT_EQUAL = "A difference that is not significant does not show that the systems are equal."
BOLD = "Bold: a significant difference, and the better of its two means."
SIMULTANEOUS = "The intervals are simultaneous for all comparisons and agree with the corrected p."
ALONE = "Each interval is for one comparison alone, and may disagree with the corrected p."
INFLUENCES = "Scores that are not means of rows are compared by the influences of rows on them."


def table(
    comparisons: Sequence[Comparison],
    lower: Callable[[Comparison], bool],
    short_names: Mapping[str, str] | None = None,
    notation: Notation = PLAIN,
    *,
    is_winner_first: bool = True,
) -> Table:
    """Return one row per comparison; significant results and their better means are in bold.

    The interval is next to the corrected p-value, with which it agrees; the uncorrected p-value
    comes last.

    Args:
        comparisons: the comparisons to show.
        lower: whether the lower mean of a comparison is the better one.
        short_names: names to show in place of those of systems.
        notation: of the numbers.
        is_winner_first: whether A is the better system of a row, as in `winner_first`.
    """
    formats = formats_of_differences(comparisons, notation)
    corrections = {option_of(comparison, "correction") for comparison in comparisons}
    levels = {option_of(comparison, "confidence_level") for comparison in comparisons}
    corrected = _SHORT.get(corrections.pop(), "p_adjusted") if len(corrections) == 1 else ""
    level = f"{100 * levels.pop():g}% " if len(levels) == 1 and None not in levels else ""
    bold = set()
    missing = []
    rows = []
    for row, comparison in enumerate(comparisons):
        is_lower_better = lower(comparison)
        if number := comparison.get("missing_rows"):
            names = f"{label(comparison['a'])} and {label(comparison['b'])}"
            missing.append(
                f"{counted(number, 'row')} of {names} are missing: p and interval hold whatever "
                "their scores are."
            )
        shown = winner_first(comparison, is_lower_better) if is_winner_first else comparison
        rows.append(_cells(shown, short_names or {}, formats[scored_by(comparison)]))
        if shown["significant"]:
            is_a_better = (shown["diff"] > 0) != is_lower_better
            bold |= {(row, 3 if is_a_better else 4), (row, 8)}
    return Table(
        [
            *("A", "B", "score", "A_mean", "B_mean", "Diff(A-B)", f"{level}interval"),
            *(corrected or "p_adjusted", "significant", "p_value"),
        ],
        rows,
        3,
        bold,
        " ".join([statement(comparisons), *([BOLD] if bold else []), *missing]),
        "Differences of systems",
        kind="differences",
    )


def winner_first(comparison: Comparison, is_lower_better: bool) -> Comparison:
    """Return a comparison with the better system as A, as tables show it.

    A one-sided test is not changed, since it is about A.

    >>> from .comparisons import Pair, compare_pairs
    >>> pair = Pair("x", "y", "qa_em", "qa_em", [0.0] * 6, [1.0] * 6)
    >>> shown = winner_first(compare_pairs([pair])[0], is_lower_better=False)
    >>> shown["a"], shown["diff"], [round(end, 2) for end in shown["confidence_interval"]]
    ('y', 1.0, [0.08, 1.0])
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
    """Return a description of the test and its data, and a caution about other differences.

    >>> from .comparisons import Pair, compare_pairs
    >>> pair = Pair("x", "y", "qa_em", "qa_em", [1.0] * 8, [0.0] * 8, list("aabbccdd"))
    >>> print(statement(compare_pairs([pair])))
    Permutation test on 8 rows in 4 clusters. Assumes that the systems could be exchanged cluster \
by cluster, but for a shift: in 4 clusters, one that occurs in fewer than 3/4 of clusters may be \
absent, and a rare one that is much worse would not be noticed. A difference that is not \
significant does not show that the systems are equal.
    """
    options = [
        {option_of(comparison, name) for comparison in comparisons}
        for name in ("test", "alternative", "correction", "tests")
    ]
    if any(len(values) != 1 or None in values for values in options):
        return NOT_EQUAL
    test, side, correction, family = (next(iter(values)) for values in options)
    if {option_of(comparison, "assume") for comparison in comparisons} == {"nothing"}:
        test = "unseen-row"
    if {comparison.get("test") for comparison in comparisons} == {"crossed_t"}:
        test = "crossed t"  # of the random effects
    words = f"{test} test" if side == "two-sided" else f"one-sided {test} test ({side})"
    rows = number_range(comparison.get("rows") for comparison in comparisons)
    clusters = number_range(comparison.get("n_clusters") for comparison in comparisons)
    words += f" on {counted(rows, 'row')}" if rows else ""
    words += f" in {counted(clusters, 'cluster')}" if clusters else ""
    if correction in CORRECTED_BY and family > 1:
        words += f", corrected by {CORRECTED_BY[correction]} over {counted(family, 'comparison')}"
    return " ".join([f"{words[0].upper()}{words[1:]}.", *laws(comparisons), NOT_EQUAL])


def laws(comparisons: Sequence[Comparison]) -> list[str]:
    """Return sentences about what p-values and intervals assume, and what they would miss."""
    sentences = []
    if all(comparison.get("simultaneous") for comparison in comparisons):
        sentences.append(SIMULTANEOUS)
    elif any(
        option_of(c, "correction") in CORRECTED_BY and (option_of(c, "tests") or 1) > 1
        for c in comparisons
    ):
        sentences.append(ALONE)
    assumed = {
        option_of(comparison, "assume")
        for comparison in comparisons
        if comparison.get("test", "").startswith(("sign_flip", "unseen_row"))
    }
    if "exchangeable" in assumed:
        least = min(
            comparison.get("n_clusters") or comparison["rows"] for comparison in comparisons
        )
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
    if any(comparison.get("influences") for comparison in comparisons):
        sentences.append(INFLUENCES)
    return sentences


def number_range(values: Iterable[int | None]) -> str:
    """Return one number, or the lowest and the highest; an empty text if one is missing."""
    numbers = set(values)
    if not numbers or None in numbers:
        return ""
    low, high = min(filter(None, numbers)), max(filter(None, numbers))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _cells(
    comparison: Comparison, short_names: Mapping[str, str], number_format: NumberFormat
) -> list[str]:
    return [
        *(short_names.get(comparison[side]) or label(comparison[side]) for side in ("a", "b")),
        number_format.heading(label(comparison["score"])),
        *(number_format.number(float(comparison[name])) for name in ("A_mean", "B_mean")),
        number_format.number(float(comparison["diff"]), signed=True),
        interval_of_difference(comparison, number_format),
        p_value(comparison["p_adjusted"]),
        "yes" if comparison["significant"] else "no",
        p_value(comparison["p_value"]),
    ]
