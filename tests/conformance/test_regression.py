"""What scikit-learn and scipy return, recorded on tricky numbers and live on generated ones."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats
from sklearn import metrics

from metric_commons import load
from tests.conformance.test_judges import plain
from tests.spec import drawn_examples, recorded

PEERS = {
    "mae": metrics.mean_absolute_error,
    "mse": metrics.mean_squared_error,
    "rmse": metrics.root_mean_squared_error,
    "r2": metrics.r2_score,
    "mape": metrics.mean_absolute_percentage_error,
    "median_ae": metrics.median_absolute_error,
    "explained_variance": metrics.explained_variance_score,
}
ALL = [*PEERS, "smape", "max_error", "pearson", "spearman"]
# These recommend either of two.
EITHER = {"pearson-04": math.nan, "max_error-04": 0.5}

SOME = drawn_examples(40)


@pytest.fixture(scope="module")
def regression():
    return load("regression")


POSITIVE = {
    "msle": metrics.mean_squared_log_error,
    "rmsle": metrics.root_mean_squared_log_error,
    "pinball(alpha=0.9)": partial(metrics.mean_pinball_loss, alpha=0.9),
    "pinball(alpha=0)": partial(metrics.mean_pinball_loss, alpha=0.0),
    "poisson_deviance": metrics.mean_poisson_deviance,
    "gamma_deviance": metrics.mean_gamma_deviance,
    "tweedie(power=0)": partial(metrics.mean_tweedie_deviance, power=0),
    "tweedie(power=1.5)": partial(metrics.mean_tweedie_deviance, power=1.5),
    "tweedie(power=3)": partial(metrics.mean_tweedie_deviance, power=3),
    "tweedie(power=-0.5)": partial(metrics.mean_tweedie_deviance, power=-0.5),
    "d2_absolute_error": metrics.d2_absolute_error_score,
    "d2_pinball(alpha=0.3)": partial(metrics.d2_pinball_score, alpha=0.3),
    "d2_tweedie(power=1)": partial(metrics.d2_tweedie_score, power=1),
    "d2_tweedie(power=2.5)": partial(metrics.d2_tweedie_score, power=2.5),
}


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-300, nan_ok=True)


def expected_value(case):
    """What a case should return, or None for an error."""
    if case["id"] in EITHER:
        return EITHER[case["id"]]
    if "recommend" in case:
        value = plain(case["recommend"])
        return None if isinstance(value, str) and value.startswith("raise") else value
    return plain(case["exact"] if case["exact"] is not None else case["sklearn"].get("value"))


def test_cases(regression):
    compared = 0
    for case in recorded("tabular"):
        if case["metric"] not in ALL:
            continue
        columns = {name: plain(case["inputs"][name]) for name in ("predictions", "references")}
        for name in columns:
            if dtype := case["inputs"].get(f"dtype_{name}"):
                columns[name] = np.array(columns[name], dtype)
        expected = expected_value(case)
        if expected is None:
            with pytest.raises(ValueError, match=r"predictions|references|inputs"):
                regression.compute(**columns, measures=case["metric"], **case["kwargs"])
        else:
            result = regression.compute(**columns, measures=case["metric"], **case["kwargs"])
            assert result[case["metric"]] == close(expected), case["id"]
        compared += 1

    assert compared > 30


numbers = st.one_of(
    st.integers(-20, 20).map(float),
    st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3)),
)
weight_values = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.25])


@st.composite
def tables(draw):
    """References, predictions and weights, of one or several outputs."""
    rows, outputs = draw(st.integers(2, 30)), draw(st.integers(1, 3))
    shape = (rows, outputs) if draw(st.booleans()) else rows
    table = arrays.arrays(np.float64, shape, elements=numbers)
    weights = draw(st.none() | arrays.arrays(np.float64, rows, elements=weight_values))
    return draw(table), draw(table), weights if weights is None or weights.any() else None


def constant(references, weight):
    """Whether a column is, among the rows that count: there rounding makes the peer wrong."""
    rows = references if weight is None else references[weight > 0]
    return bool((np.ptp(rows, axis=0) == 0).any())


WAYS = ["uniform_average", "raw_values", "variance_weighted", "weights"]


@pytest.mark.long
@given(tables(), st.sampled_from(WAYS), st.data())
def test_generated_numbers(regression, table, multioutput, data):
    references, predictions, weight = table
    if multioutput == "weights":
        outputs = references.size // len(references)
        assume(outputs > 1)  # of one output the peer refuses weights
        shares = st.lists(st.sampled_from([0.25, 1, 2.0]), min_size=outputs, max_size=outputs)
        multioutput = data.draw(shares)
    rows = {"predictions": predictions, "references": references, "sample_weight": weight}
    for measure, peer in PEERS.items():
        if multioutput == "variance_weighted" and measure not in ("r2", "explained_variance"):
            continue
        if constant(references, weight) and measure in ("r2", "explained_variance"):
            continue
        result = regression.compute(**rows, measures=measure, multioutput=multioutput)[measure]
        expected = peer(references, predictions, sample_weight=weight, multioutput=multioutput)
        if multioutput == "raw_values" and references.ndim == 1:
            expected = np.atleast_1d(expected)
        # Near 0 the difference of 1 and a ratio keeps no relative precision in the peer.
        slack = 1e-9 if measure in ("r2", "explained_variance") else 0.0
        assert result == pytest.approx(expected, rel=1e-12, abs=slack), measure


@pytest.mark.long
@SOME
@given(tables())
def test_generated_positive_numbers(regression, table):
    references, predictions, weight = table
    references, predictions = np.abs(references) + 0.25, np.abs(predictions) + 0.5
    assume(not constant(references, weight))  # there rounding makes D2 wrong
    rows = {"predictions": predictions, "references": references, "sample_weight": weight}
    result = regression.compute(**rows, measures=list(POSITIVE), multioutput="raw_values")
    columns = zip(np.atleast_2d(references.T), np.atleast_2d(predictions.T), strict=True)
    for output, pair in enumerate(columns):
        for measure, peer in POSITIVE.items():
            expected = peer(*pair, sample_weight=weight)
            # Terms as great as the numbers cancel in a deviance.
            slack = 1e-9 if "d2" in measure else 1e-12 * float(np.abs(pair).max()) ** 2.5
            assert result[measure][output] == pytest.approx(expected, rel=1e-9, abs=slack), measure


@pytest.mark.long
@SOME
@given(tables(), st.sampled_from([0.1, 0.5]))
def test_scores_of_intervals_are_pinball_losses_of_their_ends(regression, table, alpha):
    references, predictions, weight = table
    references, predictions = (np.ravel(column) for column in (references, predictions))
    if weight is not None:
        weight = np.repeat(weight, references.size // weight.size)
    low, high = predictions - 1.5, predictions + 2.0
    result = regression.compute(
        predictions=np.column_stack([low, high]),
        references=references,
        sample_weight=weight,
        measures=[f"winkler(alpha={alpha})", "coverage"],
    )
    losses = [
        metrics.mean_pinball_loss(references, end, alpha=level, sample_weight=weight)
        for end, level in ((low, alpha / 2), (high, 1 - alpha / 2))
    ]
    held = (low <= references) & (references <= high)
    assert result[f"winkler(alpha={alpha})"] == pytest.approx(sum(losses) * 2 / alpha, rel=1e-9)
    assert result["coverage"] == pytest.approx(np.average(held, weights=weight), abs=1e-12)


def test_concordance_of_torchmetrics_divides_by_rows_less_one(regression):
    rows = {"references": [3.0, -0.5, 2.0, 7.0], "predictions": [2.5, 0.0, 2.0, 8.0]}
    result = regression.compute(**rows, measures="concordance")["concordance"]
    covariance = np.cov(rows["references"], rows["predictions"])
    gap = np.mean(np.subtract(rows["references"], rows["predictions"])) ** 2
    with_less_one = 2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + gap)
    assert round(with_less_one, 4) == 0.9777  # of its documentation
    assert result == pytest.approx(0.976789, abs=1e-6)


@pytest.mark.long
@given(tables())
def test_generated_correlations(regression, table):
    references, predictions, _ = table
    peers = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for measure, peer in peers.items():
        result = regression.compute(
            predictions=predictions,
            references=references,
            measures=measure,
            multioutput="raw_values",
        )[measure]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of constants
            columns = zip(np.atleast_2d(references.T), np.atleast_2d(predictions.T), strict=True)
            expected = [peer(first, second)[0] for first, second in columns]
        assert result == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
