"""Whether one system scores higher than another on the same rows by more than chance.

One call compares two systems: the means, their difference with its interval, the test, and on
request the p-values of a margin or the detectable difference. The methods are those of
`paired_tests`. Only `max_t`, requested by name, draws random numbers; no digit depends on the order
of rows.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError
from ..arguments.domains import (
    CrossedLabels,
    Labels,
    Level,
    Positive,
    Resamples,
    Seed,
    check_option,
    checked_options,
)
from ..intervals.cluster_sums import ClusterSums
from ..intervals.crossed import CrossedMean
from ..intervals.intervals import crossed_or_labels
from ..intervals.methods import Assumption, Correction, DifferenceBounds, difference_range
from ..intervals.spreads import finite_scores
from ..intervals.summary import mean
from ..intervals.weighted_units import ScoreDistribution
from .corrections import Family, significance_level
from .differences import (
    StudentDifference,
    bounds_of_scores,
    comparison,
    p_of_no_difference,
    student_difference,
    unseen_row,
)
from .paired_tests import (
    Alternative,
    PairedTest,
    Test,
    mcnemar_ends,
    paired_test,
    t_p_value,
    wilcoxon_ends,
)
from .typical_values import typical_ends

Ends = tuple[float, float]


@checked_options
def compare(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    *,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    confidence_level: Level | None = 0.95,
    **options: Any,
) -> dict[str, Any]:
    """Return both means, their difference, and its uncertainty.

    p-value and interval follow from one law: p is less than alpha exactly if the interval at the
    level 1 - alpha excludes 0. A difference that is not significant does not show that systems are
    equal; `margin` tests that, and assumes nothing, whatever the law.

    The laws of the permutation test:

    * "exchangeable": without a difference the systems could be exchanged row by row. p is that of
      sign flips, and the interval holds all shifts that they do not reject.
    * "nothing" but the bounds of a difference: rows, or clusters, are weighted at random together
      with an unseen one on which A loses or wins all, and p is the level at which the interval
      reaches 0. It needs more rows, and does not err where rare rows are much worse than others.

    Args:
        predictions1: the scores of system A, shape (rows,).
        predictions2: the scores of system B on the same rows, in the same order.
        n_resamples: as elsewhere, and without effect: nothing is drawn.
        seed: likewise.
        confidence_level: the level of the interval of the difference; None for no interval.
        **options: `test`, `alternative`, `assume`, `bounds`, `clusters`, `margin`, `power` and
            `alpha` of `compared`.

    Returns:
        `A_mean`, `B_mean`, `diff` (the mean difference A - B), `p_value`, `significant`,
        `confidence_interval` (the two ends), `test` (the method, such as "sign_flip_exact"),
        `statistic`, `standard_error` of `diff`; with clusters `n_clusters`; with a power `mde`,
        the minimum detectable effect of the two-sided t-test at `alpha`; with a margin
        `p_equivalent` and `p_non_inferior`.

    Raises:
        ValueError: no rows, or different numbers of them; a score that is not a finite number; an
            option out of its range, or a test that the scores cannot take.

    >>> result = compare([0.9, 0.8, 0.7, 0.6, 0.5, 1.0], [0.5, 0.5, 0.5, 0.5, 0.0, 0.5])
    >>> print(f"{result['diff']:.3f}, p = {result['p_value']}, {result['test']}")
    0.333, p = 0.03125, sign_flip_exact
    >>> compare([1.0, 0.5], [0.5, float("inf")])
    Traceback (most recent call last):
    ValueError: predictions2[1] is inf; a score is finite, and at most 1e+280 in size
    """
    interval_alpha = confidence_level and significance_level(confidence_level)
    result = compared(predictions1, predictions2, interval_alpha=interval_alpha, **options)
    result.pop("p_inferior", None)
    return result


@checked_options
def compared(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    *,
    interval_alpha: float | None,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    assume: Assumption = "exchangeable",
    bounds: DifferenceBounds | None = None,
    clusters: CrossedLabels | None = None,
    margin: Positive | None = None,
    power: Level | None = None,
    alpha: Level = 0.05,
) -> dict[str, Any]:
    """Return the result of `compare` and, with a margin, `p_inferior`, by which gates refuse.

    Args:
        predictions1: as in `compare`.
        predictions2: as in `compare`.
        interval_alpha: one minus the level of the interval; None for no interval.
        test: "permutation", "t", "wilcoxon", "mcnemar" or "mcnemar_mid_p", as in `paired_test`.
        alternative: "two-sided", "greater" (A scores higher) or "less".
        assume: the law of the permutation test; "nothing" is an error with another test. Other
            tests have intervals of their own, which agree with them: that of "wilcoxon" is of the
            pseudomedian, the median of the means of two rows.
        bounds: the smallest and the largest possible difference. By default -1 and 1 if all scores
            are from 0 to 1, otherwise there are none, and "nothing" is an error.
        clusters: one label per row; the units of the test, interval and error are then clusters.
            Two or three fields, `{"item": labels, "template": labels}`, are crossed: p and interval
            are then those of random effects, by Student's t, and `assume` does not apply.
        margin: also test whether A is worse by less than this, and whether both are equivalent.
        power: also return the difference that the t-test finds with this probability.
        alpha: a p-value less than this is significant.
    """
    a, b = _pair(("predictions1", predictions1), ("predictions2", predictions2))
    differences = a - b
    limits = _difference_bounds(a, b, differences, bounds)
    if isinstance(clusters, Mapping):
        clusters = crossed_or_labels(clusters, differences)
    law: ScoreDistribution | None = None
    if isinstance(clusters, CrossedMean):
        tested, law = _crossed_test(clusters, test, alternative, assume)
        ends, power = None, None
        if interval_alpha is not None:
            low, high = law.ends(1 - interval_alpha)
            ends = max(low, limits[0]), min(high, limits[1])
    else:
        sums = None if clusters is None else ClusterSums.of(clusters, differences)
        tested, ends = _by_law(differences, sums, test, alternative, assume, limits, interval_alpha)
        if margin is not None and (test == "t" or math.isinf(limits[0])):
            law = student_difference(differences, sums)
        elif margin is not None:
            law = unseen_row(differences, sums, limits)
    return comparison(
        (mean(a), mean(b)),
        mean(differences),
        tested,
        ends,
        law,
        margin=margin,
        power=power,
        alpha=alpha,
        units=tested.n_clusters or a.size,
    )


def _crossed_test(
    crossed: CrossedMean, test: Test, alternative: Alternative, assume: Assumption
) -> tuple[PairedTest, StudentDifference]:
    """Return the test of crossed rows, and Student's t of their random effects."""
    if assume != "exchangeable":
        raise OptionError("assume", "is not for crossed clusters, which are tested by Student's t")
    if test not in ("permutation", "t"):
        raise OptionError("test", f"{test!r} is not for crossed clusters; take 't'")
    error = crossed.standard_error
    t = crossed.mean / error if error else math.nan
    p_value = t_p_value(t, crossed.degrees, alternative) if error or crossed.mean else 1.0
    tested = PairedTest(p_value, "crossed_t", t, error, min(crossed.levels))
    return tested, StudentDifference(crossed.mean, error, crossed.degrees)


