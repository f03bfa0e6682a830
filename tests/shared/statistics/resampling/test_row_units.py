"""Resampled and weighted units beside the obvious way, their distributions, and their memory."""

import math
import tracemalloc
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.statistics import interval
from metric_commons.statistics.resampling.row_units import (
    RowUnits,
    deviation,
    percentile_ends,
    random_rows,
    resampled_counts,
)

# ---- the obvious way: one word, one row, one resample after the other ---------------------------


def mean_interval(values, *, confidence_level, n_resamples=10_000, seed=0):
    options = {"confidence_level": confidence_level, "bounds": (-math.inf, math.inf)}
    draws = {"n_resamples": n_resamples, "seed": seed}
    return interval(values, method="bootstrap", **options, **draws)[:2]


def obvious_interval(values, *, confidence_level, n_resamples, seed):
    times = Counter(float(value) + 0.0 for value in values)
    scores = sorted(times)
    sums = obvious_sums(
        np.random.PCG64(seed),
        [Fraction(score) for score in scores],
        [times[score] for score in scores],
        n_resamples,
    )
    lower = (1 - confidence_level) / 2
    return np.quantile([float(total / len(values)) for total in sums], [lower, 1 - lower]).tolist()


def obvious_sums(words, units, times, n_resamples):
    rows = sum(times)
    if rows >= 8 * len(times):
        chance = np.random.RandomState(words)
        counts = [chance.multinomial(rows, np.array(times) / rows) for _ in range(n_resamples)]
        return [
            sum(unit * int(count) for unit, count in zip(units, row, strict=True)) for row in counts
        ]
    every_row = [unit for unit, count in zip(units, times, strict=True) for _ in range(count)]
    return obvious_draws(words, every_row, [rows] * n_resamples)


