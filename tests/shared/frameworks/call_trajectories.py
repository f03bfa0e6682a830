"""Two calls, f(a=1, b="x") and then g(), in the forms of models, trainers and harnesses."""

import json
from types import SimpleNamespace

EXPECTED = [{"name": "f", "arguments": {"a": 1, "b": "x"}}, {"name": "g", "arguments": {}}]
F, G = ({"type": "function", "function": call} for call in EXPECTED)
_JSON = [json.dumps(call) for call in EXPECTED]
_PARAMETERS = [text.replace("arguments", "parameters") for text in _JSON]


def _qwen(name, parameters):
    return f"<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>"


def _dsml(name, parameters):
    call = f'<｜DSML｜invoke name="{name}">\n{parameters}</｜DSML｜invoke>'
    return f"<｜DSML｜function_calls>\n{call}\n</｜DSML｜function_calls>"


TEXTS = {  # each as two turns
    "hermes": [f"<tool_call>\n{call}\n</tool_call>" for call in _JSON],
    "qwen3_coder": [
        _qwen("f", "<parameter=a>\n1\n</parameter>\n<parameter=b>\nx\n</parameter>\n"),
        _qwen("g", ""),
    ],
    "llama": [f"<|python_tag|>{call}<|eom_id|>" for call in _PARAMETERS],
    "llama, tags": ['<function=f>{"a": 1, "b": "x"}</function>', "<function=g>{}</function>"],
    "llama, python": [
        "<|python_start|>[f(a=1, b='x')]<|python_end|>",
        "<|python_tag|>g.call()<|eom_id|>",
    ],
    "deepseek": [
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{call['name']}\n```json\n"
        f"{json.dumps(call['arguments'])}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        for call in EXPECTED
    ],
    "deepseek, later": [
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{call['name']}<｜tool▁sep｜>"
        f"{json.dumps(call['arguments'])}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        for call in EXPECTED
    ],
    "deepseek, XML": [
        _dsml(
            "f",
            '<｜DSML｜parameter name="a" string="false">1</｜DSML｜parameter>\n'
            '<｜DSML｜parameter name="b" string="true">x</｜DSML｜parameter>\n',
        ),
        _dsml("g", ""),
    ],
    "mistral": [f"[TOOL_CALLS] [{call}]</s>" for call in _JSON],
    "mistral, later": [
        '[TOOL_CALLS]f[ARGS]{"a": 1, "b": "x"}</s>',
        "[TOOL_CALLS]g[CALL_ID]abc123xyz[ARGS]{}</s>",
    ],
    "gemma": ["```tool_code\nprint(f(a=1, b='x'))\n```", "```tool_code\ng()\n```"],
    "gemma, functions": [
        "<start_function_call>call:f{a:1,b:<escape>x<escape>}<end_function_call>",
        "<start_function_call>call:g{}<end_function_call>",
    ],
    "gemma, later": [
        '<|tool_call>call:f{a:1,b:<|"|>x<|"|>}<tool_call|>',
        "<|tool_call>call:g{}<tool_call|>",
    ],
    "json": _JSON,
    "python": ["[f(a=1, b='x')]", "[g()]"],
}


def _turns(first, second):
    return [
        {"role": "assistant", **first},
        {"role": "tool", "content": "4"},
        {"role": "assistant", **second},
        {"role": "tool", "content": "5"},
        {"role": "assistant", "content": "It is 5 (five)."},
    ]


def as_objects(value):
    """Dictionaries as objects with attributes."""
    if isinstance(value, list):
        return [as_objects(item) for item in value]
    if value and isinstance(value, dict) and not value.keys() & {"a", "b"}:
        return SimpleNamespace(**{key: as_objects(item) for key, item in value.items()})
    return value


MESSAGES = {
    "messages": _turns({"content": None, "tool_calls": [F]}, {"content": "", "tool_calls": [G]}),
    "arguments as text": _turns(
        {"tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1, "b": "x"}'}}]},
        {"tool_calls": [{"function": {"name": "g", "arguments": ""}}]},
    ),
    "inspect_ai": [
        SimpleNamespace(role="user", content="?", source="input"),
        *(
            SimpleNamespace(
                role="assistant",
                content=[SimpleNamespace(type="text", text="I call.")],
                source="generate",
                tool_calls=[SimpleNamespace(function=call["name"], arguments=call["arguments"])],
            )
            for call in EXPECTED
        ),
        SimpleNamespace(role="assistant", content="5", source="generate", tool_calls=None),
    ],
    "items of OpenAI": [
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "f", "arguments": '{"a": 1, "b": "x"}'},
        {"type": "function_call_output", "output": "4"},
        {"type": "function_call", "name": "g", "arguments": "{}"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "It is 5."}],
        },
    ],
    "blocks of Anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "f(x)"},
                {"type": "text", "text": "I call."},
                {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1, "b": "x"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "content": "4"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "g", "input": {}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "It is 5."}]},
    ],
}
MESSAGES["objects of verifiers"] = as_objects(
    _turns({"content": None, "tool_calls": EXPECTED[:1]}, {"tool_calls": EXPECTED[1:]})
)
MESSAGES["objects of OpenAI"] = as_objects(MESSAGES["items of OpenAI"])
