"""Moments against sums of fractions: equal, in any order of rows and of parts."""

import math
from fractions import Fraction
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.evaluation.rows.states import State
from metric_commons.regression import moments as moments_module
from metric_commons.regression.errors import MOMENT_MEASURES, moment_measures, regression_scores
from metric_commons.regression.moments import compute_moments
from metric_commons.regression.pairs import Pairs
from tests.number_rows import number_rows
from tests.spec import drawn_examples

MEASURES = list(MOMENT_MEASURES)


@pytest.mark.long
@given(number_rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_shows(rows, random):
    order = [*range(len(rows[0]))]
    random.shuffle(order)
    shuffled = [None if column is None else [column[row] for row in order] for column in rows]

    assert compute_moments(Pairs(*shuffled), MEASURES) == compute_moments(Pairs(*rows), MEASURES)


@pytest.mark.long
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
    moments = compute_moments(Pairs(predictions, references), MEASURES)

    assert compute_moments(Pairs(predictions[order], references[order]), MEASURES) == moments
    values = moment_measures(moments, MEASURES)
    errors = references - predictions
    deviations = references - math.fsum(references.tolist()) / 100_000
    squares, variation = (math.fsum((x * x).tolist()) for x in (errors, deviations))
    assert values["mae"] == [pytest.approx(math.fsum(np.abs(errors).tolist()) / 1e5, rel=1e-14)]
    assert values["mse"] == [pytest.approx(squares / 1e5, rel=1e-14)]
    assert values["r2"] == [pytest.approx(1 - squares / variation, rel=1e-13)]


TERMS = ["reference", "reference_squared", "prediction", "prediction_squared", "product"]
TERMS += ["absolute", "squared"]
NUMBERS = (
    st.floats(-10, 10)
    | st.floats(-1e9, 1e9).map(lambda number: number + 1e9)
    # At either end of what is summed in floats: other numbers are summed as fractions.
    | st.builds(
        lambda mantissa, exponent, sign: sign * mantissa * 2.0**exponent,
        st.sampled_from([1.0, 1.1, 1.9999999999999998]),
        st.sampled_from([270, 290, 430, 470]).flatmap(
            lambda end: st.integers(end - 9, end + 9) | st.integers(-end - 9, -end + 9)
        ),
        st.sampled_from([1, -1]),
    )
    | st.sampled_from([0.0, -0.0, 5e-324, 1e-200, -1e-150, 1e150, 1e300, -1.7e308, 0.1, 1.0])
)
WEIGHTS = st.sampled_from([0.0, 0.1, 1.0, 3.0, 1e-100, 1e100])
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, WEIGHTS), min_size=1, max_size=9)


def exact(rows):
    """The totals of `TERMS`, one row after another."""
    totals = [Fraction(0)] * len(TERMS)
    for prediction, reference, weight in rows:
        p, r, w = map(Fraction, (prediction, reference, weight))
        values = [r, r * r, p, p * p, r * p, abs(r - p), (r - p) ** 2]
        totals = [total + w * value for total, value in zip(totals, values, strict=True)]
    return dict(zip(TERMS, totals, strict=True))


def totals_of(pairs, output=0):
    return compute_moments(pairs, ["mae", "mse", "concordance"])[output].sums


@pytest.mark.long
@drawn_examples(300)
@given(rows=ROWS, weighted=st.booleans())
def test_sums_are_exact(rows, weighted):
    if not weighted:
        rows = [(prediction, reference, 1.0) for prediction, reference, _ in rows]
    rows = [row for row in rows if row[2]] or [(1.0, 2.0, 1.0)]
    predictions, references, weights = zip(*rows, strict=True)
    pairs = Pairs(list(predictions), list(references), list(weights) if weighted else None)
    with patch.object(moments_module, "_ROWS", 4):  # so that there are several blocks
        assert totals_of(pairs) == exact(rows)


def test_integers_that_no_float_holds_are_exact():
    predictions, references = [2**62 + 1, -(2**62) - 3], [2**62, 2**61 + 7]
    rows = [(p, r, 1) for p, r in zip(predictions, references, strict=True)]
    assert totals_of(Pairs(predictions, references)) == exact(rows)


def test_several_outputs_have_sums_of_their_own():
    generator = np.random.default_rng(0)
    predictions = generator.normal(size=(50, 3)) * [1e-9, 1, 1e9]
    references = predictions + generator.normal(size=(50, 3))
    for output in range(3):
        rows = [
            (p, r, 1) for p, r in zip(predictions[:, output], references[:, output], strict=True)
        ]
        assert totals_of(Pairs(predictions, references), output) == exact(rows)


def test_a_mean_squared_error_is_rounded_once():
    # Residuals that are rounded, and then squared and rounded, miss this by a part in 2**53.
    predictions, references = [0.1, 0.7, 1e9], [0.3, 0.2, 1e9 + 0.3]
    rows = list(zip(predictions, references, strict=True))
    mean = sum((Fraction(r) - Fraction(p)) ** 2 for p, r in rows) / 3
    assert regression_scores(predictions, references, measures=["mse"]) == {"mse": float(mean)}


@pytest.mark.parametrize("side", [-1, 0, 1])
def test_a_mean_near_a_half_is_rounded_to_the_right_side(side):
    # The mean absolute error lies halfway between two floats, or 2**-102 beside that.
    references, predictions = np.full(4096, 1.0), np.zeros(4096)
    references[0] += 2.0**-53 * 4096
    predictions[1] = -side * 2.0**-90
    expected = 1.0 + 2.0**-52 if side > 0 else 1.0
    assert regression_scores(predictions, references, measures="mae")["mae"] == expected


def test_all_blocks_are_checked_and_added():
    numbers = np.arange(9000.0)
    with pytest.raises(ValueError, match=r"references\[8999\] is nan"):
        regression_scores(numbers, np.where(numbers == 8999, np.nan, numbers), measures="mae")
    for references, score in ((numbers, 1.0), (numbers * 0, 1.0), (numbers * 0 + 7.0, 0.0)):
        predictions = references if score else references * 0
        assert regression_scores(predictions, references, measures="r2")["r2"] == score


@pytest.mark.long
@drawn_examples(150)
@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=12),
    cuts=st.lists(st.integers(0, 12), max_size=3),
    order=st.randoms(use_true_random=False),
)
def test_any_split_into_states_has_the_bits_of_compute(rows, cuts, order):
    ends = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    states = []
    shuffled = order.sample(rows, len(rows))
    for start, end in pairwise(ends):
        state = State("regression", measures=MEASURES)
        if part := shuffled[start:end]:
            predictions, references = map(list, zip(*part, strict=True))
            state.update(predictions=predictions, references=references)
        states.append(state)
    first, *others = states
    first.merge(*others)
    predictions, references = map(list, zip(*rows, strict=True))
    expected = regression_scores(predictions, references, measures=MEASURES)
    assert repr(first.result()) == repr(expected)
