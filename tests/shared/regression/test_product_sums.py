"""Sums of products, and moments, against sums of fractions: equal, not nearly equal."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.evaluation.scoring.states import State
from metric_commons.regression.errors import MOMENT_MEASURES, regression_scores
from metric_commons.regression.moments import product_sums
from metric_commons.regression.pairs import Pairs
from tests.spec import drawn_examples

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
MEASURES = [*MOMENT_MEASURES]


def exact(rows):
    """The totals of `TERMS`, one row after another."""
    totals = [Fraction(0)] * len(TERMS)
    for prediction, reference, weight in rows:
        p, r, w = map(Fraction, (prediction, reference, weight))
        values = [r, r * r, p, p * p, r * p, abs(r - p), (r - p) ** 2]
        totals = [total + w * value for total, value in zip(totals, values, strict=True)]
    return dict(zip(TERMS, totals, strict=True))


def totals_of(pairs, output=0):
    (block,) = pairs.blocks()
    return product_sums(block, TERMS)[output]


@pytest.mark.long
@drawn_examples(300)
@given(rows=ROWS, weighted=st.booleans())
def test_sums_are_exact(rows, weighted):
    if not weighted:
        rows = [(prediction, reference, 1.0) for prediction, reference, _ in rows]
    rows = [row for row in rows if row[2]] or [(1.0, 2.0, 1.0)]
    predictions, references, weights = zip(*rows, strict=True)
    pairs = Pairs(list(predictions), list(references), list(weights) if weighted else None)
    unit = Fraction(2) ** pairs.weight_exponent
    assert {term: total * unit for term, total in totals_of(pairs).items()} == exact(rows)


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


@pytest.mark.long
def test_many_rows_have_the_bits_of_their_parts():
    # Above 2**16 rows another, coarser sum once stood behind `compute`.
    generator = np.random.default_rng(1)
    references = generator.normal(size=70_000) * np.exp(generator.normal(size=70_000))
    predictions = references + generator.normal(size=70_000) / 3
    total = State("regression", measures=MEASURES)
    for part in np.array_split(np.arange(70_000), 7):
        state = State("regression", measures=MEASURES)
        state.update(predictions=predictions[part], references=references[part])
        total.merge(state)
    scores = regression_scores(predictions, references, measures=MEASURES)
    assert total.result() == scores
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    squares = sum((Fraction(r) - Fraction(p)) ** 2 for p, r in pairs)
    assert scores["mse"] == float(squares / 70_000)
    assert math.isclose(scores["rmse"], math.sqrt(scores["mse"]), rel_tol=1e-15)
