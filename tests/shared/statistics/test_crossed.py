"""Items crossed with templates: both are samples, so both are in the error."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

import metric_commons
from metric_commons.statistics import compare, interval

LABELS = {"item": ["a", "a", "b", "b", "c", "c"], "template": [1, 2] * 3}


def crossed_labels(*sizes):
    """Labels of all combinations, one row each, the last field fastest."""
    grid = np.indices(sizes).reshape(len(sizes), -1)
    return dict(zip(("item", "template", "seed"), grid.tolist(), strict=False))


def obvious_two(x):
    """The ends of two crossed fields, and the error, by the formulas of two-way random effects."""
    items, templates = x.shape
    mean, a, b = x.mean(), x.mean(axis=1), x.mean(axis=0)
    by_item = templates * ((a - mean) ** 2).sum() / (items - 1)
    by_template = items * ((b - mean) ** 2).sum() / (templates - 1)
    rest = ((x - a[:, None] - b + mean) ** 2).sum() / ((items - 1) * (templates - 1))
    variance = max(by_item + by_template - rest, by_item, by_template, rest) / x.size
    degrees = (items - 1, templates - 1, (items - 1) * (templates - 1))
    squares = np.array([by_item, by_template, rest]) / x.size
    freedom = max(variance**2 / (squares**2 / degrees).sum(), 1)
    half = student.ppf(0.975, freedom) * math.sqrt(variance)
    return mean - half, mean + half, math.sqrt(variance)


@pytest.mark.parametrize("kind", ["items", "templates", "noise"])
def test_two_fields_have_the_error_of_random_effects(kind):
    rng = np.random.default_rng(0)
    effects = {"items": rng.random((30, 1)), "templates": rng.random((1, 5)), "noise": 0.5}
    x = effects[kind] * 0.5 + 0.5 * rng.random((30, 5))
    order = rng.permutation(x.size)
    labels = {name: np.array(field)[order] for name, field in crossed_labels(30, 5).items()}
    estimate = interval(x.ravel()[order], clusters=labels)
    assert estimate[:2] == pytest.approx(obvious_two(x)[:2], rel=1e-9)
    assert estimate.standard_error == pytest.approx(obvious_two(x)[2], rel=1e-9)
    assert estimate.method == "t"
    # The order of rows does not matter, and several rows in a cell are their mean.
    twice = {name: np.repeat(field, 2) for name, field in crossed_labels(30, 5).items()}
    ends = interval(np.repeat(x.ravel(), 2), clusters=twice)[:2]
    assert ends == pytest.approx(estimate[:2], rel=1e-9)


def test_three_fields_are_never_less_than_two():
    rng = np.random.default_rng(1)
    x = rng.random((12, 4, 3)) + rng.random((12, 1, 1)) + rng.random((1, 4, 1))
    x = x / x.max()
    three = interval(x.ravel(), clusters=crossed_labels(12, 4, 3))
    two = interval(x.mean(axis=2).ravel(), clusters=crossed_labels(12, 4))
    assert three.standard_error >= two.standard_error * (1 - 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("sizes", [(60, 4), (40, 3, 3)])
def test_crossed_rows_cover(sizes):
    rng = np.random.default_rng(0)
    hits = np.zeros(2)
    labels = crossed_labels(*sizes)
    for _ in range(100):
        x = 0.5 + 0.02 * rng.normal(size=sizes)
        for axis, size in enumerate(sizes):
            shape = [size if other == axis else 1 for other in range(len(sizes))]
            x = x + 0.03 * rng.normal(size=shape)
        rows = x.clip(0, 1).ravel()
        ends = interval(rows, clusters=labels), interval(rows, clusters=labels["item"], method="t")
        hits += [e.low <= 0.5 <= e.high for e in ends]
    assert hits[0] >= 0.9 * 100
    assert hits[1] <= 0.75 * 100


def test_two_systems_are_compared_by_t():
    a, b = [1, 0.5, 1, 1, 0.5, 1], [0.5, 0.5, 0.5, 1, 0, 0.5]
    result = compare(a, b, clusters=LABELS, margin=0.1)
    low, high = result["confidence_interval"]
    assert result["test"] == "crossed_t"
    assert (result["p_value"] < 0.05) == (low > 0 or high < 0)
    swapped = compare(b, a, clusters=LABELS)
    assert swapped["confidence_interval"] == pytest.approx([-high, -low])
    assert result["p_non_inferior"] < result["p_value"]
    for options, message in (({"assume": "nothing"}, "assume is not"), ({"test": "wilcoxon"}, "t")):
        with pytest.raises(ValueError, match=message):
            compare(a, b, clusters=LABELS, **options)


def test_modules_take_fields():
    qa_em = metric_commons.load("qa_em")
    rows = {"predictions": ["x", "x", "y", "x", "x", "y"], "references": ["x"] * 6}
    result = qa_em.compute(**rows, clusters=LABELS, confidence_level=0.95)
    assert result["interval"] == {"qa_em": "t"}
    assert 0 <= result["confidence_interval"]["qa_em"][0] < result["qa_em"]
    one = qa_em.compute(**rows, clusters={"item": LABELS["item"]}, confidence_level=0.95)
    assert one == qa_em.compute(**rows, clusters=LABELS["item"], confidence_level=0.95)


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (
            {"item": [1, 1, 2], "template": [1, 2, 1]},
            "0 rows have item '2' and template '2', others 1",
        ),
        ({"item": [1, 1, 1], "template": [1, 2, 3]}, "two labels or more of each field, but item"),
        ({"item": [1, 2], "template": [1, 2, 3]}, "has 2 labels, but there are 3 rows"),
        ({name: [1, 2, 3] for name in "abcd"}, "crosses two or three fields, got 4: a, b, c, d"),
        ({}, "crosses two or three fields, got 0"),
    ],
)
def test_what_is_not_crossed_is_an_error(clusters, message):
    with pytest.raises(ValueError, match=message):
        interval([1.0, 0.5, 0.0], clusters=clusters)


def test_unequal_cells_are_an_error():
    labels = {"item": [1, 1, 2, 2, 2], "template": [1, 2, 1, 2, 2]}
    with pytest.raises(
        ValueError, match="crossed: 1 rows have item '1' and template '1', others 2"
    ):
        interval([0.5] * 5, clusters=labels)


def test_equal_rows_are_no_point():
    estimate = interval([1.0] * 6, clusters=LABELS)
    assert estimate.low < 0.5
    assert estimate.high == 1
