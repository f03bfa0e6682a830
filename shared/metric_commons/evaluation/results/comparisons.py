"""Paired comparisons of systems: does one score better on the same rows by more than chance?"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from .module_results import signature

if TYPE_CHECKING:
    from ...statistics.arguments.arrays import Booleans, Floats, Integers
    from ...statistics.intervals.sums import RowStatistics

_TESTS_OF_SUMS: Mapping[str, Literal["randomization", "bootstrap"]] = {
    "permutation": "randomization",
    "bootstrap": "bootstrap",
}


Comparison = dict[str, Any]  # as stored in a results file
Rank = dict[str, Any]  # rank_interval, tier and letters of a system


class Pair(NamedTuple):
    """One score of two systems, on the same rows in the same order."""

    a: str
    b: str
    module: str
    score: str
    scores_a: "Sequence[float] | Floats" = ()
    scores_b: "Sequence[float] | Floats" = ()
    clusters: Sequence[Any] | None = None  # one label per row, or several by field
    # If the score is not a mean of rows: what each row adds to the sums behind it.
    sums_a: "RowStatistics | None" = None
    sums_b: "RowStatistics | None" = None
    # If scores_a and scores_b are pseudovalues: the scores of both systems, which are their means.
    estimates: tuple[float, float] | None = None
    # If there are neither: the number of rows, and the score of rows given by their indices, where
    # those of B follow those of A.
    drawn: "tuple[int, Callable[[Integers], float]] | None" = None
    # If rows of a system are missing: the lowest and the highest score that they may have.
    ends: tuple[float, float] | None = None

    @property
    def has_rows(self) -> bool:
        """Return whether each row has a score, or a pseudovalue."""
        return self.sums_a is None and self.drawn is None

    def fillings(self) -> "list[Pair]":
        """Return the pair and, if rows are missing, it with those of A worst and B best, and so on.

        >>> [pair.scores_a for pair in Pair("a", "b", "m", "s", [math.nan], [0.5]).fillings()]
        [[nan]]
        """
        if self.ends is None:
            return [self]

        def filled(scores: "Sequence[float] | Floats", end: float) -> list[float]:
            return [end if math.isnan(score) else score for score in scores]

        return [
            self,
            *(
                self._replace(
                    scores_a=filled(self.scores_a, end), scores_b=filled(self.scores_b, opposite)
                )
                for end, opposite in (self.ends, self.ends[::-1])
            ),
        ]

    def swapped(self) -> "Pair":
        """Return the same pair with the systems in the opposite order."""
        drawn = None
        if self.drawn is not None:
            rows, score = self.drawn
            drawn = rows, lambda indices: score((indices + rows) % (2 * rows))
        return self._replace(
            a=self.b,
            b=self.a,
            scores_a=self.scores_b,
            scores_b=self.scores_a,
            sums_a=self.sums_b,
            sums_b=self.sums_a,
            estimates=self.estimates and (self.estimates[1], self.estimates[0]),
            drawn=drawn,
        )


def compare_pairs(
    pairs: Iterable[Pair],
    *,
    test: str = "permutation",
    alternative: str = "two-sided",
    assume: str = "exchangeable",
    bounds: Sequence[float] | None = None,
    margin: float | None = None,
    power: float | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
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
        test: as in `significance.compare`, like the other options. For scores computed from
            sums, "permutation" is approximate randomization with `n_resamples` draws; "bootstrap"
            is for these scores only, as in `paired_sums.compare_sums`.
        alternative: "two-sided", "greater" or "less".
        assume: "exchangeable" or "nothing", of the permutation test. Scores computed from sums
            have the test of the one and the interval of the other; with "nothing" both are its.
        bounds: the smallest and the largest possible difference; for means of rows only.
        margin: a difference that would matter.
        power: of the minimum detectable effect.
        n_resamples: the number of draws of the tests of sums, and of "max_t".
        seed: of the draws.
        alpha: a corrected p-value below it is significant.
        confidence_level: of the intervals. Where p-values are corrected by "bonferroni" or "max_t",
            the intervals are simultaneous and agree with them.
        correction: "bonferroni", "max_t", "holm", "benjamini_hochberg" or "none".

    Raises:
        ValueError: two systems have different numbers of rows, or the input is not valid for
            `significance.compare` or `adjusted`.

    >>> em = Pair("a", "b", "qa_em", "qa_em", [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, math.nan])
    >>> (comparison,) = compare_pairs([em])
    >>> comparison["A_mean"], comparison["B_mean"], comparison["rows"], comparison["p_value"]
    (1.0, 0.3333333333333333, 3, 0.5)
    """
    import numpy as np

    from ...statistics.tests.corrections import Family
    from ...statistics.tests.significance import compared

    drawing: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
    testing: dict[str, Any] = {"test": test, "alternative": alternative, "assume": assume}
    reporting: dict[str, Any] = {"margin": margin, "power": power, "alpha": alpha}
    rows_of_pairs = [(pair, _columns(pair)) for pair in pairs]
    for pair, _ in rows_of_pairs if test == "bootstrap" else ():
        if pair.sums_a is None:
            raise ValueError(
                f"test 'bootstrap' requires scores computed from sums, but {pair.score} is a mean "
                "of rows; use 'permutation', or name the scores"
            )
    counted_pairs = [(pair, rows) for pair, rows in rows_of_pairs if rows is None or rows[2].any()]
    shared = [pair for pair, _ in counted_pairs]
    clusters = [pair.clusters for pair in shared]
    if correction == "max_t":
        if any(rows is None for _, rows in counted_pairs):
            raise ValueError("correction 'max_t' requires scores of rows; use 'bonferroni'")
        if any(labels != clusters[0] for labels in clusters):
            raise ValueError("correction 'max_t' requires the same clusters in all comparisons")
        if any(map(is_crossed, clusters)):
            raise ValueError("correction 'max_t' is not for crossed clusters; use 'bonferroni'")
    family = Family.of(
        cast("Any", correction),
        confidence_level,
        # A row that counts for only one of the systems is not evidence for either.
        [
            np.empty(0) if rows is None else np.where(rows[2], rows[0] - rows[1], 0.0)
            for _, rows in counted_pairs
        ],
        law=(test, alternative, assume),
        clusters=next(iter(clusters), None),
        **drawing,
    )
    results: list[dict[str, Any]] = []
    resampled: dict[tuple[str, str, str], dict[str, Any]] = {}  # once for all scores of a module
    for (pair, rows), interval_alpha in zip(counted_pairs, family.alphas, strict=True):
        if rows is None:
            if is_crossed(pair.clusters):
                raise ValueError(
                    f"crossed clusters are for means of rows, and {pair.score} is none"
                )
            level = 1 - cast("float", interval_alpha)
            options = {"confidence_level": level, "clusters": pair.clusters} | reporting | drawing
            options |= {"alternative": alternative, "assume": assume}
            key = pair.a, pair.b, pair.module
            if pair.drawn is not None:
                results.append(_compare_drawn(pair, test, options))
            else:
                if key not in resampled:
                    resampled[key] = _compare_sums(pair, test, options)
                results.append(resampled[key][pair.score] | {"rows": len(pair.sums_a or ())})
            continue
        a, b, counting = rows
        result = compared(
            a[counting],
            b[counting],
            clusters=clusters_of_rows(pair.clusters, counting.nonzero()[0]),
            bounds=bounds,
            interval_alpha=interval_alpha,
            **testing,
            **reporting,
        )
        if pair.estimates is not None:
            first, second = pair.estimates
            result |= {"A_mean": first, "B_mean": second, "diff": first - second}
            result["pseudovalues"] = True
        if pair.ends is not None:
            result["missing_rows"] = int(np.count_nonzero(~counting))
        results.append(result | {"rows": int(counting.sum())})
    p_adjusted = family.adjusted([result["p_value"] for result in results]).tolist()
    is_simultaneous = len(shared) > 1 and correction in ("bonferroni", "max_t")
    options = {
        **testing,
        **({} if bounds is None else {"bounds": list(bounds)}),
        **(drawing if correction == "max_t" else {}),
        "alpha": alpha,
        "correction": correction,
        "tests": len(shared),
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
            **({"simultaneous": True} if is_simultaneous else {}),
            "p_adjusted": p,
            "significant": bool(p < alpha),
            "options": options_of_pair,
            "signature": _signature(options_of_pair, result, pair),
        }
        for pair, result, p in zip(shared, results, p_adjusted, strict=True)
        for options_of_pair in [
            options if pair.has_rows else {**options, "test": result["test"], **drawing}
        ]
    ]


