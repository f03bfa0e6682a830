"""Calls in the marks of models: each is read, also after prose, or unreadable, never no call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import load
from metric_commons.structured.call_texts import OBJECT_MARK, read_calls
from metric_commons.structured.python_calls import Call, UnreadableCallError


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


FORMS = {
    "Hermes": of_json("<tool_call>\n%%\n</tool_call>"),
    "Hermes, a list": of_json("<tool_call>[%%]</tool_call>"),
    "Hermes, a fence": of_json("<tool_call>\n```json\n%%\n```\n</tool_call>"),
    "Qwen3-Coder": of_qwen("<tool_call>\n%%\n</tool_call>"),
    "Seed-OSS": of_qwen("<seed:tool_call>\n%%\n</seed:tool_call>"),
    "GLM 4.5": of_glm("<tool_call>NAME\nPAIRS\n</tool_call>"),
    "Hunyuan 3": of_glm(
        "<tool_calls>\n<tool_call>NAME<tool_sep>\nPAIRS\n</tool_call>\n</tool_calls>"
    ),
    "LongCat": of_json("<longcat_tool_call>%%</longcat_tool_call>"),
    "Mistral": of_json("[TOOL_CALLS] [%%]</s>"),
    "Mistral, later": of_name("[TOOL_CALLS]NAME[ARGS]ARGUMENTS"),
    "Mistral, ids": of_name("[TOOL_CALLS]NAME[CALL_ID]abc123[ARGS]ARGUMENTS</s>"),
    "Llama 3": of_json("<|python_tag|>%%<|eom_id|>", "parameters"),
    "Llama 3, tags": of_name("<function=NAME>ARGUMENTS</function>"),
    "Llama 3, JSON": of_json("%%", "parameters"),
    "Llama 4": of_python("<|python_start|>[%%]<|python_end|>"),
    "DeepSeek V3": of_name(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\nARGUMENTS\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "DeepSeek V3.1": of_name(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGUMENTS<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>"
    ),
    "Kimi K2": of_name(
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0"
        "<|tool_call_argument_begin|>ARGUMENTS<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "Step 3": of_elements(
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>%%<｜tool_call_end｜>"
        "<｜tool_calls_end｜>",
        "steptml:",
    ),
    "MiniMax M1": of_json("<tool_calls>\n%%\n</tool_calls>"),
    "MiniMax M2": of_elements("<minimax:tool_call>\n%%\n</minimax:tool_call>"),
    "MiniMax 01": of_name("<function_call>```typescript\nfunctions.NAME(ARGUMENTS)\n```"),
    "Anthropic": of_elements("<function_calls>\n%%\n</function_calls>"),
    "gpt-oss": of_name(
        "<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>ARGUMENTS<|call|>"
    ),
    "gpt-oss, later": of_name(
        "<|start|>assistant to=functions.NAME<|channel|>commentary json<|message|>ARGUMENTS<|call|>"
    ),
    "gpt-oss, without tokens": of_name("commentary to=functions.NAME jsonARGUMENTS"),
    "Granite 3": of_json("<|tool_call|>[%%]"),
    "Granite 20b": of_json("<function_call> %%"),
    "Phi-4 mini": of_json("<|tool_call|>[%%]<|/tool_call|>"),
    "Phi-4": of_json("functools[%%]"),
    "Cohere": of_json("<|START_ACTION|>[\n%%\n]<|END_ACTION|>", "parameters", "tool_name"),
    "Command R": of_json("Action: ```json\n[%%]\n```", "parameters", "tool_name"),
    "Gemma": of_python("```tool_code\nprint(%%)\n```"),
    "Gemma, tags": of_python("<tool_code>\n%%\n</tool_code>"),
    "functionary 2": of_name("<|recipient|> NAME\n<|content|> ARGUMENTS"),
    "functionary 3": of_name(">>>all\nWell.\n>>>NAME\nARGUMENTS"),
    "InternLM": of_json("<|action_start|><|plugin|>%%<|action_end|>", "parameters"),
    "Jamba, Hunyuan": of_json("<tool_calls>[%%]</tool_calls>"),
    "Nemotron": of_json("<TOOLCALL>[%%]</TOOLCALL>"),
    "LFM2": of_python("<|tool_call_start|>[%%]<|tool_call_end|>"),
    "OLMo 3": of_python("<function_calls>\n%%\n</function_calls>"),
    "Apertus": lambda n, a: f"<|tools_prefix|>[{json.dumps({n: a})}]<|tools_suffix|>",
    "Qwen-Agent": of_name("✿FUNCTION✿: NAME\n✿ARGS✿: ARGUMENTS\n✿RESULT✿"),
    "GigaChat": of_json("function call<|role_sep|>\n%%</s>"),
    "Gorilla": of_python("<<function>>%%"),
    "NexusRaven": of_python("Call: %%<bot_end>\nThought: x"),
    "PLaMo": of_name(
        "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>NAME"
        "<|plamo:end_tool_name:plamo|>ARGUMENTS<|plamo:end_tool_request:plamo|>"
    ),
    "Solar": of_name(
        "<|tool_calls|><|tool_call:begin|>1<|tool_call:name|>NAME<|tool_call:args|>ARGUMENTS"
        "<|tool_call:end|>"
    ),
    "MCP": of_name("<use_mcp_tool><tool_name>NAME</tool_name><arguments>ARGUMENTS</arguments>"),
    "ReAct": of_name("Thought: so.\nAction: NAME\nAction Input: ARGUMENTS\nObservation: 3"),
    "ReAct, bold": of_name("**Action:** NAME\n**Action Input:** ARGUMENTS"),
    "LangChain": of_json("Action:\n```json\n%%\n```", "action_input", "action"),
    "Python": of_python("[%%]"),
    "prose": of_json("I will look it up: %%."),
    "a fence": of_json("So:\n```json\n[%%]\n```\nDone."),
    "an unknown mark": of_json("<|any_function_call|>%%<|end_any_function_call|>"),
}
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


@pytest.mark.parametrize(
    "text",
    [
        *(
            "<|action_start|><|interpreter|>print(1)",
            "<tool_call>",
            "<function_calls>",
            "<|channel|>commentary to=functions",
        ),
        *("<｜tool▁calls▁begin｜>", "<tool: f>x</tool>", "[TOOL_CALLS]f"),
        *(
            "Action: f\nAction Input: Bergen",
            "Action: f[Bergen]",
            "Sure.\n[f(po",
            '{"name": "f", "arg',
        ),
        "<function_calls><invoke><tool_name>f</tool_name><parameters><a>1</a></parameters></invoke>",
    ],
)
def test_a_mark_that_is_not_read_is_not_no_call(text):
    with pytest.raises(UnreadableCallError):
        read_calls(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use `buy` with id 4 in the <code> element.",
        "Best action: wait for rain. Action: none of these.",
        'The reading was {"celsius": 20} on [1, 2], and {"name": "Ada"} took it.',
        "See [this](https://x.org), a <table>, std::function<void()> and >>> print(1).",
        "The tool was <toolbar>; it goes to=the port.",
    ],
)
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


BUY = {"name": "buy", "arguments": {"id": 4}}
TEXT = f"<tool_call>{json.dumps(BUY)}</tool_call>"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": [{"type": "text", "text": TEXT}]},
        {"role": "assistant", "content": TEXT, "tool_calls": []},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "buy", "input": {"id": 4}}]},
        {"role": "assistant", "content": None, "function_call": BUY},
        {"role": "assistant", "content": "", "tool_calls": [{"function": BUY}]},
        {
            "role": "model",
            "parts": [{"text": "ok"}, {"functionCall": {"name": "buy", "args": {"id": 4}}}],
        },
        {"role": "assistant", "content": [{"toolUse": {"name": "buy", "input": {"id": 4}}}]},
        {"role": "assistant", "content": f"<think>[sell()]</think>{TEXT}"},
        [{"type": "text", "text": "ok"}, {"type": "tool_use", "name": "buy", "input": {"id": 4}}],
        [
            {"type": "reasoning", "text": "[sell()]"},
            {"type": "function_call", **BUY, "arguments": '{"id": 4}'},
            {"type": "function_call_output", "output": "4"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "5"}],
            },
        ],
    ],
)
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
