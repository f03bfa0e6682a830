import json
import math

import numpy as np
import pytest

from metric_commons import load
from metric_commons.regression import measure_names
from tests.spec import ROOT, Spec

SPEC = Spec(
    name="regression",
    sample={"predictions": [2.5, 0.0, 2.0, 8.0], "references": [3.0, -0.5, 2.0, 7.0]},
    result={"mae": 0.5, "mse": 0.375, "rmse": math.sqrt(0.375), "r2": 1 - 1.5 / 29.1875},
    perfect={"predictions": [1.0, 2.5], "references": [1.0, 2.5]},
    best={"mae": 0.0, "mse": 0.0, "rmse": 0.0, "r2": 1.0},
    other_ranges={
        "mae": (0.0, math.inf),
        "mse": (0.0, math.inf),
        "rmse": (0.0, math.inf),
        "r2": (-math.inf, 1.0),
    },
    wrong={"predictions": "2.5", "references": "3.0"},
)
ALL = (
    "mae",
    "mse",
    "rmse",
    "r2",
    "mape",
    "smape",
    "median_ae",
    "max_error",
    "explained_variance",
    "pearson",
    "spearman",
    "kendall",
    "concordance",
)
CORRELATIONS = ("pearson", "spearman", "kendall", "concordance")
LOSSES = ("msle", "rmsle", "pinball(alpha=0.9)", "poisson_deviance", "gamma_deviance")
DEVIANCES = (*LOSSES, "tweedie(power=1.5)")
D2 = ("d2_absolute_error", "d2_pinball(alpha=0.9)", "d2_tweedie(power=1.5)")
OF_INTERVALS = ("coverage", "interval_width", "winkler(alpha=0.1)")
OTHER_SHAPES = [
    Spec(
        name="regression",
        shape="two outputs, all measures",
        sample={
            "predictions": [[0.0, 2.0], [-1.0, 2.0], [8.0, -5.0], [1.0, 3.0]],
            "references": [[0.5, 1.0], [-1.0, 1.0], [7.0, -6.0], [2.0, 2.5]],
            "measures": ALL,
        },
        result={
            "mae": 3 / 4,
            "mse": 2.75 / 4,
            "rmse": (0.75 + math.sqrt(3.25 / 4)) / 2,
            "r2": ((1 - 2.25 / 36.1875) + (1 - 3.25 / 43.6875)) / 2,
            "mape": ((1 + 0 + 1 / 7 + 1 / 2) / 4 + (1 + 1 + 1 / 6 + 1 / 5) / 4) / 2,
            "smape": ((2 + 0 + 2 / 15 + 2 / 3) / 4 + (2 / 3 + 2 / 3 + 2 / 11 + 2 / 11) / 4) / 2,
            "median_ae": (0.75 + 1) / 2,
            "max_error": 1.0,
            "explained_variance": ((1 - 2.1875 / 36.1875) + (1 - 0.1875 / 43.6875)) / 2,
            "pearson": (42 / math.sqrt(36.1875 * 50) + 42.25 / math.sqrt(43.6875 * 41)) / 2,
            "spearman": 1.0,
            "kendall": 1.0,
            "concordance": (84 / 86.25 + 84.5 / 87.75) / 2,
        },
        perfect={
            "predictions": [[1.0, 2.5], [2.0, 1.0]],
            "references": [[1.0, 2.5], [2.0, 1.0]],
            "measures": ALL,
        },
        best=dict.fromkeys(ALL, 0.0)
        | dict.fromkeys(["r2", "explained_variance", *CORRELATIONS], 1.0),
        other_ranges={
            **dict.fromkeys(ALL, (0.0, math.inf)),
            "r2": (-math.inf, 1.0),
            "explained_variance": (-math.inf, 1.0),
            **dict.fromkeys(CORRELATIONS, (-1.0, 1.0)),
        },
        wrong={"predictions": ["2.5", "1"], "references": ["3.0", "1"]},
    ),
    Spec(
        name="regression",
        shape="positive numbers",
        sample={
            "predictions": [2.0, 2.0, 2.0],
            "references": [1.0, 2.0, 4.0],
            "measures": (*DEVIANCES, *D2),
        },
        result={
            "msle": (math.log(3 / 2) ** 2 + math.log(5 / 3) ** 2) / 3,
            "rmsle": math.sqrt((math.log(3 / 2) ** 2 + math.log(5 / 3) ** 2) / 3),
            "pinball(alpha=0.9)": 1.9 / 3,
            "poisson_deviance": (6 * math.log(2) - 2) / 3,
            "gamma_deviance": 1 / 3,
            "tweedie(power=1.5)": (18 * math.sqrt(2) - 24) / 3,
            "d2_absolute_error": 0.0,
            "d2_pinball(alpha=0.9)": 1 - 1.9 / 0.5,
            "d2_tweedie(power=1.5)": 1
            - (9 * math.sqrt(2) - 12) / (12 * math.sqrt(7 / 3) - 12 - 4 * math.sqrt(2)),
        },
        perfect={
            "predictions": [1.0, 2.5],
            "references": [1.0, 2.5],
            "measures": (*DEVIANCES, *D2),
        },
        best=dict.fromkeys(DEVIANCES, 0.0) | dict.fromkeys(D2, 1.0),
        other_ranges=dict.fromkeys(DEVIANCES, (0.0, math.inf))
        | dict.fromkeys(D2, (-math.inf, 1.0)),
        wrong={"predictions": "2.5", "references": "3.0"},
    ),
    Spec(
        name="regression",
        shape="prediction intervals",
        sample={
            "predictions": [[1.0, 2.0], [0.0, 4.0], [1.0, 1.5], [2.0, 2.5]],
            "references": [1.5, 4.0, 2.0, 1.75],
            "measures": OF_INTERVALS,
        },
        result={
            "coverage": 0.5,
            "interval_width": 1.5,
            "winkler(alpha=0.1)": (6 + 20 * 0.5 + 20 * 0.25) / 4,
        },
        perfect={
            "predictions": [[1.0, 1.0], [2.0, 2.0]],
            "references": [1.0, 2.0],
            "measures": OF_INTERVALS,
        },
        best={"coverage": 1.0, "interval_width": 0.0, "winkler(alpha=0.1)": 0.0},
        other_ranges=dict.fromkeys(OF_INTERVALS, (0.0, math.inf)),
        wrong={"predictions": ["2.5", "1"], "references": "3.0"},
    ),
]


