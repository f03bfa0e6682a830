"""How many positives and negatives have each score: all that curves, areas and losses depend on.

They take one sort. From them everything about the scores of a binary task follows, and those of
parts add up to those of the whole.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Floats, Integers
from ..numbers.exact_sums import group_sums

_BLOCK = 1 << 14  # scores at a time: what is made of them stays in the cache
EPSILON = float(np.finfo(np.float64).eps)  # log loss takes no probability to be surer than this


@dataclass(frozen=True)
class ScoreCounts:
    """How many positives and negatives have each score.

    Args:
        scores: distinct scores, ascending; -0.0 is 0.0.
        positives: how many positives have each, integers; with weights their sums, float64.
        negatives: how many negatives.
        positive_squares: with weights the sums of their squares, for standard errors; else None.
        negative_squares: the same of negatives.
        exponent: sums of weights are in units of 2**exponent, so that no square overflows.

    """

    scores: Floats
    positives: NDArray[Any]
    negatives: NDArray[Any]
    positive_squares: Floats | None = None
    negative_squares: Floats | None = None
    exponent: int = 0

    @cached_property
    def true_positives(self) -> NDArray[Any]:
        """How many positives have this score or a higher one."""
        return _from_above(self.positives)

    @cached_property
    def false_positives(self) -> NDArray[Any]:
        """How many negatives have this score or a higher one."""
        return _from_above(self.negatives)

    @cached_property
    def precision(self) -> Floats:
        """The share of positives among all that have this score or a higher one."""
        precision: Floats = self.true_positives / (self.true_positives + self.false_positives)
        return precision

    @cached_property
    def all_positives(self) -> Any:
        """How many positives there are."""
        return _all_of(self.positives)

    @cached_property
    def all_negatives(self) -> Any:
        """How many negatives there are."""
        return _all_of(self.negatives)

    @cached_property
    def sums(self) -> "Sums":
        """What areas and losses are made of."""
        return _summed(self)

    @property
    def alone(self) -> bool:
        """Whether each row has a score of its own, and there are no weights."""
        return self.positives.dtype == np.int8

    @cached_property
    def probable(self) -> bool:
        """Whether the scores may be probabilities."""
        return bool(self.scores.size and self.scores[0] >= 0 and self.scores[-1] <= 1)

    def variance(self, of_positives: Floats, of_negatives: Floats) -> float:
        """The variance of a score, from the influence of a positive and a negative row on it."""
        positives = self.positives if self.positive_squares is None else self.positive_squares
        negatives = self.negatives if self.negative_squares is None else self.negative_squares
        return float((positives * of_positives**2).sum() + (negatives * of_negatives**2).sum())


def _all_of(counts: NDArray[Any]) -> Any:
    """Their sum; that of zeros and ones in a tenth of the time."""
    return int(np.count_nonzero(counts)) if counts.dtype == np.int8 else counts.sum().item()


def _from_above(counts: NDArray[Any]) -> NDArray[Any]:
    """Of each and all after it the sum, int64 or float64."""
    kind = np.float64 if counts.dtype.kind == "f" else np.int64
    # Numbers that stand in reverse in memory are summed up ten times slower.
    return np.cumsum(counts[::-1].astype(kind, order="C"))[::-1]


def score_counts(scores: Floats, positive: Booleans, weights: Floats | None = None) -> ScoreCounts:
    """How many positives and negatives have each score.

    Args:
        scores: finite, shape (rows,).
        positive: which rows are positive.
        weights: of the rows, at least 0; rows of weight 0 are left out. None weighs all alike.

    >>> counts = score_counts(np.array([0.5, 0.1, 0.5]), np.array([True, False, False]))
    >>> counts.scores.tolist(), counts.positives.tolist(), counts.negatives.tolist()
    ([0.1, 0.5], [0, 1], [1, 1])
    """
    if weights is not None:
        return _weighed(scores, positive, weights)
    keys, decode = _keys(scores, positive)
    keys.sort()  # the label is the last bit, so that equal scores and labels stand together
    last_bits = keys.astype(np.uint8)
    last_bits &= 1
    is_positive = last_bits.view(bool)
    keys >>= 1
    new = np.empty(keys.size, bool)
    new[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    if np.count_nonzero(new) == keys.size:  # a byte is enough for each, and quicker to write
        return ScoreCounts(decode(keys), is_positive.view(np.int8), (~is_positive).view(np.int8))
    starts = np.flatnonzero(new)
    positives = np.add.reduceat(is_positive, starts, dtype=np.int64)
    rows = np.diff(starts, append=keys.size)
    return ScoreCounts(decode(keys[starts]), positives, rows - positives)


def _keys(scores: Floats, positive: Booleans) -> tuple[Integers, Callable[[Integers], Floats]]:
    """Integers in the order of scores, the label as last bit; and what makes scores of the others.

    The bits of a float from 0 to 2 are an integer below 2**62, in the same order. Others are first
    divided by a power of two, which is exact, and negative ones have a negative integer.
    """
    least, greatest = (float(scores.min()), float(scores.max())) if scores.size else (0.0, 0.0)
    exponent = max(math.frexp(max(-least, greatest))[1] - 1, 0)
    small = np.ldexp(scores, -exponent) if exponent else scores + 0.0  # -0.0 becomes 0.0
    if exponent and not (np.ldexp(small, exponent) == scores).all():  # underflow
        distinct, places = np.unique(scores + 0.0, return_inverse=True)
        return 2 * places + positive, lambda keys: distinct[keys]
    keys = small.view(np.int64)
    if least < 0:
        sign = keys >> 63
        keys &= np.int64(2**63 - 1)
        keys ^= sign  # x ^ -1 is -x - 1
        keys -= sign
    keys <<= 1
    keys |= positive

    def decode(numbers: Integers) -> Floats:
        if least >= 0:
            values: Floats = numbers.view(np.float64)
        else:
            values = np.copysign(np.abs(numbers).view(np.float64), numbers)
        return np.ldexp(values, exponent) if exponent else values

    return keys, decode


def _weighed(scores: Floats, positive: Booleans, weights: Floats) -> ScoreCounts:
    counts = weights > 0
    scores, positive, weights = scores[counts], positive[counts], weights[counts]
    distinct, places = np.unique(scores + 0.0, return_inverse=True)
    if not distinct.size:
        return ScoreCounts(distinct, distinct, distinct, distinct, distinct)
    exponent = math.frexp(float(weights.max()))[1]
    weights = np.ldexp(weights, -exponent)

    def summed(weights: Floats, chosen: Booleans) -> Floats:
        return group_sums(weights[chosen], places[chosen], distinct.size)

    return ScoreCounts(
        distinct,
        summed(weights, positive),
        summed(weights, ~positive),
        summed(weights**2, positive),
        summed(weights**2, ~positive),
        exponent,
    )


# Sums over scores


@dataclass(frozen=True)
class Sums:
    """Sums over all distinct scores.

    Args:
        pairs: twice the pairs of a positive and a negative in the right order; a tie is half one.
        precisions: the precision at the score of each positive.
        precisions_above: that at the next score above; 1 above the highest.
        log_losses: -log of the probability of what came true. NaN if scores are no probabilities.
        squares: squares of the difference of probability and truth. NaN likewise.

    """

    pairs: Any
    precisions: float
    precisions_above: float
    log_losses: float
    squares: float


def _summed(counts: ScoreCounts) -> Sums:
    """The sums of these counts, from the highest score down, a block at a time.

    Nothing of the size of the input is written, which would take longer than the arithmetic.
    """
    if counts.alone:
        return _summed_alone(counts)
    room = np.empty((3, min(_BLOCK, counts.scores.size)))
    true, false, above = 0, 0, 1.0
    terms: list[tuple[Any, ...]] = []
    for end in range(counts.scores.size, 0, -_BLOCK):
        part = slice(max(end - _BLOCK, 0), end)
        positives, negatives = counts.positives[part], counts.negatives[part]
        true_positives, false_positives = _from_above(positives), _from_above(negatives)
        true_positives += true
        false_positives += false
        precision = true_positives / (true_positives + false_positives)
        true, false = true_positives[0], false_positives[0]
        pairs: NDArray[Any] = np.subtract(
            counts.all_negatives, false_positives, out=false_positives
        )
        pairs *= 2
        pairs += negatives
        pairs *= positives
        weights = positives.astype(np.float64), negatives.astype(np.float64)
        upper = float((weights[0][:-1] * precision[1:]).sum()) + float(positives[-1]) * above
        above = precision[0]
        precision *= weights[0]
        losses = math.nan, math.nan
        if counts.probable:
            losses = _losses_of_part(counts.scores[part], *weights, room)
        terms.append((pairs.sum().item(), float(precision.sum()), upper, *losses))
    columns = list(zip(*terms, strict=True)) or [()] * 5
    exact = counts.positive_squares is None
    return Sums(sum(columns[0]) if exact else math.fsum(columns[0]), *map(math.fsum, columns[1:]))


def _summed_alone(counts: ScoreCounts) -> Sums:
    """The same sums where each row has a score of its own: only positives need to be looked at.

    Rows are numbered in the order of scores. Above the row i there are n - i - 1, and below a
    positive there are i rows, all but the positives among them negative.
    """
    rows, pairs, before = counts.scores.size, 0, 0
    room = np.empty((3, min(_BLOCK, rows)))
    terms: list[tuple[float, ...]] = []
    for start in range(0, rows, _BLOCK):
        truth = counts.positives[start : start + _BLOCK]
        found = np.flatnonzero(truth.view(bool))
        pairs += 2 * (int(found.sum()) + found.size * start)
        pairs -= found.size * (2 * before + found.size - 1)
        from_here = np.subtract(rows - start, found, dtype=np.float64)
        after = counts.all_positives - before
        true_positives = np.arange(after, after - found.size, -1.0)
        before += found.size
        precisions = float((true_positives / from_here).sum())
        true_positives -= 1
        from_here -= 1
        if found.size and not from_here[-1]:  # above the highest score the precision is 1
            true_positives[-1] = from_here[-1] = 1
        true_positives /= from_here
        losses = math.nan, math.nan
        if counts.probable:
            losses = _losses_alone(counts.scores[start : start + _BLOCK], truth, room)
        terms.append((precisions, float(true_positives.sum()), *losses))
    return Sums(pairs, *map(math.fsum, zip(*terms, strict=True)))


def _losses_alone(scores: Floats, truth: NDArray[np.int8], room: Floats) -> tuple[float, float]:
    """The sums of log losses and of squares of rows, ascending, that are positive or not."""
    off, said, rest = room[:, : scores.size]
    true = rest
    true[...] = truth
    np.subtract(scores, true, out=off)
    np.multiply(off, off, out=said)
    squares = float(said.sum())
    # The probability of what is not true, and that of what is.
    if scores[0] < EPSILON or scores[-1] > 1 - EPSILON:
        scores = np.clip(scores, EPSILON, 1 - EPSILON)
        np.subtract(scores, true, out=off)
    np.abs(off, out=off)
    np.subtract(1, true, out=true)
    np.subtract(scores, true, out=said)
    np.abs(said, out=said)
    if scores[0] < 0.5:  # as in `log_losses`; for a positive, and from 0.5 on, the factor is 1
        np.subtract(1, said, out=rest)
        off /= rest
        np.log(said, out=said)
        said *= off
    else:
        np.log(said, out=said)
    return -float(said.sum()), squares


def _losses_of_part(
    scores: Floats, positives: Floats, negatives: Floats, room: Floats
) -> tuple[float, float]:
    """The sums of log losses and of squares."""
    of_positives, of_negatives = log_losses(scores, room)
    of_positives *= positives
    of_negatives *= negatives
    of_positives += of_negatives
    of_logs = float(of_positives.sum())
    squares = np.subtract(1, scores, out=room[0, : scores.size])
    squares *= squares
    squares *= positives
    others = np.multiply(scores, scores, out=room[1, : scores.size])
    others *= negatives
    squares += others
    return of_logs, float(squares.sum())


def log_losses(scores: Floats, room: Floats) -> tuple[Floats, Floats]:
    """-log(p) and -log(1 - p), the latter as exact as log itself: what 1 - p has lost is known."""
    probabilities, rest, of_rest = room[:, : scores.size]
    np.clip(scores, EPSILON, 1 - EPSILON, out=probabilities)
    np.subtract(1, probabilities, out=rest)
    np.log(rest, out=of_rest)
    of_rest *= probabilities
    rest -= 1  # minus the probability that 1 - p stands for
    of_rest /= rest
    np.log(probabilities, out=probabilities)
    return np.negative(probabilities, out=probabilities), of_rest
