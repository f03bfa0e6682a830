"""Fenced code: the examples of CommonMark 4.5, what models make of fences, and any wrapping."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import load
from metric_commons.structured.json_texts import fenced_json, found_json
from metric_commons.text.tokens.fences import fenced_code, fenced_program, fences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # CommonMark 0.31.2, section 4.5
        ("```\n<\n >\n```", [("", "<\n >\n")]),
        ("~~~\n<\n >\n~~~", [("", "<\n >\n")]),
        ("``\nfoo\n``", []),
        ("```\naaa\n~~~\n```", [("", "aaa\n~~~\n")]),
        ("~~~\naaa\n```\n~~~", [("", "aaa\n```\n")]),
        ("````\naaa\n```\n``````", [("", "aaa\n```\n")]),
        ("~~~~\naaa\n~~~\n~~~~", [("", "aaa\n~~~\n")]),
        ("`````\n\n```\naaa", [("", "\n```\naaa")]),
        ("> ```\n> aaa\n\nbbb", [("", "aaa\n\nbbb")]),  # a quotation does not end it here
        ("```\n```", [("", "")]),
        (" ```\n aaa\naaa\n```", [("", "aaa\naaa\n")]),
        ("  ```\naaa\n  aaa\naaa\n  ```", [("", "aaa\naaa\naaa\n")]),
        ("   ```\n   aaa\n    aaa\n  aaa\n   ```", [("", "aaa\n aaa\naaa\n")]),
        ("```\naaa\n  ```", [("", "aaa\n")]),
        ("   ```\naaa\n  ```", [("", "aaa\n")]),
        ("```\naaa\n    ```", [("", "aaa\n    ```")]),
        ("``` ```\naaa", []),
        ("~~~~~~\naaa\n~~~ ~~", [("", "aaa\n~~~ ~~")]),
        ("foo\n```\nbar\n```\nbaz", [("", "bar\n")]),
        ("```ruby\ndef foo(x)\nend\n```", [("ruby", "def foo(x)\nend\n")]),
        ("~~~~    ruby startline=3 $%@#$\nend\n~~~~~~~", [("ruby", "end\n")]),
        ("````;\n````", [("", "")]),
        ("``` aa ```\nfoo", []),
        ("~~~ aa ``` ~~~\nfoo\n~~~", [("aa", "foo\n")]),
        ("```\n``` aaa\n```", [("", "``` aaa\n")]),
        # of models
        ("- ```python\n  if x:\n      y\n  ```", [("python", "if x:\n    y\n")]),
        ("1. ~~~\n   x\n   ~~~\n2. z", [("", "x\n")]),
        ("> ```py\n> if x:\n>     y\n> ```\nok", [("py", "if x:\n    y\n")]),
        ("\t```py\n\tx\n\t\ty\n\t```", [("py", "x\n\ty\n")]),
        ("```{.python .numberLines}\nx\n```", [("python", "x\n")]),
        ("```\r\nx\r\n```\r\n", [("", "x\r\n")]),
        ("Code: ```python\nx\n```", [("python", "x\n")]),
        ("```py\nprint(1)```\nDone.", [("py", "print(1)")]),
        (
            "```python\nx = \n\nAgain:\n```python\ny\n```",
            [("python", "x = \n\nAgain:\n"), ("python", "y\n")],
        ),
        ("```markdown\n# T\n```python\nx\n```\n```", [("markdown", "# T\n"), ("python", "x\n")]),
        (
            "```py\n'''\n    ```\n    x\n    ```\n'''\n```",
            [("py", "'''\n    ```\n    x\n    ```\n'''\n")],
        ),
        ("print(1)```", [("", "print(1)")]),
        ("n = 1\n```\nDone.", [("", "n = 1\n")]),
        ("So:\n```\nn = 1", [("", "n = 1")]),
        ("Use ``` or `x` ```y```.", []),
        ("```", []),
        ("```python\n", []),
    ],
)
def test_fences(text, expected):
    assert fences(text) == expected


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("```python\nx = 1\n```\nSketch:\n```python\nfor i in (\n```", "x = 1\n"),
        ("```python\nx = 1\n```\n```python\n# as above\n```", "x = 1\n"),
        ("```\nx = 1\n```\nIt prints:\n```\nTrue\n```", "x = 1\n"),
        ("```python\nx = 1\n```\n```sh\npython x.py\n```", "x = 1\n"),
        ("```python\nfor\n```\n```python\nwhile\n```", "while\n"),
        ("```cpp\nint x;\n```", None),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1', None),
        ('{"a": {"b": 1}, oops}', None),  # a part of an object that breaks off is no answer
        ('First {"n": 1}. Now {"n": 2', '{"n": 1}'),
        ("They are [3, 4], [5].", "[5]"),
        (r"\boxed{[1, 2]}", "[1, 2]"),
        ("none", None),
    ],
)
def test_the_last_whole_value_is_found(text, found):
    assert found_json(text) == (found or text)