@pytest.fixture(scope="module")
def regression():
    return load("regression")


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("mape", (0.5 / 3 + 1 + 0 + 1 / 7) / 4),
        ("smape", (1 / 5.5 + 2 + 0 + 2 / 15) / 4),
        ("median_ae", 0.5),
        ("max_error", 1.0),
        ("explained_variance", 0.9571734475374732),  # of scikit-learn's documentation
        ("spearman", 1.0),
        ("pearson", 0.9848696184482703),  # of scipy.stats.pearsonr
        ("kendall", 1.0),
        ("d2_absolute_error", 0.7647058823529411),  # of scikit-learn's documentation
    ],
)
def test_the_other_measures(regression, measure, value):
    result = regression.compute(**SPEC.sample, measures=[measure])

    assert result == {measure: pytest.approx(value, rel=1e-14)}
    assert regression.compute(**SPEC.sample, measures=measure) == result


TWO_OUTPUTS = {
    "predictions": [[0.0, 2.0], [-1.0, 2.0], [8.0, -5.0]],
    "references": [[0.5, 1.0], [-1.0, 1.0], [7.0, -6.0]],
}


@pytest.mark.parametrize(
    ("multioutput", "mae", "r2"),
    [  # of scikit-learn's documentation
        ("raw_values", [0.5, 1.0], [0.9654377880184332, 0.9081632653061225]),
        ("uniform_average", 0.75, 0.9368005266622779),
        ([0.3, 0.7], 0.85, 0.92534562121),
        (np.array([3, 7]), 0.85, 0.92534562121),
        ("variance_weighted", (0.5 * 36.1666666666 + 32.6666666666) / 68.8333333333, 0.938256658),
    ],
)
def test_several_outputs(regression, multioutput, mae, r2):
    result = regression.compute(**TWO_OUTPUTS, measures=["mae", "r2"], multioutput=multioutput)

    assert result == {"mae": pytest.approx(mae), "r2": pytest.approx(r2)}


