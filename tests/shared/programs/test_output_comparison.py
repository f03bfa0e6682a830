"""Outputs and values against what is expected of them."""

from decimal import Decimal, InvalidOperation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.programs.output_comparison import are_equal_values, output_difference

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


@pytest.mark.parametrize(
    ("output", "expected", "is_close"),
    [
        ("0.3333333", "0.33333333", True),
        ("0.334", "0.3333333", False),
        ("1000000.5", "1000000.0", True),
        ("1000000", "1000001", False),
        ("3.0", "3", True),
        ("3.0000001", "3", False),
        ("1e-7", "0.0", True),
        ("nan", "1.5", False),
        ("nan", "nan", True),
        ("inf", "1e400", False),
        ("1e400", "1.5", False),
        ("1_0.0", "10.0", False),
        ("٣.0", "3.0", False),
        ("1.5 2", "1.5", False),
    ],
)
def test_floats_have_a_tolerance(output, expected, is_close):
    assert (output_difference(output.encode(), expected, "floats", 1e-6) == "") == is_close


def test_bytes_that_are_no_text_are_wrong():
    assert output_difference(b"\xff\n", "a", "lines") == "line 1 differs"
    assert output_difference(b"\xff\n", "\ufffd", "lines") == ""


@pytest.mark.parametrize(
    ("value", "expected", "tolerance", "is_equal"),
    [
        ((1, (2, 3)), [1, [2, 3]], None, True),
        ({2: 4, None: 3, True: 1}, {"2": 4, "true": 1, "null": 3}, None, True),
        ({(1, 2): 3}, {"(1, 2)": 3}, None, True),
        (True, 1, None, False),
        ([0], [False], None, False),
        ({"a": True}, {"a": True}, None, True),
        (2.0, 2, None, True),
        ({1, 2}, [1, 2], None, False),
        ([0.1 + 0.2], [0.3], None, False),
        ([0.1 + 0.2], [0.3], 1e-9, True),
        ({"a": [1e9]}, {"a": [1e9 + 1]}, 1e-6, True),
        (1e9, 10**9 + 1, 1e-6, False),
        (True, 1.0000001, 1e-6, False),
        (10**400, 1.5, 1e-6, False),
        ([1.0, 2.0], [1.0], 1e-6, False),
        (float("nan"), float("nan"), 1e-6, False),
    ],
)
def test_values(value, expected, tolerance, is_equal):
    assert are_equal_values(value, expected, tolerance) is is_equal
