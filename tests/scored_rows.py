"""Rows of a score and a label for tests, and intervals as they are defined."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.spec import drawn_examples

QUICK = drawn_examples(80)
EXTREME = [0.0, -0.0, 5e-324, -5e-324, 2.0, 1.9999999999999998, -2.0, 1e308, -1e308, 1e-300, 1.0]
NUMBERS = st.sampled_from(EXTREME) | st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(NUMBERS, st.booleans()), min_size=1, max_size=40)
PROBABILITIES = st.sampled_from([0.0, 1.0, 0.5, 1e-17, 1e-5, 1 - 1e-16]) | st.floats(0, 1)


def columns(rows):
    scores, positive = zip(*rows, strict=True)
    return np.array(scores), np.array(positive)


def numerical_variances(compute, weights):
    """Variances of scores from how a little more weight of each row changes them."""
    step = 1e-6
    variances = {}
    for row, weight in enumerate(weights):
        up, down = weights.copy(), weights.copy()
        up[row] += step
        down[row] -= step
        higher, lower = compute(up), compute(down)
        for name in higher:
            slope = (np.array(higher[name]) - np.array(lower[name])) / (2 * step) * weight
            variances[name] = variances.get(name, 0) + slope**2
    return variances


def check_influences(compute, scores, weights, excluded=()):
    """The influences of rows have these variances, but for excluded scores."""
    for name, variance in numerical_variances(compute, weights).items():
        value, of_rows = scores[name]
        changes = (np.array(of_rows()) - np.reshape(value, (-1, 1))) * weights / weights.sum()
        if name not in excluded:
            squares = np.square(changes).sum(axis=-1)
            assert squares == pytest.approx(np.atleast_1d(variance), rel=1e-4, abs=1e-9), name
