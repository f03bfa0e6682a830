"""The mean that bets on larger scores exclude, row by row.

A bet against each possible mean multiplies its capital row by row, and is fair if the mean is
right. A fair capital reaches 2 / alpha at any time with a probability of at most alpha / 2 (Ville's
inequality), so all means whose capital did so are excluded for good. The capital is the average
over 37 fractions of the largest bet: nothing is tuned, and without a total the order of rows does
not matter. With a total the remaining rows must have the mean (total * m - sum so far) / (rows
left).

Source:
    Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), and
    Confidence sequences for sampling without replacement (2020).
"""

import math
from typing import Any

import numpy as np

from ..arguments.arrays import Floats

_BETS = np.geomspace(1.0, 1 / 512, 37)[:, None]  # fractions of the largest bet
_NOTHING = 1e-12  # sums of scores from 0 to 1 that differ by less are equal
_FACTORS = 8  # whose product is neither too large nor too small for a float
_LARGEST_RATIO = 1e30
_ROWS_AT_ONCE = 1 << 14
_CLOSE = 1e-9  # of the logarithm of the capital at an end
_POWERS = 8  # of the series
_SIGNS = np.array([(-1) ** (k + 1) / k for k in range(1, _POWERS + 1)])
_RADIUS = 1 / 16  # of the distance to where they end: each row is off by less than 2e-12
_PRECISION = 1e-13  # of an end


