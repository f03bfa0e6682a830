"""The mean that bets on larger scores exclude, row by row.

A bet against each possible mean multiplies its capital row by row, and is fair if the mean is
right. A fair capital reaches 2 / alpha at any time with a probability of at most alpha / 2 (Ville's
inequality), so all means whose capital did so are excluded for good. The capital is the average
over 37 fractions of the largest bet: nothing is tuned, and without a total the order of rows does
not matter. With a total the remaining rows must have the mean (total * m - sum so far) / (rows
left).

Bets are against 128 means from the end to a little above the mean of rows; once there are twice as
many rows, or the end has moved, against others. So an end is too low, by less than 2 % of its
distance from the mean.

Source:
    Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), and
    Confidence sequences for sampling without replacement (2020).
"""

import math

import numpy as np

from ..arguments.arrays import Floats

_BETS = np.geomspace(1.0, 1 / 512, 37)[:, np.newaxis, np.newaxis]  # fractions of the largest bet
_MEANS = 128
_NOTHING = 1e-12  # sums of scores from 0 to 1 that differ by less are equal
_LEAST = 1e-6  # distance of the least and the largest of these means
_MOST = 1e200  # of a capital
_ROWS_AT_ONCE = 64


class LowerEnd:
    """The largest mean that the capital of bets on more has excluded so far."""

    def __init__(self, limit: float, total: int | None) -> None:
        self.end = 0.0
        self._limit = limit  # of the capital
        self._total = total
        self._shares: list[float] = []
        self._restart(0.0, 1.0)

    def add(self, share: float) -> float:
        """Add the share of a row, and return the end."""
        self._shares.append(share)
        self._bet(np.array([share]))
        if self._total is not None:  # all further rows might be 0
            self.end = max(self.end, (self._sum - _NOTHING) / self._total)
        rows = len(self._shares)
        if rows & (rows - 1) == 0 or self.end > self._means[_MEANS // 4, 0]:
            mean = math.fsum(self._shares) / rows
            self._restart(self.end, min(max(mean + (mean - self.end) / 4, self.end + _LEAST), 1.0))
            for start in range(0, rows, _ROWS_AT_ONCE):
                self._bet(np.array(self._shares[start : start + _ROWS_AT_ONCE]))
        return self.end

    def _restart(self, low: float, high: float) -> None:
        """Begin anew to bet against other means."""
        self._means = low + (high - low) * np.arange(1, _MEANS + 1)[:, np.newaxis] / _MEANS
        self._capital: Floats = np.ones((_BETS.size, _MEANS, 1))
        self._rows, self._sum = 0, 0.0

    def _bet(self, shares: Floats) -> None:
        """Bet against each mean on the next rows, and exclude all up to the largest that loses."""
        before = self._sum + np.cumsum(shares) - shares
        expected = self._means + np.zeros(shares.size)
        if self._total is not None:
            left = self._total - self._rows - np.arange(shares.size)
            expected = (self._total * self._means - before) / left
        is_none_left = expected <= _NOTHING
        gains = shares / np.where(is_none_left, 1.0, expected) - 1
        is_impossible = (expected < -_NOTHING) | (shares > _NOTHING)
        gains[is_none_left] = np.where(is_impossible, _MOST, 0.0)[is_none_left]
        with np.errstate(over="ignore"):
            capital = self._capital * np.cumprod(1 + _BETS * gains, axis=2)
        is_excluded = (capital.mean(axis=0) >= self._limit).any(axis=1)
        if is_excluded.any():
            self.end = max(self.end, float(self._means[is_excluded].max()))
        self._capital = np.minimum(capital[:, :, -1:], _MOST)
        self._rows, self._sum = self._rows + shares.size, self._sum + float(shares.sum())
