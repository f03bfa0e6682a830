"""Paired comparisons of systems: does one score better on the same rows by more than chance?"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .module_results import signature

if TYPE_CHECKING:
    from ...statistics.arguments.arrays import Floats, Integers
    from ...statistics.tests.significance import Differences

Comparison = dict[str, Any]  # as stored in a results file
Rank = dict[str, Any]  # rank_interval, tier and letters of a system


class Pair(NamedTuple):
    """One score of two systems, on the same rows in the same order.

    Args:
        a: the first system.
        b: the second one.
        module: the module of the score.
        score: its name.
        scores_a: the scores of the rows of A; NaN for a row that does not count.
        scores_b: those of B.
        clusters: one label for each row, or several by field.
        bounds: the lowest and the highest score of a row; None if unknown.
        differences: instead of scores of rows, if the score is no mean of them.
        has_missing: whether the rows without a score may have any.
    """

    a: str
    b: str
    module: str
    score: str
    scores_a: "Sequence[float] | Floats" = ()
    scores_b: "Sequence[float] | Floats" = ()
    clusters: Sequence[Any] | None = None
    bounds: tuple[float, float] | None = None
    differences: "Differences | None" = None
    has_missing: bool = False


def compare_pairs(
    pairs: Iterable[Pair],
    *,
    test: str = "permutation",
    alternative: str = "two-sided",
    assume: str = "exchangeable",
    bounds: Sequence[float] | None = None,
    margin: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    correction: str = "bonferroni",
) -> list[Comparison]:
    """Return both means of each pair, their difference with its interval, and its p-value.

    P-values are corrected for all pairs: the option `tests` is their number. A row that does not
    count for one system, such as an ignored tie, is excluded for both, and `rows` is the number
    that remains; a pair without remaining rows is not compared. Each comparison has a signature.

    Args:
        pairs: the systems with the score of each row.
        test: as in `significance.compare`, like the other options.
        alternative: "two-sided", "greater" or "less".
        assume: "exchangeable" or "nothing", of the permutation test.
        bounds: the lowest and the highest possible score; of means of rows only.
        margin: a difference that would matter.
        power: of the minimum detectable effect.
        alpha: a corrected p-value below it is significant.
        confidence_level: of the intervals. Where p-values are corrected by "bonferroni", the
            intervals are simultaneous and agree with them.
        correction: "bonferroni", "holm", "benjamini_hochberg" or "none".

    Raises:
        ValueError: two systems have different numbers of rows, or the input is not valid for
            `significance.compare` or `adjusted`.

    >>> em = Pair("a", "b", "qa_em", "qa_em", [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, math.nan])
    >>> (comparison,) = compare_pairs([em])
    >>> comparison["A_mean"], comparison["B_mean"], comparison["rows"], comparison["p_value"]
    (1.0, 0.3333333333333333, 3, 0.5)
    """
    from ...statistics.intervals.methods import score_bounds
    from ...statistics.tests.corrections import adjusted, significance_level
    from ...statistics.tests.significance import compared

    testing: dict[str, Any] = {"test": test, "alternative": alternative, "assume": assume}
    reporting: dict[str, Any] = {"margin": margin, "power": power, "alpha": alpha}
    limits = None if bounds is None else score_bounds(bounds)
    counted = [
        (pair, rows)
        for pair in pairs
        if (rows := _differences(pair, limits or pair.bounds)) is not None
    ]
    tests = len(counted)
    level = significance_level(confidence_level)
    if correction == "bonferroni":
        level /= max(tests, 1)
    results = [
        compared(
            rows[0],
            rows[1],
            interval_alpha=level,
            **testing,
            **reporting,
        )
        | {"rows": int(rows[2].size)}
        | ({"missing_rows": len(pair.scores_a) - int(rows[2].size)} if pair.has_missing else {})
        | ({} if pair.differences is None else {"influences": True})
        for pair, rows in counted
    ]
    p_adjusted = adjusted([r["p_value"] for r in results], cast("Any", correction)).tolist()
    options = {
        **testing,
        **({} if bounds is None else {"bounds": list(bounds)}),
        "alpha": alpha,
        "correction": correction,
        "tests": tests,
        "confidence_level": confidence_level,
    }
    options |= {name: reporting[name] for name in ("margin", "power") if reporting[name]}
    if test != "permutation":
        del options["assume"]  # the law of the permutation test alone
    return [
        {
            "a": pair.a,
            "b": pair.b,
            "module": pair.module,
            "score": pair.score,
            **result,
            **({"simultaneous": True} if tests > 1 and correction == "bonferroni" else {}),
            "p_adjusted": p,
            "significant": bool(p < alpha),
            "options": options,
            "signature": _signature(options, result, pair),
        }
        for (pair, _), result, p in zip(counted, results, p_adjusted, strict=True)
    ]


def _differences(
    pair: Pair, bounds: tuple[float, float] | None
) -> "tuple[Differences, list[Differences], Integers] | None":
    """Return the differences of rows, those with missing rows filled, and the rows that count.

    None if no row counts.
    """
    import numpy as np

    from ...statistics.tests.significance import Differences

    if pair.differences is not None:
        numbers = pair.differences.numbers
        rows = np.flatnonzero(~np.isnan(numbers))
        clusters = clusters_of_rows(pair.clusters, rows)
        found = replace(pair.differences, numbers=numbers[rows], clusters=clusters)
        return (found, [], rows) if rows.size else None
    if len(pair.scores_a) != len(pair.scores_b):
        raise ValueError(
            f"{pair.a!r} has {len(pair.scores_a)} rows of {pair.score}, but {pair.b!r} has "
            f"{len(pair.scores_b)}; only systems with the same rows can be compared"
        )
    a, b = (np.array(scores, np.float64) for scores in (pair.scores_a, pair.scores_b))
    rows = np.flatnonzero(~(np.isnan(a) | np.isnan(b)))
    if not rows.size:
        return None
    found = Differences.of_scores(a[rows], b[rows], bounds, clusters_of_rows(pair.clusters, rows))
    if not pair.has_missing or rows.size == a.size or bounds is None or math.inf in bounds:
        return found, [], rows
    every = clusters_of_rows(pair.clusters, np.arange(a.size))
    fillings = [
        Differences.of_scores(
            np.where(np.isnan(a), end, a), np.where(np.isnan(b), other, b), bounds, every
        )
        for end, other in (bounds, bounds[::-1])
    ]
    return found, fillings, rows


def is_crossed(labels: Sequence[Any] | None) -> bool:
    """Return whether the clusters of rows are labels by field."""
    return bool(labels) and isinstance(cast("Any", labels)[0], Mapping)


def clusters_of_rows(clusters: Sequence[Any] | None, rows: "Integers") -> Any:
    """Return the labels of these rows, in a column of each field if there are several."""
    if clusters is None:
        return None
    labels = [clusters[row] for row in rows.tolist()]
    if not is_crossed(clusters):
        return labels
    return {field: [by_field[field] for by_field in labels] for field in labels[0]}


def _signature(options: Mapping[str, Any], result: Mapping[str, Any], pair: Pair) -> str:
    """Return the line that records how a p-value and its interval were computed."""
    used = {"clusters": result["n_clusters"]} if "n_clusters" in result else {}
    if is_crossed(pair.clusters):
        used = {"test": result["test"], "clusters": [*cast("Any", pair.clusters)[0]]}
    return signature("paired_significance", {**options, **used}, result["rows"])


# ---- ranks --------------------------------------------------------------------------------------


def ranks(
    comparisons: Sequence[Comparison], means: Mapping[str, float], is_lower_better: bool = False
) -> dict[str, Rank]:
    """Return the possible ranks of each system by one score, its tier and its letters, best first.

    Empty unless every two systems were compared, with two-sided tests.

    Args:
        comparisons: the comparisons by this score.
        means: the score of each system.
        is_lower_better: whether the system with the lowest score is the best.

    >>> pairs = [
    ...     Pair("x", "y", "m", "em", [1.0] * 12, [0.0] * 12),
    ...     Pair("x", "z", "m", "em", [1.0] * 12, [1.0] * 11 + [0.0]),
    ...     Pair("y", "z", "m", "em", [0.0] * 12, [1.0] * 11 + [0.0]),
    ... ]
    >>> for name, rank in ranks(compare_pairs(pairs), {"x": 1.0, "y": 0.0, "z": 11 / 12}).items():
    ...     print(name, *rank.values())
    x [1, 2] 1 a
    z [1, 2] 1 a
    y [3, 3] 2 b
    """
    p_of_pairs = {
        frozenset((comparison["a"], comparison["b"])): comparison["p_adjusted"]
        for comparison in comparisons
    }
    names = list(dict.fromkeys(name for c in comparisons for name in (c["a"], c["b"])))
    if any(math.isnan(means.get(name, math.nan)) for name in names):
        return {}
    names.sort(key=lambda name: means[name] if is_lower_better else -means[name])
    if any(math.isnan(p) for p in p_of_pairs.values()):
        return {}
    one_sided = any(option_of(c, "alternative") not in (None, "two-sided") for c in comparisons)
    is_whole = len(p_of_pairs) == len(names) * (len(names) - 1) // 2
    if one_sided or not is_whole:
        return {}
    oriented = [-means[name] if is_lower_better else means[name] for name in names]
    table = [[p_of_pairs.get(frozenset((x, y)), 1.0) for y in names] for x in names]
    alpha = next((option_of(c, "alpha") for c in comparisons), None) or 0.05
    return dict(zip(names, rank_records(oriented, table, alpha), strict=True))


def rank_records(
    scores: Any, p_adjusted: Any, alpha: float, *, has_letters: bool = True
) -> list[Rank]:
    """Return the possible ranks of systems, best first, with their tiers and letters.

    Args:
        scores: one number per system, best first; higher is better.
        p_adjusted: the corrected p-value of each pair of systems, as a square table.
        alpha: the level.
        has_letters: whether systems get letters; otherwise these are None.
    """
    from ...statistics.tests.ranks import letters, rank_intervals, tiers

    columns = zip(
        rank_intervals(scores, p_adjusted, alpha),
        tiers(scores, p_adjusted, alpha),
        letters(scores, p_adjusted, alpha) if has_letters else [None] * len(scores),
        strict=True,
    )
    return [
        {"rank_interval": interval, "tier": tier, "letters": symbols}
        for interval, tier, symbols in columns
    ]


def option_of(comparison: Comparison, name: str) -> Any:
    """Return an option of a comparison; None if it is not recorded."""
    return comparison.get("options", {}).get(name)