class LowerEnd:
    """The largest mean that the capital of bets on more has excluded so far.

    Near the end the logarithm of the capital of each bet is a power series in the mean, to which
    each row adds its own. So all rows are only looked at when the end has moved far.
    """

    def __init__(self, limit: float, total: int | None) -> None:
        self.end = 0.0
        self._limit = limit  # of the logarithm of the capital
        self._total = total
        self._shares = np.empty(64)
        self._before = np.empty(64)  # the sum of the shares before each row
        self._rows = 0
        self._sum = 0.0
        self._center = 0.0  # of the series
        self._series: Floats | None = None  # shape (bets, powers); None where the capital is not

    def add(self, share: float) -> float:
        """Add the share of a row, and return the end."""
        row = self._rows
        if row == self._shares.size:
            self._shares = np.concatenate([self._shares, np.empty(row)])
            self._before = np.concatenate([self._before, np.empty(row)])
        self._shares[row], self._before[row] = share, self._sum
        self._rows, self._sum = row + 1, self._sum + share
        if self._series is not None:
            if self.end - self._center < self._radius():
                self._series += self._terms(self._center, slice(row, row + 1))
            else:
                self._expand()
        if self._series is None or not self._moves_nearby():
            self._search()
        return self.end

    def _means(self, mean: float, rows: slice) -> Floats:
        """Return what each of these rows has on average, if the target is this mean."""
        shares = self._shares[rows]
        if self._total is None:
            return np.full(shares.size, mean)
        left = self._total - np.arange(rows.start, rows.stop)
        return np.asarray((self._total * mean - self._before[rows]) / left)

    def _radius(self) -> float:
        """Return the distance from the center at which the series are still exact."""
        if self._total is None:
            return self._center * _RADIUS
        return max(self._center - float(self._before[self._rows - 1]) / self._total, 0.0) * _RADIUS

    def _expand(self) -> None:
        """Compute the series around the end, if the capital is finite there."""
        self._center, self._series = self.end, None
        if self._rows and self._means(self.end, slice(self._rows - 1, self._rows))[0] > _NOTHING:
            parts = range(0, self._rows, _ROWS_AT_ONCE)
            self._series = np.sum(
                [
                    self._terms(self.end, slice(start, min(start + _ROWS_AT_ONCE, self._rows)))
                    for start in parts
                ],
                axis=0,
            )

    def _terms(self, center: float, rows: slice) -> Floats:
        """Return what these rows add to the series of the logarithm of each bet's capital.

        A row multiplies the capital by the quotient of two numbers that are linear in the mean, and
        log(1 + q t) is q t - (q t)**2 / 2 + (q t)**3 / 3 - ....
        """
        shares, means = self._shares[rows], self._means(center, rows)
        rises: Any = 1.0  # of the mean of a row with the target
        if self._total is not None:
            rises = self._total / (self._total - np.arange(rows.start, rows.stop))
        numerators = (1 - _BETS) * means + _BETS * shares
        series = np.empty((_BETS.size, _POWERS + 1))
        with np.errstate(divide="ignore"):
            series[:, 0] = np.log(numerators / means).sum(axis=1)
        slopes = np.divide(
            (1 - _BETS) * rises, numerators, out=np.zeros_like(numerators), where=numerators > 0
        )
        of_means = rises / means
        if shares.size == 1:  # most calls
            powers = np.multiply.accumulate(np.broadcast_to(slopes, (_BETS.size, _POWERS)), axis=1)
            series[:, 1:] = _SIGNS * (powers - np.float64(of_means[0]) ** np.arange(1, _POWERS + 1))
            return series
        power, power_of_means = slopes.copy(), of_means.copy()
        for number, sign in enumerate(_SIGNS.tolist(), 1):
            series[:, number] = sign * (power.sum(axis=1) - power_of_means.sum())
            power *= slopes
            power_of_means *= of_means
        return series

    def _moves_nearby(self) -> bool:
        """Move the end to where the capital is at the limit, by Newton's method on the series.

        Return whether the series reach there.
        """
        low, high = self.end - self._center, self._radius()
        value, slope = self._value(low)
        if value < 0:
            return True
        distance = low
        for _ in range(60):
            if abs(value) < _CLOSE or high - low <= _PRECISION:
                break
            if value >= 0 and distance >= high:
                return False
            low, high = (distance, high) if value >= 0 else (low, distance)
            distance = low - value / slope if value >= 0 and slope < 0 else (low + high) / 2
            distance = min(distance, high)
            value, slope = self._value(distance)
        self.end = max(self.end, self._center + distance)
        return True

    def _value(self, distance: float) -> tuple[float, float]:
        """Return the logarithm of the capital above the limit, and its derivative."""
        series: Any = self._series
        logs, slopes = series[:, -1], np.zeros(_BETS.size)
        for number in range(_POWERS - 1, -1, -1):
            slopes = slopes * distance + logs
            logs = logs * distance + series[:, number]
        top = float(logs.max())
        weights = np.exp(logs - top)
        total = float(weights.sum())
        value = top + math.log(total / _BETS.size) - self._limit
        alive = weights > 0
        return value, float(weights[alive] @ slopes[alive]) / total

    def _search(self) -> None:
        """Move the end to where the capital is at the limit, by false position over all rows."""
        low, high = self._range()
        low = max(low, self.end)
        excess, lacking = self._excess(low), -self._limit
        if excess >= 0:
            step = 0
            while high - low > _PRECISION and excess > _CLOSE:
                is_finite = math.isfinite(excess) and step % 3 < 2
                part = excess / (excess - lacking) if is_finite else 0.5
                middle = low + part * (high - low)
                value = self._excess(middle)
                low, excess = (middle, value) if value >= 0 else (low, excess)
                high, lacking = (high, lacking) if value >= 0 else (middle, value)
                step += 1
        self.end = low
        self._expand()

    def _range(self) -> tuple[float, float]:
        """Return the smallest mean that is possible, and one that is not excluded."""
        if self._total is None:
            return 0.0, self._sum / self._rows
        left = self._total - self._rows
        return self._sum / self._total, (self._sum + left) / self._total

    def _excess(self, mean: float) -> float:
        """Return the logarithm of the capital against this mean after all rows, less the limit."""
        logs = np.zeros(_BETS.size)
        for start in range(0, self._rows, _ROWS_AT_ONCE):
            rows = slice(start, min(start + _ROWS_AT_ONCE, self._rows))
            shares, means = self._shares[rows], self._means(mean, rows)
            is_none_left = means <= _NOTHING
            if is_none_left.any():
                if (means < -_NOTHING).any() or (shares[is_none_left] > _NOTHING).any():
                    return math.inf
                means, shares = means[~is_none_left], shares[~is_none_left]
            gains = np.minimum(shares / means, _LARGEST_RATIO) - 1
            # Eight factors of each bet are multiplied before the logarithm, which takes longer.
            length = -(-gains.size // _FACTORS)
            padded = np.zeros(length * _FACTORS)
            padded[: gains.size] = gains
            products = np.ones((_BETS.size, length))
            for part in padded.reshape(_FACTORS, length):
                products *= 1 + _BETS * part
            with np.errstate(divide="ignore"):
                logs += np.log(products).sum(axis=1)
        top = float(logs.max())
        return top + math.log(float(np.exp(logs - top).mean())) - self._limit
