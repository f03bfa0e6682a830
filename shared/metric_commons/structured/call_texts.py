"""Tool calls in the forms that models and frameworks write.

Texts have the marks of a family of models, JSON, or Python; messages have calls and a text.
A text without any sign of a call has none. A text that attempts a call and cannot be read is
unreadable, which is different from having no call.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from .json_texts import InvalidJsonError, read_json, unfenced
from .python_calls import Call, UnreadableCallError, read_python_calls

Turns = Literal["all", "last"]
CallFormat = Literal[
    "auto", "hermes", "qwen3_coder", "llama", "deepseek", "mistral", "gemma", "json", "python"
]

_HERMES = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([^<>\s]+)>(.*?)(?:</function>|(?=<function=)|\Z)", re.DOTALL)
_PARAMETER = re.compile(
    r"<parameter=([^<>]+)>(.*?)(?:</parameter>|(?=<parameter=)|(?=</function>)|\Z)", re.DOTALL
)
_LLAMA = re.compile(
    r"(?:<\|python_tag\|>|<\|python_start\|>)(.*?)"
    r"(?:<\|python_end\|>|<\|eom_id\|>|<\|eot_id\|>|<\|eom\|>|<\|eot\|>|\Z)",
    re.DOTALL,
)
_BUILT_IN = re.compile(r"(\w+)\.call\((.*)\)\s*\Z", re.DOTALL)
_NAMED_BODY = re.compile(r"\s*(\S+)\s*\n(.*)\Z", re.DOTALL)
_INVOKE = re.compile(
    r'<｜DSML｜invoke name="([^"]*)">(.*?)(?:</｜DSML｜invoke>|(?=<｜DSML｜invoke )|\Z)', re.DOTALL
)
_INVOKED = re.compile(
    r'<｜DSML｜parameter name="([^"]*)"(?: string="(true|false)")?>(.*?)'
    r"(?:</｜DSML｜parameter>|\Z)",
    re.DOTALL,
)
_MISTRAL = re.compile(r"([^\s\[{]+)\s*(?:\[CALL_ID\][^\[{]*)?(?:\[ARGS\])?\s*(?=\{)")
_GEMMA = re.compile(
    r"(?:<start_function_call>|<\|tool_call>)(.*?)"
    r"(?:<end_function_call>|<tool_call\|>|(?=<start_function_call>|<\|tool_call>)|\Z)",
    re.DOTALL,
)
_GEMMA_CALL = re.compile(r"\s*call:([^{\s]+)\s*(\{.*\})\s*\Z", re.DOTALL)
_GEMMA_TOKEN = re.compile(
    r'<escape>(.*?)<escape>|<\|"\|>(.*?)<\|"\|>|([A-Za-z_][\w.\-]*+)(\s*+:)?|([^<A-Za-z_]+|<)',
    re.DOTALL,
)
_TOOL_CODE = re.compile(r"```(?:tool_code|tool_call)\s*\n(.*?)(?:```|\Z)", re.DOTALL)
_PRINTED = re.compile(r"print\((.*)\)\s*\Z", re.DOTALL)
# Precedes the JSON text of a prediction that was an object, as in RFC 7464, because texts of models
# may be expected in another form.
OBJECT_MARK = "\x1e"

_PYTHON_START = re.compile(r"'?\[?\s*[A-Za-z_][\w.]*\s*\(")
_PYTHON_LIST_START = re.compile(r"\[\s*[A-Za-z_][\w.]*\s*\(")
_TAG = "<tool_call>"
_ARGUMENTS = frozenset(("arguments", "parameters", "args", "input"))


def read_calls(
    prediction: str, call_format: CallFormat = "auto", turns: Turns = "all"
) -> list[Call]:
    """Return the calls of a prediction; empty if it does not attempt one.

    Args:
        prediction: the text of a model; or the JSON text of calls, of a message or of several,
            after `OBJECT_MARK`.
        call_format: the form of texts; "auto" looks for the marks of each family of models, then
            tries JSON, then Python.
        turns: "all" for the calls of all messages of the assistant in their order, or "last" for
            its last message.

    Raises:
        UnreadableCallError: it attempts a call that cannot be read.

    >>> read_calls('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>')
    [Call(name='f', arguments={'a': 1})]
    >>> read_calls('Well. [TOOL_CALLS]f[ARGS]{"a": 1}')
    [Call(name='f', arguments={'a': 1})]
    >>> read_calls("[f(a=1)]"), read_calls("I cannot do that.")
    ([Call(name='f', arguments={'a': 1})], [])
    """
    if prediction.startswith(OBJECT_MARK):
        return _calls_of_object(json_value(prediction[1:]), call_format, turns)
    text = prediction.strip()
    names = FORMATS if call_format == "auto" else {call_format} & FORMATS.keys()
    for name in names:
        if any(mark in text for mark in FORMATS[name].marks) or (
            name == "llama" and call_format == "llama" and "<function=" in text
        ):
            values = list(FORMATS[name].read(text))
            if not values:
                raise UnreadableCallError("a call is cut off")
            return [call for value in values for call in _calls(value)]
    if call_format not in ("auto", "json", "python", "llama"):
        return []
    plain = unfenced(text).strip()
    if call_format != "python" and plain.startswith(("{", "[")):
        is_python = call_format != "json" and _PYTHON_LIST_START.match(plain)
        if not is_python:
            return _calls_of_object(json_value(plain), call_format, turns)
    if call_format != "json" and _PYTHON_START.match(plain.strip("`\n ")):
        return read_python_calls(plain)
    return []


def _calls(value: Any) -> list[Call]:
    """Return the calls of a list of values of JSON, or of one."""
    if isinstance(value, Call):
        return [value]
    if isinstance(value, list) and value and isinstance(value[0], Call):
        return value
    return expected_calls([value] if isinstance(value, dict) else value)


def expected_calls(value: Any) -> list[Call]:
    """Return the calls of a reference, which is a list of them.

    Raises:
        UnreadableCallError: it is not.

    >>> expected_calls([{"function": {"name": "f", "arguments": '{"a": 1}'}}])
    [Call(name='f', arguments={'a': 1})]
    """
    if not isinstance(value, list):
        raise UnreadableCallError(f"expected a list of calls, got {_kind(value)}")
    return [_call(item) for item in value]


def has_plain_values(prediction: str, reference: str) -> bool:
    """Return whether Python's equality equals JSON's for the values of a row, without booleans.

    Values that were written as Python may be tuples, too, so these do not count.

    >>> has_plain_values('[{"name": "f"}]', "[]"), has_plain_values("[f()]", "[]")
    (True, False)
    """
    is_json = prediction.startswith((_TAG, "{", "[{")) or (
        prediction.startswith(OBJECT_MARK)
        and ('"tool_calls"' in prediction or '"role"' not in prediction)
    )
    is_json = is_json and "<function=" not in prediction
    return is_json and not any(
        word in text for text in (prediction, reference) for word in ("true", "false")
    )


def _calls_of_object(value: Any, call_format: CallFormat, turns: Turns) -> list[Call]:
    """Return the calls of a message or several, a list of calls, or one call."""
    messages = [value] if isinstance(value, dict) else value
    if isinstance(messages, list) and any(_is_message(item) for item in messages):
        return _calls_of_messages(messages, call_format, turns)
    return _calls(value)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and (
        "tool_calls" in value
        or ("role" in value and "name" not in value and "function" not in value)
    )


def _calls_of_messages(
    messages: Sequence[Any], call_format: CallFormat, turns: Turns
) -> list[Call]:
    """Return the calls of the assistant; where a message has calls apart, texts have none."""
    replies = [
        message
        for message in messages
        if isinstance(message, dict) and message.get("role", "assistant") == "assistant"
    ]
    replies = replies if turns == "all" else replies[-1:]
    if any("tool_calls" in message for message in replies):
        return [c for message in replies for c in _calls(message.get("tool_calls") or [])]
    texts = [message.get("content") for message in replies]
    return [c for text in texts if isinstance(text, str) for c in read_calls(text, call_format)]


def _call(value: Any) -> Call:
    if not isinstance(value, dict):
        raise UnreadableCallError(f"a call is {_kind(value)}; expected an object")
    function = value.get("function")
    if isinstance(function, dict):
        value = function
        function = value.get("function")
    name = value.get("name", function)
    if not isinstance(name, str) or not name:
        raise UnreadableCallError("a call has no name")
    fields = _ARGUMENTS & value.keys()
    if len(fields) > 1:
        first, second, *_ = sorted(fields)
        raise UnreadableCallError(f"a call of {name} has both {first!r} and {second!r}")
    arguments: Any = value[next(iter(fields))] if fields else {}
    if isinstance(arguments, str):
        arguments = json_value(arguments) if arguments.strip() else {}
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise UnreadableCallError(
            f"the arguments of {name} are {_kind(arguments)}; expected an object"
        )
    return Call(name, arguments)


def _kind(value: Any) -> str:
    """Return the type of a value in the words of JSON.

    >>> _kind([]), _kind(None), _kind(1.5)
    ('a list', 'null', 'a number')
    """
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else kinds.get(type(value), "a number")


# The marks of families of models


class MarkedFormat(NamedTuple):
    """A format of texts: its marks, one of which is in every call, and its reader.

    The reader yields calls, or values of JSON that are calls or lists of them.
    """

    marks: tuple[str, ...]
    read: Callable[[str], Iterator[Any]]


def json_value(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        UnreadableCallError: it is not JSON.
    """
    try:
        return read_json(text)
    except InvalidJsonError as error:
        raise UnreadableCallError(str(error)) from None


