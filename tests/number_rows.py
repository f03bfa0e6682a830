"""Rows of predicted numbers, references and weights, of every magnitude."""

from hypothesis import strategies as st


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
def number_rows(draw):
    """Predictions, references, and weights or None."""
    numbers, size = draw(columns), draw(st.integers(1, 12))
    column = st.lists(numbers, min_size=size, max_size=size)
    weights = st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.0, 1e6]), min_size=size, max_size=size)
    return draw(column), draw(column), draw(st.none() | weights)