def test_the_greatest_error_follows_multioutput(regression):
    rows = {"predictions": [[1.0, 3.0]], "references": [[1.0, 2.0]]}

    assert regression.compute(**rows, measures="max_error") == {"max_error": 0.5}
    raw = regression.compute(**rows, measures="max_error", multioutput="raw_values")
    assert raw == {"max_error": [0.0, 1.0]}


@pytest.mark.parametrize("column", ["predictions", "references"])
def test_a_number_and_a_row_of_one_are_the_same(regression, column):
    for container in (list, np.array):
        rows = {name: container(numbers) for name, numbers in SPEC.sample.items()}
        rows[column] = container([[number] for number in SPEC.sample[column]])
        assert regression.compute(**rows) == regression.compute(**SPEC.sample)


def test_weights_are_repetitions(regression):
    weights = [1, 2, 0, 4]
    repeated = {
        name: [number for number, times in zip(column, weights, strict=True) for _ in range(times)]
        for name, column in SPEC.sample.items()
    }
    for measure in ("mae", "mse", "rmse", "r2", "mape", "smape", "median_ae", "pearson"):
        weighted = regression.compute(**SPEC.sample, measures=measure, sample_weight=weights)
        assert weighted == pytest.approx(regression.compute(**repeated, measures=measure))


def test_with_weights_that_sum_to_zero_everything_is_undefined(regression):
    result = regression.compute(
        **SPEC.sample,
        measures=["mae", "r2", "median_ae", "max_error"],
        sample_weight=[0] * 4,
        confidence_level=0.9,
    )
    undefined = pytest.approx(math.nan, nan_ok=True)
    intervals = {name: [undefined] * 2 for name in ("mae", "r2", "median_ae", "max_error")}

    assert result.pop("interval") == dict.fromkeys(intervals, "law")
    assert result.pop("standard_error") == result.pop("effective_n") == {}
    assert result == dict.fromkeys(intervals, undefined) | {"confidence_interval": intervals}


@pytest.mark.parametrize(
    ("predictions", "references", "result"),
    [
        ([2.0], [1.0], {"r2": math.nan, "explained_variance": 1.0, "pearson": math.nan}),
        ([2, 2, 2], [2, 2, 2], {"r2": 1.0, "explained_variance": 1.0, "pearson": math.nan}),
        ([1, 2, 3], [2, 2, 2], {"r2": 0.0, "explained_variance": 0.0, "spearman": math.nan}),
        ([0.2, 0.1, 0.3], [0.1] * 3, {"r2": 0.0, "explained_variance": 0.0}),
        ([3.0] * 3, [2.0] * 3, {"r2": 0.0, "explained_variance": 1.0}),
        ([2, 3, 4], [1, 2, 3], {"r2": -0.5, "explained_variance": 1.0, "pearson": 1.0}),
        ([3, 2, 1], [1, 2, 3], {"r2": -3.0, "pearson": -1.0, "spearman": -1.0}),
        ([0.0, 1.0], [0.0, 1.0], {"mape": 0.0, "smape": 0.0}),
        ([1.0, 1.0], [0.0, 1.0], {"mape": 2.0**51, "smape": 1.0}),
        ([-1e308], [1e308], {"mae": math.inf, "mse": math.inf, "rmse": math.inf}),
        ([-1e308, 0.0], [1e308, 0.0], {"mae": 1e308, "rmse": math.sqrt(2) * 1e308}),
        ([-1e200, 1e200], [1e200, -1e200], {"rmse": 2e200, "r2": -3.0}),
        ([0.0, 0.0], [1e-200, 0.0], {"rmse": math.sqrt(0.5) * 1e-200, "r2": -1.0}),
        ([2**53 + 1, 2**53 + 2], [2**53, 2**53 + 1], {"mae": 1.0, "r2": -3.0}),
        ([True, False], [False, False], {"mae": 0.5, "max_error": 1.0}),
    ],
)
def test_edge_cases(regression, predictions, references, result):
    assert regression.compute(
        predictions=predictions, references=references, measures=list(result)
    ) == pytest.approx(result, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "bool", "float16", "float32"])
