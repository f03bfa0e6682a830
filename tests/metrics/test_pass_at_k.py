import math
from fractions import Fraction

import numpy as np
import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import other_shapes, tabled

SPEC = Spec(
    name="pass_at_k",
    sample={"predictions": [[1, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], "k": [1, 2]},
    result={"pass@1": 0.25, "pass@2": (5 / 6 + 1 / 2 + 0) / 3},
    perfect={"predictions": [[1, 1], [1, 1]], "k": (1, 2)},
    best={"pass@1": 1.0, "pass@2": 1.0},
    wrong={"predictions": [1, "passed"]},
)
OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def pass_at_k():
    return load("pass_at_k")


SHAPES = {
    "ints": [[1, 0, 0], [0, 1, 1]],
    "bools": [[True, False, False], [False, True, True]],
    "mixed": [[1, False, 0.0 == 1], [0, True, 1]],
    "tuples": [(1, 0, 0), (0, 1, 1)],
    "arrays": [np.array([1, 0, 0]), np.array([False, True, True])],
    "matrix": np.array([[1, 0, 0], [0, 1, 1]]),
    "small ints": np.array([[1, 0, 0], [0, 1, 1]], dtype=np.int8),
    "matrix of bools": np.array([[True, False, False], [False, True, True]]),
    "counts": [{"n": 3, "c": 1}, {"n": 3, "c": 2}],
    "counts of numpy": [{"c": np.int32(1), "n": np.int64(3)}, {"n": 3, "c": 2}],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_means_the_same(pass_at_k, shape):
    result = pass_at_k.compute(predictions=SHAPES[shape], k=[1, 2], per_example=True)

    assert result["per_example"] == {"pass@1": [1 / 3, 2 / 3], "pass@2": [2 / 3, 1.0]}
    assert result["pass@1"] == 0.5


@pytest.mark.parametrize("shape", ["ints", "bools", "counts"])
def test_every_shape_may_be_added_row_by_row(shape):
    metric = load("pass_at_k")
    for prediction in SHAPES[shape]:
        metric.add(prediction=prediction)

    assert metric.compute() == {"pass@1": 0.5}


def test_problems_may_differ_in_samples(pass_at_k):
    result = pass_at_k.compute(predictions=[[1], [1, 0, 0, 0]], per_example=True)

    assert result["per_example"] == {"pass@1": [1.0, 0.25]}


@pytest.mark.parametrize(
    ("predictions", "k", "message"),
    [
        *tabled(__file__, "bad_problems_are_named"),
        (np.array([[1, 0], [0, 3]]), 1, "[1][1] is 3; an outcome is 0 or 1"),
    ],
)
def test_bad_problems_are_named(pass_at_k, predictions, k, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        pass_at_k.compute(predictions=predictions, k=k)

    assert message in str(caught.value)
    assert str(caught.value).startswith("predictions")


@pytest.mark.parametrize("k", [0, -1, 1.0, 2.5, True, "1", None, [], [1, 0], [1, 1], [1, "5"]])
def test_bad_sizes_are_refused(pass_at_k, k):
    with pytest.raises(ValueError, match=r"^k "):
        pass_at_k.compute(predictions=[[1, 0]], k=k)


@pytest.mark.parametrize("k", [2, [2], (2,), np.int64(2), np.array([2]), range(2, 3)])
def test_sizes_may_come_in_any_container(pass_at_k, k):
    assert pass_at_k.compute(predictions=[[1, 0, 0, 0]], k=k) == {"pass@2": 0.5}


def test_keys_come_as_asked(pass_at_k):
    assert list(pass_at_k.compute(predictions=[[1, 0, 0]], k=[3, 1])) == ["pass@3", "pass@1"]


def test_intervals_are_over_problems(pass_at_k):
    counts = [{"n": 10, "c": c} for c in (0, 0, 1, 3, 5, 9, 10, 10)]
    result = pass_at_k.compute(
        predictions=counts, k=[1, 5], confidence_level=0.95, interval="bootstrap"
    )

    sd = np.std([count["c"] / 10 for count in counts]) / math.sqrt(len(counts))
    low, high = result["confidence_interval"]["pass@1"]
    assert low == pytest.approx(result["pass@1"] - 1.96 * sd, abs=0.03)
    assert high == pytest.approx(result["pass@1"] + 1.96 * sd, abs=0.03)
    assert result["confidence_interval"].keys() == {"pass@1", "pass@5"}

    result = pass_at_k.compute(predictions=counts, k=[1, 5], confidence_level=0.95)
    assert result["interval"] == {"pass@1": "law", "pass@5": "law"}
    wider = result["confidence_interval"]["pass@1"]
    assert 0 < wider[0] < wider[1] < 1


def test_a_mean_is_rounded_once(pass_at_k):
    counts = [{"n": 3, "c": 1}] * 3 + [{"n": 7, "c": 2}] * 4
    values = [Fraction(c["c"] / c["n"]) for c in counts]

    expected = float(sum(values)) / 7
    assert pass_at_k.compute(predictions=counts)["pass@1"] == expected
