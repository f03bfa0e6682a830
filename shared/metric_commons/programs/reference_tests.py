"""The tests of a task, read from the forms of data sets."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from .program_tests import RunnableTests, read_test_program

Kind = Literal["program", "stdin", "calls", "asserts"]
Protocol = Literal["testlib", "open-r1"]

_PYTHON = ("python", "python3", "py")
_CALLS = frozenset({"function_call", "functional"})


@dataclass(frozen=True)
class ReferenceTests:
    """The tests of one task.

    For the kind "program", `programs` has one text that fails with an error, and for "asserts" a
    statement for each test; both may run separately from their solution. For "stdin" each test is
    one of the `inputs` and one of the `outputs`, which a checker may judge; for "calls" the
    arguments of a function and its right answers.
    """

    kind: Kind
    programs: tuple[RunnableTests, ...] = ()
    prelude: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    function: str = ""
    arguments: tuple[list[Any], ...] = ()
    answers: tuple[list[Any], ...] = ()
    checker: str = ""
    protocol: Protocol = "testlib"

    def __len__(self) -> int:
        return len(self.programs or self.inputs or self.arguments)


def read_tests(reference: Any) -> ReferenceTests:
    r"""Return the tests that a reference states.

    Args:
        reference: the text of a test program; {"tests", "prelude", "entry_points"}; {"inputs",
            "outputs", "fn_name"}, optionally with "assert_case", "checker" and "checker_protocol";
            open-r1's {"language", "test_cases"}; a list of {"input", "output", "type"} or
            "testtype"; one of these under "input_output"; or the JSON text of any.

    Raises:
        ValueError: it is none of these, or its tests cannot be run; says why.

    >>> read_tests("assert add(1, 2) == 3").kind
    'program'
    >>> read_tests('{"inputs": ["1 2\\n"], "outputs": ["3\\n"]}').outputs
    ('3\n',)
    >>> read_tests({"inputs": ["[1, 2]\n3"], "outputs": ["4"], "fn_name": "f"}).arguments
    ([[1, 2], 3],)
    >>> read_tests({"inputs": ["1", "2"], "outputs": ["1"]})
    Traceback (most recent call last):
    ValueError: has 2 inputs, but 1 outputs
    """
    if isinstance(reference, str):
        content = _json(reference)
        if content is None:
            return ReferenceTests("program", (read_test_program(reference),))
        reference = content
    if isinstance(reference, Mapping):
        if "input_output" in reference:
            return read_tests(reference["input_output"])
        if "tests" in reference:
            return _separate_program(reference)
        if "test_cases" in reference:
            language = reference.get("language") or "python"
            if str(language).lower() not in _PYTHON:
                raise ValueError(f"is for programs in {language!r}; only Python is run")
            reference = reference["test_cases"]
    if isinstance(reference, Sequence) and not isinstance(reference, str):
        reference = _columns(reference)
    if not isinstance(reference, Mapping):
        raise ValueError(f"holds tests as {type(reference).__name__}, not as an object or a list")
    return _data_tests(reference)


def _json(text: str) -> Any:
    """Return the object or list in a text; None if it is a program."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict | list) else None


def _separate_program(reference: Mapping[str, Any]) -> ReferenceTests:
    """Return a test program with its prelude; entry points follow from its text if not named."""
    entry_points = reference.get("entry_points") or []
    for name in ("tests", "prelude"):
        if not isinstance(reference.get(name, ""), str):
            raise ValueError(f"has no text as {name!r}")
    if isinstance(entry_points, str) or not all(isinstance(name, str) for name in entry_points):
        raise ValueError("has no list of names as 'entry_points'")
    program = read_test_program(reference["tests"])
    if entry_points:
        program = replace(program, entry_points=tuple(entry_points))
    return ReferenceTests("program", (program,), reference.get("prelude", ""))


