"""Medians of rounded errors: never off by more than their bound, and small in states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.evaluation.rows.states import State
from metric_commons.module.catalog.catalog import load
from metric_commons.regression.errors import regression_scores
from metric_commons.statistics.arithmetic.binary_digits import truncated

NUMBERS = st.one_of(st.floats(-1e300, 1e300), st.sampled_from([0.0, 5e-324, 1e-310, 1.0]))


@pytest.mark.long
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, st.sampled_from([0.5, 1.0, 3.0])), min_size=1),
    st.integers(1, 40),
    st.booleans(),
)
def test_the_median_is_not_off_by_more_than_its_bound(rows, bits, weighted):
    predictions, references, weights = map(list, zip(*rows, strict=True))
    options = {"measures": "median_ae", "sample_weight": weights if weighted else None}
    exact = regression_scores(predictions, references, **options)["median_ae"]
    rounded = regression_scores(predictions, references, **options, error_bits=bits)
    assert 0 <= exact - rounded["median_ae"] <= rounded["error_bound"]["median_ae"]


@pytest.mark.parametrize("outputs", [1, 2])
def test_states_of_parts_stay_small_and_have_the_result_of_all_rows(outputs):
    rng = np.random.default_rng(outputs)
    shape = (9_000, 2) if outputs == 2 else 9_000
    columns = {"predictions": rng.normal(size=shape), "references": rng.integers(0, 3, shape)}
    columns["references"] = columns["references"].astype(float)
    options = {"measures": ["median_ae"], "error_bits": 3, "multioutput": "raw_values"}
    total, *parts = (State("regression", **options) for _ in range(3))
    for part, rows in zip((total, *parts), np.array_split(rng.permutation(9_000), 3), strict=True):
        part.update(**{name: column[rows] for name, column in columns.items()})
    total.merge(*(State.from_bytes(part.to_bytes()) for part in parts))

    assert total.result() == load("regression").compute(**columns, **options)
    if outputs == 1:
        assert len(total.to_bytes()) < 4_000


@pytest.mark.parametrize("interval", ["auto", "bootstrap"])
def test_intervals_are_those_of_the_rounded_errors(interval):
    predictions, references = np.random.default_rng(4).normal(size=(2, 60))
    options = {"confidence_level": 0.9, "interval": interval, "n_resamples": 200}
    options["measures"] = "median_ae"
    result = regression_scores(predictions, references, error_bits=2, **options)
    del result["error_bound"]

    rounded = truncated(np.abs(references - predictions), 2)
    assert result == regression_scores(rounded, np.zeros(60), **options)
    exact = regression_scores(predictions, references, **options)
    assert result["confidence_interval"] != exact["confidence_interval"]


def test_groups_have_bounds_of_their_own():
    rows = {"predictions": [1.3, 2.0, 0.7], "references": [1.0, 2.5, 0.0]}
    options = {"measures": "median_ae", "error_bits": 4}
    result = regression_scores(**rows, **options, groups=["a", "b", "b"])
    group = regression_scores([1.3], [1.0], **options)
    assert result["groups"]["a"] == group | {"n": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["median_ae", "mae"]}, "error_bits is for measures='median_ae' only"),
        ({"measures": "mae"}, "error_bits is for measures='median_ae' only"),
        ({"multioutput": "variance_weighted"}, "error_bits does not apply to 'variance_weighted'"),
        ({"error_bits": 0}, "error_bits must be an integer"),
    ],
)
def test_what_cannot_be_rounded_is_said(options, message):
    options = {"measures": "median_ae", "error_bits": 4, **options}
    with pytest.raises(ValueError, match=message):
        regression_scores([1.0], [2.0], **options)
    with pytest.raises(ValueError, match=message):
        State("regression", **options).update(predictions=[1.0], references=[2.0])