def _by_law(
    differences: Floats,
    sums: ClusterSums | None,
    test: Test,
    alternative: Alternative,
    assume: Assumption,
    bounds: Ends,
    interval_alpha: float | None,
) -> tuple[PairedTest, Ends | None]:
    """Return a test and the interval of the same law; None without a level."""
    if assume == "nothing":
        if test != "permutation":
            raise OptionError("assume", f"'nothing' has a test of its own, which is not {test!r}")
        if math.isinf(bounds[0]):
            raise OptionError(
                "assume",
                "'nothing' needs bounds of the differences, since scores are not all from 0 to 1; "
                "give bounds, such as (-0.2, 0.2)",
            )
        law = unseen_row(differences, sums, bounds)
        tested = PairedTest(
            p_of_no_difference(law, alternative),
            "unseen_row",
            mean(differences),
            law.standard_error,
            None if sums is None else len(sums),
        )
        if interval_alpha is None:
            return tested, None
        low, high = law.ends(1 - interval_alpha)
        # Each end is on the side of 0 that the p-value says, whatever is rounded.
        low = max(low, math.ulp(0.0)) if law.tail(0.0) < interval_alpha / 2 else min(low, 0.0)
        is_less = law.tail(0.0, upper=True) < interval_alpha / 2
        return tested, (low, min(high, -math.ulp(0.0)) if is_less else max(high, 0.0))
    tested = paired_test(differences, test=test, alternative=alternative, clusters=sums)
    if interval_alpha is None:
        return tested, None
    if test == "permutation":
        return tested, typical_ends(differences, sums, interval_alpha, bounds)
    if test == "wilcoxon":
        return tested, wilcoxon_ends(differences, interval_alpha, bounds)
    if test != "t":
        return tested, mcnemar_ends(differences, 1 - interval_alpha, test)
    return tested, student_difference(differences, sums).ends(1 - interval_alpha)


def _difference_bounds(
    a: Floats, b: Floats, differences: Floats, bounds: Sequence[float] | None
) -> Ends:
    """Return the smallest and the largest possible difference, declared or by those of scores."""
    if bounds is None:
        low, high = bounds_of_scores(a, b)
        return low - high, high - low
    low, high = difference_range(bounds)
    rounding = 1e-12 * (high - low)
    outside = (differences < low - rounding) | (differences > high + rounding)
    if outside.any():
        row = int(outside.argmax())
        raise OptionError(
            "bounds",
            f"are {low:g} and {high:g}, but the difference of row {row} is {differences[row]:g}",
        )
    return low, high


