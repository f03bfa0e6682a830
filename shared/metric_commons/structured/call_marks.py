"""The marks between which models write calls, and how what is between them is read.

What is inside has one of a few forms, whatever the marks: values of JSON, calls of Python, or the
name of a tool and its arguments, as JSON or in tags.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from ..text.tokens.fences import fenced_code
from .json_texts import InvalidJsonError, read_json
from .python_calls import Call, UnreadableCallError, read_python_calls

_PYTHON = re.compile(r"'?\[?\s*+[A-Za-z_][\w.]*+\s*+\((?!\s*+\{)")
_NAME = re.compile(r"(?:\s|<[^<>]*>)*+(?:functions?[.:](?=\w))?+([\w./@-]++)(?::\d++)?+")
_PREFIX = r"(?:\w+:|[|｜]DSML[|｜])?"
_PARAMETER = re.compile(
    rf"(?:<{_PREFIX}param(?:eter)?(?:=| name=)[\"']?([^<>\"']++)[\"']?"
    r'(?: string="(true|false)")?\s*>|<arg_key>([^<]*+)</arg_key>\s*+<arg_value>)(.*?)'
    rf"(</{_PREFIX}(?:param(?:eter)?|arg_value)>"
    rf"|(?=<{_PREFIX}param(?:eter)?[= ])|(?=<arg_key>)|\Z)",
    re.DOTALL,
)
_NOTHING = re.compile(r"[\"']?>\s*")
_NEAR = 120  # characters between a name and its arguments
_GEMMA_CALL = re.compile(r"\s*call:([^{\s]+)\s*(\{.*\})\s*\Z", re.DOTALL)
_GEMMA_TOKEN = re.compile(
    r'<escape>(.*?)<escape>|<\|"\|>(.*?)<\|"\|>|([A-Za-z_][\w.\-]*+)(\s*+:)?|([^<A-Za-z_]+|<)',
    re.DOTALL,
)


def marked_values(text: str, call_format: str = "auto") -> Iterator[Any]:
    """Yield the calls in the marks of a text: each is a `Call`, or a value of JSON.

    Args:
        text: the text of a model.
        call_format: a family of models, or "auto" for all.

    Raises:
        UnreadableCallError: what is inside cannot be read, or a mark is that of another family.

    >>> list(marked_values("Well. <tool_call>[f(a=1)]</tool_call>"))
    [Call(name='f', arguments={'a': 1})]
    """
    position = 0
    while opening := _openings().search(text, position):
        mark, position = _MARKS[(opening.lastindex or 0) - 1], opening.end()
        if _openings(r"\s*+").match(text, position):  # a mark around others
            continue
        if call_format not in ("auto", *mark.families):
            raise UnreadableCallError(f"a call has a mark of another format: {opening[0]}")
        start, closing = position, _end(mark).search(text, position)
        end, position = closing.span() if closing else (len(text), len(text))
        yield from mark.read(text[start:end], end < position)


@cache
def _openings(before: str = "") -> re.Pattern[str]:
    """Return the pattern of openings, which has a group for each mark."""
    marks = "|".join(f"({_spelled(mark.opening)})" for mark in _MARKS)
    return re.compile(f"{before}(?=[<`[tf>✿AC])(?:{marks})")  # few letters begin a mark


@cache
def _end(mark: "Mark") -> re.Pattern[str]:
    return re.compile(_spelled(f"{mark.closing or '(?!)'}|(?={mark.opening})"))


def _spelled(pattern: str) -> str:
    """Return the pattern with both spellings of the letters for which DeepSeek has others."""
    return pattern.replace(r"\|", "[|｜]").replace("_", "[_▁]")


def inside(body: str, is_closed: bool) -> Iterator[Any]:
    """Yield the calls of a text that has one of the forms that are common to all marks.

    Raises:
        UnreadableCallError: it has none of these forms.
    """
    stripped = body.strip()
    if stripped.startswith(("```", "~~~")):
        stripped = body = (fenced_code(stripped) or "").strip()
    if stripped.startswith("{") or re.match(r"\[\s*[\]{]", stripped):
        yield from _values(stripped, is_closed)
    elif _PYTHON.match(stripped):
        yield from read_python_calls(stripped)
    else:
        yield _named(body, is_closed)


def _values(text: str, is_closed: bool) -> Iterator[Any]:
    """Yield the JSON values at the start, with semicolons, commas or nothing between them."""
    start = 0
    while start == 0 or text.startswith(("{", "["), start):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            raise UnreadableCallError(f"is not JSON: {error}") from None
        yield json_value(text[start:end])
        start = end
        while start < len(text) and text[start] in "; ,\n\t\r":
            start += 1
    if start < len(text) and (is_closed or text[start] in '}]":'):
        raise UnreadableCallError("something follows the JSON of a call")


def _named(body: str, is_closed: bool) -> Any:
    """Return the call of a name with arguments behind it: a JSON object, or a tag for each."""
    name = _NAME.match(body)
    if name is None:
        raise UnreadableCallError("a call has no name")
    rest = body[name.end() :]
    parameters = list(_PARAMETER.finditer(rest))
    if parameters:
        if not (is_closed or parameters[-1][5]):
            raise UnreadableCallError("a call is cut off")
        return Call(
            name[1],
            {
                (match[1] or match[3]).strip(): (
                    match[4] if match[2] == "true" else _json_or_text(match[4])
                )
                for match in parameters
            },
        )
    brace = rest.find("{", 0, _NEAR)
    if brace >= 0:
        return {"name": name[1], "arguments": next(_values(rest[brace:], False))}
    if not is_closed or not _NOTHING.fullmatch(rest):
        raise UnreadableCallError(f"a call of {name[1]} has no arguments that can be read")
    return Call(name[1], {})


def json_value(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        UnreadableCallError: it is not JSON.
    """
    try:
        return read_json(text)
    except InvalidJsonError as error:
        raise UnreadableCallError(str(error)) from None