def _columns(cases: Sequence[Any]) -> dict[str, Any]:
    """Test cases as columns."""
    for number, case in enumerate(cases):
        if not isinstance(case, Mapping) or not {"input", "output"} <= case.keys():
            raise ValueError(f"has no 'input' and 'output' in test {number}")
    names = {case.get("fn_name") or None for case in cases}
    kinds = {case.get("type") or case.get("testtype") for case in cases}
    if len(names) > 1 or len(kinds) > 1:
        listed = ", ".join(sorted(map(str, kinds | names)))
        raise ValueError(f"mixes tests of different kinds: {listed}")
    function = next(iter(names), None)
    if kinds & _CALLS and not function:
        raise ValueError("has tests of a function, but no fn_name")
    return {
        "inputs": [case["input"] for case in cases],
        "outputs": [case["output"] for case in cases],
        "fn_name": function,
    }


def _data_tests(reference: Mapping[str, Any]) -> ReferenceTests:
    asserts = reference.get("assert_case")
    if asserts:
        return _assert_tests(reference, asserts)
    for name in ("inputs", "outputs"):
        if not isinstance(reference.get(name), list):
            raise ValueError(f"has no list of {name}")
    inputs, outputs = reference["inputs"], reference["outputs"]
    if len(inputs) != len(outputs):
        raise ValueError(f"has {len(inputs)} inputs, but {len(outputs)} outputs")
    if not inputs:
        raise ValueError("has no tests")
    checker = reference.get("checker") or ""
    protocol: Any = reference.get("checker_protocol") or "testlib"
    if protocol not in get_args(Protocol):
        raise ValueError(f"has the checker_protocol {protocol!r}, not 'testlib' or 'open-r1'")
    function = reference.get("fn_name")
    if not function:
        return ReferenceTests(
            "stdin",
            inputs=tuple(_text("inputs", number, text) for number, text in enumerate(inputs)),
            outputs=tuple(_text("outputs", number, text) for number, text in enumerate(outputs)),
            checker=checker,
            protocol=protocol,
        )
    if not isinstance(function, str):
        raise ValueError("has no text as fn_name")
    if checker:
        raise ValueError("has a checker, which judges the output of programs, not of functions")
    calls = [_call(number, *test) for number, test in enumerate(zip(inputs, outputs, strict=True))]
    return ReferenceTests(
        "calls",
        function=function,
        arguments=tuple(arguments for arguments, _ in calls),
        answers=tuple(answers for _, answers in calls),
    )


def _assert_tests(reference: Mapping[str, Any], asserts: Any) -> ReferenceTests:
    if not isinstance(asserts, list) or not all(isinstance(text, str) for text in asserts):
        raise ValueError("has no list of texts as assert_case")
    for name in ("inputs", "outputs"):
        column = reference.get(name) or asserts
        if len(column) != len(asserts):
            raise ValueError(f"has {len(column)} {name}, but {len(asserts)} asserts")
    return ReferenceTests("asserts", tuple(map(read_test_program, asserts)))


def _text(name: str, number: int, value: Any) -> str:
    """Return a text, or the lines of one."""
    if value is None:
        raise ValueError(f"has None as {name}[{number}]")
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _call(number: int, arguments: Any, answer: Any) -> tuple[list[Any], list[Any]]:
    """Return the arguments of a call, and its right answers.

    A text has JSON, one argument in each line, as in LiveCodeBench. A list has the arguments
    themselves; then the answer may be in a list of its own, as in APPS.
    """
    try:
        if isinstance(arguments, str):
            values = [json.loads(line) for line in arguments.split("\n")]
            return values, [json.loads(answer) if isinstance(answer, str) else answer]
    except (ValueError, RecursionError) as error:
        raise ValueError(f"has no JSON in test {number}: {error}") from None
    if not isinstance(arguments, list):
        raise ValueError(f"has neither a list nor JSON text as arguments of test {number}")
    is_alone = isinstance(answer, list) and len(answer) == 1
    return arguments, [answer, *(answer if is_alone else ())]
