"""Lists of JSON, read item by item as `json` reads the whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.files.json_rows import PLAIN, STRICT, list_items

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def listed(text, decoder=STRICT):
    return [*list_items(text, decoder)]


@pytest.mark.long
@given(
    st.lists(VALUES, max_size=5),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.sampled_from(["", " \n"]),
)
def test_a_list_is_read_as_json_reads_it(values, indent, is_ascii, start):
    text = start + json.dumps(values, indent=indent, ensure_ascii=is_ascii)
    assert listed(text) == values


@given(st.text('[]{}",:ab1-.e \\\n', max_size=20))
def test_what_json_refuses_is_refused_with_the_same_words(text):
    text = "[" + text
    expected = outcome(lambda: PLAIN.decode(text))
    assert outcome(lambda: listed(text, PLAIN)) == expected


def outcome(decode):
    """The value, or the message of the error."""
    try:
        return decode()
    except ValueError as error:
        return str(error)


def test_a_row_with_a_field_twice_is_named():
    with pytest.raises(ValueError, match=r"^row 1: field 'a' is given twice$"):
        listed('[{"a": 1}, {"a": 1, "a": 2}]')
