"""Random weights of the Bayesian bootstrap, from raw words of PCG64.

A unit that occurs once weighs a standard exponential number, m equal ones together a Gamma(m)
number. Gamma(2**k) is one of 65,536 equally likely quantiles, a whole number of 2**-20, chosen by
16 bits of a word; Gamma(m) is the sum over the binary digits of m. So weights do not depend on the
last bit of a library, four of them cost one word, and a cell of a table costs the same however many
rows it counts.

Source:
    Rubin, The Bayesian bootstrap (1981).
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from ..arguments.arrays import Floats, Integers
from .progress import report

_QUANTILES = 1 << 16
_UNIT = 2.0**-20
_AT_ONCE = 1 << 19  # weights of a block
_FEWEST, _MOST = 32, 1 << 12  # draws of a block


class WeightedTotals(NamedTuple):
    """The sums of units with random weights, and the weight of an unseen unit."""

    totals: Floats  # shape (size, draws)
    unseen: Floats  # shape (draws,)


@cache
def gamma_quantiles(shape: int) -> Floats:
    """Return the middles of 65,536 equally likely parts of Gamma(shape), in units of 2**-20.

    >>> gamma_quantiles(1)[[0, -1]].tolist()
    [8.0, 12355897.0]
    """
    from scipy.special import gammaincinv

    middles = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    quantiles: Floats = np.rint(gammaincinv(float(shape), middles) / _UNIT)
    return quantiles


def gamma_weights(words: "np.random.PCG64", counts: Integers, draws: int) -> Floats:
    """Independent Gamma(count) numbers in units of 2**-20, shape (units, draws).

    >>> gamma_weights(np.random.PCG64(0), np.array([3]), 4).shape
    (1, 4)
    """
    weights = np.zeros((counts.size, draws))
    for digit in range(int(counts.max(initial=0)).bit_length()):
        selection = np.flatnonzero(counts >> digit & 1)
        if not selection.size:
            continue
        raw = words.random_raw(-(-selection.size * draws // 4)).astype("<u8", copy=False)
        numbers = raw.view("<u2")[: selection.size * draws].reshape(selection.size, draws)
        if selection.size == counts.size:
            weights += gamma_quantiles(2**digit)[numbers]
        else:
            weights[selection] += gamma_quantiles(2**digit)[numbers]
    return weights


def weighted_totals(
    counts: Integers,
    amounts: Floats | None = None,
    *,
    cells: Integers | None = None,
    size: int | None = None,
    n_resamples: int,
    seed: int,
) -> Iterator[WeightedTotals]:
    """Totals of units with random weights, a block of draws at a time.

    Args:
        counts: the number of units of each kind, shape (kinds,); kinds are sorted, so that the
            order of rows does not matter.
        amounts: the amounts that a unit of each kind adds, shape (kinds, columns); None for 1.
        cells: the total that each amount is added to, shape (kinds, columns); None if there is a
            total for each column, or, without amounts, for each kind.
        size: the number of totals, with `cells`.
        n_resamples: the number of draws.
        seed: for the random words.

    >>> (block,) = weighted_totals(np.array([2, 1]), n_resamples=3, seed=0)
    >>> block.totals.shape, block.unseen.shape
    ((2, 3), (3,))
    """
    words = np.random.PCG64(seed)
    with_unseen = np.append(np.asarray(counts, np.int64), 1)
    add = _adder(len(counts), amounts, cells, size)
    at_once = min(_MOST, max(_FEWEST, _AT_ONCE // with_unseen.size))
    for start in range(0, n_resamples, at_once):
        report(start / n_resamples)
        draws = min(at_once, n_resamples - start)
        weights = gamma_weights(words, with_unseen, draws)
        yield WeightedTotals(add(weights[:-1]) * _UNIT, weights[-1] * _UNIT)


def _adder(
    kinds: int, amounts: Floats | None, cells: Integers | None, size: int | None
) -> Callable[[Floats], Floats]:
    """Return a function from the weights of kinds to totals."""
    if cells is None:
        if amounts is None:
            return lambda weights: weights
        columns = amounts.astype(np.float64).T
        return lambda weights: columns @ weights
    kind = np.repeat(np.arange(kinds), cells.shape[1])
    flat = cells.ravel()
    order = np.argsort(flat, kind="stable")
    kind, flat = kind[order], flat[order]
    starts = np.append(0, np.flatnonzero(flat[1:] != flat[:-1]) + 1) if flat.size else flat
    factors = None if amounts is None else amounts.ravel()[order][:, np.newaxis]

    def add(weights: Floats) -> Floats:
        """Return the totals, shape (size, draws)."""
        totals = np.zeros((size or 0, weights.shape[1]))
        if flat.size:
            parts = weights[kind] if factors is None else weights[kind] * factors
            totals[flat[starts]] = np.add.reduceat(parts, starts, axis=0)
        return totals

    return add
