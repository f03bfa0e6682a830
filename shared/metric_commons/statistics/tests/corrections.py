"""P-values of several tests, adjusted for the number of tests."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats, Integers
from ..arguments.checks import OptionError
from ..arguments.domains import Labels, Resamples, Seed, checked_options
from ..arithmetic.exact_sums import exact_sum
from ..intervals.cluster_sums import ClusterSums, cancelled
from ..intervals.methods import Correction
from ..intervals.spreads import LARGEST, finite_scores
from ..resampling.progress import report
from .sign_flips import sign_flip_level

_TIE = 1e-12  # statistics that differ by at most this part are equal
_SIGNS_AT_ONCE = 1 << 20  # of all rows: 8 MB


class Family(NamedTuple):
    """Several comparisons: one minus the level of each interval, and how p-values are adjusted.

    "bonferroni", "max_t" and "holm" keep the probability of any false discovery below the level,
    "benjamini_hochberg" the expected proportion of false discoveries among all; "none" leaves
    p-values unchanged. "max_t" draws signs, and takes the differences of all comparisons together.
    With the first two, intervals at these levels are simultaneous, and exclude 0 exactly where the
    adjusted p-value is less than alpha.
    """

    correction: Correction
    alphas: list[float | None]
    p_max_t: Floats | None = None

    @classmethod
    def of(
        cls,
        correction: Correction,
        confidence_level: float | None,
        differences: Sequence[Floats],
        *,
        law: tuple[str, str, str],
        clusters: Labels | None = None,
        n_resamples: int = 10_000,
        seed: int = 0,
    ) -> Self:
        """Return the family of comparisons with these differences.

        Args:
            correction: one of the above.
            confidence_level: of all intervals together, or of each; None for no intervals.
            differences: of each comparison; only "max_t" looks at them.
            law: the test, its alternative and what it assumes; "max_t" requires the two-sided
                permutation test that exchanges.
            clusters: one label per row, for "max_t".
            n_resamples: the number of signs that each row draws for "max_t".
            seed: for these draws.

        Raises:
            ValueError: "max_t" with another test, or with comparisons on different numbers of rows.

        >>> family = Family.of("bonferroni", 0.95, [np.ones(6)] * 5, law=("t", "greater", ""))
        >>> family.alphas[0], family.adjusted([0.01, 0.5]).tolist()
        (0.01, [0.02, 1.0])
        """
        tests, alpha = len(differences), significance_level(confidence_level or 0.95)
        if correction == "max_t":
            if law != ("permutation", "two-sided", "exchangeable"):
                raise OptionError(
                    "correction", "'max_t' is for the two-sided permutation test that exchanges"
                )
            if len({values.size for values in differences}) > 1:
                raise OptionError("correction", "'max_t' is for comparisons on the same rows")
            table = np.stack(differences) if tests else np.empty((0, 0))
            p_values, alphas = max_t_levels(
                table, alpha, clusters, n_resamples=int(n_resamples), seed=int(seed)
            )
            return cls(
                correction, alphas.tolist() if confidence_level else [None] * tests, p_values
            )
        if correction == "bonferroni":
            alpha /= max(tests, 1)
        return cls(correction, [confidence_level and alpha] * tests)

    def adjusted(self, p_values: ArrayLike) -> Floats:
        """Return the adjusted p-values of the comparisons.

        Raises:
            ValueError: a p-value is outside 0 to 1.
        """
        if self.p_max_t is not None:
            return self.p_max_t
        if self.correction == "holm":
            return holm(p_values)
        if self.correction == "benjamini_hochberg":
            return benjamini_hochberg(p_values)
        values = checked_p_values(p_values)
        return values if self.correction == "none" else np.minimum(values * values.size, 1)


def significance_level(confidence_level: float) -> float:
    """Return one minus a confidence level, without the rounding error of the subtraction.

    >>> 1 - 0.95, significance_level(0.95)
    (0.050000000000000044, 0.05)
    """
    return float(f"{1 - confidence_level:.14g}")


def holm(p_values: ArrayLike) -> Floats:
    """P-values adjusted so that the probability of any false discovery stays below the level.

    The smallest is multiplied by the number of p-values, the next one by one less, and so on, but
    none becomes smaller than the previous one, or greater than 1. NaN stays, and does not count.

    Args:
        p_values: one for each test, shape (tests,).

    Raises:
        ValueError: a p-value outside 0 to 1.

    Source:
        Holm, A simple sequentially rejective multiple test procedure (1979).

    >>> holm([0.01, 0.04, 0.03, 0.005]).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    values = checked_p_values(p_values)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    factors = np.arange(order.size, 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return values


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """P-values adjusted so that the expected false discovery rate stays below the level.

    The largest stays, the next one is multiplied by tests / (tests - 1), and so on, but none
    becomes greater than the previous one. NaN stays, and does not count. Tests must be independent
    or positively dependent, as measures of the same systems are.

    Args:
        p_values: one for each test, shape (tests,).

    Raises:
        ValueError: a p-value outside 0 to 1.

    Source:
        Benjamini and Hochberg, Controlling the false discovery rate (1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).tolist()
    [0.02, 0.04, 0.04, 0.02]
    """
    values = checked_p_values(p_values)
    tests = np.count_nonzero(~np.isnan(values))
    downwards = np.argsort(values, kind="stable")[:tests][::-1]
    ranks = np.arange(tests, 0, -1)
    values[downwards] = np.minimum.accumulate(values[downwards] * tests / ranks)
    return values


def checked_p_values(p_values: ArrayLike) -> Floats:
    """Return a copy of p-values, each from 0 to 1 or NaN."""
    values = np.array(p_values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"p_values must be a flat list of numbers, got shape {values.shape}")
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        test = int(wrong.argmax())
        raise ValueError(f"p_values[{test}] is {values[test]}; a p-value is from 0 to 1")
    return values


@checked_options
def max_t(
    differences: ArrayLike,
    *,
    clusters: Labels | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> Floats:
    """Two-sided p-values of comparisons, adjusted by the distribution of the largest statistic.

    Each draw gives every row one random sign, the same in all comparisons, which makes use of their
    correlation. p is (count + 1) / (n_resamples + 1) for the number of draws whose largest
    |sum d| / sqrt(sum d**2) of all comparisons is at least the observed one (single-step).

    The result does not depend on the order of rows, which are sorted before they get their signs.

    Args:
        differences: shape (comparisons, rows).
        clusters: one label per row; then each cluster gets a sign, and its differences add up.
        n_resamples: the number of signs that each row draws.
        seed: for these draws.

    Returns:
        The adjusted p-value of each comparison, shape (comparisons,).

    Raises:
        ValueError: a difference that is not a finite number, or an option out of its range.

    Source:
        Westfall and Young, Resampling-Based Multiple Testing (1993), section 2.3.

    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.random((3, 40)) + [[0.0], [0.05], [0.5]]
    >>> max_t([a - b, a - c, b - c]).round(3).tolist()
    [0.995, 0.0, 0.0]
    """
    _, p_values, _ = _largest_statistics(differences, clusters, n_resamples, seed)
    return p_values


def max_t_levels(
    differences: ArrayLike,
    alpha: float,
    clusters: Labels | None,
    *,
    n_resamples: int,
    seed: int,
) -> tuple[Floats, Floats]:
    """Return the p-values of `max_t`, and the level of each comparison that is as strict.

    A p-value of `max_t` is less than alpha exactly if sign flips of this comparison alone are
    significant at its level, so intervals at these levels are simultaneous.
    """
    values, p_values, largest = _largest_statistics(differences, clusters, n_resamples, seed)
    if not values.size:
        return p_values, np.full(len(values), alpha)
    # The largest statistic that is not yet significant.
    rank = math.ceil(round(alpha * (n_resamples + 1), 9)) - 1
    limit = float(largest[n_resamples - rank]) if rank else math.inf
    return p_values, np.array([sign_flip_level(row, limit * (1 + _TIE)) for row in values])


def _largest_statistics(
    differences: ArrayLike, clusters: Labels | None, n_resamples: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Return the summands of each comparison, its p-value, and the sorted statistics of draws."""
    values = finite_scores("differences", differences, dimensions=(2,), largest=2 * LARGEST)
    if not values.size:
        return values, np.ones(len(values)), np.empty(0)
    if clusters is not None:
        summands = [ClusterSums.of(clusters, row).sums() for row in values]
        total_sizes = [float(exact_sum(np.abs(row))) for row in values]
        values = np.array([*map(cancelled, summands, total_sizes)])
    # The largest difference of each comparison becomes 1, so that no square is infinite or 0.
    sizes = np.abs(values).max(axis=1, keepdims=True)
    values = values / np.where(sizes, sizes, 1.0)
    values = values[:, _order_of_rows(values)]  # so that sums do not depend on the order of rows
    lengths = np.sqrt(np.square(values).sum(axis=1, keepdims=True))
    values = values / np.where(lengths, lengths, 1.0)
    observed = np.abs(values.sum(axis=1))

    rows = values.shape[1]
    words = np.random.PCG64(seed)
    words_a_draw = -(-rows // 64)
    at_once = max(1, _SIGNS_AT_ONCE // rows)
    largest = np.zeros(n_resamples)
    for start in range(0, n_resamples, at_once):
        report(start / n_resamples)
        draws = min(at_once, n_resamples - start)
        raw = words.random_raw(draws * words_a_draw).astype("<u8", copy=False)
        bits = np.unpackbits(raw.view(np.uint8).reshape(draws, -1), axis=1, bitorder="little")
        signs = 2.0 * bits[:, :rows] - 1
        drawn = largest[start : start + draws]
        comparisons = max(1, _SIGNS_AT_ONCE // draws)
        for first in range(0, len(values), comparisons):
            statistics = np.abs(signs @ values[first : first + comparisons].T).max(axis=1)
            np.maximum(drawn, statistics, out=drawn)
    largest.sort()
    counts = n_resamples - largest.searchsorted(observed * (1 - _TIE))
    return values, (counts + 1) / (n_resamples + 1), largest


def _order_of_rows(values: Floats) -> Integers:
    """Return the order of rows by their first number, then by their second, and so on.

    Once some numbers distinguish all rows, usually the first, further ones are not needed. The
    order of rows that are equal in all numbers does not matter.

    Args:
        values: shape (numbers, rows).

    >>> _order_of_rows(np.array([[2.0, 1.0, 1.0], [0.0, 5.0, 4.0]])).tolist()
    [2, 1, 0]
    """
    numbers = 1
    while True:
        order = np.lexsort(values[:numbers][::-1])
        ordered = values[:numbers, order]
        if numbers >= len(values) or (ordered[:, 1:] != ordered[:, :-1]).any(axis=0).all():
            return order
        numbers *= 4
