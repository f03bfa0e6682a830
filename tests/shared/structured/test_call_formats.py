"""Texts of each family of models: named or found, cut off, and read in linear time."""

import time

import pytest

from metric_commons.structured.call_texts import read_calls
from metric_commons.structured.python_calls import Call, UnreadableCallError
from tests.shared.frameworks.call_trajectories import EXPECTED, TEXTS
from tests.tables import by_table

CALLS = [Call(**call) for call in EXPECTED]


@pytest.mark.parametrize("form", TEXTS)
def test_calls_are_found_or_read_by_name(form):
    name = form.partition(",")[0]
    assert [read_calls(text) for text in TEXTS[form]] == [CALLS[:1], CALLS[1:]]
    assert [read_calls(text, name) for text in TEXTS[form]] == [CALLS[:1], CALLS[1:]]
    if name not in ("json", "python"):
        text = "Let me see (well).\n" + "\n".join(TEXTS[form])
        assert read_calls(text) == CALLS
        assert read_calls("I cannot (today).", name) == [] or name == "llama"


@by_table("text, arguments")
def test_values_of_arguments(text, arguments):
    assert read_calls(text) == [Call("f", arguments)]


@by_table("text")
def test_a_call_that_is_cut_off_is_not_no_call(text):
    with pytest.raises(UnreadableCallError):
        read_calls(text)


@pytest.mark.slow
@by_table("unit")
def test_reading_takes_linear_time(unit):
    def seconds(copies):
        start = time.process_time()
        for _ in range(3):
            try:
                read_calls(unit * copies)
            except UnreadableCallError:
                continue
        return time.process_time() - start

    small = min(seconds(1_000) for _ in range(3))
    assert min(seconds(8_000) for _ in range(3)) < 30 * small + 0.02  # 64 if it were quadratic
