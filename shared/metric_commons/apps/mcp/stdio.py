"""The streams of the protocol, where lines that are not valid requests are answered with errors.

The library's parser drops lines that it cannot read, so that their sender would wait forever.
JSON-RPC defines errors for such lines.
"""

import io
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TextIO

from pydantic_core import from_json

MAX_LINE = 100_000_000  # bytes of one request
_CHUNK = 1 << 16
_HEAD = 4096  # bytes kept of a request that is too long, to look for its id

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600  # of JSON-RPC
_TOO_LONG = (
    f"the line is longer than {MAX_LINE:,} bytes; put the rows into a file below a root of the "
    "server and call evaluate_file"
)

_ID = rb'"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\\x00-\x1f]{0,200}")\s*'
# An id before the first list or object among the values, or after the last one.
_FIRST_ID = re.compile(rb"\s*\{[^{}\[\]]*?" + _ID + rb"[,}]")
_LAST_ID = re.compile(rb"[,{]\s*" + _ID + rb"(?:,[^{}\[\]]*)?\}\s*\Z")


def open_protocol(at_end: Callable[[], object]) -> tuple[TextIO, TextIO]:
    """Return a stream of requests that the library can parse, and a stream for its answers.

    Afterwards nothing else can read from stdin, and other output to stdout goes to stderr.

    Args:
        at_end: called once stdin has ended, from another thread.
    """
    source, sink = os.dup(0), os.dup(1)
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.close(null_device)
    os.dup2(2, 1)
    reading, writing = os.pipe()
    answers = _Answers(sink)
    threading.Thread(target=_pass_on, args=(source, writing, answers, at_end), daemon=True).start()
    return (
        io.TextIOWrapper(os.fdopen(reading, "rb"), encoding="utf-8"),
        io.TextIOWrapper(answers, encoding="utf-8"),  # type: ignore[type-var]
    )


class _Answers(io.RawIOBase):
    """Stdout, to which several threads may write whole lines."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lock = descriptor, threading.Lock()

    def writable(self) -> bool:
        return True

    def write(self, line: Any) -> int:
        with self._lock, suppress(BrokenPipeError):  # the client has ended, so stdin will end, too
            _write(self._descriptor, line)
        return len(line)


def _pass_on(source: int, sink: int, answers: _Answers, at_end: Callable[[], object]) -> None:
    """Pass requests on, and answer lines that are not requests."""
    try:
        for line, is_whole in _lines(source):
            answer = (
                refusal(line)
                if is_whole
                else _error(_INVALID_REQUEST, _TOO_LONG, _readable_id(line))
            )
            if answer is not None:
                answers.write(answer)
            elif line.strip():
                _write(sink, line + b"\n")
    except OSError:
        pass  # the reader is gone
    finally:
        at_end()
        os.close(sink)


def _lines(source: int) -> Iterator[tuple[bytes, bool]]:
    """Yield every line, and whether it is complete; only the beginning if it is too long."""
    line, is_whole = bytearray(), True
    while chunk := os.read(source, _CHUNK):
        *ends, tail = chunk.split(b"\n")
        for end in ends:
            yield bytes(line + end if is_whole else line), is_whole
            line, is_whole = bytearray(), True
        if is_whole:
            line += tail
            if len(line) > MAX_LINE:
                line, is_whole = line[:_HEAD], False


def _write(sink: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(sink, left) :]


def refusal(line: bytes) -> bytes | None:
    r"""Return the error for a line that is not a JSON-RPC message; None if it is valid or empty.

    >>> refusal(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    >>> print(
    ...     refusal(b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": [1]}').decode(), end=""
    ... )
    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": "params must be an object"}}
    """
    if not line.strip():
        return None
    try:
        content = from_json(line)
    except ValueError as error:
        return _error(_PARSE_ERROR, f"not valid JSON: {error}", _readable_id(line))
    if not isinstance(content, dict):
        return _error(_INVALID_REQUEST, "a message must be an object", None)
    identifier = content.get("id")
    is_id = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    problem = None
    if content.get("jsonrpc") != "2.0":
        problem = 'jsonrpc must be "2.0"'
    elif "id" in content and not is_id:
        problem = "id must be a string or an integer"
    elif "method" not in content and ("result" in content or "error" in content):
        return None  # an answer to a request of the server
    elif not isinstance(content.get("method"), str):
        problem = "method must be a string"
    elif not isinstance(content.get("params", {}), dict):
        problem = "params must be an object"
    if problem is None:
        return None
    return _error(_INVALID_REQUEST, problem, identifier if is_id else None)


def _readable_id(line: bytes) -> Any:
    """Return the id of a request that cannot be parsed, if it can be found."""
    match = _FIRST_ID.match(line[:_HEAD]) or _LAST_ID.search(line[-_HEAD:])
    try:
        return json.loads(match[1]) if match else None
    except ValueError:
        return None


def _error(code: int, problem: str, identifier: Any) -> bytes:
    answer = {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": problem}}
    return json.dumps(answer).encode() + b"\n"
