"""Adjusted p-values: max_t beside enumeration of all signs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.statistics import max_t, paired_test


def max_t_by_hand(differences):
    """Single-step p-values from all combinations of signs."""
    lengths = np.sqrt(np.square(differences).sum(axis=1))
    signs = np.array(list(product((-1, 1), repeat=differences.shape[1])))
    sums = np.abs(signs @ differences.T) / lengths
    observed = np.abs(differences.sum(axis=1)) / lengths
    return (sums.max(axis=1)[:, None] >= observed - 1e-12).mean(axis=0)


def test_max_t_is_near_all_combinations():
    better = np.array([[0.0], [0.3], [0.8], [1.5]])
    a, b, c, d = better + np.random.default_rng(0).normal(0, 1, (4, 12))
    differences = np.array([a - b, a - c, a - d, b - c, b - d, c - d])
    expected = max_t_by_hand(differences)
    found = max_t(differences, n_resamples=20_000, seed=1)
    assert found == pytest.approx(expected, abs=0.012)
    assert max_t(differences[:1], n_resamples=20_000) == pytest.approx(
        [paired_test(differences[0]).p_value], abs=0.012
    )


@pytest.mark.long
@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 80))
def test_the_order_of_rows_does_not_show(seed, comparisons, rows):
    rng = np.random.default_rng(seed)
    differences = rng.normal(0.1, 1, (comparisons, rows))
    order = rng.permutation(rows)
    found = max_t(differences, n_resamples=200)
    assert np.array_equal(found, max_t(differences[:, order], n_resamples=200))
    assert np.array_equal(found, max_t(differences, n_resamples=200, clusters=list(range(rows))))


def test_clusters_and_edges():
    differences = np.array([[0.1, 0.2, -0.3, 0.5], [0.0, 0.0, 0.0, 0.0]])
    found = max_t(differences, clusters=["a", "a", "a", "b"], n_resamples=50)
    assert found.tolist() == [1.0, 1.0]  # one cluster is 0, and the other's sign does not matter
    assert max_t(np.empty((0, 5))).tolist() == []
    with pytest.raises(ValueError, match="2 dimensions"):
        max_t([0.1, 0.2])
    with pytest.raises(ValueError, match="n_resamples"):
        max_t(differences, n_resamples=0)
