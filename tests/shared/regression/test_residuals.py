"""Against sums of fractions, which are slow and never wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metric_commons.regression import residuals
from metric_commons.regression.residuals import Pairs, measures_of, moments, regression_scores

OF_MOMENTS = ["mae", "mse", "rmse", "r2", "mape", "smape", "max_error", "explained_variance"]
OF_MOMENTS += ["pearson"]


def oracle(predictions, references, weight=None):
    """Each measure by its definition, in fractions; None where it is undefined."""
    t, p = [*map(Fraction, references)], [*map(Fraction, predictions)]
    w = [Fraction(x) for x in (weight if weight is not None else [1] * len(t))]
    t, p, w = ([x for x, own in zip(of, w, strict=True) if own] for of in (t, p, w))
    total = sum(w)

    def mean(values):
        return sum(x * own for x, own in zip(values, w, strict=True)) / total

    def shared(one, other):
        of_one, of_other = mean(one), mean(other)
        products = zip(one, other, strict=True)
        return mean([(x - of_one) * (y - of_other) for x, y in products])

    errors = [a - b for a, b in zip(t, p, strict=True)]
    spread = shared(t, t)
    least = Fraction(np.finfo(float).eps)
    pairs = list(zip(t, p, errors, strict=True))
    both = spread * shared(p, p)
    found = {
        "mae": mean([abs(e) for e in errors]),
        "mse": mean([e * e for e in errors]),
        "mape": mean([abs(e) / max(abs(a), least) for a, _, e in pairs]),
        "smape": mean([2 * abs(e) / (abs(a) + abs(b)) if e else 0 for a, b, e in pairs]),
        "max_error": max(map(abs, errors)),
        "r2": 1 - mean([e * e for e in errors]) / spread if spread else None,
        "explained_variance": 1 - shared(errors, errors) / spread if spread else None,
    }
    found["rmse"] = root(found["mse"])
    found["pearson"] = None
    if both:
        found["pearson"] = root(shared(t, p) ** 2 / both) * (1 if shared(t, p) > 0 else -1)
    return found


def root(square):
    power = 2 * (square.denominator.bit_length() + 200)
    return Fraction(math.isqrt(int(square * 2**power)), 2 ** (power // 2))


def close(found, expected):
    """Equal to a fraction to 1e-12; infinite beyond all floats."""
    try:
        float(expected)
    except OverflowError:
        return math.isinf(found)
    # What is 1 minus a ratio keeps the precision of the ratio.
    slack = abs(1 - expected) * Fraction(1, 10**14) + Fraction(1, 2**1074)
    return abs(Fraction(found) - expected) <= abs(expected) * Fraction(1, 10**12) + slack


def near(centre):
    return st.floats(-1, 1).map(lambda step: centre + step)


columns = st.sampled_from(
    [
        st.floats(allow_nan=False, allow_infinity=False),
        st.floats(-1e-310, 1e-310),
        st.floats(-1e200, 1e200).map(lambda x: x * 1e100),
        st.integers(-3, 3).map(float),
        st.sampled_from([0.1, 0.1, 0.1, 0.3]),
        st.integers(-(2**63), 2**63 - 1),
        st.integers(2**62, 2**62 + 5),
        near(0.0),
        near(1e9),
        near(1e15),
    ]
)


@st.composite
def rows(draw):
    of, size = draw(columns), draw(st.integers(1, 12))
    column = st.lists(of, min_size=size, max_size=size)
    weight = st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.0, 1e6]), min_size=size, max_size=size)
    return draw(column), draw(column), draw(st.none() | weight)


@given(rows())
@example(([0.0, 0.0], [1e200, 1e-307], None))
@settings(max_examples=300)
def test_every_measure_is_exact(table):
    predictions, references, weight = table
    if weight is not None and not any(weight):
        return
    expected = oracle(predictions, references, weight)
    pairs = Pairs(predictions, references, weight)
    for measure in OF_MOMENTS:
        (found,) = measures_of(moments(pairs, [measure]), [measure])[measure]
        if expected[measure] is None or (measure in ("r2", "pearson") and len(references) < 2):
            assert math.isnan(found) or found in (0.0, 1.0)
        elif measure == "pearson":
            assert found == pytest.approx(float(expected[measure]), rel=1e-12, abs=1e-12)
        else:
            assert close(found, expected[measure]), measure


@given(rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_shows(table, random):
    predictions, references, weight = table
    order = [*range(len(references))]
    random.shuffle(order)
    moved = [None if of is None else [of[row] for row in order] for of in table]

    assert moments(Pairs(*moved), OF_MOMENTS) == moments(
        Pairs(predictions, references, weight), OF_MOMENTS
    )


@pytest.mark.parametrize("spread", ["even", "heavy tails", "one far off", "offset", "sorted"])
def test_many_rows_in_any_order(spread):
    rng = np.random.default_rng(0)
    references = rng.normal(size=100_000)
    if spread == "heavy tails":
        references = rng.standard_cauchy(100_000)
    if spread == "one far off":
        references[77_777] = 1e12
    if spread == "offset":
        references += 1e9
    if spread == "sorted":
        references.sort()
    predictions = references + rng.normal(size=100_000) / 3
    order = rng.permutation(100_000)
    whole = moments(Pairs(predictions, references), OF_MOMENTS)

    assert moments(Pairs(predictions[order], references[order]), OF_MOMENTS) == whole
    found = measures_of(whole, OF_MOMENTS)
    errors = references - predictions
    centred = references - math.fsum(references.tolist()) / 100_000
    squares, every = (math.fsum((x * x).tolist()) for x in (errors, centred))
    assert found["mae"] == [pytest.approx(math.fsum(np.abs(errors).tolist()) / 1e5, rel=1e-14)]
    assert found["mse"] == [pytest.approx(squares / 1e5, rel=1e-14)]
    assert found["r2"] == [pytest.approx(1 - squares / every, rel=1e-13)]
    assert found["max_error"] == [np.abs(errors).max()]


def test_parts_have_the_moments_of_the_whole():
    rng = np.random.default_rng(1)
    references = rng.normal(1e6, 1, size=(500, 2))
    predictions = references + rng.normal(size=(500, 2))
    weight = rng.random(500)
    parts = [slice(0, 3), slice(3, 200), slice(200, 500)]
    first, *others = (
        moments(Pairs(predictions[of], references[of], weight[of]), OF_MOMENTS) for of in parts
    )
    for other in others:
        first = first.merged(other)
    whole = measures_of(moments(Pairs(predictions, references, weight), OF_MOMENTS), OF_MOMENTS)

    assert first.rows == 500
    for measure, values in measures_of(first, OF_MOMENTS).items():
        assert values == pytest.approx(whole[measure], rel=1e-14), measure


def test_parts_without_weight_change_nothing():
    some = moments(Pairs([1.0, 2.0], [2.0, 2.5]), ["mae", "r2"])
    none = moments(Pairs([7.0], [9.0], [0.0]), ["mae", "r2"])

    assert measures_of(some.merged(none), ["mae", "r2"]) == measures_of(some, ["mae", "r2"])


@pytest.mark.parametrize("measure", ["mae", "mse", "rmse", "r2", "explained_variance", "pearson"])
def test_the_bootstrap_draws_rows(measure):
    rng = np.random.default_rng(2)
    references = rng.normal(size=60)
    predictions = references + rng.normal(size=60) / 2
    order = np.lexsort([predictions, references])
    words = np.random.PCG64(7)
    drawn = residuals.random_rows(words, 60, 50 * 60).reshape(50, 60)
    values = [
        regression_scores(predictions[order][of], references[order][of], measures=measure)[measure]
        for of in drawn
    ]
    result = regression_scores(
        predictions, references, measures=measure, confidence_level=0.9, n_resamples=50, seed=7
    )

    expected = np.quantile(values, [0.05, 0.95])
    assert result["confidence_interval"][measure] == pytest.approx(expected, rel=1e-9)
    assert expected[0] < result[measure] < expected[1]


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e308 / 4])
def test_the_bootstrap_knows_no_scale(scale):
    references, predictions = [0.0, 1.0, 3.0, -2.0], [0.5, 1.0, 2.0, -1.0]
    options = {"confidence_level": 0.9, "n_resamples": 100, "measures": ["mae", "rmse", "r2"]}
    near_one = regression_scores(predictions, references, **options)
    far = regression_scores(
        [x * scale for x in predictions], [x * scale for x in references], **options
    )

    for measure, unit in (("mae", scale), ("rmse", scale), ("r2", 1.0)):
        expected = [end * unit for end in near_one["confidence_interval"][measure]]
        assert far["confidence_interval"][measure] == pytest.approx(expected)
