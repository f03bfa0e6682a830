"""Texts without what is in brackets: equal to the regular expressions of the peers, and linear."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.text.transcripts.transcript_normalizers import (
    TRANSCRIPT_NORMALIZERS,
    without_brackets,
)
from tests.spec import drawn_examples

BRACKETED = re.compile(r"[<\[][^>\]]*[>\]]")
PARENTHESIZED = re.compile(r"\(([^)]+?)\)")


@drawn_examples(1000)
@given(st.text("<>[]() a\n"))
def test_brackets_are_those_of_the_regular_expressions(text):
    bare = BRACKETED.sub("", text)

    assert without_brackets(text) == bare
    assert without_brackets(text, parentheses=True) == PARENTHESIZED.sub("", bare)


def seconds(function, text):
    """The least CPU time of three calls."""
    times = []
    for _ in range(3):
        start = time.process_time()
        function(text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whisper_basic", "whisper_english", "jiwer_standardize"])
@pytest.mark.parametrize("letter", "<[( ")
def test_eight_times_the_text_takes_about_eight_times_as_long(name, letter):
    function = TRANSCRIPT_NORMALIZERS[name]
    short = seconds(function, letter * 20_000)

    assert seconds(function, letter * 160_000) < 20 * max(short, 0.0005)  # 64 if quadratic