def obvious_draws(words, table, draws):
    """The sum of draws[0] random entries of a table, of draws[1] more, and so on."""

    def fractions():
        while True:
            word = int(words.random_raw())
            if len(table) <= 2**20:
                yield Fraction(word % 2**32, 2**32)
                yield Fraction(word // 2**32, 2**32)
            else:
                yield Fraction(word, 2**64)

    fraction = fractions()
    return [sum(table[int(next(fraction) * len(table))] for _ in range(many)) for many in draws]


def f1_like(rows, seed=0):
    """A third zeros, a third ones, and F1 of short answers between."""
    rng = np.random.default_rng(seed)
    predicted, accepted = rng.integers(1, 30, rows), rng.integers(1, 12, rows)
    overlap = rng.binomial(np.minimum(predicted, accepted), 0.6)
    kind = rng.integers(0, 3, rows)
    return np.choose(kind, [2 * overlap / (predicted + accepted), 0.0, 1.0])


SMALL = {
    "thirds": [0.0, 1 / 3, 1.0],
    "rare only": [0.0, 0.25, 0.7, 1.0, 1.0, 0.3, 0.7],
    "frequent only": [0.0] * 30 + [0.5] * 16 + [1.0] * 20,
    "both": [0.0] * 20 + [0.1, 0.2, 0.2, 0.9] + [1.0] * 40 + [0.3] * 15,
    "one frequent": [-1.0] * 50 + [0.1, 0.3],
    "far from zero": [1e6 + 0.1, 1e6 + 0.2, 1e6 + 0.4] * 7,
    "tiny": [3e-320, 1e-320, 0.0, 1e-320],
    "f1": f1_like(300).tolist(),
}


@pytest.mark.parametrize("values", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize(("level", "n_resamples", "seed"), [(0.95, 101, 0), (0.5, 1, 7)])
def test_equals_the_obvious_way(values, level, n_resamples, seed):
    options = {"confidence_level": level, "n_resamples": n_resamples, "seed": seed}
    expected = obvious_interval(values, **options)
    unit = len(values) * 2.0**-50 * (max(values) - min(values))
    assert mean_interval(values, **options) == pytest.approx(expected, rel=1e-14, abs=unit)


@pytest.mark.parametrize("rows", [1, 3, 1000, 2**20, 2**20 + 1, 2**31 + 7, 2**32 - 1])
def test_random_rows_are_exact_products(rows):
    drawn = random_rows(np.random.PCG64(5), rows, 101).tolist()
    words = np.random.PCG64(5).random_raw(101).tolist()
    if rows <= 2**20:
        halves = [half for word in words for half in (word % 2**32, word // 2**32)]
        assert drawn == [half * rows // 2**32 for half in halves[:101]]
    else:
        assert drawn == [word * rows // 2**64 for word in words]


# ---- the distribution -------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    "values",
    [f1_like(1000), f1_like(40), np.random.default_rng(1).exponential(size=300)],
    ids=["f1, 1000 rows", "f1, 40 rows", "all distinct"],
)
def test_agrees_with_scipy_within_the_noise_of_resampling(values, level):
    ours = mean_interval(values, confidence_level=level)
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        n_resamples=10_000,
        confidence_level=level,
        rng=np.random.default_rng(0),
    ).confidence_interval
    # The standard error of a quantile of 10,000 normal numbers of this deviation.
    tail = (1 - level) / 2
    density = stats.norm.pdf(stats.norm.ppf(tail))
    noise = math.sqrt(tail * (1 - tail) / 10_000) / density * values.std() / math.sqrt(values.size)
    assert ours == pytest.approx(tuple(theirs), abs=4 * math.sqrt(2) * noise)


# ---- what must not matter, and what must ------------------------------------------------------


def test_minus_zero_is_zero():
    expected = mean_interval([0.0, 0.0, 1.0], confidence_level=0.9)
    assert mean_interval([0.0, -0.0, 1.0], confidence_level=0.9) == expected
    low, high = mean_interval([-0.0, -0.0], confidence_level=0.9)
    assert math.copysign(1, low) == math.copysign(1, high) == 1


def test_the_stream_is_frozen():
    spread = [k * k / 400 for k in range(21)]
    f1 = [0.0] * 300 + [0.4] * 25 + [0.5] * 40 + [2 / 3] * 35 + [0.8] * 9 + [1.0] * 320
    expected = (0.21392857142857144, 0.4771458333333333)
    assert mean_interval(spread, confidence_level=0.95) == pytest.approx(expected, rel=1e-13)
    expected = (0.4882487425697302, 0.5555098308184728)
    assert mean_interval(f1, confidence_level=0.95) == pytest.approx(expected, rel=1e-13)
    expected = (0.47676726108824874, 0.5621728395061728)
    assert mean_interval(f1, confidence_level=0.99, n_resamples=999, seed=2**62) == pytest.approx(
        expected, rel=1e-13
    )


def test_another_seed_gives_other_numbers():
    scores = f1_like(200)
    intervals = {mean_interval(scores, confidence_level=0.9, seed=seed) for seed in range(5)}
    assert len(intervals) == 5


@pytest.mark.parametrize(
    "values",
    [
        [-1e280, 0.0, 1e280],
        [0.0, 5e-324, 1e-323],
        [1.0, 1 + 2**-52, 1 + 2**-51],
        [-1.0, -1e-20, -1e-21],
    ],
)
def test_extreme_scores_stay_in_range(values):
    low, high = mean_interval(values, confidence_level=0.95)
    assert min(values) <= low < high <= max(values)
    assert mean_interval(values, confidence_level=1e-9) != (low, high)


@pytest.mark.parametrize(
    ("values", "megabytes"),
    [(f1_like(400_000), 16), (np.random.default_rng(0).random(400_000), 34)],
    ids=["repeated scores", "all distinct"],
)
def test_memory_is_bounded(values, megabytes):
    # 400,000 rows x 20 resamples as one matrix of indices would be 64 MB; scores, their order,
    # and the counts of one resample, as integers and as floats, are 8 bytes a row each.
    tracemalloc.start()
    mean_interval(values, confidence_level=0.9, n_resamples=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < megabytes * 2**20


def test_percentile_ends_leave_out_nan():
    values = np.random.default_rng(3).normal(size=(200, 3))
    values[::7, 1] = math.nan
    values[:, 2] = math.nan
    ends = percentile_ends(values, 0.9)

    assert ends.shape == (3, 2)
    expected = np.nanquantile(values[:, :2], [0.05, 0.95], axis=0).T
    assert ends[:2] == pytest.approx(expected, rel=1e-14)
    assert np.isnan(ends[2]).all()
    assert np.array_equal(percentile_ends(values[:, 0], 0.9), ends[0])


def test_infinite_values_have_no_deviation_and_no_warning():
    with warnings.catch_warnings(action="error"):
        ends = percentile_ends(np.array([math.inf, 1.0, math.inf, 2.0]), 0.5)
        error = deviation(np.array([math.inf, 1.0]))
    assert ends.tolist()[1] == math.inf or math.isnan(ends[1])
    assert math.isnan(error)


# ---- units --------------------------------------------------------------------------------------

CHANCE = np.random.default_rng(0)
LABELS = CHANCE.integers(0, 12, (2, 200))
WEIGHTS = CHANCE.random(200)
BOOTSTRAP = {"confidence_level": 0.9, "interval": "bootstrap"}


@pytest.mark.parametrize("counts", [[700, 1, 40, 259], [3, 1, 2, 5]])
def test_resamples_are_multinomial(counts):
    counts, rows = np.array(counts), sum(counts)
    blocks = resampled_counts(counts, n_resamples=20_000, seed=1)
    drawn = np.concatenate(list(blocks)).T
    rate = counts / rows

    assert (drawn.sum(axis=0) == rows).all()
    assert (drawn >= 0).all()
    covariance = rows * (np.diag(rate) - np.outer(rate, rate))
    error = np.sqrt(np.diag(covariance) / 20_000)
    assert (np.abs(drawn.mean(axis=1) - counts) < 5 * error).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(np.cov(drawn) - covariance) < 0.05 * scale).all()
    for place, count in enumerate(counts):  # a whole distribution, not just two moments
        distribution = stats.binom(rows, count / rows)
        edges = np.unique(distribution.ppf([0.1, 0.3, 0.5, 0.7, 0.9]))
        share = np.mean(drawn[place][:, None] <= edges, axis=0)
        assert np.abs(share - distribution.cdf(edges)).max() < 0.02


@pytest.mark.parametrize("amounts", [np.array([[0.5, 1e9], [2.0, -3.25]]), None])
def test_amounts_of_units_add_up_exactly(amounts):
    units = RowUnits(np.array([3, 5]), amounts)
    (sums,) = units.resampled(n_resamples=100, seed=0)
    (counts,) = resampled_counts(units.counts, n_resamples=100, seed=0)

    assert np.array_equal(sums, units.of_kinds().T @ counts.T)


def test_only_unseen_units_add_to_unobserved_sums():
    units = RowUnits(np.array([3, 5]), unobserved=2)
    (totals, unseen) = next(units.weighted(n_resamples=10, seed=0))

    assert units.total().tolist() == [3, 5, 0, 0]
    assert totals.shape == (4, 10)
    assert not totals[2:].any()
    assert min(totals[:2].min(), unseen.min()) > 0


@pytest.mark.parametrize("size", [2, 3, 1000])
def test_the_deviation_is_that_of_numpy(size):
    values = CHANCE.normal(size=size) * 1e3 + 7
    expected = np.std(values, ddof=1)

    assert deviation(values) == expected


def peak(call):
    tracemalloc.start()
    call()
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return memory


@pytest.mark.long
def test_memory_grows_by_the_values_of_scores_alone():
    """A float for each resample and score, which quantiles need, and some for the present score."""
    resamples, fewer, block = 1_000_000, 400_000, 40 << 20
    scores = np.rint(2 * WEIGHTS)
    options = {"method": "bootstrap", "bounds": (0, 2), "n_resamples": resamples}

    assert peak(lambda: interval(scores, **options)) < 12 * resamples + block // 4
    drawn = {"confidence_level": 0.95, "interval": "bootstrap", "n_resamples": fewer}
    of_labels = peak(lambda: classification_scores(*(LABELS % 2), **drawn))
    assert of_labels < (8 * 9 + 9) * fewer + block
