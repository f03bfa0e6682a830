"""Patterns of users: the answers of `re`, within a time limit, in any thread."""

import re
import time
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import load
from metric_commons.text import extract_answers
from metric_commons.text.extraction.extraction import TIMED_OUT, PatternStep, work_bound
from tests.tables import tabled

EXPONENTIAL = {"regex": "(a+)+$", "seconds": 0.05}
HARD = "a" * 60 + "!"


@pytest.mark.processes
def test_a_text_that_takes_too_long_has_no_answer_and_is_counted():
    data = {"predictions": [HARD, "aa", "x"], "references": ["", "aa", "x"]}
    result = load("qa_em").compute(**data, extract=EXPONENTIAL, per_example=True)

    assert result["per_example"]["timed_out"] == [1.0, 0.0, 0.0]
    assert result["per_example"]["unparsed"] == [1.0, 0.0, 1.0]
    assert result["qa_em"] == 1 / 3
    assert extract_answers([HARD, "aa"], EXPONENTIAL) == [None, "aa"]


@pytest.mark.processes
def test_the_limit_holds_in_any_thread():
    answers = []
    step = PatternStep("(a+)+$", 0, 0.05)
    threads = [Thread(target=lambda: answers.append(step.answers([HARD, "a"]))) for _ in range(3)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [[TIMED_OUT, "a"]] * 3
    assert time.monotonic() - start < 20


@pytest.mark.processes
def test_samples_that_take_too_long_are_shares_of_their_row():
    samples = [[HARD, "aa"], ["aa", "a"]]
    result = load("repeated_sampling").compute(
        predictions=samples, references=["aa", "aa"], extract=EXPONENTIAL, per_example=True
    )

    assert result["per_example"]["timed_out"] == [0.5, 0.0]
    assert result["timed_out"] == 0.25


@pytest.mark.processes
@pytest.mark.parametrize("pattern", ["(?:a|bb)*c", r"(\w+ )+", "((x)|(y)|z)+", "(?=a)a"])
def test_a_process_answers_as_re_does(pattern):
    texts = ["", "abab c", "xyz xyz", "\ud800 a\u2028b c", "a\nb", "é" * 50, "aac abc"]
    assert work_bound(pattern, 1) == float("inf")
    for group in (0, 1, -1):
        found = [re.findall(pattern, text) for text in texts]
        expected = [_chosen(matches, group) for matches in found]
        assert PatternStep(pattern, group).answers(texts) == expected


def _chosen(matches, group):
    if group >= len(matches) or -group > len(matches):
        return None
    match = matches[group]
    groups = [text for text in match if text] if isinstance(match, tuple) else [match]
    return groups[0].strip() if groups else None


@pytest.mark.parametrize(
    ("pattern", "is_bounded"),
    tabled(__file__, "patterns_whose_work_is_bounded_by_their_form"),
)
def test_patterns_whose_work_is_bounded_by_their_form(pattern, is_bounded):
    assert (work_bound(pattern, 10) < float("inf")) is is_bounded


@given(st.text("ab", max_size=12), st.sampled_from(["a*a*b", "(a*)(b*)$", "a?a?a?aaa", "a+|b+c"]))
def test_the_bound_is_no_less_than_the_ways_to_match(text, pattern):
    ways = sum(
        _ways_to_match(pattern, text[start:]) for start in range(len(text) + 1)
    )  # a way may be tried from each position
    assert ways <= work_bound(pattern, len(text))


def _ways_to_match(pattern, text):
    """The prefixes of a text that a pattern matches: at most the ways to match it."""
    return sum(re.fullmatch(pattern, text[:end]) is not None for end in range(len(text) + 1))


@pytest.mark.parametrize("seconds", [0, -1, True, "1", float("nan"), 10**9])
def test_a_time_that_is_not_one_is_refused(seconds):
    with pytest.raises(ValueError, match="'seconds' must be a time of up to 3600 seconds"):
        load("qa_em", extract={"regex": "a", "seconds": seconds})
