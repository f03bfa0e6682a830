"""Whether one system scores higher than another on the same rows by more than chance.

If two systems are equally good, either might have got either score of a row, so each difference
between them might as well have the other sign. The permutation test asks how often random signs
favor a system as much as the signs that were observed. It assumes nothing about how scores are
distributed.

Its results do not depend on the order of rows, on the machine or on threads: differences become
integers, whose sums are exact, and are sorted; random numbers are raw words of PCG64, whose stream
numpy guarantees.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..numbers.arrays import Floats, Integers
from ..numbers.checks import check_choice
from .bootstrap import check_draws, check_probability, mean_interval
from .corrections import benjamini_hochberg, checked_p_values, holm
from .paired_tests import t_test, wilcoxon_test
from .sign_flips import SignFlips, exact_p, in_units, subset_sums
from .spreads import finite_scores
from .summary import mean

Test = Literal["permutation", "t", "wilcoxon"]
Alternative = Literal["two-sided", "greater", "less"]

_TABLE_ROWS = 10  # rows whose signs are looked up at once, in a table of 1,024 sums
_TABLES = 6  # for each random word: 60 of its 64 bits are signs
_LOWEST, _SHIFT = np.uint64(2**_TABLE_ROWS - 1), np.uint64(_TABLE_ROWS)
_WORDS_AT_ONCE = 8  # whose tables of one measure are made in one go: 400 KB
_CHUNK = 1 << 14  # resamples between two changes of the table: few enough for the cache


def compare(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    *,
    test: str = "permutation",
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
    confidence_level: float | None = 0.95,
) -> dict[str, Any]:
    """Both means, their difference, and how sure that difference is.

    Args:
        predictions1: the scores of system A, shape (rows,).
        predictions2: the scores of system B on the same rows, in the same order.
        test: "permutation", "t" or "wilcoxon", as in `p_values`.
        alternative: "two-sided", "greater" (A scores higher) or "less".
        n_resamples: how many resamples the test and the interval draw, where they draw.
        seed: of these draws; the same seed gives the same result.
        alpha: a p-value less than this is significant.
        confidence_level: of the interval of the difference; None for no interval.

    Returns:
        `A_mean`, `B_mean`, `diff` (the mean difference A - B), `p_value`, `significant`, and
        `confidence_interval`: the two ends of the percentile bootstrap interval of `diff`.

    Raises:
        ValueError: no rows, or not equally many; a score that is not a finite number; an option
            out of its range.

    >>> result = compare([0.9, 0.8, 0.7, 0.6, 0.5, 1.0], [0.5, 0.5, 0.5, 0.5, 0.0, 0.5])
    >>> print(f"{result['diff']:.3f}, p = {result['p_value']}")
    0.333, p = 0.03125
    >>> compare([1.0, 0.5], [0.5, float("inf")])
    Traceback (most recent call last):
    ValueError: predictions2[1] is inf; a score is finite, and at most 1e+280 in size
    """
    (result,) = _results(
        [_pair(("predictions1", predictions1), ("predictions2", predictions2))],
        test=test,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
        alpha=alpha,
        confidence_level=confidence_level,
    )
    return result


def compare_measures(
    predictions1: Mapping[str, ArrayLike],
    predictions2: Mapping[str, ArrayLike],
    *,
    correction: str = "holm",
    test: str = "permutation",
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
    confidence_level: float | None = 0.95,
) -> dict[str, dict[str, Any]]:
    """As `compare`, for several measures of the same two systems.

    The more measures are looked at, the more likely one of them differs by chance. `p_adjusted`
    makes up for that, and here it is what `significant` goes by. Every other number of a measure
    is what `compare` gives for it alone.

    Args:
        predictions1: for each measure the scores of system A.
        predictions2: for the same measures the scores of system B.
        correction: "holm", "benjamini_hochberg", or "none" to leave p-values as they are.
        test: as in `compare`, and so are the other options.
        alternative: as in `compare`.
        n_resamples: as in `compare`.
        seed: as in `compare`.
        alpha: as in `compare`, for the adjusted p-value.
        confidence_level: as in `compare`; intervals are of one measure each, and not adjusted.

    Raises:
        ValueError: the measures of the systems differ, and whatever `compare` refuses.

    >>> a = {"ndcg": [0.9, 0.8, 0.7, 0.6, 0.5, 0.6], "map": [0.1, 0.2, 0.3, 0.4, 0.1, 0.2]}
    >>> b = {"ndcg": [0.1, 0.1, 0.2, 0.1, 0.2, 0.1], "map": [0.2, 0.1, 0.3, 0.1, 0.2, 0.1]}
    >>> for measure, result in compare_measures(a, b).items():
    ...     print(measure, result["p_value"], result["p_adjusted"])
    ndcg 0.03125 0.0625
    map 0.6875 0.6875
    """
    check_choice("correction", correction, [*_CORRECTIONS])
    if predictions1.keys() != predictions2.keys():
        raise ValueError(
            f"predictions1 has the measures {', '.join(predictions1) or 'none'}, "
            f"but predictions2 has {', '.join(predictions2) or 'none'}"
        )
    results = _results(
        [
            _pair(
                (f"predictions1[{measure!r}]", predictions1[measure]),
                (f"predictions2[{measure!r}]", predictions2[measure]),
            )
            for measure in predictions1
        ],
        test=test,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
        alpha=alpha,
        confidence_level=confidence_level,
    )
    adjusted = _CORRECTIONS[correction]([result["p_value"] for result in results])
    return {
        measure: result | {"p_adjusted": p, "significant": bool(p < alpha)}
        for measure, result, p in zip(predictions1, results, adjusted.tolist(), strict=True)
    }


def p_values(
    differences: ArrayLike,
    *,
    test: str = "permutation",
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Floats:
    """How likely differences at least as great would be, if the systems were equally good.

    The tests:

    * "permutation" flips signs and looks at the mean. Up to 30 differences that are not zero, all
      combinations of signs are counted. If all differences have the same size, as in exact match,
      the number of flipped signs is binomial. In both cases the p-value is exact, and
      `n_resamples` and `seed` have no effect. Otherwise `n_resamples` combinations are drawn, and
      p is (count + 1) / (n_resamples + 1), since the observed one is a combination too. A p-value
      is never 0, and it is 1 if all differences are zero.
    * "t" is Student's paired test of the mean, as `scipy.stats.ttest_rel`. If all
      differences are zero p is 1; else less than two rows give NaN, and equal differences a t that
      is infinite.
    * "wilcoxon" is the signed-rank test, as `scipy.stats.wilcoxon`: differences of zero are left
      out, and if there are no others p is 1.

    Two resamples with mathematically equal means count as equal although rounding tells the scores
    apart: the tolerance is 1e-12 of the sum of all |differences|.

    Measures share random words, so that 16 cost about as much as 5, and yet the p-value of each is
    the one it has alone. Swapping the systems exchanges "greater" and "less", and changes no p.

    Args:
        differences: A - B, shape (rows, measures), or (rows,) for one measure.
        test: "permutation", "t" or "wilcoxon".
        alternative: "two-sided", "greater" (A scores higher) or "less".
        n_resamples: how many combinations of signs are drawn, where they are.
        seed: of the random numbers, at least 0.

    Returns:
        The p-value of each measure, shape (measures,).

    Raises:
        ValueError: a difference that is not a finite number; an option out of its range.

    Source:
        Fisher, The Design of Experiments (1935), section 21. Phipson and Smyth, Permutation
        p-values should never be zero (2010). Smucker, Allan and Carterette, A comparison of
        statistical significance tests for information retrieval evaluation (2007).

    >>> p_values([0.8, 0.6, 0.4, 0.25, 0.1])  # 2 of 32 combinations
    array([0.0625])
    >>> p_values([[0.1, 1.0], [0.2, 0.0], [-0.3, 1.0]])  # 0.1 + 0.2 is 0.3
    array([1. , 0.5])
    >>> p_values([0.5], test="t"), p_values([0.0, 0.0], test="t")
    (array([nan]), array([1.]))
    """
    values = finite_scores("differences", differences, dimensions=(1, 2))
    columns = [*values.T] if values.ndim == 2 else [values]
    return np.array(_p_values(columns, test, alternative, n_resamples, seed), dtype=np.float64)


def _unadjusted(p_values: ArrayLike) -> Floats:
    """P-values as they are."""
    return checked_p_values(p_values)


_CORRECTIONS = {"holm": holm, "benjamini_hochberg": benjamini_hochberg, "none": _unadjusted}


# ---- from scores to results -------------------------------------------------------------------


def _results(
    pairs: Sequence[tuple[Floats, Floats]],
    *,
    test: str,
    alternative: str,
    n_resamples: int,
    seed: int,
    alpha: float,
    confidence_level: float | None,
) -> list[dict[str, Any]]:
    """The result of each pair of systems, all tested at once."""
    check_probability("alpha", alpha)
    if confidence_level is not None:
        check_probability("confidence_level", confidence_level)
    differences = [a - b for a, b in pairs]
    p_of_pairs = _p_values(differences, test, alternative, n_resamples, seed)
    results = []
    for (a, b), difference, p_value in zip(pairs, differences, p_of_pairs, strict=True):
        result: dict[str, Any] = {
            "A_mean": mean(a),
            "B_mean": mean(b),
            "diff": mean(difference),
            "p_value": p_value,
            "significant": bool(p_value < alpha),
        }
        if confidence_level is not None:
            result["confidence_interval"] = list(
                mean_interval(
                    difference,
                    confidence_level=confidence_level,
                    n_resamples=n_resamples,
                    seed=seed,
                )
            )
        results.append(result)
    return results


def _p_values(
    differences: Sequence[Floats], test: str, alternative: str, n_resamples: int, seed: int
) -> list[float]:
    """The p-value of each array of differences."""
    check_choice("test", test, get_args(Test))
    check_choice("alternative", alternative, get_args(Alternative))
    check_draws(n_resamples=n_resamples, seed=seed)
    if test == "t":
        return [t_test(values, alternative).p_value for values in differences]
    if test == "wilcoxon":
        return [wilcoxon_test(values, alternative).p_value for values in differences]
    return _permutation_tests(
        [in_units(values, alternative) for values in differences], int(n_resamples), int(seed)
    )


def _pair(first: tuple[str, ArrayLike], second: tuple[str, ArrayLike]) -> tuple[Floats, Floats]:
    """The scores of two systems, by their names, if they can be compared row by row."""
    a, b = (finite_scores(name, scores, dimensions=(1,)) for name, scores in (first, second))
    if a.size != b.size:
        raise ValueError(
            f"{first[0]} has {a.size} rows, but {second[0]} has {b.size}; rows are pairs"
        )
    if not a.size:
        raise ValueError(f"{first[0]} is empty; the mean of nothing is undefined")
    return a, b


# ---- the permutation test ---------------------------------------------------------------------


def _permutation_tests(measures: Sequence[SignFlips], n_resamples: int, seed: int) -> list[float]:
    """The p-value of each measure: exact where that is quick, else from draws."""
    p_of_pairs = [exact_p(flips) for flips in measures]
    unknown = [number for number, p_value in enumerate(p_of_pairs) if math.isnan(p_value)]
    if unknown:
        subset_draws = _drawn_p([measures[number] for number in unknown], n_resamples, seed)
        for number, p_value in zip(unknown, subset_draws, strict=True):
            p_of_pairs[number] = p_value
    return p_of_pairs


def _drawn_p(measures: Sequence[SignFlips], n_resamples: int, seed: int) -> list[float]:
    """The share of sums that are extreme, among those drawn and the observed one."""
    sums = _drawn_subset_sums([flips.magnitudes for flips in measures], n_resamples, seed)
    extreme = np.count_nonzero(sums <= [flips.at_most for flips in measures], axis=0)
    extreme += np.count_nonzero(sums >= [flips.at_least for flips in measures], axis=0)
    # Where the limits overlap, sums between them have been counted twice.
    return [(min(count, n_resamples) + 1) / (n_resamples + 1) for count in extreme.tolist()]


def _drawn_subset_sums(measures: Sequence[Integers], n_resamples: int, seed: int) -> Integers:
    """Sums of random subsets, shape (n_resamples, measures).

    Magnitudes are taken 60 at a time. For each 60 every resample gets a random word, and from its
    lowest bit on the bits say which of them are in the subset. So the bits of a magnitude depend on
    its rank alone, neither on how many others there are nor on other measures: the subsets of a
    measure are the same in any company.

    Six looked-up sums of ten magnitudes replace 60 additions. Memory beyond the result does not
    grow with the rows.
    """
    words = np.random.PCG64(seed)
    sums = np.zeros((n_resamples, len(measures)), np.int64)
    subset = np.empty(min(n_resamples, _CHUNK), np.uint64)
    looked_up = np.empty((subset.size, len(measures)), np.int64)
    for tables in _tables(measures):
        for first in range(0, n_resamples, _CHUNK):
            totals = sums[first : first + _CHUNK]
            word = words.random_raw(len(totals))
            number, p_of_pairs = subset[: len(totals)], looked_up[: len(totals)]
            for table in tables:
                np.bitwise_and(word, _LOWEST, out=number)
                # mode="clip" is faster than "raise", and nothing is ever outside
                table.take(number.view(np.int64), axis=0, out=p_of_pairs, mode="clip")
                totals += p_of_pairs
                word >>= _SHIFT
    return sums


def _tables(measures: Sequence[Integers]) -> Iterator[Integers]:
    """For each random word the tables that its bits are looked up in.

    Of shape (6, 1024, measures). Tables of several words are made in one go, as far as they are
    small: those of one word take less time than the calls do.
    """
    rows = _TABLES * _TABLE_ROWS
    words_needed = -(-max(magnitudes.size for magnitudes in measures) // rows)
    at_once = max(1, _WORDS_AT_ONCE // len(measures))
    for start in range(0, words_needed, at_once):
        words = min(at_once, words_needed - start)
        block = np.zeros((words * rows, len(measures)), np.int64)
        for measure, magnitudes in enumerate(measures):
            used_words = magnitudes[start * rows : (start + words) * rows]
            block[: used_words.size, measure] = used_words
        sums = subset_sums(block.reshape(words * _TABLES, _TABLE_ROWS, len(measures)))
        yield from sums.reshape(words, _TABLES, 2**_TABLE_ROWS, len(measures))