def _json_or_text(text: str) -> Any:
    """Return the value of a parameter: JSON if it is, else its text without the line breaks."""
    text = text.removeprefix("\n").removesuffix("\n")
    try:
        return read_json(text.strip())
    except InvalidJsonError:
        return text


# Forms of single families


def _built_in(body: str, is_closed: bool) -> Iterator[Any]:
    """Yield the calls of Llama, which has `f.call(a=1)` for built-in tools."""
    yield from inside(re.sub(r"(?<=\w)\.call\(", "(", body, count=1), is_closed)


def _gemma(body: str, is_closed: bool) -> Iterator[Any]:
    call = _GEMMA_CALL.match(body)
    if call is None:
        raise UnreadableCallError("a call has no name or no arguments")
    tokens = _GEMMA_TOKEN.finditer(call[2])
    yield {"name": call[1], "arguments": json_value("".join(map(_as_json, tokens)))}


def _as_json(token: re.Match[str]) -> str:
    """Return a token of Gemma's arguments as JSON: texts between marks, keys without quotes."""
    first, second, word, colon, other = token.groups()
    for text in (first, second):
        if text is not None:
            return json.dumps(text)
    if word is None:
        return str(other)
    return f"{json.dumps(word)}:" if colon else word


class Mark(NamedTuple):
    r"""What opens and closes calls: patterns, in which `\|` and `_` have DeepSeek's spelling, too.

    A call also ends where the next one with the same mark begins.
    """

    opening: str
    closing: str = ""
    families: tuple[str, ...] = ()
    read: Callable[[str, bool], Iterator[Any]] = inside


_ELEMENT = r"(?:invoke|(?:function|tool)(?:_call)?)"
_TOOL_CALL = r"[^<>\n]{0,24}(?i:tool|function)(?:_?[ -]?(?i:calls?|use|request)|:)[^<>\n]{0,40}>"
_NO_OPENING = r"/|(?<![a-z])(?:end|stop|results?|response|output)(?![a-z])"
# Of marks that begin at one place the first counts.
_MARKS = (
    Mark("<tool_call>", "</tool_call>", ("hermes",)),
    Mark(
        r"<\|tool_call_begin\|>(?:function<\|tool_sep\|>(?=\s*[^\s{]))?",
        r"<\|tool_calls?_end\|>",
        ("deepseek",),
    ),
    Mark("<function=[\"']?", "</function>", ("qwen3_coder", "llama")),
    Mark(rf"<{_PREFIX}{_ELEMENT} name=[\"']", rf"</{_PREFIX}{_ELEMENT}>", ("deepseek",)),
    Mark(
        r"<\|python_(?:tag|start)\|>",
        r"<\|python_end\|>|<\|eo[mt](?:_id)?\|>",
        ("llama",),
        _built_in,
    ),
    Mark(
        r"<(?:start_function_call|\|tool_call)>",
        r"<(?:end_function_call|tool_call\|)>",
        ("gemma",),
        _gemma,
    ),
    Mark("<tool_code>", "</tool_code>", ("gemma",)),
    Mark(r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    Mark(r"<\|action_start\|>\s*(?:<\|plugin\|>)?", r"<\|action_end\|>"),
    Mark(r"<\|tools_prefix\|>", r"<\|tools_suffix\|>"),
    Mark(r"<\|recipient\|>\s*(?!all\b)", r"<\|(?:from|stop)\|>"),
    Mark(r"<\|tool_call:begin\|>[^<]*<\|tool_call:name\|>", r"<\|tool_call:end\|>"),
    Mark("<<function>>"),
    Mark("<tool_name>", "</(?:arguments|parameters)>"),
    Mark(f"<(?!\\w[^<>|]*\\|>|[^<>\\n]*(?:{_NO_OPENING})){_TOOL_CALL}", f"<{_TOOL_CALL}"),
    Mark(r"```tool_c(?:ode|all)s?[ \t]*\n", "```", ("gemma",)),
    Mark(r"\[TOOL_CALLS\]", r"\[TOOL_RESULTS\]|</s>", ("mistral",)),
    Mark(
        r"to=(?:functions[.:]|(?<=commentary to=)|(?=[\w.]++[^<\n]{0,40}<\|))",
        r"<\|(?:call|end|return|start)\|>",
    ),
    Mark(r"functools(?=\[)"),
    Mark(r"function call<\|role_sep\|>", r"</s>|<\|message_sep\|>"),
    Mark(r"Call: (?=[\w.]++\()", "<bot_end>"),
    Mark("✿FUNCTION✿:", "✿(?:RESULT|RETURN)✿"),
    Mark(r">>>(?=[\w.]++(?:\n\s*\{|\s*\Z))", r"<\|eot_id\|>"),
    Mark(
        r"Action(?: \d+)?\**:[ \t*]*"
        r"(?=[^\n]{0,200}\n+[ \t*]*Action(?: |_)Input|\s*(?:```|~~~|[{\[])"
        r"|[\w.-]++(?:[\[(]|\n?\w*\Z))",
        r"\n[ \t*]*(?:Observation|Thought|Final Answer)",
    ),
)
