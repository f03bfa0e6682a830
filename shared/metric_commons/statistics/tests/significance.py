"""Whether one system scores higher than another on the same rows by more than chance.

One call compares two systems: the means, their difference with its interval, the test, and on
request the p-values of a margin or the detectable difference. The methods are those of
`paired_tests`. Only a bootstrap or `max_t`, requested by name, draws random numbers; no digit
depends on the order of rows.
"""

import math
from collections.abc import Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError
from ..arguments.domains import (
    Labels,
    Level,
    Positive,
    Resamples,
    Seed,
    check_option,
    checked_options,
)
from ..intervals.cluster_sums import ClusterSums
from ..intervals.methods import Correction
from ..intervals.spreads import finite_scores
from ..intervals.summary import mean
from .corrections import adjusted, agreeing_ends, family_level, significance_level
from .differences import (
    DifferenceMethod,
    difference_interval,
    margin_p_values,
    rows_for_margin,
)
from .paired_tests import Alternative, Test, paired_test
from .power import minimum_detectable

_SHARES = (0.0, 1.0)  # the range of scores that all lie in it
_UNLIMITED = (-math.inf, math.inf)


@checked_options
def compare(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    *,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    interval: DifferenceMethod = "auto",
    clusters: Labels | None = None,
    margin: Positive | None = None,
    power: Level | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    alpha: Level = 0.05,
    confidence_level: Level | None = 0.95,
) -> dict[str, Any]:
    """Return both means, their difference, and its uncertainty.

    The p-value of the test and the interval come from different methods, each the most reliable for
    its purpose. For scores 0 and 1 they agree; otherwise they may disagree in borderline cases, and
    `significant` follows the p-value. A difference that is not significant does not show that
    systems are equal; `margin` tests that, with p-values from the distribution of the interval.

    Args:
        predictions1: the scores of system A, shape (rows,).
        predictions2: the scores of system B on the same rows, in the same order.
        test: "permutation", "t", "wilcoxon", "mcnemar" or "mcnemar_mid_p", as in `paired_test`.
        alternative: "two-sided", "greater" (A scores higher) or "less".
        interval: "auto", "t" or "bootstrap", as in `difference_interval`. If all scores are from 0
            to 1 that is their range; otherwise they have none, and "auto" is "t".
        clusters: one label per row; the units of the test, interval and error are then clusters.
        margin: also test whether A is worse by less than this, and whether both are equivalent.
        power: also return the difference that the t-test finds with this probability.
        n_resamples: the number of resamples of the bootstrap, if requested.
        seed: for these draws; the same seed gives the same result.
        alpha: a p-value less than this is significant.
        confidence_level: the level of the interval of the difference; None for no interval.

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
    result = compared(
        predictions1,
        predictions2,
        test=test,
        alternative=alternative,
        interval=interval,
        clusters=clusters,
        margin=margin,
        power=power,
        n_resamples=n_resamples,
        seed=seed,
        alpha=alpha,
        confidence_level=confidence_level,
    )
    result.pop("p_inferior", None)
    return result


@checked_options
def compared(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    *,
    test: Test,
    alternative: Alternative,
    interval: DifferenceMethod,
    clusters: Labels | None,
    margin: Positive | None,
    power: Level | None,
    n_resamples: Resamples,
    seed: Seed,
    alpha: Level,
    confidence_level: Level | None,
) -> dict[str, Any]:
    """The result of `compare` and, with a margin, `p_inferior`, by which gates refuse a system."""
    a, b = _pair(("predictions1", predictions1), ("predictions2", predictions2))
    differences = a - b
    bounds = bounds_of_scores(a, b)
    sums = None if clusters is None else ClusterSums.of(clusters, differences)
    tested = paired_test(differences, test=test, alternative=alternative, clusters=sums)
    result: dict[str, Any] = {
        "A_mean": mean(a),
        "B_mean": mean(b),
        "diff": mean(differences),
        "p_value": tested.p_value,
        "significant": bool(tested.p_value < alpha),
    }
    if confidence_level is not None:
        ends = difference_interval(
            differences,
            confidence_level=confidence_level,
            method=interval,
            clusters=sums,
            bounds=bounds,
            n_resamples=n_resamples,
            seed=seed,
        )
        result["confidence_interval"] = [ends.low, ends.high]
    result |= {
        "test": tested.test,
        "statistic": tested.statistic,
        "standard_error": tested.standard_error,
    }
    if tested.n_clusters is not None:
        result["n_clusters"] = tested.n_clusters
    if power is not None:
        units = tested.n_clusters or a.size
        deviation = tested.standard_error * math.sqrt(units)
        result["mde"] = (
            math.nan if units < 2 else minimum_detectable(deviation, units, alpha, power)
        )
    if margin is not None:
        if interval == "bootstrap":
            raise OptionError("interval", "'bootstrap' has no p-value of a margin; take 'auto'")
        span = math.inf if interval == "t" else bounds[1] - bounds[0]
        p_values = margin_p_values(differences, sums, float(margin), span)
        result |= {
            "p_equivalent": p_values.equivalent,
            "p_non_inferior": p_values.not_inferior,
            "p_inferior": p_values.inferior,
        }
    return result


@checked_options
def compare_measures(
    predictions1: Mapping[str, ArrayLike],
    predictions2: Mapping[str, ArrayLike],
    *,
    correction: Correction = "holm",
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    interval: DifferenceMethod = "auto",
    clusters: Labels | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    alpha: Level = 0.05,
    confidence_level: Level | None = 0.95,
) -> dict[str, dict[str, Any]]:
    """As `compare`, for several measures of the same two systems.

    The more measures are compared, the more likely one of them differs by chance. `p_adjusted`
    allows for that, and determines `significant` here. Every other number of a measure is what
    `compare` returns for it alone.

    Args:
        predictions1: for each measure the scores of system A.
        predictions2: for the same measures the scores of system B.
        correction: as in `adjusted`.
        test: as in `compare`, like the other options.
        alternative: as in `compare`.
        interval: as in `compare`.
        clusters: as in `compare`.
        n_resamples: as in `compare`, and of "max_t".
        seed: as in `compare`, and of "max_t".
        alpha: as in `compare`, for the adjusted p-value.
        confidence_level: as in `compare`. Intervals of several measures are simultaneous and agree
            with the adjusted p-values, unless the correction is "none".

    Raises:
        ValueError: the measures of the systems differ, or `compare` would raise an error.

    >>> a = {"ndcg": [0.9, 0.8, 0.7, 0.6, 0.5, 0.6], "map": [0.1, 0.2, 0.3, 0.4, 0.1, 0.2]}
    >>> b = {"ndcg": [0.1, 0.1, 0.2, 0.1, 0.2, 0.1], "map": [0.2, 0.1, 0.3, 0.1, 0.2, 0.1]}
    >>> for measure, result in compare_measures(a, b).items():
    ...     print(measure, result["p_value"], result["p_adjusted"])
    ndcg 0.03125 0.0625
    map 0.6875 0.6875
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
    tests = 1 if correction == "none" else len(pairs)
    level = None if confidence_level is None else family_level(confidence_level, max(tests, 1))
    results = {
        measure: compare(
            *pair,
            test=test,
            alternative=alternative,
            interval=interval,
            clusters=clusters,
            n_resamples=n_resamples,
            seed=seed,
            alpha=alpha,
            confidence_level=level,
        )
        for measure, pair in pairs.items()
    }
    p_adjusted = adjusted(
        [result["p_value"] for result in results.values()],
        [a - b for a, b in pairs.values()],
        correction=correction,
        test=test,
        alternative=alternative,
        clusters=clusters,
        n_resamples=n_resamples,
        seed=seed,
    )
    measures: dict[str, dict[str, Any]] = {}
    for (measure, result), p in zip(results.items(), p_adjusted.tolist(), strict=True):
        measures[measure] = result | {"p_adjusted": p, "significant": bool(p < alpha)}
        if tests > 1 and confidence_level is not None:
            agree = partial(made_simultaneous, alternative=alternative)
            measures[measure] = agree(measures[measure], confidence_level=confidence_level)
    return measures