def test_arrays_are_subtracted_as_numbers(regression, dtype):
    predictions = np.array([1, 0, 100]).astype(dtype)
    references = np.array([0, 10, -100]).astype(dtype)
    plain = regression.compute(predictions=predictions.tolist(), references=references.tolist())

    assert regression.compute(predictions=predictions, references=references) == plain


def test_numbers_far_from_zero_do_not_cancel(regression):
    steps = np.arange(1000) % 7
    near = regression.compute(predictions=(steps + 1) % 5, references=steps)
    far = regression.compute(
        predictions=1e9 + (steps + 1) % 5 * 0.25, references=1e9 + steps * 0.25, measures="r2"
    )

    assert far["r2"] == pytest.approx(near["r2"], rel=1e-14)


def test_an_interval_of_a_constant_column_is_defined(regression):
    rows = {"predictions": [1.0, 2.0, 3.0], "references": [2.0, 2.0, 2.0]}
    result = regression.compute(**rows, measures=["r2", "pearson"], confidence_level=0.9)
    undefined = pytest.approx(math.nan, nan_ok=True)

    assert result["confidence_interval"]["r2"] == [-math.inf, 1.0]
    assert result["confidence_interval"]["pearson"] == [undefined, undefined]


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([1.0, math.inf], [1.0, 2.0], r"predictions\[1\] is inf; every row needs a finite number"),
        ([1.0, 2.0], [-math.inf, 2.0], r"references\[0\] is -inf"),
        ([[1.0, math.inf]], [[1.0, 2.0]], r"predictions\[0\]\[1\] is inf"),
        ([[1.0, 2.0], [1.0]], [[1.0, 2.0], [1.0, 2.0]], r"predictions\[1\] has 1 numbers, but"),
        ([[1.0, 2.0]], [[1.0, 2.0, 3.0]], r"predictions have 2 numbers per row, but references"),
        ([[1.0, 2.0]], [1.0], r"predictions have 2 numbers per row, but references have 1"),
        ([[], []], [[], []], r"predictions must hold one number per row"),
    ],
)
def test_bad_rows_are_named(regression, predictions, references, message):
    with pytest.raises(ValueError, match=rf"^{message}"):
        regression.compute(predictions=predictions, references=references)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("measures", "mea"),
        ("measures", []),
        ("measures", ["mae", "mae"]),
        ("measures", 3),
        ("multioutput", "mean"),
        ("multioutput", [0.3, -0.7]),
        ("multioutput", [0.3, 0.3, 0.4]),
        ("sample_weight", [1.0]),
        ("sample_weight", [1.0, 1.0, 1.0, -1.0]),
        ("sample_weight", [1.0, 1.0, 1.0, math.nan]),
        ("sample_weight", ["a"] * 4),
    ],
)
def test_bad_options_are_named(regression, option, value):
    with pytest.raises(ValueError, match=f"^{option}"):
        regression.compute(**SPEC.sample, **{option: value})


def test_ranks_have_no_weights(regression):
    with pytest.raises(ValueError, match=r"^sample_weight does not apply to 'spearman'"):
        regression.compute(**SPEC.sample, measures="spearman", sample_weight=[1.0] * 4)


REFUSED = [
    ("pinball", "measures holds 'pinball', which needs alpha, as in 'pinball"),
    ("tweedie(alpha=2)", "measures holds 'tweedie.alpha=2.', which needs power"),
    ("pinball(alpha=1.5)", "measures holds 'pinball.alpha=1.5.', but alpha is a number from 0 to"),
    ("winkler(alpha=0)", "measures holds 'winkler.alpha=0.', but alpha is a number above 0"),
    ("d2_tweedie(power=0.5)", "but power is 0 or less, or 1 or more"),
    ("msel", "measures holds 'msel', which is not a measure; did you mean 'ms"),
    (["mae", "coverage"], r"holds 'coverage', for which predictions are \[low, high\], and 'mae'"),
    ("poisson_deviance", r"predictions\[1\] is 0.0; for 'poisson_deviance' each number is above 0"),
    ("gamma_deviance", r"predictions\[1\] is 0.0; for 'gamma_deviance' each number is above 0"),
]


