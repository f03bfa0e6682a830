"""Systems compared in pairs: which of two scores better on the same rows by more than chance."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .rendering import Table, label, p_value

_SHORT = {"holm": "p_holm", "benjamini_hochberg": "p_bh", "none": "p_none"}

Comparison = dict[str, Any]  # as the file of results has it


class Pair(NamedTuple):
    """One score of two systems, on the same rows in the same order."""

    a: str
    b: str
    module: str
    score: str
    scores_a: Sequence[float]
    scores_b: Sequence[float]


def compare_pairs(
    pairs: Iterable[Pair],
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    test: str = "permutation",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    correction: str = "holm",
) -> list[Comparison]:
    """For each pair both means, their difference with its interval, and how sure that is.

    All pairs share random draws, and the correction is over all of them: `tests` among the options
    says how many. A row that does not count for one system, such as an ignored tie, is left out for
    both, and `rows` says how many are left; a pair of which none is left is not compared.

    Args:
        pairs: the systems with their scores of each row.
        confidence_level: of the intervals, as in `compare_measures`; so are the other options.
        n_resamples: how often the test and the intervals resample, where they do.
        seed: of the draws.
        test: "permutation", "t" or "wilcoxon".
        alternative: "two-sided", "greater" or "less".
        alpha: a corrected p-value below it is significant.
        correction: "holm", "benjamini_hochberg" or "none".

    Raises:
        ValueError: two systems have not equally many rows, or whatever `compare_measures` refuses.

    >>> em = Pair("a", "b", "qa_em", "qa_em", [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, math.nan])
    >>> (found,) = compare_pairs([em])
    >>> found["A_mean"], found["B_mean"], found["rows"], found["p_value"], found["significant"]
    (1.0, 0.3333333333333333, 3, 0.5, False)
    """
    from ..statistics.significance import compare_measures

    shared = [pair for pair in map(_shared, pairs) if pair.scores_a]
    options: dict[str, Any] = {
        "test": test,
        "alternative": alternative,
        "n_resamples": n_resamples,
        "seed": seed,
        "alpha": alpha,
        "correction": correction,
    }
    # Each pair stands as a measure of its own, so that all are tested and corrected at once.
    results = compare_measures(
        {str(number): pair.scores_a for number, pair in enumerate(shared)},
        {str(number): pair.scores_b for number, pair in enumerate(shared)},
        confidence_level=confidence_level,
        **options,
    )
    options |= {"tests": len(shared), "confidence_level": confidence_level}
    return [
        {
            "a": pair.a,
            "b": pair.b,
            "module": pair.module,
            "score": pair.score,
            **result,
            "rows": len(pair.scores_a),
            "options": options,
        }
        for pair, result in zip(shared, results.values(), strict=True)
    ]


def table(comparisons: Sequence[Comparison], lower: Callable[[Comparison], bool]) -> Table:
    """A row a comparison, the better mean in bold, and so is what is significant.

    `lower` says of which comparisons the lower mean is the better one. The interval comes last,
    since on a narrow screen it is what goes on below.
    """
    corrections = {_option(comparison, "correction") for comparison in comparisons}
    levels = {_option(comparison, "confidence_level") for comparison in comparisons}
    corrected = _SHORT.get(corrections.pop(), "p_adjusted") if len(corrections) == 1 else ""
    level = f"{100 * levels.pop():g}% " if len(levels) == 1 and None not in levels else ""
    bold = set()
    for row, comparison in enumerate(comparisons):
        better = -comparison["diff"] if lower(comparison) else comparison["diff"]
        marks = {3: better > 0, 4: better < 0, 8: comparison["significant"]}
        bold |= {(row, column) for column, holds in marks.items() if holds}
    return Table(
        [
            *("A", "B", "score", "A_mean", "B_mean", "Diff(A-B)", "p_value"),
            *(corrected or "p_adjusted", "significant", f"{level}interval"),
        ],
        [_cells(comparison) for comparison in comparisons],
        3,
        bold,
    )


def _option(comparison: Comparison, name: str) -> Any:
    return comparison.get("options", {}).get(name)


def _cells(comparison: Comparison) -> list[str]:
    low, high = comparison["confidence_interval"]
    return [
        *(label(comparison[name]) for name in ("a", "b", "score")),
        *(f"{comparison[name]:.4f}" for name in ("A_mean", "B_mean")),
        f"{comparison['diff']:+.4f}",
        *(p_value(comparison[name]) for name in ("p_value", "p_adjusted")),
        "yes" if comparison["significant"] else "no",
        f"[{low:+.4f}, {high:+.4f}]",
    ]


def _shared(pair: Pair) -> Pair:
    """The pair on the rows that count for both systems."""
    if len(pair.scores_a) != len(pair.scores_b):
        raise ValueError(
            f"{pair.a!r} has {len(pair.scores_a)} rows of {pair.score}, but {pair.b!r} has "
            f"{len(pair.scores_b)}; only systems with the same rows can be compared"
        )
    rows = [
        (a, b)
        for a, b in zip(pair.scores_a, pair.scores_b, strict=True)
        if not (math.isnan(a) or math.isnan(b))
    ]
    return pair._replace(scores_a=[a for a, _ in rows], scores_b=[b for _, b in rows])
