"""Calls in the marks of models: each is read, also after prose, or unreadable, never no call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import load
from metric_commons.structured.call_texts import OBJECT_MARK, read_calls
from metric_commons.structured.python_calls import Call, UnreadableCallError
from tests.tables import by_table, tabled


def element(kind, name, inside, closing=None):
    return f'<{kind} name="{name}">{inside}</{closing or kind}>'


def parameters(arguments, form):
    return "\n".join(form(key, value) for key, value in arguments.items())


def written(value):
    """A value as it stands in a tag: texts without quotes."""
    return value if isinstance(value, str) else json.dumps(value)


def of_json(marks, key="arguments", name="name"):
    return lambda n, a: marks.replace("%%", json.dumps({name: n, key: a}))


def of_name(marks):
    return lambda n, a: marks.replace("NAME", n).replace("ARGUMENTS", json.dumps(a))


def of_python(marks):
    return lambda n, a: marks.replace(
        "%%", f"{n}({', '.join(f'{key}={value!r}' for key, value in a.items())})"
    )


def of_elements(marks, prefix=""):
    def text(name, arguments):
        inside = parameters(
            arguments, lambda key, value: element(f"{prefix}parameter", key, written(value))
        )
        return marks.replace("%%", element(f"{prefix}invoke", name, f"\n{inside}\n"))

    return text


def of_qwen(marks):
    def text(name, arguments):
        inside = parameters(arguments, lambda k, v: f"<parameter={k}>\n{written(v)}\n</parameter>")
        return marks.replace("%%", f"<function={name}>\n{inside}\n</function>")

    return text


def of_glm(marks):
    def text(name, arguments):
        return marks.replace("NAME", name).replace(
            "PAIRS",
            parameters(
                arguments,
                lambda k, v: f"<arg_key>{k}</arg_key>\n<arg_value>{written(v)}</arg_value>",
            ),
        )

    return text


BUILDERS = {
    "json": of_json,
    "name": of_name,
    "python": of_python,
    "elements": of_elements,
    "qwen": of_qwen,
    "glm": of_glm,
    "object": lambda marks: lambda n, a: marks.replace("%%", json.dumps({n: a})),
}
FORMS = {name: BUILDERS[kind](*marks) for name, kind, *marks in tabled(__file__, "FORMS")}
NAMES = st.sampled_from(["get_tide", "a.b", "f2"])
VALUES = (
    st.none() | st.integers(-99, 99) | st.sampled_from(["Bergen", "a b", "é", [1, "x"], {"k": []}])
)
ARGUMENTS = st.dictionaries(st.sampled_from(["port", "n", "x_1"]), VALUES, min_size=1, max_size=3)
PROSE = st.sampled_from(["", "Let me look (well) at it.\n\n", "<think>[g(a=1)]</think>\n"])


@pytest.mark.parametrize("form", FORMS)
@given(NAMES, ARGUMENTS, PROSE)
def test_a_call_is_read_in_any_form(form, name, arguments, prose):
    text = FORMS[form](name, arguments)

    assert read_calls(prose + text) == [Call(name, arguments)], text


@pytest.mark.parametrize("form", FORMS)
def test_a_call_that_is_cut_off_is_unreadable_and_wrong_everywhere(form):
    text = FORMS[form]("get_tide", {"port": "Bergen", "n": 12})
    cut = text[: text.index("Bergen") + 3]
    with pytest.raises(UnreadableCallError):
        read_calls(cut)
    found = load("tool_calls").compute(predictions=[cut], references=[[]])

    assert (found["unparsed"], found["exact_match"], found["irrelevance_accuracy"]) == (1, 0, 0)


@by_table("text")
def test_a_mark_that_is_not_read_is_not_no_call(text):
    with pytest.raises(UnreadableCallError):
        read_calls(text)


@by_table("text")
def test_without_a_mark_there_is_no_call(text):
    assert read_calls(text) == []


def test_a_named_format_refuses_the_marks_of_others():
    assert read_calls("<tool_call>[f()]</tool_call>", "hermes") == [Call("f", {})]
    for call_format in ("mistral", "python", "json"):
        with pytest.raises(UnreadableCallError, match="mark of another format"):
            read_calls("<tool_call>[f()]</tool_call>", call_format)


def test_json_is_json_whatever_marks_its_texts_have():
    arguments = {"html": "<tool_call>x</tool_call> [TOOL_CALLS]"}
    assert read_calls(json.dumps({"name": "f", "arguments": arguments})) == [Call("f", arguments)]


@by_table("message")
def test_parts_of_messages_count(message):
    assert read_calls(OBJECT_MARK + json.dumps(message)) == [Call("buy", {"id": 4})]


@pytest.mark.parametrize("value", [5, "x", [5], {"a": 1}, [[]], [{"name": 5}]])
def test_a_field_of_any_type_is_unreadable_and_no_error(value):
    message = {"role": "assistant", "content": value, "tool_calls": value}
    found = load("tool_calls").compute(predictions=[message], references=[[]])

    assert found["unparsed"] == 1


def test_calls_in_thoughts_do_not_count():
    other = "<plan>[sell()]</plan>[buy(id=4)]"
    assert read_calls("<think>[sell()]</think>No.") == []
    assert read_calls(other, thoughts=["<plan>", "</plan>"]) == [Call("buy", {"id": 4})]
    with pytest.raises(UnreadableCallError, match="thoughts do not end"):
        read_calls("<think>[sell()]")
    with pytest.raises(UnreadableCallError):
        read_calls("<think>[sell()]</think><tool_call>", thoughts="keep")
