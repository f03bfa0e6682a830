"""Tests of two systems whose scores follow from sums over rows, such as BLEU.

Rows have no differences here. A test exchanges or resamples the statistics of rows, adds them up,
and compares the scores of the sums.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError
from ..arguments.domains import Labels, Level, Positive, Resamples, Seed, checked_options
from ..intervals.cluster_sums import Clusters
from ..intervals.methods import Assumption
from ..intervals.spreads import LARGEST, finite_scores
from ..intervals.sum_distributions import SumFunction, SumRatio, SumScore, ratio_error
from ..intervals.sums import RowStatistics
from ..intervals.weighted_units import DrawnScore, ScoreDistribution, smooth_distributions
from ..resampling.progress import report
from ..resampling.ratio_distribution import ratio_distribution
from ..resampling.row_units import RowUnits, cluster_values, in_whole_units, random_rows
from .differences import RatioDifference, ResampledDifference, comparison, p_of_no_difference
from .paired_tests import Alternative, PairedTest

PairedSumsTest = Literal["randomization", "bootstrap"]

_SIGNS = 1 << 22  # of a block of resamples
_TIE = 1e-12  # differences that are closer than this part of the scores are equal

# How scores follow from sums, the sums of units, and the scores of a system.
Side = tuple[Mapping[str, SumScore], Floats, Mapping[str, float]]


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
    needs_laws = is_uncertain or assume == "nothing"
    laws: dict[str, ScoreDistribution] = {}
    if assume == "nothing" and test == "bootstrap":
        raise OptionError("assume", "'nothing' has a test of its own, which is not 'bootstrap'")
    if test == "randomization" and needs_laws:
        sides = [
            (system.distributions(names), cluster_values(rows_of, numbers), scores)
            for system, rows_of, scores in ((first, a, scores_a), (second, b, scores_b))
        ]
        laws = difference_distributions(keys, names, sides[0], sides[1], **draws)
    observed = np.array([scores_a[key] - scores_b[key] for key in keys])
    units = rows if numbers is None else int(numbers.max()) + 1
    resampled = np.empty((0, len(keys)))
    if test == "bootstrap" or (needs_laws and len(laws) < len(keys)):
        blocks = RowUnits.of_rows(pairs, numbers).resampled(**draws)
        resampled = np.concatenate([differences(sums.T) for sums in blocks])
        laws |= {
            key: ResampledDifference(column, difference, units)
            for key, column, difference in zip(keys, resampled.T, observed.tolist(), strict=True)
            if key not in laws
        }
    ties = np.array([_TIE * max(abs(scores_a[key]), abs(scores_b[key])) for key in keys])
    least = _sided(observed, alternative) - ties
    counts = np.zeros(len(keys), np.int64)
    if test == "bootstrap":
        null = _sided(resampled, alternative)
        counts += np.count_nonzero(null - np.nanmean(null, axis=0) >= least, axis=0)
    elif assume == "exchangeable":
        for sums in exchanged_sums(pairs, numbers, **draws):
            counts += np.count_nonzero(_sided(differences(sums), alternative) >= least, axis=0)
    results = {}
    for key, count in zip(keys, counts.tolist(), strict=True):
        p, name = (count + 1) / (int(n_resamples) + 1), str(test)
        if assume == "nothing":
            p, name = p_of_no_difference(laws[key], alternative), "unseen_row"
        results[key] = _reported(
            (scores_a[key], scores_b[key]),
            p,
            name,
            laws.get(key),
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
    alternative: Alternative = "two-sided",
    clusters: Sequence[Any] | None = None,
    assume: Assumption = "exchangeable",
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
    law, name = ResampledDifference(redrawn, difference, units), "percentiles"
    if assume == "nothing":
        p = p_of_no_difference(law, alternative)
    else:
        name, null = "randomization", _sided(null[~np.isnan(null)], alternative)
        least = _sided(np.array([difference]), alternative) - _TIE * max(map(abs, scores))
        p = (int(np.count_nonzero(null >= least)) + 1) / (null.size + 1)
    return _reported(
        scores,
        p,
        name,
        law,
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
    law: ScoreDistribution | None,
    n_clusters: int | None,
    *,
    confidence_level: float | None,
    **options: Any,
) -> dict[str, Any]:
    """Return a comparison as `significance.compare` does."""
    difference = scores[0] - scores[1]
    error, ends = math.nan, None
    if law is not None:
        error = law.standard_error
        ends = None if confidence_level is None else law.ends(confidence_level)
    tested = PairedTest(p, test, difference, error, n_clusters)
    return comparison(scores, difference, tested, ends, law, **options)


def _sided(differences: Floats, alternative: Alternative) -> Floats:
    """Return differences as numbers; larger ones are stronger evidence for the alternative."""
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


# ---- distributions of differences ---------------------------------------------------------------


def difference_distributions(
    keys: Sequence[str], names: Sequence[str], first: Side, second: Side, **draws: int
) -> dict[str, ScoreDistribution]:
    """Return the distribution of the difference of each of these scores that has one in both.

    Ratios with the same sizes of rows, such as word error rates, have differences that are ratios
    again, whose distribution is exact. All others are drawn, with the same weights for both
    systems. The unseen row is lost by one system and won by the other.

    Args:
        keys: names of scores.
        names: the names of the statistics, which are the columns of both systems.
        first: the distributions, the sums of units, and the scores of system A.
        second: the same of system B.
        **draws: `n_resamples` and `seed`.
    """
    columns_a, columns_b = (dict(zip(names, side[1].T, strict=True)) for side in (first, second))
    laws: dict[str, ScoreDistribution] = {}
    drawn_scores: dict[str, DrawnScore] = {}
    functions: dict[str, Callable[[Floats], Floats]] = {}  # from sums of both systems
    extra: list[Floats] = []  # numerators and sizes of ratios, after all statistics
    for key in keys:
        of_a, of_b = first[0].get(key), second[0].get(key)
        difference = first[2][key] - second[2][key]
        if isinstance(of_a, SumRatio) and isinstance(of_b, SumRatio):
            units_a, units_b = of_a.units(columns_a), of_b.units(columns_b)
            (a, sizes_a), (b, sizes_b) = units_a, units_b
            distributions = [ratio_distribution(*units) for units in (units_a, units_b)]
            reach = max(of_a.bounds(distribution)[1] for distribution in distributions)
            if (sizes_a == sizes_b).all():
                error = ratio_error(a - b, sizes_a) * of_a.scale
                units = ratio_distribution(a - b, sizes_a)
                laws[key] = RatioDifference(units, (-reach, reach), error, of_a.scale)
                continue
            position = 2 * len(names) + len(extra)
            extra += [a, sizes_a, b, sizes_b]
            size_a, size_b = (distribution.unseen_size for distribution in distributions)
            lowering, raising = np.zeros((2, position + 4))
            lowering[position:] = [0.0, size_a, reach * size_b, size_b]
            raising[position:] = [reach * size_a, size_a, 0.0, size_b]
            functions[key] = partial(_ratio_difference, of_a.scale, position)
            high = reach * of_a.scale
        elif isinstance(of_a, SumFunction) and isinstance(of_b, SumFunction):
            lowering_a, raising_a = of_a.unseen(names, first[1])
            lowering_b, raising_b = of_b.unseen(names, second[1])
            lowering = np.concatenate([lowering_a, raising_b])
            raising = np.concatenate([raising_a, lowering_b])
            functions[key] = partial(_function_difference, of_a, of_b, names)
            high = of_a.bounds[1] - of_a.bounds[0]
        else:
            continue
        drawn_scores[key] = DrawnScore(difference, lowering, raising, (-high, high))
    if not drawn_scores:
        return laws
    table = np.column_stack([first[1], second[1], *extra])
    for key, score in drawn_scores.items():  # unseen units add nothing to further columns
        further = 0, table.shape[1] - score.lowering.size
        lowering, raising = np.pad(score.lowering, further), np.pad(score.raising, further)
        drawn_scores[key] = DrawnScore(score.value, lowering, raising, score.bounds)
    return laws | smooth_distributions(
        table,
        drawn_scores,
        lambda sums, keys: {key: functions[key](sums) for key in keys},
        **draws,
    )


def _ratio_difference(scale: float, position: int, sums: Floats) -> Floats:
    """Return the difference of two ratios, from their four sums at a position."""
    top_a, bottom_a, top_b, bottom_b = sums[position : position + 4]
    return np.asarray(scale * (top_a / bottom_a - top_b / bottom_b))


def _function_difference(
    first: SumFunction, second: SumFunction, names: Sequence[str], sums: Floats
) -> Floats:
    """Return the difference of two functions, from the sums of both systems."""
    half = len(names)
    sums_a = dict(zip(names, sums[:half], strict=True))
    sums_b = dict(zip(names, sums[half : 2 * half], strict=True))
    return first.score(sums_a) - second.score(sums_b)