@checked_options
def compare_measures(
    predictions1: Mapping[str, ArrayLike],
    predictions2: Mapping[str, ArrayLike],
    *,
    correction: Correction = "bonferroni",
    clusters: Labels | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    alpha: Level = 0.05,
    confidence_level: Level | None = 0.95,
    **options: Any,
) -> dict[str, dict[str, Any]]:
    """As `compare`, for several measures of the same two systems.

    The more measures are compared, the more likely one of them differs by chance. `p_adjusted`
    allows for that, and determines `significant` here. Every other number of a measure is what
    `compare` returns for it alone.

    Args:
        predictions1: for each measure the scores of system A.
        predictions2: for the same measures the scores of system B.
        correction: "bonferroni", "max_t", "holm", "benjamini_hochberg" or "none", as in `Family`.
        clusters: one label per row.
        n_resamples: of "max_t".
        seed: of "max_t".
        alpha: as in `compare`, for the adjusted p-value.
        confidence_level: as in `compare`. Intervals of several measures are simultaneous and agree
            with the adjusted p-values if the correction is "bonferroni" or "max_t".
        **options: `test`, `alternative`, `assume` and `bounds` of `compared`.

    Raises:
        ValueError: the measures of the systems differ, or `compare` would raise an error.

    >>> a = {"ndcg": [0.9, 0.8, 0.7, 0.6, 0.5, 0.6], "map": [0.1, 0.2, 0.3, 0.4, 0.1, 0.2]}
    >>> b = {"ndcg": [0.1, 0.1, 0.2, 0.1, 0.2, 0.1], "map": [0.2, 0.1, 0.3, 0.1, 0.2, 0.1]}
    >>> for measure, result in compare_measures(a, b).items():
    ...     print(measure, result["p_value"], result["p_adjusted"])
    ndcg 0.03125 0.0625
    map 0.6875 1.0
    """
    if predictions1.keys() != predictions2.keys():
        raise ValueError(
            f"predictions1 has the measures {', '.join(predictions1) or 'none'}, "
            f"but predictions2 has {', '.join(predictions2) or 'none'}"
        )
    pairs = {
        measure: _pair(
            (f"predictions1[{measure!r}]", predictions1[measure]),
            (f"predictions2[{measure!r}]", predictions2[measure]),
        )
        for measure in predictions1
    }
    law = {"test": "permutation", "alternative": "two-sided", "assume": "exchangeable"} | options
    family = Family.of(
        correction,
        confidence_level,
        [a - b for a, b in pairs.values()],
        law=(law["test"], law["alternative"], law["assume"]),
        clusters=clusters,
        n_resamples=n_resamples,
        seed=seed,
    )
    results = {
        measure: compared(*pair, clusters=clusters, alpha=alpha, interval_alpha=level, **options)
        for (measure, pair), level in zip(pairs.items(), family.alphas, strict=True)
    }
    p_adjusted = family.adjusted([result["p_value"] for result in results.values()])
    return {
        measure: result | {"p_adjusted": p, "significant": bool(p < alpha)}
        for (measure, result), p in zip(results.items(), p_adjusted.tolist(), strict=True)
    }


def simultaneous_intervals(
    scores: ArrayLike, *, confidence_level: float = 0.95
) -> list[list[float]]:
    """Return simultaneous intervals of the differences of all pairs of systems.

    Each is taken at the level 1 - alpha / m for m pairs: 0 is outside exactly if the difference is
    significant by the permutation test, corrected by Bonferroni's method.

    Args:
        scores: of systems on the same rows, shape (systems, rows).
        confidence_level: the level of all intervals together, strictly between 0 and 1.

    Returns:
        [low, high] of the first minus the second of the pairs (0, 1), (0, 2), ..., (1, 2), ....

    Raises:
        ValueError: there are fewer than two systems or no rows, a score is not a finite number, or
            the level is out of its range.

    >>> first, second, third = [1.0] * 14, [1.0, 0.0] * 7, [0.0] * 14
    >>> intervals = simultaneous_intervals([first, second, third])
    >>> [[round(end, 2) for end in ends] for ends in intervals]
    [[0.14, 0.86], [1.0, 1.0], [0.14, 0.86]]
    """
    check_option("confidence_level", confidence_level, Level)
    table = finite_scores("scores", scores, dimensions=(2,))
    if len(table) < 2 or not table.shape[1]:
        raise ValueError(
            f"scores must hold two systems or more, of one row or more, got shape {table.shape}"
        )
    pairs = list(combinations(range(len(table)), 2))
    firsts, seconds = ({str(pair): table[pair[side]] for pair in pairs} for side in (0, 1))
    results = compare_measures(
        firsts,
        seconds,
        alpha=significance_level(confidence_level),
        confidence_level=confidence_level,
    )
    return [result["confidence_interval"] for result in results.values()]


def _pair(first: tuple[str, ArrayLike], second: tuple[str, ArrayLike]) -> tuple[Floats, Floats]:
    """Return the scores of two systems, by their names, if they can be compared row by row."""
    a, b = (finite_scores(name, scores, dimensions=(1,)) for name, scores in (first, second))
    if a.size != b.size:
        raise ValueError(
            f"{first[0]} has {a.size} rows, but {second[0]} has {b.size}; rows are pairs"
        )
    if not a.size:
        raise ValueError(f"{first[0]} is empty; the mean of nothing is undefined")
    return a, b
