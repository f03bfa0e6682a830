"""Lists of JSON, read item by item from chunks of any size, as `json` reads the whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.files.access import LimitError, Limits, check_parsed
from metric_commons.data.files.json_rows import PLAIN, STRICT, JsonList

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def listed(data, size, decoder=STRICT, limit=10**6):
    chunks = (data[start : start + size] for start in range(0, len(data), size))
    items = JsonList(chunks, limit)
    first = items.first()
    read = [*items.items(decoder)]
    assert first == (read[0] if read else [])
    return read


@pytest.mark.long
@given(
    st.lists(VALUES, max_size=5),
    st.integers(1, 40),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.sampled_from(["", "\ufeff", " \n"]),
)
def test_a_list_is_read_as_json_reads_it(values, size, indent, is_ascii, start):
    text = start + json.dumps(values, indent=indent, ensure_ascii=is_ascii)
    assert listed(text.encode("utf-8", "surrogatepass"), size) == values


@given(st.text('[]{}",:ab1-.e \\\n', max_size=20), st.integers(1, 30))
def test_what_json_refuses_is_refused_with_the_same_words(text, size):
    text = "[" + text
    expected = outcome(lambda: PLAIN.decode(text))
    assert outcome(lambda: listed(text.encode(), size, PLAIN)) == expected


def outcome(decode):
    """The value, or the message of the error."""
    try:
        return decode()
    except ValueError as error:
        return str(error)


def test_a_row_with_a_field_twice_is_named():
    with pytest.raises(ValueError, match=r"^row 1: field 'a' is given twice$"):
        listed(b'[{"a": 1}, {"a": 1, "a": 2}]', 5)


def test_a_row_has_a_limit():
    with pytest.raises(LimitError, match=r"^row 1 is longer than 100 bytes"):
        listed(b'[{"a": 1}, {"a": "' + b"x" * 1000 + b'"}]', 50, limit=100)


@pytest.mark.parametrize("small", ["[]", "{}", "0", '""', '{"a": {}}'])
def test_values_that_are_small_in_text_are_large_in_memory(small):
    limits = Limits(whole=1_000_000)
    check_parsed(f"[{small}]", limits)
    with pytest.raises(LimitError, match=r"of memory when it is parsed, and the limit is 4 MB"):
        check_parsed("[" + f"{small}," * 60_000 + f"{small}]", limits)