def made_simultaneous(
    result: Mapping[str, Any], *, alternative: Alternative, confidence_level: float
) -> dict[str, Any]:
    """A comparison whose interval, at the level of a family, agrees with its adjusted p-value.

    The p-value of a one-sided test says nothing about the other side, where the interval is
    unchanged.
    """
    if alternative != "two-sided":
        return dict(result)
    low, high = result["confidence_interval"]
    alpha = significance_level(confidence_level)
    ends = agreeing_ends((low, high), result["diff"], result["p_adjusted"], alpha)
    return {**result, "confidence_interval": list(ends)}


def simultaneous_intervals(
    scores: ArrayLike, *, confidence_level: float = 0.95
) -> list[list[float]]:
    """Simultaneous intervals of the differences of all pairs of systems.

    Each is taken at the level 1 - alpha / m for m pairs, and made to agree with Holm's corrected
    p-values of the permutation test: 0 is outside, or at an end, exactly if the difference is
    significant.

    Args:
        scores: of systems on the same rows, shape (systems, rows).
        confidence_level: the level of all intervals together, strictly between 0 and 1.

    Returns:
        [low, high] of the first minus the second of the pairs (0, 1), (0, 2), ..., (1, 2), ....

    Raises:
        ValueError: there are fewer than two systems or no rows, a score is not a finite number, or
            the level is out of its range.

    Source:
        Strassburger and Bretz, Compatible simultaneous lower confidence bounds for the Holm
        procedure (2008).

    >>> good, bad = [1.0] * 12, [0.0] * 12
    >>> intervals = simultaneous_intervals([good, good, bad])
    >>> [[round(end, 2) for end in ends] for ends in intervals]
    [[-0.33, 0.33], [0.34, 1.0], [0.34, 1.0]]
    """
    check_option("confidence_level", confidence_level, Level)
    table = finite_scores("scores", scores, dimensions=(2,))
    if len(table) < 2 or not table.shape[1]:
        raise ValueError(
            f"scores must hold two systems or more, of one row or more, got shape {table.shape}"
        )
    rows_by_name = {str(number): row for number, row in enumerate(table)}
    pairs = list(combinations(rows_by_name, 2))
    results = compare_measures(
        {f"{first} {second}": rows_by_name[first] for first, second in pairs},
        {f"{first} {second}": rows_by_name[second] for first, second in pairs},
        alpha=significance_level(confidence_level),
        confidence_level=confidence_level,
    )
    return [result["confidence_interval"] for result in results.values()]


