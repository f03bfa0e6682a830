"""Tests err as seldom as they say, and find what is there: a fast version.

`benchmarks/error_rates.py` makes the tables. The distributions and the measures are its own.
"""

import importlib.util
import math

import numpy as np
import pytest

from metric_commons.statistics import holm, max_t, paired_test
from tests.spec import ROOT, nightly


@pytest.fixture(scope="module")
def rates():
    """`benchmarks/_error_rates.py`."""
    return loaded("_error_rates")


def loaded(name):
    location = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(location)
    location.loader.exec_module(module)
    return module


DISTRIBUTIONS = loaded("_distributions").difference_distributions()


def at_most(level, runs):
    """What a share that is not above the level may be by chance: three standard errors more."""
    return level + 3 * math.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon"])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("rows", [12, *nightly(40)])
def test_no_test_errs_more_often_than_it_says(rates, rows, distribution, test):
    drawn = rates.samples(
        np.random.default_rng(rows), DISTRIBUTIONS[distribution], rows, 200, signs=True
    )

    assert rates.rejections(drawn, test) <= at_most(0.06, 200)


@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon"])
def test_every_test_finds_a_difference(rates, test):
    drawn = rates.samples(np.random.default_rng(0), DISTRIBUTIONS["nDCG"], 100, 100, signs=False)

    assert 0.4 < rates.rejections(drawn, test) < 0.9


@pytest.mark.parametrize("distribution", ["F1", "nDCG"])
def test_the_percentile_bootstrap_errs_more_often(rates, distribution):
    drawn = rates.samples(
        np.random.default_rng(10), DISTRIBUTIONS[distribution], 10, 200, signs=True
    )

    assert rates.rejections(drawn, "bootstrap") > 0.07


@pytest.mark.long
def test_mcnemars_tests_exactly(rates):
    exact, mid_p = rates.mcnemar_rates(100, 0.17, 0.5)
    power_exact, power_mid_p = rates.mcnemar_rates(100, 0.17, 0.7)

    assert exact < mid_p < 0.05
    assert (exact, mid_p) == pytest.approx((0.029, 0.046), abs=6e-4)
    assert (power_exact, power_mid_p) == pytest.approx((0.298, 0.371), abs=6e-4)


@pytest.mark.long
def test_clusters_flip_as_often_as_they_should(rates):
    alone, flipped, robust = rates.cluster_rejections(np.random.default_rng(1), 20, 5, 0.5, 200)

    assert alone > 0.15
    assert max(flipped, robust) <= at_most(0.06, 200)


@pytest.mark.slow
@pytest.mark.parametrize(("equal", "unlike"), [(3, 2), *nightly((5, 0))])
def test_families_err_as_often_as_their_correction_says(rates, equal, unlike):
    corrections = ("holm", "max_t", "none")
    rng = np.random.default_rng(0)
    by_holm, by_max_t, bare = rates.family_errors(rng, 40, equal, unlike, 100, corrections)

    assert max(by_holm, by_max_t) <= at_most(0.06, 100)
    assert bare > by_holm
    assert bare > 0.1


@pytest.mark.long
def test_pairs_of_forty_systems_are_found(rates):
    differences = rates.forty_systems()
    found = (holm([paired_test(row).p_value for row in differences]) < 0.05).sum()

    assert found >= 500  # of 780; by 9,999 draws of each none can be
    assert 780 * 1 / 10_000 > 0.05
    assert (max_t(differences, n_resamples=1999) < 0.05).sum() >= 500
