"""The process of a program, which runs it as its author expects and reports how it ended.

Programs may replace every function that they can reach. So everything that is needed after a
program is bound to local names before it starts, and each function ends its process by itself. The
file needs only the standard library, since supervisors import nothing else.
"""

import asyncio
import atexit
import json
import os
import sys
import threading
import types
import unittest
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .jobs import Job, file_content

_PROGRAM = "<program>"
_MESSAGE = 500  # characters

_STAR_MODULES = tuple(
    (
        "string re datetime collections heapq bisect copy math random statistics itertools "
        "functools operator io sys json builtins typing"
    ).split()
)
_RECURSION = 50_000  # the limit that LiveCodeBench sets as well


def star_names() -> dict[str, Any]:
    """Return the names of the star imports that LiveCodeBench puts before programs."""
    lines = [f"from {name} import *\n" for name in _STAR_MODULES]
    lines += [f"import {name}\n" for name in _STAR_MODULES if name not in ("builtins", "typing")]
    namespace: dict[str, Any] = {}
    exec("".join(lines), namespace)
    del namespace["__builtins__"]
    return namespace


def error_message(error: BaseException) -> str:
    """Return the class of an error and its text, which may be hostile: cut, and without surrogates.

    >>> error_message(ValueError("no"))
    'ValueError: no'
    """
    name = type(error).__name__
    try:
        text = f"{name}: {error}"
    except BaseException:  # its __str__ fails
        text = name
    return text[:_MESSAGE].encode("utf-8", "backslashreplace").decode()


def run_test_program(job: Job, message: int, verdict: int, token: str) -> NoReturn:
    """Run a program that holds its tests: it passes if it reaches its end, and if its tests pass.

    Args:
        job: the program.
        message: the descriptor for the text of an error.
        verdict: the pipe for the token and the status.
        token: the secret that identifies the verdict.
    """
    namespace: dict[str, Any] = {} if job.name is None else {"__name__": job.name}
    test_names = job.test_names
    write, end, dumps, describe = os.write, os._exit, json.dumps, error_message
    run_named = run_named_tests
    flushes = sys.stdout.flush, sys.stderr.flush
    status, text = "passed", ""
    if test_names:
        # It would end the process before its verdict.
        setattr(unittest, "main", lambda *_, **__: None)  # noqa: B010
    try:
        exec(_compiled(_taken(job.program)), namespace)
        run_named(namespace, test_names)
    except SystemExit as error:
        status, text = "exited", describe(error)
    except BaseException as error:
        status, text = "failed", describe(error)
    for flush in flushes:
        try:  # noqa: SIM105 - the program may have replaced contextlib
            flush()
        except BaseException:  # closed, or more output than the limit
            pass
    write(message, text.encode())
    write(verdict, dumps([token, status]).encode() + b"\n")
    end(0)


def _taken(descriptor: int) -> str:
    """Return the text of a file, which is closed."""
    text = file_content(descriptor).decode("utf-8", "surrogatepass")
    os.close(descriptor)
    return text


def _compiled(program: str) -> types.CodeType:
    """Return the code of a program, which inherits nothing from this file."""
    return compile(program, _PROGRAM, "exec", 0, True)


def run_named_tests(namespace: dict[str, Any], names: Sequence[str]) -> None:
    """Run test classes and functions, as unittest and pytest do.

    Raises:
        AssertionError: a test of unittest has failed or was skipped, or a class has no tests.
        BaseException: what another test raises.

    >>> def test_two():
    ...     assert 1 + 1 == 3, "no"
    >>> run_named_tests({"test_two": test_two}, ["test_two"])
    Traceback (most recent call last):
    AssertionError: no
    """
    result, has_cases = unittest.TestResult(), False
    for name in names:
        test = namespace[name]
        if isinstance(test, type) and issubclass(test, unittest.TestCase):
            unittest.defaultTestLoader.loadTestsFromTestCase(test).run(result)
            has_cases = True
        elif isinstance(test, type):
            for method in [method for method in vars(test) if method.startswith("test")]:
                instance = test()
                if setup := getattr(instance, "setup_method", None):
                    setup(*[getattr(instance, method)][: setup.__code__.co_argcount - 1])
                _run_function(getattr(instance, method))
        else:
            _run_function(test)
    for case, trace in [*result.errors, *result.failures]:
        raise AssertionError(f"{case.id()}: {trace.strip().splitlines()[-1]}")
    for case, reason in result.skipped:
        raise AssertionError(f"{case.id()} was skipped: {reason}")
    for case in result.unexpectedSuccesses:
        raise AssertionError(f"{case.id()} has succeeded unexpectedly")
    if has_cases and not result.testsRun:
        raise AssertionError("the test classes have no tests")


