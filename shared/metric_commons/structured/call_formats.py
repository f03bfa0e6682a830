"""The texts in which families of models write tool calls, each recognised by its own marks."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from .json_texts import InvalidJsonError, read_json, unfenced
from .python_calls import Call, UnreadableCallError, read_python_calls

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


class MarkedFormat(NamedTuple):
    """A format of texts: marks of which one is in every call, and the reader of a text with one.

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