def rows_that_show_margin(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    margin: float,
    *,
    clusters: Labels | None = None,
    alpha: float,
    power: float,
    as_observed: bool,
) -> tuple[bool, int | None]:
    """Return whether scores are bounded, and how many rows or clusters would show non-inferiority.

    Args:
        predictions1: the scores of system A; rows with NaN are left out.
        predictions2: the scores of system B on the same rows.
        margin: as in `compare`.
        clusters: as in `compare`.
        alpha: the level of the decision.
        power: the probability of it.
        as_observed: as in `differences.rows_for_margin`.
    """
    a, b = (np.asarray(scores, np.float64) for scores in (predictions1, predictions2))
    counting = ~(np.isnan(a) | np.isnan(b))
    a, b = a[counting], b[counting]
    low, high = bounds_of_scores(a, b)
    if math.isinf(high):
        return False, None
    sums = None
    if clusters is not None:
        labels = [label for label, counts in zip(clusters, counting, strict=True) if counts]
        sums = ClusterSums.of(labels, a - b)
    options: dict[str, Any] = {"alpha": alpha, "power": power, "as_observed": as_observed}
    return True, rows_for_margin(a - b, sums, margin, high - low, **options)


def bounds_of_scores(a: Floats, b: Floats) -> tuple[float, float]:
    """Return the range of scores: 0 to 1 if it contains all of them, otherwise none.

    >>> bounds_of_scores(np.array([0.5]), np.array([2.0]))
    (-inf, inf)
    """
    return _SHARES if _are_shares(a) and _are_shares(b) else _UNLIMITED


@checked_options
def p_values(
    differences: ArrayLike,
    *,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    clusters: Labels | None = None,
) -> Floats:
    """Return the probability of differences at least as large, if the systems were equally good.

    The tests are those of `paired_test`. Swapping the systems exchanges "greater" and "less", and
    does not change p.

    Args:
        differences: A - B, shape (rows, measures), or (rows,) for one measure.
        test: as in `paired_test`.
        alternative: "two-sided", "greater" (A scores higher) or "less".
        clusters: one label per row.

    Returns:
        The p-value of each measure, shape (measures,).

    Raises:
        ValueError: no rows, a difference that is not a finite number, or an option out of its
            range.

    Source:
        Phipson and Smyth, Permutation p-values should never be zero (2010). Smucker, Allan and
        Carterette, A comparison of statistical significance tests for information retrieval
        evaluation (2007).

    >>> p_values([0.8, 0.6, 0.4, 0.25, 0.1])  # 2 of 32 combinations
    array([0.0625])
    >>> p_values([[0.1, 1.0], [0.2, 0.0], [-0.3, 1.0]])  # 0.1 + 0.2 is 0.3
    array([1. , 0.5])
    >>> p_values([0.5], test="t"), p_values([0.0, 0.0], test="t")
    (array([nan]), array([1.]))
    """
    values = finite_scores("differences", differences, dimensions=(1, 2))
    columns = values.T if values.ndim == 2 else values[None]
    return np.array(
        [
            paired_test(column, test=test, alternative=alternative, clusters=clusters).p_value
            for column in columns
        ],
        dtype=np.float64,
    )


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


def _are_shares(scores: Floats) -> bool:
    """Return whether all scores are from 0 to 1."""
    return bool(scores.min() >= 0 and scores.max() <= 1)