@pytest.mark.parametrize(("measures", "message"), REFUSED)
def test_measures_and_numbers_that_do_not_go_together(regression, measures, message):
    with pytest.raises(ValueError, match=f"^(measures )?{message}|{message}"):
        regression.compute(predictions=[1.0, 0.0], references=[1.0, -0.5], measures=measures)


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        ([[2.0, 1.0]], [1.0], {}, r"predictions\[0\] is \[2.0, 1.0\], whose low end is above"),
        ([[1.0, 2.0, 3.0]], [1.0], {}, r"predictions\[0\] is .*; an interval is \[low, high\]"),
        ([1.0], [1.0], {}, r"predictions\[0\] is 1.0; an interval is \[low, high\]"),
        ([[1.0, 2.0]], [[1.0, 2.0]], {}, r"references\[0\] is .*; an interval is for one number"),
        ([[1.0, math.inf]], [1.0], {}, r"predictions\[0\]\[1\] is inf; every row needs a finite"),
        ([[1.0, 2.0]], [1.0], {"multioutput": "raw_values"}, "multioutput applies to separate"),
    ],
)
def test_intervals_that_are_none(regression, predictions, references, options, message):
    with pytest.raises(ValueError, match=message):
        regression.compute(
            predictions=predictions, references=references, measures="coverage", **options
        )


@pytest.mark.parametrize("measure", [*D2, "kendall", "concordance"])
def test_what_one_row_and_constants_have(regression, measure):
    def value(predictions, references):
        return regression.compute(predictions=predictions, references=references, measures=measure)[
            measure
        ]

    constant, other = value([1.0, 1.0], [1.0, 1.0]), value([1.0, 2.0], [1.0, 1.0])
    if measure in D2:
        assert (constant, other) == (1.0, 0.0)
    else:
        assert math.isnan(constant)
        assert math.isnan(other) if measure == "kendall" else other == 0.0
    assert math.isnan(value([1.0], [1.0]))


@pytest.mark.parametrize("clustered", [False, True])
def test_weighted_prediction_intervals(regression, clustered):
    rng = np.random.default_rng(4)
    low = rng.normal(size=40) - 1
    rows = {
        "predictions": np.column_stack([low, low + 2]),
        "references": rng.normal(size=40),
        "measures": OF_INTERVALS[::2],
        "confidence_level": 0.9,
        "n_resamples": 200,
        "clusters": np.arange(40) // 2 if clustered else None,
    }
    plain = regression.compute(**rows)
    ones = regression.compute(**rows, sample_weight=np.ones(40))
    half = regression.compute(**rows, sample_weight=np.arange(40) % 2)

    for name in rows["measures"]:
        assert ones[name] == pytest.approx(plain[name])
        assert np.allclose(
            ones["confidence_interval"][name], plain["confidence_interval"][name], rtol=0.2
        )
        low, high = half["confidence_interval"][name]
        assert low < half[name] < high


def test_intervals_of_weighted_clusters_do_not_depend_on_the_order_of_rows():
    rows = {
        "predictions": [[0.1 * row, 0.1 * row + 0.3] for row in range(12)],
        "references": [0.1 * row - 0.7 for row in range(12)],
        "sample_weight": [0.1, 0.7, 0.3] * 4,
        "clusters": ["large"] * 10 + ["small", "other"],
    }
    options = {"measures": "winkler(alpha=0.1)", "confidence_level": 0.9, "n_resamples": 50}
    metric = load("regression", **options)
    intervals = {
        json.dumps(metric.compute(**{k: c[n:] + c[:n] for k, c in rows.items()})) for n in range(12)
    }

    assert len(intervals) == 1


@pytest.mark.parametrize(
    "name",
    [
        *measure_names.MOMENT_NAMES,
        *measure_names.LOSS_NAMES,
        *measure_names.D2_NAMES,
        *measure_names.ORDER_NAMES,
        *measure_names.INTERVAL_NAMES,
    ],
)
def test_the_card_names_every_measure(name):
    assert f"`{name}" in (ROOT / "metrics/regression/README.md").read_text("utf-8")
