"""Tests of two systems whose scores follow from sums over rows, such as BLEU.

Rows have no differences here. A test exchanges or resamples the statistics of rows, adds them up,
and compares the scores of the sums.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError
from ..arguments.domains import Labels, Level, Positive, Resamples, Seed, checked_options
from ..intervals.cluster_sums import Clusters
from ..intervals.methods import Assumption
from ..intervals.spreads import LARGEST, finite_scores
from ..intervals.sums import RowStatistics
from ..intervals.weighted_units import ScoreDistribution
from ..resampling.draws import random_rows
from ..resampling.progress import report
from ..resampling.row_units import RowUnits, cluster_values, in_whole_units
from .difference_distributions import Margins, ResampledDifference, p_of_no_difference
from .differences import comparison
from .paired_sum_distributions import difference_distributions
from .paired_tests import Alternative, PairedTest

PairedSumsTest = Literal["randomization", "bootstrap"]

_SIGNS = 1 << 22  # of a block of resamples
_TIE = 1e-12  # differences that are closer than this part of the scores are equal


@checked_options
def compare_sums(
    first: RowStatistics,
    second: RowStatistics,
    *,
    test: PairedSumsTest = "randomization",
    alternative: Alternative = "two-sided",
    clusters: Labels | None = None,
    assume: Assumption = "exchangeable",
    margin: Positive | None = None,
    power: Level | None = None,
    alpha: Level = 0.05,
    confidence_level: Level | None = 0.95,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> dict[str, dict[str, Any]]:
    """Both values of each score that both systems have, their difference, and its uncertainty.

    * "randomization" exchanges the statistics of both systems in some rows, each with probability
      1/2, and takes the difference of the resulting scores (Noreen 1989; Riezler and Maxwell 2005,
      On some pitfalls in automatic evaluation and significance testing for MT). It is the test of
      multeval and sacrebleu.
    * "bootstrap" draws rows with replacement. The differences of the resamples, less their mean,
      are those of chance alone (Koehn, Statistical significance tests for machine translation
      evaluation, 2004). As in Moses and sacrebleu, "two-sided" looks at the sizes of the
      differences, less their mean. That is about half the p-value of the other test where one
      system is better, and anything below 1/2 if none is; it serves to reproduce these tools.

    In both p is (count + 1) / (n_resamples + 1), where the count is of differences at least as
    large as the observed one. The result does not depend on the order of rows.

    Args:
        first: the statistics of system A.
        second: the statistics of system B on the same rows, in the same order.
        test: "randomization" or "bootstrap".
        alternative: "two-sided", "greater" (A scores higher) or "less".
        clusters: one label per row; clusters are exchanged or drawn instead of rows.
        assume: "exchangeable" is the law of the tests above. The interval assumes nothing: rows are
            weighted at random together with an unseen one, on which one system fails and the other
            does not. With "nothing" the p-value, too, is the level at which that interval reaches
            0. The interval of "bootstrap" is that of the percentiles.
        margin: also test whether A is worse by less than this, and whether both are equivalent, by
            the distribution of the interval; for the bootstrap by Student's t-tests with its
            standard error.
        power: also return the difference that such a test finds with this probability.
        alpha: a p-value less than this is significant.
        confidence_level: the level of the interval of the difference; None for none.
        n_resamples: the number of times that rows are exchanged or drawn.
        seed: for these draws.

    Returns:
        For the name of each score, `A_mean` and `B_mean`, which are the scores of both systems, and
        the other keys of `significance.compare`; with a margin also `p_inferior`. `statistic` is
        the difference itself; `standard_error` is NaN without interval, margin and power.

    Raises:
        ValueError: different numbers of rows, no rows, or an option out of its range.

    >>> def share(sums):
    ...     return {"share": sums["right"] / sums["all"]}
    >>> a, b = (
    ...     RowStatistics(("right", "all"), np.array(rows), share, share)
    ...     for rows in ([[2, 2], [3, 3], [4, 4]] * 3, [[0, 2], [1, 3], [2, 4]] * 3)
    ... )
    >>> result = compare_sums(a, b)["share"]
    >>> round(result["diff"], 4), result["p_value"] < 0.01
    (0.6667, True)
    """
    rows = len(first)
    if rows != len(second):
        raise ValueError(f"A has {rows} rows, but B has {len(second)}; rows are pairs")
    if not rows:
        raise ValueError("there are no rows; a score of no rows is undefined")
    names = tuple(sorted({*first.names, *second.names}))
    a, b = first.columns(names), second.columns(names)
    numbers = None if clusters is None else Clusters.of_labels(clusters, rows).numbers
    scores_a, scores_b = first.result(), second.result()
    keys = [
        key
        for key, score in scores_a.items()
        if isinstance(score, float) and key in scores_b and not math.isnan(score + scores_b[key])
    ]

    def differences(sums: Floats) -> Floats:
        """Return the difference of scores of each key, for each pair of sums.

        Shape (resamples, keys).
        """
        redraws = np.empty((len(sums), len(keys)))
        for resample, row in enumerate(sums):
            values = row.tolist()
            drawn_a = first.scores(dict(zip(names, values[: len(names)], strict=True)))
            drawn_b = second.scores(dict(zip(names, values[len(names) :], strict=True)))
            redraws[resample] = [drawn_a[key] - drawn_b[key] for key in keys]
        return redraws

    pairs = np.concatenate([a, b], axis=1)
    draws: dict[str, Any] = {"n_resamples": int(n_resamples), "seed": int(seed)}
    is_uncertain = any(value is not None for value in (confidence_level, margin, power))
    distributions: dict[str, ScoreDistribution] = {}
    if assume == "nothing" and test == "bootstrap":
        raise OptionError("assume", "'nothing' has a test of its own, which is not 'bootstrap'")
    if test == "randomization" and (is_uncertain or assume == "nothing"):
        sides = (
            (first.distributions(names), a, scores_a),
            (second.distributions(names), b, scores_b),
        )
        distributions = difference_distributions(keys, names, *sides, numbers, **draws)
    resampled = None
    if test == "bootstrap" or (
        (is_uncertain or assume == "nothing") and len(distributions) < len(keys)
    ):
        resampled = np.empty((int(n_resamples), len(keys)))
        start = 0
        for sums in RowUnits.of_rows(pairs, numbers).resampled(**draws):
            resampled[start : start + sums.shape[1]] = differences(sums.T)
            start += sums.shape[1]
    observed = _sided(np.array([scores_a[key] - scores_b[key] for key in keys]), alternative)
    ties = np.array([_TIE * max(abs(scores_a[key]), abs(scores_b[key])) for key in keys])
    counts = np.zeros(len(keys), np.int64)
    if assume == "nothing":
        pass  # p follows from the interval
    elif test == "randomization" or resampled is None:
        for sums in exchanged_sums(pairs, numbers, **draws):
            null = _sided(differences(sums), alternative)
            counts += np.count_nonzero(null >= observed - ties, axis=0)
    else:
        null = _sided(resampled, alternative)
        null = null - np.nanmean(null, axis=0)
        counts += np.count_nonzero(null >= observed - ties, axis=0)
    results = {}
    name = "unseen_row" if assume == "nothing" else test
    for index, key in enumerate(keys):
        score_a, score_b, count = scores_a[key], scores_b[key], int(counts[index])
        p = (count + 1) / (int(n_resamples) + 1)
        units = rows if numbers is None else int(numbers.max()) + 1
        distribution = distributions.get(key)
        if distribution is None and resampled is not None:
            distribution = ResampledDifference(resampled[:, index], score_a - score_b, units)
        if assume == "nothing" and distribution is not None:
            p = p_of_no_difference(distribution, alternative)
        results[key] = _reported(
            (score_a, score_b),
            p,
            name,
            distribution,
            None if numbers is None else units,
            margin=margin,
            confidence_level=confidence_level,
            power=power,
            alpha=alpha,
            units=units,
        )
    return results


def compare_redrawn(
    score: Callable[[Integers], float],
    rows: int,
    *,
    alternative: str = "two-sided",
    clusters: Sequence[Any] | None = None,
    assume: str = "exchangeable",
    margin: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    confidence_level: float | None = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Any]:
    """Compare two systems by a score that is computed anew from the rows of every draw.

    For scores such as medians and maxima, which are neither means of rows nor smooth in them. The
    test is the "randomization" of `compare_sums`; with "nothing" p is that of the interval, which
    is the percentiles' of rows drawn with replacement.

    Args:
        score: from indices of rows to the score: those of A, and from `rows` on those of B.
        rows: the number of rows of each system.
        alternative: as in `compare_sums`, like all other arguments.
        clusters: one label per row.
        assume: the law of the p-value.
        margin: of the p-values of `compare_sums`.
        power: of the detectable difference.
        alpha: the level of the test.
        confidence_level: of the interval.
        n_resamples: the number of draws.
        seed: for the draws.

    >>> errors = np.array([1.0, 1.5, 1.0, 1.2, 1.1, 1.3, 9.0, 9.0, 8.0, 7.5, 8.2, 9.1])
    >>> result = compare_redrawn(lambda rows: float(np.median(errors[rows])), 6, n_resamples=500)
    >>> round(result["diff"], 9), result["p_value"] < 0.1
    (-7.45, True)
    """
    numbers = np.arange(rows)
    if clusters is not None:
        numbers = Clusters.of_labels(clusters, rows).numbers
    units = int(numbers.max()) + 1
    members = [np.flatnonzero(numbers == unit) for unit in range(units)]
    every, words = np.arange(rows), np.random.PCG64(seed)
    scores = finite_scores("scores", [score(every), score(every + rows)]).tolist()
    difference = scores[0] - scores[1]
    null, redrawn = np.empty(n_resamples), np.empty(n_resamples)
    for draw in range(n_resamples):
        report(draw / n_resamples)
        drawn = np.concatenate([members[unit] for unit in random_rows(words, units, units)])
        redrawn[draw] = score(drawn) - score(drawn + rows)
        if assume != "nothing":
            swapped = rows * (random_rows(words, 2, units)[numbers] == 1)
            null[draw] = score(every + swapped) - score(every + rows - swapped)
    for draws in (redrawn, null):
        draws[~(np.abs(draws) <= 2 * LARGEST)] = math.nan  # too large to be added up
    distribution = ResampledDifference(redrawn, difference, units)
    if assume == "nothing":
        p = p_of_no_difference(distribution, cast("Alternative", alternative))
    else:
        sided, observed = (
            _sided(values, cast("Alternative", alternative))
            for values in (null[~np.isnan(null)], np.array([difference]))
        )
        tie = _TIE * max(map(abs, scores))
        p = (int(np.count_nonzero(sided >= observed - tie)) + 1) / (sided.size + 1)
    return _reported(
        scores,
        p,
        "randomization" if assume != "nothing" else "percentiles",
        distribution,
        None if clusters is None else units,
        margin=margin,
        confidence_level=confidence_level,
        power=power,
        alpha=alpha,
        units=units,
    )


def _reported(
    scores: tuple[float, float],
    p: float,
    test: str,
    distribution: ScoreDistribution | None,
    n_clusters: int | None,
    *,
    margin: float | None,
    confidence_level: float | None,
    **options: Any,
) -> dict[str, Any]:
    """Return a comparison as `significance.compare` does."""
    difference = scores[0] - scores[1]
    error, ends, margins = math.nan, None, None
    if distribution is not None:
        error = distribution.standard_error
        if confidence_level is not None:
            ends = distribution.ends(confidence_level)
        if margin is not None:
            margins = Margins.of(distribution, margin)
    tested = PairedTest(p, test, difference, error, n_clusters)
    return comparison(scores, difference, tested, ends, margins, **options)


def _sided(differences: Floats, alternative: Alternative) -> Floats:
    """Differences as numbers; larger ones are stronger evidence for the alternative."""
    if alternative == "two-sided":
        return np.abs(differences)
    return differences if alternative == "greater" else -differences


def exchanged_sums(
    values: NDArray[Any], clusters: Integers | None = None, *, n_resamples: int, seed: int
) -> Iterator[Floats]:
    """Yield the sums of both systems after they exchange some rows, each with probability 1/2.

    Args:
        values: the statistics of system A, then as many of system B, shape (rows, columns).
        clusters: the number of the cluster of each row, if clusters are exchanged.
        n_resamples: the number of exchanges.
        seed: for the random numbers.

    Yields:
        Blocks of resamples, shape (resamples, columns), exact.

    >>> (sums,) = exchanged_sums(np.array([[1.0, 2.0]]), n_resamples=3, seed=0)
    >>> sums.sum(axis=1).tolist()
    [3.0, 3.0, 3.0]
    """
    half = values.shape[1] // 2
    units = cluster_values(values, clusters)
    units, exponents = in_whole_units(units, len(units), pairs=True)
    if units.size:  # this order hides the original positions of rows
        units = units[np.lexsort(units.T)]
    changes = units[:, half:] - units[:, :half]
    totals = units.sum(axis=0)
    words = np.random.PCG64(seed)
    rows = len(units)
    words_of_resample = -(-rows // 64)
    at_once = max(1, _SIGNS // (64 * words_of_resample))
    for start in range(0, n_resamples, at_once):
        report(start / n_resamples)
        resamples = min(at_once, n_resamples - start)
        raw = words.random_raw(resamples * words_of_resample).astype("<u8", copy=False)
        bits = np.unpackbits(raw.view(np.uint8).reshape(resamples, -1), axis=1, count=rows)
        exchanged = bits.astype(np.float64) @ changes
        sums = np.concatenate([totals[:half] + exchanged, totals[half:] - exchanged], axis=1)
        yield np.ldexp(sums, exponents)
