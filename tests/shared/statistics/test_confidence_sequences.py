"""Intervals over all looks, beside the definition of their ends."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest

from metric_commons.statistics import ConfidenceSequence

BETS = np.geomspace(1.0, 1 / 512, 37)


def obvious_end(shares, limit, total):
    """The largest mean at which the mean capital of 37 bets is at the limit, by bisection."""

    def is_excluded(mean):
        means = np.full(len(shares), mean)
        if total:
            before = np.concatenate([[0.0], np.cumsum(shares)[:-1]])
            means = (total * mean - before) / (total - np.arange(len(shares)))
        if (means < -1e-12).any() or (shares[means <= 1e-12] > 1e-12).any():
            return True
        kept = means > 1e-12
        factors = 1 + BETS[:, None] * (shares[kept] / means[kept] - 1)
        return factors.prod(axis=1).mean() >= limit

    low, high = (shares.sum() / total if total else 0.0), 1.0
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if is_excluded(middle) else (low, middle)
    return low


LOOKS = 1, 2, 5, 20, 40, 59, 60
SHARES = {
    "0/1": lambda rng, rows: (rng.random(rows) < 0.5).astype(float),
    "rare": lambda rng, rows: (rng.random(rows) < 0.04).astype(float),
    "all right": lambda _, rows: np.ones(rows),
    "partial": lambda rng, rows: rng.beta(0.3, 0.4, rows),
    "narrow": lambda rng, rows: rng.uniform(0.6, 0.61, rows),
}


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("left", [None, 0, 30])
def test_ends_are_where_the_capital_reaches_the_limit(name, left):
    shares = SHARES[name](np.random.default_rng(1), 60)
    total = None if left is None else shares.size + left
    sequence = ConfidenceSequence(total=total)
    kept = 0.0, 1.0
    for rows, share in enumerate(shares, 1):
        ends = sequence.update(share)
        if rows in LOOKS:
            sides = (shares[:rows], ends[0], kept[0]), (1 - shares[:rows], 1 - ends[1], 1 - kept[1])
            for of_side, end, earlier in sides:
                exact = obvious_end(of_side, 40, total)
                # An earlier look may have been further: ends never go back.
                assert end <= max(exact, earlier) + 1e-8
                assert end >= max(exact - 0.02 * (of_side.mean() - exact), earlier) - 1e-8
        kept = ends
    if left == 0:
        assert ends == (sequence.mean, sequence.mean)


def test_many_rows_are_one_update_of_each_in_order():
    scores = np.random.default_rng(0).uniform(-2, 5, 90)
    together = ConfidenceSequence(0.9, (-2, 5), 100)
    single, saved = ConfidenceSequence(0.9, (-2, 5), 100), ConfidenceSequence(0.9, (-2, 5), 100)
    ends = [single.update(score) for score in scores]

    assert together.update(scores) == ends[-1] == single.interval
    assert all(a[0] <= b[0] and b[1] <= a[1] for a, b in pairwise(ends))
    assert (together.rows, together.mean) == (90, math.fsum(scores) / 90)
    saved.update(scores[:50])
    copy = pickle.loads(pickle.dumps(saved))
    assert copy.update(scores[50:]) == ends[-1]
    assert copy.rows == 90


BAD = [
    ({}, [[0.5, math.nan]], "scores: row 1 is nan; bounds are 0 and 1"),
    ({"bounds": (-1, 1)}, [[0, 1], [2]], "scores: row 2 is 2; bounds are -1 and 1"),
    ({"total": 3}, [[0, 1], [1, 1]], "scores: row 3 is more than the total of 3"),
    ({}, [["x"]], "scores must be numbers"),
]


@pytest.mark.parametrize(("options", "updates", "message"), BAD)
def test_what_cannot_be_adds_nothing(options, updates, message):
    sequence = ConfidenceSequence(**options)
    for scores in updates[:-1]:
        sequence.update(scores)
    before = pickle.dumps(sequence)
    with pytest.raises(ValueError, match=message):
        sequence.update(updates[-1])
    assert pickle.dumps(sequence) == before


@pytest.mark.parametrize(
    ("options", "name"),
    [({"bounds": (0, math.inf)}, "bounds"), ({"level": 1}, "level"), ({"total": 0}, "total")],
)
def test_options_are_checked(options, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        ConfidenceSequence(**options)


def test_the_mean_of_a_benchmark_that_is_used_up_is_known():
    sequence = ConfidenceSequence(bounds=(-1, 1), total=40)
    assert sequence.update([1, -1] * 20) == (0, 0)


@pytest.mark.parametrize("name", ["0/1, .97", "U"])
def test_ends_never_go_back(name):
    rng = np.random.default_rng(3)
    for _ in range(8):
        rows = (rng.random(160) < 0.97) * 1.0 if name == "0/1, .97" else rng.beta(0.1, 0.1, 160)
        for total in (None, 160):
            sequence = ConfidenceSequence(0.5, total=total)  # narrow, so that it often misses
            ends = [(0.0, 1.0), *map(sequence.update, rows)]
            assert all(a[0] <= b[0] and b[1] <= a[1] for a, b in pairwise(ends))


@pytest.mark.slow
@pytest.mark.parametrize("total", [None, 100])
def test_all_looks_cover(total):
    rng = np.random.default_rng(0)
    misses, samples = 0, 20
    for _ in range(samples):
        rows = (rng.random(100) < 0.2).astype(float)
        target = 0.2 if total is None else rows.mean()
        sequence = ConfidenceSequence(total=total)
        misses += any(
            not low - 1e-12 <= target <= high + 1e-12 for low, high in map(sequence.update, rows)
        )
    assert misses <= 0.05 * samples + 2 * math.sqrt(0.05 * 0.95 * samples)