def _compare_sums(pair: Pair, test: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the comparisons of two systems by each score computed from sums over their rows."""
    from ...statistics.tests.paired_sums import compare_sums

    if pair.sums_a is None or pair.sums_b is None:
        raise ValueError(f"{pair.score} has no sums")
    if len(pair.sums_a) != len(pair.sums_b):
        raise ValueError(
            f"{pair.a!r} has {len(pair.sums_a)} rows of {pair.score}, but {pair.b!r} has "
            f"{len(pair.sums_b)}; only systems with the same rows can be compared"
        )
    test_of_sums = _TESTS_OF_SUMS.get(test)
    if test_of_sums is None:
        raise ValueError(
            f"test {test!r} requires means of rows, but {pair.score} is computed from sums; use "
            "'permutation' or 'bootstrap', or name the scores"
        )
    return compare_sums(pair.sums_a, pair.sums_b, test=test_of_sums, **options)


def _compare_drawn(pair: Pair, test: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the comparison of two systems by a score that is computed anew for each draw."""
    from ...statistics.tests.paired_sums import compare_redrawn

    rows, score = cast("tuple[int, Callable[[Integers], float]]", pair.drawn)
    if test != "permutation":
        raise ValueError(
            f"test {test!r} requires scores of rows, which {pair.score} does not have; use "
            "'permutation', or name the scores"
        )
    return compare_redrawn(score, rows, **options) | {"rows": rows}


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


def _columns(pair: Pair) -> "tuple[Floats, Floats, Booleans] | None":
    """Return the scores of both systems, and a mask of the rows that count for both.

    None for sums.
    """
    import numpy as np

    if not pair.has_rows:
        return None

    if len(pair.scores_a) != len(pair.scores_b):
        raise ValueError(
            f"{pair.a!r} has {len(pair.scores_a)} rows of {pair.score}, but {pair.b!r} has "
            f"{len(pair.scores_b)}; only systems with the same rows can be compared"
        )
    a, b = (np.array(scores, np.float64) for scores in (pair.scores_a, pair.scores_b))
    return a, b, ~(np.isnan(a) | np.isnan(b))


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
