"""Tables of comparisons, and statements about what was tested and assumed."""

from collections.abc import Callable, Sequence

from .rendering import (
    PLAIN,
    Notation,
    NumberFormat,
    Table,
    counted,
    interval_of_difference,
    label,
    level_heading,
    p_value,
)
from .standings import Comparison, Key, option_of

_METHODS = {
    "bonferroni": "Bonferroni's method",
    "holm": "Holm's method",
    "benjamini_hochberg": "the method of Benjamini and Hochberg",
}
_NOT_EQUAL = "A difference that is not significant does not show that the systems are equal."


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
    rows, significant, notes = [], set(), [test_of(comparisons)]
    for row, pair in enumerate(comparisons):
        shown, form = winner_first(pair, lower(pair)), formats[scored_by(pair)]
        a, b = label(shown["a"]), label(shown["b"])
        numbers = [form.number(float(shown[f"{side}_mean"])) for side in "AB"]
        numbers.append(form.number(float(shown["diff"]), signed=True))
        ends, p = interval_of_difference(shown, form), p_value(shown["p_adjusted"])
        rows.append([a, b, form.heading(label(shown["score"])), *numbers, ends, p])
        if shown["significant"]:
            significant.add((row, 5))
        if gaps := pair.get("missing_rows"):
            notes.append(
                f"{counted(gaps, 'row')} of {a} and {b} are missing: p and interval hold whatever "
                "their scores are."
            )
    notes.append(_NOT_EQUAL)
    if significant:
        notes.append("Bold: a significant difference.")
    level = option_of(comparisons[0], "confidence_level")
    interval = level_heading(level) if level else "interval"
    heading = "p_value" if option_of(comparisons[0], "tests") == 1 else "p_adjusted"
    return Table(
        ["A", "B", "score", "A_mean", "B_mean", "Diff(A-B)", interval, heading],
        rows,
        3,
        significant,
        " ".join(filter(None, notes)),
        "Differences of systems",
        kind="differences",
        explanation=" ".join([*_corrected_by(comparisons), *_laws(comparisons)]),
    )


def scored_by(comparison: Comparison) -> Key:
    """Return the module and the score of a comparison."""
    return comparison["module"], comparison["score"]


def formats_of_differences(
    comparisons: Sequence[Comparison], notation: Notation
) -> dict[Key, NumberFormat]:
    """Return the format of the numbers of each score."""
    families: dict[Key, list[Comparison]] = {}
    for comparison in comparisons:
        families.setdefault(scored_by(comparison), []).append(comparison)
    return {
        key: notation.format_of_score(
            *key,
            [pair[name] for pair in pairs for name in ("A_mean", "B_mean")],
            [pair["confidence_interval"] for pair in pairs],
        )
        for key, pairs in families.items()
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
    parts = [test_of(comparisons), *_corrected_by(comparisons), *_laws(comparisons), _NOT_EQUAL]
    return " ".join(filter(None, parts))


def test_of(comparisons: Sequence[Comparison]) -> str:
    """Return the test and its rows."""
    first = comparisons[0]
    test, side = option_of(first, "test"), option_of(first, "alternative")
    if option_of(first, "assume") == "nothing":
        test = "unseen-row"
    if first.get("test") == "crossed_t":
        test = "crossed t"  # of the random effects
    words = f"{test} test" if side == "two-sided" else f"one-sided {test} test ({side})"
    if rows := _range(comparisons, "rows"):
        words += f" on {counted(rows, 'row')}"
    if clusters := _range(comparisons, "n_clusters"):
        words += f" in {counted(clusters, 'cluster')}"
    return label(f"{words[0].upper()}{words[1:]}.")


def _corrected_by(comparisons: Sequence[Comparison]) -> list[str]:
    """Return how p-values were corrected, and whether intervals were, too."""
    method = _METHODS.get(option_of(comparisons[0], "correction"))
    family = option_of(comparisons[0], "tests")
    if not method or not family or family < 2:
        return []
    intervals = "Each interval is for one comparison alone, and may disagree with the corrected p."
    if comparisons[0].get("simultaneous"):
        intervals = (
            "The intervals are simultaneous for all comparisons and agree with the corrected p."
        )
    return [f"p is corrected by {method} over {counted(family, 'comparison')}.", intervals]


def _laws(comparisons: Sequence[Comparison]) -> list[str]:
    """Return sentences about what p-values and intervals assume, and what they would miss."""
    sentences = []
    flipped = [pair for pair in comparisons if pair.get("test", "").startswith("sign_flip")]
    if flipped:
        least = min(pair.get("n_clusters") or pair["rows"] for pair in flipped)
        unit = "cluster" if "n_clusters" in flipped[0] else "row"
        sentences.append(
            f"Assumes that the systems could be exchanged {unit} by {unit}, but for a shift: in "
            f"{counted(least, unit)}, one that occurs in fewer than 3/{least:,} of {unit}s may be "
            "absent, and a rare one that is much worse would not be noticed."
        )
    if any(pair.get("test", "").startswith("unseen_row") for pair in comparisons):
        sentences.append(
            "Assumes nothing but the bounds of scores, and allows for an unseen row that one "
            "system loses: small differences of few rows would not be noticed."
        )
    if any(pair.get("influences") for pair in comparisons):
        sentences.append(
            "Scores that are not means of rows are compared by the influences of rows on them."
        )
    return sentences


def _range(comparisons: Sequence[Comparison], name: str) -> str:
    """Return one number, or the lowest and the highest; an empty text if one is missing."""
    numbers = [pair[name] for pair in comparisons if pair.get(name)]
    if len(numbers) < len(comparisons):
        return ""
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