def _hermes(text: str) -> Iterator[Any]:
    for body in _HERMES.findall(text):
        if "<function=" in body:
            yield from _xml(body)
        else:
            yield json_value(unfenced(body.strip()))


def _xml(text: str) -> Iterator[Any]:
    """Yield the calls of Qwen3-Coder, and those of Llama, whose function tags hold JSON."""
    for name, body in _FUNCTION.findall(text):
        if body.lstrip().startswith("{"):
            yield {"name": name, "arguments": json_value(body.strip())}
            continue
        parameters = _PARAMETER.findall(body)
        if body.strip() and not parameters:
            raise UnreadableCallError(f"the parameters of {name} have no tags")
        yield Call(name, {key.strip(): _json_or_text(value) for key, value in parameters})


def _json_or_text(text: str) -> Any:
    """Return the value of a parameter: JSON if it is, else its text without the line breaks."""
    text = text.removeprefix("\n").removesuffix("\n")
    try:
        return read_json(text.strip())
    except InvalidJsonError:
        return text


def _llama(text: str) -> Iterator[Any]:
    for body in map(str.strip, _LLAMA.findall(text)):
        built_in = _BUILT_IN.match(body)
        if built_in is not None:
            yield from read_python_calls(f"{built_in[1]}({built_in[2]})")
        elif body.startswith("{"):
            yield from _values_in_a_row(body)
        elif body.startswith("["):
            is_json = body[1:].lstrip()[:1] in ("{", "]")
            yield json_value(body) if is_json else read_python_calls(body)
        else:
            yield from read_python_calls(body)
    if "<|python_" not in text:
        yield from _xml(text)


