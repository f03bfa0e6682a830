import json
import math

import numpy as np
import pytest

from metric_commons import load
from tests.spec import ROOT, Spec
from tests.tables import by_table, other_shapes, tabled

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
D2 = ("d2_absolute_error", "d2_pinball(alpha=0.9)", "d2_tweedie(power=1.5)")
OF_INTERVALS = ("coverage", "interval_width", "winkler(alpha=0.1)")
OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def regression():
    return load("regression")


@by_table("measure, value")
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
    [*tabled(__file__, "several_outputs"), (np.array([3, 7]), 0.85, 0.92534562121)],
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


@by_table("predictions, references, result")
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


@by_table("predictions, references, message")
def test_bad_rows_are_named(regression, predictions, references, message):
    with pytest.raises(ValueError, match=rf"^{message}"):
        regression.compute(predictions=predictions, references=references)


@by_table("option, value")
def test_bad_options_are_named(regression, option, value):
    with pytest.raises(ValueError, match=f"^{option}"):
        regression.compute(**SPEC.sample, **{option: value})


def test_ranks_have_no_weights(regression):
    with pytest.raises(ValueError, match=r"^sample_weight does not apply to 'spearman'"):
        regression.compute(**SPEC.sample, measures="spearman", sample_weight=[1.0] * 4)


REFUSED = tabled(__file__, "REFUSED")


@pytest.mark.parametrize(("measures", "message"), REFUSED)
def test_measures_and_numbers_that_do_not_go_together(regression, measures, message):
    with pytest.raises(ValueError, match=f"^(measures )?{message}|{message}"):
        regression.compute(predictions=[1.0, 0.0], references=[1.0, -0.5], measures=measures)


@by_table("predictions, references, options, message")
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


@by_table("name")
def test_the_card_names_every_measure(name):
    assert f"`{name}" in (ROOT / "metrics/regression/README.md").read_text("utf-8")
