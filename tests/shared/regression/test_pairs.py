import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.regression.pairs import Pairs, difference

integers = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(st.tuples(integers, integers), min_size=1))
def test_differences_of_integers_are_rounded_once(rows):
    minuends, subtrahends = np.array(rows, np.int64).T

    expected = [float(minuend - subtrahend) for minuend, subtrahend in rows]
    assert difference(minuends, subtrahends, np.empty(len(rows))).tolist() == expected


def test_rows_of_weight_zero_are_left_out():
    pairs = Pairs([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [2.0, 0.0, 6.0])

    assert pairs.rows == 3
    assert pairs.predictions.tolist() == [1.0, 3.0]
    assert pairs.references.tolist() == [4.0, 6.0]
    assert (pairs.weights.tolist(), pairs.weight_exponent) == ([0.25, 0.75], 3)


def test_wide_integers_are_distances():
    columns = Pairs([2**60 + 3, 2**60], [2**60 + 1, 2**60 + 2]).columns()

    assert columns.references.tolist() == [[0.0, 1.0]]
    assert columns.predictions.tolist() == [[2.0, -1.0]]
    assert columns.residuals.tolist() == [[-2.0, 2.0]]


def test_an_error_may_be_greater_than_all_floats():
    assert Pairs([-1e308], [1e308]).absolute_errors() == (np.array([[1e308]]), 1)
    assert Pairs([-1e307], [1e307]).absolute_errors() == (np.array([[2e307]]), 0)
