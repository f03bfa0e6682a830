"""pass@k: functional correctness of generated programs, from the numbers of passing samples.

No code is run here. The input is whether each sample passed its tests, or counts of that.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import RowError, check_sizes
from ...statistics.arguments.domains import Parsed

_MAX_SAMPLES = 2**31 - 1  # per problem; a key of two such numbers fits into 64 bits
_TABLE = 1 << 22  # smaller keys are looked up in a table (20 MB), larger ones are sorted
_CELLS = 1 << 15  # draws computed together, few enough for the processor's cache
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
    elif isinstance(predictions, np.ndarray):
        failed = np.count_nonzero(predictions == 0, axis=1)
        n, c = _checked_counts(predictions, failed, np.count_nonzero(predictions == 1, axis=1))
    else:
        n, c = _checked_counts(
            predictions,
            [row.count(0) for row in predictions],
            [row.count(1) for row in predictions],
        )
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
    unbiased estimate of pass@k by Chen et al. Many problems have the same counts, so each distinct
    pair of counts is computed once.

    Args:
        samples: the counts of each problem, from `sample_counts`.
        k: the sizes, from `check_sizes`.

    Returns:
        Arrays of shape (problems,), in the order of `k`. Relative errors are below 2e-15. Only
        basic arithmetic is used, so the results are the same on every machine.

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
    pairs, inverse = distinct_counts(samples)
    return [_pass_probability(pairs.n, pairs.c, size).take(inverse) for size in k]


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


def distinct_counts(samples: SampleCounts) -> tuple[SampleCounts, Integers]:
    """Return the distinct pairs of counts, and for each problem the index of its pair.

    >>> pairs, index = distinct_counts(SampleCounts(n=np.array([9, 5, 9]), c=np.array([1, 1, 1])))
    >>> pairs, index.tolist()
    (SampleCounts(n=array([5, 9]), c=array([1, 1])), [1, 0, 1])
    """
    base = int(samples.c.max()) + 1
    keys, inverse = _unique(samples.n * base + samples.c)
    return SampleCounts(*np.divmod(keys, base)), inverse


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


def _checked_counts(rows: Column, failed: Any, passing: Any) -> SampleCounts:
    """Return the counts of rows of outcomes, given the numbers of zeros and ones."""
    n, c = np.array(list(map(len, rows)), dtype=np.int64), np.array(passing, dtype=np.int64)
    wrong = np.array(failed, dtype=np.int64) + c < n
    if wrong.any():
        row = int(wrong.argmax())
        sample, outcome = next((i, x) for i, x in enumerate(rows[row]) if x not in (0, 1))
        raise RowError("predictions", row, f"[{sample}] is {outcome}; an outcome is 0 or 1")
    return SampleCounts(n, c)


def _unique(keys: Integers) -> tuple[Integers, Integers]:
    """Return the distinct keys, ascending, and the index of each row's key among them.

    As `numpy.unique`, for non-negative keys. Small keys are looked up in a table, which takes a
    fraction of the time of sorting them.
    """
    size = int(keys.max()) + 1
    if size > _TABLE:
        return np.unique(keys, return_inverse=True)
    occurs = np.zeros(size, dtype=bool)
    occurs[keys] = True
    unique = np.flatnonzero(occurs)
    index = np.empty(size, dtype=np.int32)
    index[unique] = np.arange(unique.size)
    return unique, index.take(keys).astype(np.int64)


def _pass_probability(n: Integers, c: Integers, k: int) -> Floats:
    """1 - C(n-c, k) / C(n, k) for each pair of counts, where every `n` is at least k.

    The formula is symmetric in c and k: it is also the probability that one of c draws hits one of
    k marked samples. The smaller of the two is taken as the number of draws, and the larger one as
    the number of marked samples. After j misses, the next draw hits with probability marked / (n -
    j), which is at least marked / n. So d draws all miss with a probability of at most exp(-d *
    marked / n). Beyond 40 n / marked draws this is below exp(-40), and further draws are skipped.
    """
    probability = np.zeros(n.size)
    is_certain = n - c < k  # fewer than k samples fail
    probability[is_certain] = 1.0
    marked, draws = np.maximum(c, k), np.minimum(c, k)
    draws = np.minimum(draws, _CERTAIN * n // marked + 1)
    draws[is_certain] = 0
    order = np.argsort(-draws, kind="stable")[: np.count_nonzero(draws)]
    start = 0
    while start < order.size:  # blocks of pairs with similar numbers of draws have few empty cells
        block = order[start : start + max(1, _CELLS // int(draws[order[start]]))]
        probability[block] = _hit_probability(marked[block], n[block], draws[block])
        start += block.size
    return probability


def _hit_probability(marked: Integers, n: Integers, draws: Integers) -> Floats:
    """Return the probability that one of the draws hits; the first pair has the most draws.

    If some draws hit with probability a, and the next ones, after they missed, with probability b,
    all of them together hit with probability a + (1 - a) b. Nothing cancels in this sum, unlike in
    one minus the probability that all miss. Adjacent draws are combined first, then adjacent pairs,
    and so on, so that rounding errors grow with the logarithm of the number of draws. Empty cells
    have probability 0 and change nothing.
    """
    draw = np.arange(draws[0])[:, np.newaxis]
    hit = np.zeros((draw.size, n.size))
    np.divide(marked, n - draw, out=hit, where=draw < draws)
    while len(hit) > 1:
        left, right = hit[::2], hit[1::2]
        right *= 1 - left[: len(right)]
        left[: len(right)] += right
        hit = left
    probability: Floats = hit[0]
    return probability
