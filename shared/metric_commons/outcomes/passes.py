"""Functional correctness by sampling: pass@k from how many samples there are and how many pass.

Nothing here runs code; it starts from what running the tests of each sample showed.
"""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..numbers.arrays import Column, Floats, Integers
from ..numbers.checks import RowError
from ..numbers.domains import Parsed

_MOST = 2**31 - 1  # samples of a problem; two such numbers in one key fit into 64 bits
_TABLE = 1 << 22  # keys up to here are told apart in a table (20 MB), greater ones by sorting
_CELLS = 1 << 15  # draws looked at together: small enough for the cache
_SURE = 40  # e**-40 is far below half a unit in the last place of 1


class Samples(NamedTuple):
    """How many samples each problem has, `n`, and how many of them pass, `c`."""

    n: Integers
    c: Integers


def sample_counts(predictions: Column) -> Samples:
    """The samples of each problem, from counts or from outcomes.

    Args:
        predictions: for each problem `{"n": samples, "c": passing samples}`, or its outcomes,
            1 or True for a sample that passes and 0 or False for one that does not.

    Raises:
        ValueError: no samples, an outcome beside 0 and 1, a negative count, or more samples that
            pass than there are; names the problem.

    >>> sample_counts([[True, False, True], [False]])
    Samples(n=array([3, 1]), c=array([2, 0]))
    >>> sample_counts([{"n": 10, "c": 2}])
    Samples(n=array([10]), c=array([2]))
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
        n, c = _tallied(predictions, failed, np.count_nonzero(predictions == 1, axis=1))
    else:
        n, c = _tallied(
            predictions,
            [row.count(0) for row in predictions],
            [row.count(1) for row in predictions],
        )
    if not n.all():
        raise ValueError(f"predictions[{int(n.argmin())}] has no samples")
    return Samples(n, c)


def check_sizes(k: Any) -> tuple[int, ...]:
    """The sizes `k` of pass@k: one positive integer or several, all different.

    >>> check_sizes(10), check_sizes([1, 10])
    ((10,), (1, 10))
    >>> check_sizes([1, 0])
    Traceback (most recent call last):
    ValueError: k must hold integers of at least 1, got 0
    """
    plain = k.tolist() if isinstance(k, np.ndarray) else k
    sizes = plain if isinstance(plain, Sequence) and not isinstance(plain, str) else [plain]
    if not sizes:
        raise ValueError("k is empty; pass@k needs at least one size")
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 1:
            raise ValueError(f"k must hold integers of at least 1, got {size!r}")
        if sizes.count(size) > 1:
            raise ValueError(f"k holds {size} more than once")
    return tuple(map(int, sizes))


Sizes = Annotated[
    int | Sequence[int], Parsed(check_sizes, "an integer, at least 1, or a list of them")
]


def pass_at_k(samples: Samples, k: Sequence[int]) -> list[Floats]:
    """For each size in `k` the chance of every problem that k of its samples hold one that passes.

    The samples are drawn without replacement, which makes `1 - C(n-c, k) / C(n, k)` the unbiased
    estimate of what k fresh samples would do. Many problems have the same counts, so each pair of
    counts is reckoned once.

    Args:
        samples: of each problem, as `sample_counts` gives them.
        k: sizes, as `check_sizes` gives them.

    Returns:
        Arrays of shape (problems,), in the order of `k`. Relative errors are below 2e-15, and no
        function of the machine's mathematical library is used: results are equal everywhere.

    Raises:
        ValueError: a problem has less than k samples; names it.

    Source:
        Chen et al., Evaluating Large Language Models Trained on Code (2021), section 2.1.

    >>> samples = Samples(n=np.array([10, 10]), c=np.array([2, 0]))
    >>> [values.tolist() for values in pass_at_k(samples, [1, 5])]
    [[0.2, 0.0], [0.7777777777777778, 0.0]]
    >>> pass_at_k(samples, [11])
    Traceback (most recent call last):
    ValueError: predictions[0] has 10 samples, pass@11 needs at least 11
    """
    n, c = samples
    fewest = int(n.argmin())
    for size in k:
        if n[fewest] < size:
            row = int((n < size).argmax())
            raise RowError(
                "predictions", row, f"has {n[row]} samples, pass@{size} needs at least {size}"
            )
    base = int(c.max()) + 1
    keys, places = _distinct(n * base + c)
    pairs = np.divmod(keys, base)
    return [_chance_of_a_pass(*pairs, size).take(places) for size in k]


def _check_counts(n: Integers, c: Integers) -> None:
    """Counts that samples can have."""
    for wrong, problem in (
        (n < 0, "n = {n}; a count is not negative"),
        (c < 0, "c = {c}; a count is not negative"),
        (n > _MOST, f"n = {{n}}; at most {_MOST} samples are possible"),
        (c > n, "c = {c} samples that pass, but only n = {n} samples"),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            raise RowError("predictions", row, f"has {problem.format(n=n[row], c=c[row])}")


def _tallied(rows: Column, failed: Any, passed: Any) -> Samples:
    """The counts of rows of outcomes, in which so many are 0 and so many are 1."""
    n, c = np.array(list(map(len, rows)), dtype=np.int64), np.array(passed, dtype=np.int64)
    strange = np.array(failed, dtype=np.int64) + c < n
    if strange.any():
        row = int(strange.argmax())
        sample, outcome = next((i, x) for i, x in enumerate(rows[row]) if x not in (0, 1))
        raise RowError("predictions", row, f"[{sample}] is {outcome}; an outcome is 0 or 1")
    return Samples(n, c)


def _distinct(keys: Integers) -> tuple[Integers, Integers]:
    """The distinct keys, ascending, and the place of each row's key among them.

    Keys are not negative. Small ones stand in a table, which takes a fraction of sorting them.
    """
    size = int(keys.max()) + 1
    if size > _TABLE:
        return np.unique(keys, return_inverse=True)
    present = np.zeros(size, dtype=bool)
    present[keys] = True
    distinct = np.flatnonzero(present)
    place = np.empty(size, dtype=np.int32)
    place[distinct] = np.arange(distinct.size)
    return distinct, place.take(keys).astype(np.int64)


def _chance_of_a_pass(n: Integers, c: Integers, k: int) -> Floats:
    """1 - C(n-c, k) / C(n, k) for each pair of counts, of which no `n` is less than k.

    The formula is symmetric: it is also the chance that c draws hit one of k marked samples. The
    lesser of the two is drawn, the greater one marked, so that after j misses the next draw hits
    with the chance marked / (n - j). Draws of so many that a miss is impossible to the last bit
    are left out, so some sqrt(40 n) are enough.
    """
    chance = np.zeros(n.size)
    chance[n - c < k] = 1.0  # the samples that fail do not fill k places
    marked, draws = np.maximum(c, k), np.minimum(c, k)
    draws = np.minimum(draws, _SURE * n // marked + 1)
    draws[n - c < k] = 0
    order = np.argsort(-draws, kind="stable")[: np.count_nonzero(draws)]
    start = 0
    while start < order.size:  # pairs with about as many draws, so that little is left blank
        block = order[start : start + max(1, _CELLS // int(draws[order[start]]))]
        chance[block] = _some_hit(marked[block], n[block], draws[block])
        start += block.size
    return chance


def _some_hit(marked: Integers, n: Integers, draws: Integers) -> Floats:
    """The chance that one of the first `draws` draws hits; the first pair has the most draws.

    With chance a for some draws and chance b for the following ones, if those before miss, it is
    a + (1 - a) b for both together. Nothing cancels here, unlike in one minus the chance of no hit.
    Neighbours are put together, then neighbouring pairs, and so on: rounding errors grow with the
    logarithm of the draws, and draws left blank, with chance 0, change nothing.
    """
    draw = np.arange(draws[0])[:, np.newaxis]
    hit = np.zeros((draw.size, n.size))
    np.divide(marked, n - draw, out=hit, where=draw < draws)
    while len(hit) > 1:
        first, then = hit[::2], hit[1::2]
        then *= 1 - first[: len(then)]
        first[: len(then)] += then
        hit = first
    chance: Floats = hit[0]
    return chance
