"""Agreement and corrected rates beside peers that are installed, on generated input.

irrCAC needs an old numpy, and cannot be installed beside ppi-python; what it returned is among the
recorded cases.
"""

import math

import numpy as np
import pytest
from scipy import stats

from metric_commons.judging import judge_agreement, judge_corrected

SEEDS = range(12)


def ratings(seed):
    rng = np.random.default_rng(seed)
    units, raters, values = rng.integers(2, 30), rng.integers(2, 6), rng.integers(2, 6)
    truth = rng.integers(1, values + 1, units)[:, np.newaxis]
    is_right = rng.random((units, raters)) < 0.6
    table = np.where(is_right, truth, rng.integers(1, values + 1, (units, raters))).astype(float)
    table[rng.random(table.shape) < 0.15] = math.nan
    return table


@pytest.mark.parametrize("seed", SEEDS)
def test_krippendorff(seed):
    peer = pytest.importorskip("krippendorff")
    table = ratings(seed)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        try:
            expected = peer.alpha(reliability_data=table.T, level_of_measurement=level)
        except ValueError:  # one value only, or no pairs
            expected = math.nan
        result = judge_agreement(table, measures="krippendorff_alpha", level=level)
        assert result["krippendorff_alpha"] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, 40)
    verdicts = np.where(rng.random(40) < 0.5, labels, rng.integers(0, 4, 40))
    for weights in ("identity", "linear", "quadratic"):
        expected = metrics.cohen_kappa_score(
            verdicts, labels, weights=None if weights == "identity" else weights
        )
        result = judge_agreement(verdicts, labels, measures="cohen_kappa", weights=weights)
        assert result["cohen_kappa"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_statsmodels(seed):
    peer = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (25, 4))
    counts, _ = peer.aggregate_raters(table)
    result = judge_agreement(table, measures="fleiss_kappa")
    assert result["fleiss_kappa"] == pytest.approx(peer.fleiss_kappa(counts), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_ppi_python(seed):
    peer = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(seed)
    n, total = int(rng.integers(5, 40)), int(rng.integers(60, 300))
    truth = (rng.random(total) < rng.random()).astype(float)
    verdicts = np.where(rng.random(total) < 0.8, truth, 1 - truth) * rng.choice([1.0, 0.7])
    if verdicts.std() == 0 or truth[:n].std() == 0:
        pytest.skip("a constant column, for which ppi-python returns NaN")
    labels = np.where(np.arange(total) < n, truth, np.nan)
    columns = truth[:n], verdicts[:n], verdicts[n:]
    for method, power in (("ppi++", None), ("ppi", 1.0), ("labelled", 0.0)):
        result = judge_corrected(verdicts, labels, method=method)
        value = float(np.ravel(peer.ppi_mean_pointestimate(*columns, lam=power))[0])
        ends = [
            float(np.ravel(end)[0]) for end in peer.ppi_mean_ci(*columns, alpha=0.05, lam=power)
        ]
        assert result["judge_corrected"] == pytest.approx(value, abs=1e-9)
        reach = stats.norm.ppf(0.975) * result["standard_error"]
        assert [value - reach, value + reach] == pytest.approx(ends, abs=1e-9)
