"""The streams of the protocol, where lines that are not valid requests get errors as answers.

The library drops lines that it cannot parse, so their sender would wait forever. JSON-RPC defines
errors for such lines.
"""

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from io import BufferedReader, FileIO
from typing import Any, Self

import anyio
from anyio import to_thread
from pydantic_core import from_json

MAX_LINE = 100_000_000  # bytes of one request
_CHUNK = 1 << 16
_HEAD = 4096  # bytes at both ends of a request in which its id is searched

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600  # of JSON-RPC
_TOO_LONG = (
    f"the line is longer than {MAX_LINE:,} bytes; put the rows into a file below a root of the "
    "server and call evaluate_file"
)

_ID = rb'"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\\x00-\x1f]{0,200}")\s*'
# An id before the first list or object among the values, or after the last one.
_FIRST_ID = re.compile(rb"\s*\{[^{}\[\]]*?" + _ID + rb"[,}]")
_LAST_ID = re.compile(rb"[,{]\s*" + _ID + rb"(?:,[^{}\[\]]*)?\}\s*\Z")


def open_protocol(at_end: Callable[[], object]) -> "tuple[Requests, AnswerStream]":
    """Return the requests that the library can parse, and the stream for its answers.

    Afterwards nothing else can read from stdin, and other output to stdout goes to stderr.

    Args:
        at_end: called once stdin has ended.
    """
    source, sink = os.dup(0), os.dup(1)
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.close(null_device)
    os.dup2(2, 1)
    answers = AnswerStream(sink)
    return Requests(source, answers, at_end), answers


class AnswerStream:
    """Stdout, to which several tasks may write whole lines."""

    def __init__(self, descriptor: int) -> None:
        self._file, self._lock = FileIO(descriptor, "wb"), anyio.Lock()

    async def write(self, line: str) -> None:
        """Write a line, unless the client has ended; stdin will then end, too."""
        async with self._lock:
            with suppress(BrokenPipeError):
                await to_thread.run_sync(self._write, line.encode())

    def _write(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[self._file.write(left) :]

    async def flush(self) -> None:
        """Do nothing, since nothing waits to be written."""


class Requests:
    """The lines of stdin that are requests; others are answered with errors."""

    def __init__(
        self, descriptor: int, answers: AnswerStream, at_end: Callable[[], object]
    ) -> None:
        self._file = BufferedReader(FileIO(descriptor), _CHUNK)
        self._answers, self._at_end = answers, at_end

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while line := await to_thread.run_sync(self._next_line, abandon_on_cancel=True):
            answer = refusal(line)
            if answer is not None:
                await self._answers.write(answer)
            elif line.strip():
                return line.decode()
        self._at_end()
        raise StopAsyncIteration

    def _next_line(self) -> bytes:
        """Return the next line, or the beginning of one that is too long."""
        line = self._file.readline(MAX_LINE + 1)
        if len(line) > MAX_LINE:
            chunk = line
            while chunk and not chunk.endswith(b"\n"):
                chunk = self._file.readline(_CHUNK)
        return line


def refusal(line: bytes) -> str | None:
    """Return the error for a line that is not a JSON-RPC message; None if it is valid or empty.

    >>> refusal(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    >>> print(refusal(b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": [1]}'), end="")
    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": "params must be an object"}}
    """
    if len(line) > MAX_LINE:
        return _error(_INVALID_REQUEST, _TOO_LONG, _readable_id(line))
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
    """Return the id of a request that cannot be parsed; None if it is not found."""
    match = _FIRST_ID.match(line[:_HEAD]) or _LAST_ID.search(line[-_HEAD:])
    try:
        return json.loads(match[1]) if match else None
    except ValueError:
        return None


def _error(code: int, problem: str, identifier: Any) -> str:
    answer = {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": problem}}
    return json.dumps(answer) + "\n"
