"""How reliably a model passes, from the samples that pass: pass@k, pass^k, G-Pass@k and others.

pass@k asks whether at least one of k samples passes, pass^k whether all do, G-Pass@k whether a
given proportion of them does. All are probabilities over subsets of k samples, drawn without
replacement from the samples of a problem; they depend only on how many samples there are and how
many pass. No code is run here: the input is whether each
sample passed its tests, or counts of that.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import comb
from typing import Annotated, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError, check_measures, check_sizes
from ...statistics.arguments.domains import Parsed, Proportion, checked_options

_MAX_SAMPLES = 2**31 - 1  # per problem; a key of two such numbers fits into 64 bits
_CERTAIN = 40  # e**-40 is far below half a unit in the last place of 1


class SampleCounts(NamedTuple):
    """The number of samples of each problem, `n`, and the number of them that pass, `c`."""

    n: Integers
    c: Integers


def sample_counts(predictions: Column) -> SampleCounts:
    """Return the counts of samples of each problem, from counts or from outcomes.

    Args:
        predictions: for each problem, `{"n": samples, "c": passing samples}`, or the outcomes of
            its samples: 1 or True for a pass, 0 or False for a failure.

    Raises:
        ValueError: a problem has no samples, an outcome is neither 0 nor 1, a count is negative, or
            more samples pass than there are. The message names the row.

    >>> sample_counts([[True, False, True], [False]])
    SampleCounts(n=array([3, 1]), c=array([2, 0]))
    >>> sample_counts([{"n": 10, "c": 2}])
    SampleCounts(n=array([10]), c=array([2]))
    >>> sample_counts([[1, 0], [1, 2]])
    Traceback (most recent call last):
    ValueError: predictions[1][1] is 2; an outcome is 0 or 1
    """
    if len(predictions) and isinstance(predictions[0], Mapping):
        n = np.array([row["n"] for row in predictions], dtype=np.int64)
        c = np.array([row["c"] for row in predictions], dtype=np.int64)
        _check_counts(n, c)
    else:
        rows = predictions.tolist() if isinstance(predictions, np.ndarray) else predictions
        n = np.array([*map(len, rows)], dtype=np.int64)
        failed, c = (np.array([row.count(x) for row in rows], dtype=np.int64) for x in (0, 1))
        for row in np.flatnonzero(failed + c < n)[:1].tolist():
            sample, outcome = next((i, x) for i, x in enumerate(rows[row]) if x not in (0, 1))
            raise RowError("predictions", row, f"[{sample}] is {outcome}; an outcome is 0 or 1")
    if not n.all():
        raise RowError("predictions", int(n.argmin()), "has no samples")
    return SampleCounts(n, c)


Sizes = Annotated[
    int | Sequence[int],
    Parsed(partial(check_sizes, "k"), "an integer, at least 1, or a list of them"),
]


def pass_at_k(samples: SampleCounts, k: Sequence[int]) -> list[Floats]:
    """For each k, the probability for each problem that at least one of k of its samples passes.

    The k samples are drawn from all n without replacement: `1 - C(n-c, k) / C(n, k)` is the
    unbiased estimate of pass@k by Chen et al.

    Args:
        samples: the counts of each problem, from `sample_counts`.
        k: the sizes, from `check_sizes`.

    Returns:
        Arrays of shape (problems,), in the order of `k`. Relative errors are below 2e-15.

    Raises:
        ValueError: a problem has fewer than k samples. The message names the row.

    Source:
        Chen et al., Evaluating Large Language Models Trained on Code (2021), section 2.1.

    >>> samples = SampleCounts(n=np.array([10, 10]), c=np.array([2, 0]))
    >>> [values.tolist() for values in pass_at_k(samples, [1, 5])]
    [[0.2, 0.0], [0.7777777777777778, 0.0]]
    >>> pass_at_k(samples, [11])
    Traceback (most recent call last):
    ValueError: predictions[0] has 10 samples, pass@11 needs at least 11
    """
    check_sample_counts(samples, {f"pass@{size}": size for size in k})

    def chance(n: int, c: int, size: int) -> list[float]:
        # That one of k draws hits one of c passes is also that one of c draws hits one of k. After
        # j misses the next draw hits with this probability, and beyond 40 n / marked draws a miss
        # of all is below e**-40.
        if n - c < size:
            return [1.0]
        draws, marked = sorted((c, size))
        hit = marked / (n - np.arange(min(draws, _CERTAIN * n // marked + 1)))
        # Of adjacent draws with a and b the first hits, or then the second one: a + (1 - a) b.
        # Nothing cancels, and errors grow with the logarithm of the number of draws.
        while hit.size > 1:
            left, right = hit[::2], hit[1::2]
            left[: right.size] += right * (1 - left[: right.size])
            hit = left
        return hit.tolist() or [0.0]

    return [_for_counts(partial(chance, size=size), samples)[0] for size in k]


def check_sample_counts(samples: SampleCounts, sizes: Mapping[str, int]) -> None:
    """Check that every problem has as many samples as each score needs; `sizes` is by score.

    >>> check_sample_counts(SampleCounts(n=np.array([4, 2]), c=np.array([1, 1])), {"pass^3": 3})
    Traceback (most recent call last):
    ValueError: predictions[1] has 2 samples, pass^3 needs at least 3
    """
    n = samples.n
    fewest = n.min()
    for name, size in sizes.items():
        if fewest < size:
            row = int((n < size).argmax())
            raise RowError(
                "predictions", row, f"has {n[row]} samples, {name} needs at least {size}"
            )


def _check_counts(n: Integers, c: Integers) -> None:
    """Check that the counts are possible."""
    for wrong, problem in (
        (n < 0, "n = {n}; a count is not negative"),
        (c < 0, "c = {c}; a count is not negative"),
        (n > _MAX_SAMPLES, f"n = {{n}}; at most {_MAX_SAMPLES} samples are possible"),
        (c > n, "c = {c} samples that pass, but only n = {n} samples"),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            raise RowError("predictions", row, f"has {problem.format(n=n[row], c=c[row])}")


MEASURES = ("pass@k", "pass^k", "g-pass@k", "mg-pass@k", "avg@n")
Measures = Annotated[
    str | Sequence[str],
    Parsed(partial(check_measures, supported=MEASURES), "a measure, or a list of them"),
]
Thresholds = Sequence[Proportion]

_LARGEST_K = 1000  # if subsets are counted: their number has up to 30 bits per sample


@checked_options
def pass_scores(
    samples: SampleCounts,
    *,
    k: Sizes = (1,),
    measures: Measures = ("pass@k",),
    thresholds: Thresholds = (0.25, 0.5, 0.75, 1.0),
) -> dict[str, Floats]:
    """Return the scores of each problem by name, such as "pass^4"; shape (problems,).

    * "pass@k" is the probability that at least one of k samples passes.
    * "pass^k" is the probability that all k pass, C(c, k) / C(n, k).
    * "g-pass@k" is the probability that at least k times the threshold of k samples pass, for each
      threshold: G-Pass@16 at 0.5 is "g-pass@16_0.5". At 1.0 it is pass^k, and at 0.0 it is pass@k.
    * "mg-pass@k" is 2 / k times the sum of the probabilities that at least m of k samples pass,
      over m from ceil(k / 2) + 1 to k: the mean of G-Pass@k over thresholds from 0.5 to 1.0, as its
      authors approximate it.
    * "avg@n" is the proportion of all samples that pass. This is its name for any n.

    Subsets are counted in integers of any size, followed by one division, so that all measures are
    rounded once, except pass@k, which is described under `pass_at_k`.

    Args:
        samples: the counts of each problem, from `sample_counts`.
        k: the number of samples drawn; one size or several.
        measures: one or several.
        thresholds: proportions of k. Each is taken as the decimal number that Python prints for it:
            7 of 100 samples are enough for 0.07, though the float is slightly more than 7 / 100.

    Raises:
        ValueError: a problem has fewer than k samples, or k is too large to count subsets.

    Sources:
        Yao et al., tau-bench (2024), for pass^k; Liu et al., Are Your LLMs Capable of Stable
        Reasoning? (2024), for G-Pass@k.

    >>> samples = SampleCounts(n=np.array([4, 4]), c=np.array([2, 4]))
    >>> scores = pass_scores(samples, k=2, measures=["pass@k", "pass^k", "avg@n"])
    >>> {name: values.round(3).tolist() for name, values in scores.items()}
    {'pass@2': [0.833, 1.0], 'pass^2': [0.167, 1.0], 'avg@n': [0.5, 1.0]}
    >>> pass_scores(samples, k=4, measures="g-pass@k", thresholds=[0.5])["g-pass@4_0.5"].tolist()
    [1.0, 1.0]
    """
    sizes = check_sizes("k", k)
    scores: dict[str, Floats] = {}
    for measure in check_measures(measures, MEASURES):
        if measure == "avg@n":
            scores[measure] = samples.c / samples.n
            continue
        names = [f"{measure.removesuffix('k')}{size}" for size in sizes]
        check_sample_counts(samples, dict(zip(names, sizes, strict=True)))
        if measure == "pass@k":
            scores |= zip(names, pass_at_k(samples, sizes), strict=True)
            continue
        for name, size in zip(names, sizes, strict=True):
            if size > _LARGEST_K:
                raise OptionError("k", f"holds {size}; {measure} takes {_LARGEST_K} at the most")
            if measure == "pass^k":
                scores[name] = _chances(samples, size, [size])[0]
            elif measure == "g-pass@k":
                required = [required_passes(size, threshold) for threshold in thresholds]
                labels = [f"{name}_{float(threshold)!r}" for threshold in thresholds]
                scores |= zip(labels, _chances(samples, size, required), strict=True)
            else:
                scores[name] = _mean_chance(samples, size)
    return scores


def required_passes(k: int, threshold: float) -> int:
    """Return the smallest number out of k samples that is at least this proportion, and at least 1.

    The threshold is read as a decimal. The product of floats, 7.000000000000001, would require 8:

    >>> required_passes(100, 0.07), required_passes(4, 0.0)
    (7, 1)
    """
    proportion = Fraction(repr(float(threshold)))
    return max(-(-proportion.numerator * k // proportion.denominator), 1)


def _chances(samples: SampleCounts, k: int, required: Sequence[int]) -> Floats:
    """Return the probability that k samples hold each number of passes.

    Shape (required, problems).
    """
    levels = sorted(set(required), reverse=True)
    rows = [levels.index(level) for level in required]

    def chances(n: int, c: int) -> list[float]:
        subsets = comb(n, k)
        return [count / subsets for count in _subsets(n, c, k, levels)]

    values: Floats = _for_counts(chances, samples)[rows]
    return values


def _mean_chance(samples: SampleCounts, k: int) -> Floats:
    """Return mG-Pass@k of each problem."""
    levels = range(k, (k + 1) // 2, -1)

    def chance(n: int, c: int) -> list[float]:
        return [2 * sum(_subsets(n, c, k, levels)) / (k * comb(n, k))]

    values: Floats = _for_counts(chance, samples)[0]
    return values


def _for_counts(function: Callable[[int, int], list[float]], samples: SampleCounts) -> Floats:
    """Return the values of a function of n and c for each problem, shape (values, problems).

    Many problems have the same counts, so the function is called once for each distinct pair.
    """
    base = int(samples.c.max()) + 1
    keys, inverse = np.unique(samples.n * base + samples.c, return_inverse=True)
    values = [function(*divmod(key, base)) for key in keys.tolist()]
    return np.array(values).T[:, inverse]


def _subsets(n: int, c: int, k: int, levels: Sequence[int]) -> list[int]:
    """How many subsets of k of n samples hold at least m of the c that pass, for each level m.

    The levels descend. C(c, m) * C(n - c, k - m) subsets hold exactly m; each of these numbers is
    the previous one times a fraction.

    >>> _subsets(4, 2, 2, [2, 1])
    [1, 5]
    """
    m = min(c, k)
    exact = comb(c, m) * comb(n - c, k - m)
    total, totals = 0, []
    for level in levels:
        while m >= level:
            total += exact
            exact = exact * (m * (n - c - k + m)) // ((c - m + 1) * (k - m + 1))
            m -= 1
        totals.append(total)
    return totals