def _values_in_a_row(text: str) -> Iterator[Any]:
    """Yield the JSON values at the start, with semicolons, commas or nothing between them."""
    start = 0
    while start == 0 or text.startswith("{", start):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            raise UnreadableCallError(f"is not JSON: {error}") from None
        yield json_value(text[start:end])
        start = end
        while start < len(text) and text[start] in "; ,\n\t\r":
            start += 1


def _deepseek(text: str) -> Iterator[Any]:
    for part in text.split("<｜tool▁call▁begin｜>")[1:]:
        kind, separator, body = part.partition("<｜tool▁sep｜>")
        if not separator:
            raise UnreadableCallError("a call has no arguments")
        body = body.partition("<｜tool▁call▁end｜>")[0].partition("<｜tool▁calls▁end｜>")[0]
        name, arguments = kind.strip(), body
        named = _NAMED_BODY.match(body)
        if name == "function" and named is not None:  # a type, then the name on a line of its own
            name, arguments = named.groups()
        yield {"name": name, "arguments": json_value(unfenced(arguments.strip()).strip())}
    for name, body in _INVOKE.findall(text):
        yield Call(
            name,
            {
                key: value if is_text == "true" else _json_or_text(value)
                for key, is_text, value in _INVOKED.findall(body)
            },
        )


def _mistral(text: str) -> Iterator[Any]:
    """Yield the calls after each mark; results of tools and an answer may follow them."""
    for body in map(str.strip, text.split("[TOOL_CALLS]")[1:]):
        named = _MISTRAL.match(body)
        if named is None:
            yield from _values_in_a_row(body)
        else:
            arguments = next(_values_in_a_row(body[named.end() :]))
            yield {"name": named[1], "arguments": arguments}


def _gemma(text: str) -> Iterator[Any]:
    for body in _GEMMA.findall(text):
        call = _GEMMA_CALL.match(body)
        if call is None:
            raise UnreadableCallError("a call has no name or no arguments")
        tokens = _GEMMA_TOKEN.finditer(call[2])
        yield {"name": call[1], "arguments": json_value("".join(map(_as_json, tokens)))}
    for body in map(str.strip, _TOOL_CODE.findall(text)):
        printed = _PRINTED.match(body)
        yield from read_python_calls(printed[1] if printed else body)


def _as_json(token: re.Match[str]) -> str:
    """Return a token of Gemma's arguments as JSON: texts between marks, keys without quotes."""
    first, second, word, colon, other = token.groups()
    for text in (first, second):
        if text is not None:
            return json.dumps(text)
    if word is None:
        return str(other)
    return f"{json.dumps(word)}:" if colon else word


FORMATS: dict[str, MarkedFormat] = {  # in the order in which "auto" looks for their marks
    "deepseek": MarkedFormat(("<｜tool▁call▁begin｜>", "<｜DSML｜invoke "), _deepseek),
    "mistral": MarkedFormat(("[TOOL_CALLS]",), _mistral),
    "llama": MarkedFormat(("<|python_tag|>", "<|python_start|>"), _llama),
    "gemma": MarkedFormat(
        ("<start_function_call>", "<|tool_call>", "```tool_code", "```tool_call"), _gemma
    ),
    "hermes": MarkedFormat(("<tool_call>",), _hermes),
    "qwen3_coder": MarkedFormat(("<function=",), _xml),
}
