"""Resampled and weighted units beside the obvious way, their distributions, and their memory."""

import math
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import stats

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.statistics import interval
from metric_commons.statistics.resampling.row_units import (
    RowUnits,
    percentile_ends,
    random_rows,
    resampled_counts,
)


def mean_interval(values, *, confidence_level, n_resamples=10_000, seed=0):
    options = {"confidence_level": confidence_level, "bounds": (-math.inf, math.inf)}
    draws = {"n_resamples": n_resamples, "seed": seed}
    return interval(values, method="bootstrap", **options, **draws)[:2]


def f1_like(rows, seed=0):
    """A third zeros, a third ones, and F1 of short answers between."""
    rng = np.random.default_rng(seed)
    predicted, accepted = rng.integers(1, 30, rows), rng.integers(1, 12, rows)
    overlap = rng.binomial(np.minimum(predicted, accepted), 0.6)
    kind = rng.integers(0, 3, rows)
    return np.choose(kind, [2 * overlap / (predicted + accepted), 0.0, 1.0])


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
    values = np.random.default_rng(3).normal(size=200)
    values[::7] = math.nan

    assert percentile_ends(values, 0.9) == pytest.approx(np.nanquantile(values, [0.05, 0.95]))
    assert np.isnan(percentile_ends(np.full(3, math.nan), 0.9)).all()
    with warnings.catch_warnings(action="error"):
        assert percentile_ends(np.array([math.inf, 1.0, math.inf, 2.0]), 0.5)[1] == math.inf


# ---- units --------------------------------------------------------------------------------------

CHANCE = np.random.default_rng(0)
LABELS = CHANCE.integers(0, 12, (2, 200))
WEIGHTS = CHANCE.random(200)


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
def test_amounts_of_units_add_up(amounts):
    units = RowUnits(np.array([3, 5]), amounts)
    options = {"n_resamples": 100, "seed": 0}
    sums = units.resampled(lambda sums, columns: sums, [0, 1], **options)
    (counts,) = resampled_counts(units.counts, **options)

    assert np.array_equal([*sums.values()], units.of_kinds().T @ counts.T)


def test_only_unseen_units_add_to_unobserved_sums():
    units = RowUnits(np.array([3, 5]), unobserved=2)
    (totals, unseen) = next(units.weighted(n_resamples=10, seed=0))

    assert units.total().tolist() == [3, 5, 0, 0]
    assert totals.shape == (4, 10)
    assert not totals[2:].any()
    assert min(totals[:2].min(), unseen.min()) > 0


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
