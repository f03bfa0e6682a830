"""Resampled and weighted units, and their memory."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from metric_commons.labels.classification.labels import label_scores, label_table
from metric_commons.statistics import interval as mean_interval
from metric_commons.statistics.resampling import bootstrap
from metric_commons.statistics.resampling.draws import resampled_counts
from metric_commons.statistics.resampling.row_units import RowUnits

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

    assert bootstrap.deviation(values) == expected


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
    rows, task = label_table(*(LABELS % 2))
    options = {"method": "bootstrap", "bounds": (0, 2), "n_resamples": resamples}

    assert peak(lambda: mean_interval(scores, **options)) < 12 * resamples + block // 4
    of_labels = peak(lambda: label_scores(rows, task, **BOOTSTRAP, n_resamples=fewer))
    assert of_labels < (8 * 9 + 9) * fewer + block
