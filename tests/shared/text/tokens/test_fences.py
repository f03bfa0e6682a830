"""Fenced code: the examples of CommonMark 4.5, what models make of fences, and any wrapping."""

import json

from hypothesis import given
from hypothesis import strategies as st

from metric_commons import load
from metric_commons.structured.json_texts import fenced_json, found_json
from metric_commons.text.tokens.fences import fenced_code, fenced_program, fences
from tests.tables import by_table


@by_table("text, expected")
def test_fences(text, expected):
    assert fences(text) == expected


@by_table("text, program")
def test_the_last_program_that_can_be_parsed(text, program):
    assert fenced_program(text) == program


CODES = st.sampled_from(
    ['{"a": [1, 2]}', "x = 1\nif x:\n    y = '`'", "def f():\n\n    return {}", "[1]"]
)
MARKS = st.builds(lambda letter, n: letter * n, st.sampled_from("`~"), st.integers(3, 6))
BEFORE = st.sampled_from(["", "So:\n", "Use `x`, or ~y~:\n\n", "1. One.\n2. Two:\n"])
AFTER = st.sampled_from(["", "\n", "\nDone.", "\n\nIt takes O(n) time; see `x`.\n"])
LISTS = st.sampled_from([("", ""), ("- ", "  "), ("2) ", "   "), ("   ", "   "), ("> ", "> ")])


@given(CODES, MARKS, BEFORE, AFTER, LISTS, st.sampled_from(["", "python", " py"]), st.booleans())
def test_any_wrapping_has_the_code(code, marks, before, after, container, info, closes):
    first, later = container
    inside = "\n".join(later + line if line else "" for line in code.split("\n"))
    closing = f"\n{later}{marks}{after}" if closes else ""
    text = f"{before}{first}{marks}{info}\n{inside}{closing}"

    assert fenced_code(text).rstrip("\n") == code
    assert fenced_program(text).rstrip("\n") == code


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab{}[]\"\\'`é", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text('a["}', max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.lists(VALUES, max_size=3) | st.dictionaries(st.text(max_size=3), VALUES, max_size=3),
    st.sampled_from(
        ["", "It is ", 'First {"n": 1}, then ', "See [this] and {that}: ", '"[", so\n']
    ),
    st.sampled_from(["", ".", " I think.", "\n\nDone: {x}, [", " {"]),
)
def test_json_is_found_in_prose(value, before, after):
    text = json.dumps(value)
    assert found_json(before + text + after) == text
    assert fenced_json(f"{before}\n```json\n{text}\n```\n{after}").rstrip("\n") == text
    for parse, wrapped in (("found", before + text + after), ("fenced", f"So:\n~~~\n{text}\n~~~")):
        rows = {"predictions": [wrapped], "references": [text]}
        assert load("json_match", parse=parse).compute(**rows)["exact_match"] == 1.0


@by_table("text, found")
def test_the_last_whole_value_is_found(text, found):
    assert found_json(text) == (found or text)