def _run_function(function: Callable[[], Any]) -> None:
    value = function()
    if isinstance(value, types.CoroutineType):
        asyncio.run(value)


def run_main_program(job: Job, message: int) -> NoReturn:
    """Run a program as `python main.py` does: threads, exit functions, flushed output, exit status.

    Args:
        job: the program.
        message: the descriptor for the text of an error.
    """
    write, end, describe = os.write, os._exit, error_message
    shutdown: Callable[[], None] = threading._shutdown  # type: ignore[attr-defined]
    exit_functions: Callable[[], None] = atexit._run_exitfuncs
    text = _taken(job.program)
    sys.argv = ["main.py", *(f"/dev/fd/{file}" for file in job.files)]
    atexit._clear()
    namespace = _new_main({})
    status, text_of_end = 0, ""

    def guarded(step: Callable[[], object]) -> None:
        nonlocal status, text_of_end
        try:
            step()
        except SystemExit as error:
            code = error.code
            status = 0 if code is None else code & 255 if isinstance(code, int) else 1
            text_of_end = f"exit {describe(error)}" if status else ""
        except BaseException as error:
            status, text_of_end = 1, _line(error) + describe(error)

    guarded(lambda: exec(_compiled(text), namespace))
    if status == 0:
        guarded(shutdown)
        guarded(exit_functions)
        if sys.stdout is not None and not getattr(sys.stdout, "closed", False):
            guarded(lambda: sys.stdout.flush())
    else:
        try:  # noqa: SIM105 - the program may have replaced contextlib
            sys.stdout.flush()
        except BaseException:
            pass
    write(message, text_of_end.encode())
    end(status)


def _line(error: BaseException) -> str:
    """Return the line of the program in which an error was raised; empty if none of its own."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code.co_filename != _PROGRAM:
        return ""
    return f"line {trace.tb_lineno}: "


def _new_main(names: dict[str, Any]) -> dict[str, Any]:
    """Return the namespace of a new `__main__`, in which these names are defined."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    vars(module).update(names, __name__="__main__", __builtins__=__builtins__)
    return vars(module)


def run_calls(
    job: Job, inputs: int, results: int, ticks: int, star_names: dict[str, Any]
) -> NoReturn:
    """Call one function with the arguments of each test, and write down its results.

    Args:
        job: the program, and the name of the function, or of the method of the class `Solution`.
        inputs: the descriptor of a JSON list with the arguments of each test.
        results: the descriptor for a line at the start, and one for each test.
        ticks: the pipe for a byte after each line, which restarts the clock for the next test.
        star_names: the names of the star imports.
    """
    write, end, dumps, describe = os.write, os._exit, json.dumps, error_message
    text, tests = _taken(job.program), json.loads(_taken(inputs))
    namespace = _new_main(star_names)
    sys.setrecursionlimit(_RECURSION)

    def say(line: str) -> None:
        left = memoryview(f"{line}\n".encode())
        while left:
            left = left[write(results, left) :]
        write(ticks, b".")

    try:
        exec(_compiled(text), namespace)
        function = _function(namespace, job.function, star_names)
    except SystemExit as error:
        say(dumps({"ended": describe(error)}))
        end(0)
    except BaseException as error:
        say(dumps({"unusable": describe(error)}))
        end(0)
    say('{"ready": true}')
    for arguments in tests:
        try:
            answer = dumps({"value": function(*arguments)}, default=_listed)
        except SystemExit as error:
            say(dumps({"ended": describe(error)}))
            end(0)
        except BaseException as error:
            answer = dumps({"error": describe(error)})
        try:
            say(answer)
        except OSError:  # more than the output limit
            end(98)
    end(0)


def _listed(value: Any) -> Any:
    """Return an array of numpy as lists and numbers, and a set as an object, equal to no list."""
    if isinstance(value, set | frozenset):
        return {"a set of": list(value)}
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"an object of class {type(value).__name__} is not a plain value")


def _function(
    namespace: dict[str, Any], name: str, star_names: dict[str, Any]
) -> Callable[..., Any]:
    """Return the function of a program.

    A name that only the star imports define is not the program's.

    >>> _function({"add": max}, "add", {"add": max})
    Traceback (most recent call last):
    NameError: no function 'add' and no class Solution with that method
    """
    solution = namespace.get("Solution")
    if isinstance(solution, type) and (hasattr(solution, name) or name not in namespace):
        method: Callable[..., Any] = getattr(solution(), name)
        return method
    if name in namespace and namespace[name] is not star_names.get(name):
        function: Callable[..., Any] = namespace[name]
        return function
    raise NameError(f"no function {name!r} and no class Solution with that method")
