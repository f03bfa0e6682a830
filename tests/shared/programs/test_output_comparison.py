"""Outputs and values against what is expected of them."""

import json
import math
import time
import tracemalloc
from decimal import Decimal, InvalidOperation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.programs.output_comparison import (
    are_close,
    is_expected_value,
    output_difference,
)
from tests.tables import by_table

WORDS = st.sampled_from([*"1 1.0 +1 1_0 10 -0 0 a nan sNaN inf 1e3 1000 ٣ 3".split(), ""])
LINES = st.lists(st.lists(WORDS, max_size=3).map(" ".join), max_size=3)
TEXTS = st.builds(
    lambda lines, end, gap: gap + f"{gap}\n".join(lines) + end,
    LINES,
    st.sampled_from(["", "\n", " \n\n", "\u00a0", "\r\n"]),
    st.sampled_from(["", " ", "\t"]),
)


def livecodebench(output, expected):
    """LiveCodeBench's comparison, line by line as it is written there, of numbers in digits.

    Python's Decimal reads more words as numbers, such as 1_0 and inf, which are text here.
    """

    def stripped(text):
        return [line.strip() for line in text.strip().split("\n")]

    def decimals(line):
        if {"1_0", "inf", "nan", "sNaN", "٣"} & set(line.split()):
            return False, []
        try:
            return True, [Decimal(word) for word in line.split()]
        except InvalidOperation:
            return False, []

    lines, expected_lines = stripped(output), stripped(expected)
    if len(lines) != len(expected_lines):
        return False
    for line, expected_line in zip(lines, expected_lines, strict=True):
        if line == expected_line:
            continue
        success, numbers = decimals(line)
        expected_success, expected_numbers = decimals(expected_line)
        if not (success and expected_success and numbers == expected_numbers):
            return False
    return True


@given(TEXTS, TEXTS)
def test_lines_are_compared_as_in_livecodebench(output, expected):
    found = output_difference(output.encode(), expected, "lines") == ""

    assert found == livecodebench(output, expected)


@given(TEXTS, TEXTS)
def test_tokens_are_words(output, expected):
    found = output_difference(output.encode(), expected, "tokens") == ""

    assert found == (output.split() == expected.split())


@by_table("output, expected, is_close")
def test_floats_have_a_tolerance(output, expected, is_close):
    assert (output_difference(output.encode(), expected, "floats", 1e-6) == "") == is_close


def test_bytes_that_are_no_text_are_wrong():
    assert output_difference(b"\xff\n", "a", "lines") == "line 1 differs"
    assert output_difference(b"\xff\n", "\ufffd", "lines") == ""


@by_table("value, expected, tolerance, is_equal")
def test_values(value, expected, tolerance, is_equal):
    assert is_expected_value(json.dumps(value).encode(), expected, tolerance) is is_equal


SCALARS = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, -1, 2**63, 10**16, 10**400, -(16**300), 1.0, 0.5, -0.0, 1e300])
    | st.sampled_from([math.inf, -math.inf, math.nan, 0.1 + 0.2, 0.3])
    | st.sampled_from(["", "1", "a", "null", 'quote"', "back\\slash", "é😀", "\ud800", "}]"])
)
KEYS = st.sampled_from(["", "1", "null", 'quote"', "é😀", 1, 1.0, 0.5, None, True])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=6,
)


def as_defined(value, expected, tolerance):
    """Whether two values are equal as JSON would keep them, of whole values."""
    if isinstance(value, bool) or isinstance(expected, bool):
        return value is expected
    if isinstance(value, list) and isinstance(expected, list):
        pairs = zip(value, expected, strict=False)
        return len(value) == len(expected) and all(as_defined(*pair, tolerance) for pair in pairs)
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(
            as_defined(value[key], expected[key], tolerance) for key in value
        )
    if value == expected:
        return True
    if tolerance is None or not isinstance(value, int | float) or not isinstance(expected, float):
        return False
    try:
        return are_close(value, expected, tolerance)
    except OverflowError:
        return False


@given(VALUES, VALUES, st.sampled_from([None, 0.1]))
def test_values_are_equal_as_json_would_keep_them(value, other, tolerance):
    kept, other = (json.loads(json.dumps(item)) for item in (value, other))
    for expected in (kept, other):
        found = is_expected_value(json.dumps(value).encode(), expected, tolerance)

        assert found == as_defined(kept, expected, tolerance)


def test_a_long_value_is_read_only_if_the_expected_one_is_long():
    long = [1.0] * 400_000

    assert is_expected_value(json.dumps(long).encode(), long)
    assert is_expected_value(json.dumps([1] * 400_000).encode(), long)
    assert not is_expected_value(json.dumps(long).encode(), [1.0])


DIGITS = "1" * 10**6
LARGE = {
    "a number": DIGITS,
    "a number and a letter": DIGITS + "x",
    "a number and a point": DIGITS + ".x",
    "a fraction": "." + DIGITS + "x",
    "an exponent": "1e" + DIGITS,
    "large powers": "1e999999 " * 10**5,
    "zeros": "0" * 10**6 + "1",
    "numbers": "1 " * 10**6,
    "lines": "1\n" * 10**6 + "2",
    "blank lines": "\n \u3000" * 10**6 + "x",
    "wide spaces": "\u3000" * 10**6 + "x",
}


@pytest.mark.long
@pytest.mark.parametrize("compare", ["lines", "tokens", "floats"])
@pytest.mark.parametrize("output", LARGE.values(), ids=LARGE.keys())
def test_large_outputs_are_compared_in_linear_time(output, compare):
    started = time.process_time()
    for expected in ("1", "1.5", DIGITS + "0", output + "0", output.replace("1", "1.0")):
        output_difference(output.encode(), expected, compare)

    assert time.process_time() - started < 30  # a quadratic step takes hours


@pytest.mark.long
@pytest.mark.parametrize("compare", ["lines", "tokens", "floats"])
@pytest.mark.parametrize(
    "piece", ["1 ", "1\n", "\n", " \n", "\u3000", "\x1c\n", "a", "1", "😀", "\udcff"]
)
def test_large_outputs_take_little_memory(piece, compare):
    content = piece.encode("utf-8", "surrogateescape")
    output = b"0\n" + content * ((8 << 20) // len(content)) + b"x"
    tracemalloc.start()
    assert output_difference(output, "0\n" + piece + "1", compare)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak <= len(output) + 10**8 / 2  # besides the output
