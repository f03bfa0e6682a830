import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.numbers.decimals import PADDING, decimals, integers

digits = st.text("0123456789", max_size=20)
texts = st.one_of(
    st.sampled_from(["0", "-0", "1.", ".5", "+2", "1e5", "-1E-400", "1e400", "INF", "-infinity"]),
    st.sampled_from(
        ["9007199254740993", "999999999999999", "0.1000000000000000055511151231257827"]
    ),
    st.floats(allow_nan=False).map(repr),
    st.tuples(st.floats(-1e6, 1e6), st.integers(0, 12)).map(lambda pair: f"{pair[0]:.{pair[1]}f}"),
    st.tuples(st.sampled_from(["", "+", "-"]), digits, digits)
    .map(lambda parts: f"{parts[0]}{parts[1]}.{parts[2]}")
    .filter(lambda text: re.search(r"\d", text)),
    st.integers(-(10**18), 10**18).map(str),
)


def read(column, parse=decimals):
    data = b" " * PADDING + b"".join(text.encode() + b"\t" for text in column) + b" " * PADDING
    lengths = np.array([len(text.encode()) for text in column])
    ends = PADDING - 1 + np.cumsum(lengths + 1)
    return parse(np.frombuffer(data, np.uint8), ends - lengths, ends)


@settings(max_examples=300)
@given(st.lists(texts, min_size=1, max_size=20))
def test_every_decimal_is_rounded_as_python_rounds_it(column):
    assert [number.hex() for number in read(column)] == [float(text).hex() for text in column]


def test_many_forms_in_one_column():
    chance = random.Random(0)
    column = [f"{chance.gauss(0, 100):.{chance.randrange(14)}f}" for _ in range(2_000)]

    assert read(column).tolist() == list(map(float, column))


@pytest.mark.parametrize(
    "wrong",
    [
        *("-", "+", ".", "-.", "1.2.3", "a", "1a", "--1", "+-1", "1e", "1.e", "nan", "1_0", "0x10"),
        *("1\0", "/", "1:", "\xbd", "-12:4.5", ".1.", "123456789.1234:", "12345678901234567.1."),
    ],
)
def test_a_text_that_is_no_number_is_noticed(wrong):
    assert read(["1.5", wrong, "2"]) is None
    assert read([wrong] * 9) is None


def test_integers_have_no_point_and_at_most_fifteen_digits():
    assert read(["0", "-7", "+12", "9" * 15], integers).tolist() == [0, -7, 12, 10**15 - 1]
    for wrong in ("1.0", "1e1", "1" * 16, "0" * 17, "x", "-", "1.", "12345678x"):
        assert read(["1", wrong], integers) is None
