"""Tests in one process and their solution in another; only plain values pass between them.

A solution that shares its process with its tests can forge a pass, such as by an object that
equals everything. Here its values are recreated as builtin types before a test sees them. The file
needs only the standard library, since supervisors import nothing else.
"""

import builtins
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .jobs import file_content
from .plain_values import error_message, packed, receive_text, send_text, unpacked
from .program_bodies import compiled, run_named_tests

_LONGEST_ANSWER = 1 << 24


class _SolutionEndedError(BaseException):
    """The process of the solution has ended; tests must not catch this."""


class SolutionError(Exception):
    """An error of the solution whose class is not one of Python's own."""


def serve_solution(program: int, connection: int, name: str | None) -> NoReturn:
    """Run the program's definitions, and answer calls until no more arrive."""
    namespace: dict[str, Any] = {} if name is None else {"__name__": name}
    try:
        exec(compiled(program), namespace)
        send_text(connection, json.dumps({"ready": True}))
    except BaseException as error:
        send_text(connection, json.dumps(_described(error)))
        os._exit(0)
    while True:
        name, arguments, keywords = json.loads(receive_text(connection))
        try:
            arguments, keywords = unpacked(arguments), unpacked(keywords)
            value = namespace[name](*arguments, **keywords)
            answer = {"value": packed(value), "arguments": packed(arguments)}
        except BaseException as error:
            answer = _described(error)
        send_text(connection, json.dumps(answer))


def _described(error: BaseException) -> dict[str, str]:
    return {"error": type(error).__name__, "message": error_message(error)}


def run_separate_tests(
    task: int, message: int, verdict: int, token: str, connection: int, test_names: Sequence[str]
) -> NoReturn:
    """Run tests against functions that ask the process of the solution.

    Args:
        task: the descriptor of JSON with "prelude", "tests" and "entry_points".
        message: the descriptor that takes the text of an error.
        verdict: the pipe that takes the token and the status.
        token: the secret that identifies the verdict.
        connection: the socket to the solution.
        test_names: test classes and functions that the tests define.
    """
    parts = json.loads(file_content(task))
    status, text = "passed", ""
    try:
        first = _received(connection)
        if "error" in first:
            status, text = "failed", str(first["message"])
        else:
            namespace: dict[str, Any] = {}
            exec(compile(parts["prelude"], "<prelude>", "exec", 0, True), namespace)
            for name in parts["entry_points"]:
                namespace[name] = _remote(name, connection)
            exec(compile(parts["tests"], "<tests>", "exec", 0, True), namespace)
            run_named_tests(namespace, test_names)
    except _SolutionEndedError:
        status, text = "exited", "the solution ended before its tests did"
    except BaseException as error:
        status, text = "failed", error_message(error)
    os.write(message, text.encode())
    os.write(verdict, json.dumps([token, status]).encode() + b"\n")
    os._exit(0)


def _received(connection: int) -> Any:
    try:
        return json.loads(receive_text(connection, _LONGEST_ANSWER))
    except (EOFError, OSError):
        raise _SolutionEndedError from None


def _remote(name: str, connection: int) -> Callable[..., Any]:
    """Return a function that calls the solution's function of this name."""

    def remote(*arguments: Any, **keywords: Any) -> Any:
        call = json.dumps([name, packed(arguments), packed(keywords)])
        try:
            send_text(connection, call)
        except OSError:
            raise _SolutionEndedError from None
        answer = _received(connection)
        if "error" in answer:
            kind: Any = getattr(builtins, str(answer["error"]), None)
            is_usual = isinstance(kind, type) and issubclass(kind, Exception)
            raise (kind if is_usual else SolutionError)(answer["message"])
        for original, changed in zip(arguments, unpacked(answer["arguments"]), strict=True):
            _take_over(original, changed)
        return unpacked(answer["value"])

    remote.__name__ = name
    return remote


def _take_over(original: Any, changed: Any) -> None:
    """Change an argument in place, as the solution changed its copy."""
    if type(original) is type(changed) is list:
        original[:] = changed
    elif type(original) is type(changed) and type(original) in (dict, set):
        original.clear()
        original.update(changed)
