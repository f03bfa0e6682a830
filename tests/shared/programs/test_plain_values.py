"""Values that pass between processes."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.programs.plain_values import (
    error_message,
    packed,
    receive_text,
    send_text,
    unpacked,
)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
)
KEYS = st.integers() | st.text() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.frozensets(KEYS)
        | st.sets(KEYS)
    ),
)


def kinds(value):
    """The types of a value and of all that it holds."""
    if isinstance(value, dict):
        return [dict, [(kinds(key), kinds(item)) for key, item in value.items()]]
    if isinstance(value, list | tuple):
        return [type(value), [kinds(item) for item in value]]
    return [type(value)]


@pytest.mark.long
@settings(max_examples=50)
@given(VALUES)
def test_plain_values_come_back_as_they_were(value):
    found = unpacked(json.loads(json.dumps(packed(value))))

    assert found == value
    assert kinds(found) == kinds(value)


class Number(int):
    def __eq__(self, other):
        return True

    __hash__ = None

    def __index__(self):
        return 0


class Text(str):
    def __str__(self):
        return "other"


class Items(list):
    def __iter__(self):
        return iter([1])


@pytest.mark.parametrize(
    ("value", "expected"), [(Number(5), 5), (Text("a"), "a"), (Items([2, 3]), [2, 3])]
)
def test_a_subclass_becomes_its_base_whatever_its_methods_say(value, expected):
    found = unpacked(packed(value))

    assert found == expected
    assert type(found) is type(expected)


IN_ITSELF = []
IN_ITSELF.append(IN_ITSELF)


@pytest.mark.parametrize("value", [object(), iter([]), len, IN_ITSELF, [{1: object()}]])
def test_other_objects_are_refused(value):
    with pytest.raises(TypeError):
        packed(value)


class HostileError(Exception):
    def __str__(self):
        raise SystemExit


def test_messages_of_errors_are_short_and_valid():
    assert error_message(HostileError()) == "HostileError"
    assert len(error_message(ValueError("x" * 10**6))) == 500
    assert error_message(ValueError("\ud800")) == "ValueError: \\ud800"


def test_texts_travel_whole_and_within_a_limit():
    read, write = os.pipe()
    send_text(write, "x" * 1000)
    assert receive_text(read) == "x" * 1000
    send_text(write, "x" * 1000)
    with pytest.raises(ValueError, match="more than 10"):
        receive_text(read, 10)
    os.close(write)
    os.close(read)
