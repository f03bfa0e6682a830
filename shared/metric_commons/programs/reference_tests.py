"""The tests of a task, read from the forms of data sets.

Tests that run nothing would pass every program, so the text of a test program is read as well.
"""

import ast
import builtins
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ..statistics.arguments.python_syntax import syntax_tree

Kind = Literal["program", "stdin", "calls", "asserts"]
Protocol = Literal["testlib", "open-r1"]

_PYTHON = ("python", "python3", "py")
_CALLS = frozenset({"function_call", "functional"})

# With these builtins a test reaches names that are not in its text.
_REFLECTIVE = frozenset("eval exec globals locals vars compile __import__".split())
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}
_GUARD = re.compile(r"""^if[ \t(]*__name__[ \t]*==[ \t]*["']__main__["'][ \t)]*:""", re.MULTILINE)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Capture = ast.ExceptHandler | ast.MatchAs | ast.MatchStar  # which may bind a name


@dataclass(frozen=True)
class RunnableTests:
    """The text of a test program, and what follows from it.

    `test_names` are its test classes and test functions, which are run after the text.
    """

    text: str
    test_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReferenceTests:
    """The tests of one task.

    For the kind "program", `programs` has one text that fails with an error, and for "asserts" a
    statement for each test. For "stdin" each test is one of the `inputs` and one of the `outputs`,
    which a checker may judge; for "calls" the arguments of a function and its right answers.
    """

    kind: Kind
    programs: tuple[RunnableTests, ...] = ()
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
        reference: the text of a test program; {"inputs", "outputs", "fn_name"}, optionally with
            "assert_case", "checker" and "checker_protocol"; open-r1's {"language", "test_cases"}; a
            list of {"input", "output", "type"} or "testtype"; one of these under "input_output"; or
            the JSON text of any.

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


def _columns(cases: Sequence[Any]) -> dict[str, Any]:
    """Return test cases as columns."""
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
    if not isinstance(arguments, str | list):
        raise ValueError(f"has neither a list nor JSON text as arguments of test {number}")
    try:
        if isinstance(arguments, str):
            values = [json.loads(line) for line in arguments.split("\n")]
            return values, [json.loads(answer) if isinstance(answer, str) else answer]
        json.dumps([arguments, answer])
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"has no JSON in test {number}: {error}") from None
    if isinstance(answer, list) and len(answer) == 1:
        return arguments, [answer, *answer]
    return arguments, [answer]


# ---- test programs ------------------------------------------------------------------------------


def read_test_program(text: str) -> RunnableTests:
    r"""Return what a test program runs.

    Test classes, and functions whose names start with "test" and that the text does not use, are
    run as unittest and pytest would do, and `unittest.main()` does nothing. If otherwise nothing
    would run, `if __name__ == "__main__"` is true. A text that is not valid Python stays unchanged,
    and fails every program.

    Raises:
        ValueError: the tests run nothing, or have functions whose arguments only pytest fills.

    >>> program = read_test_program("def test_add():\n    assert add(1, 2) == 3")
    >>> program.test_names
    ('test_add',)
    >>> read_test_program("def check(candidate):\n    assert candidate(1) == 2")
    Traceback (most recent call last):
    ValueError: has tests that run nothing: 'check' is defined but not called
    """
    try:
        tree = syntax_tree(text, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return RunnableTests(text)
    reading = _Reading(tree)
    names = reading.test_names()
    unguarded = [node for node in tree.body if not _is_main_guard(node)]
    if not names and not reading.tests_anything(unguarded):
        text, guards = _GUARD.subn("if 1:", text)
        if not guards or not reading.tests_anything(tree.body):
            raise ValueError(reading.refusal())
    return RunnableTests(text, names)


@dataclass
class _Reading:
    tree: ast.Module
    definitions: dict[str, _Definition] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # by the statements that run

    def __post_init__(self) -> None:
        for node in _statements(self.tree.body):
            if isinstance(node, _Definition):
                self.definitions[node.name] = node
        for part in self._live_nodes(self.tree.body):
            if isinstance(part, ast.Name):
                self.used.add(part.id)

    def _live_nodes(self, body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
        """Yield the nodes that run: of statements, and of definitions that these name."""
        waiting: list[ast.AST] = list(body)
        entered: set[str] = set()
        while waiting:
            node = waiting.pop()
            if isinstance(node, _Definition) and node.name not in entered:
                if isinstance(node, ast.ClassDef):  # its own statements run
                    waiting += [item for item in node.body if not isinstance(item, _Definition)]
                waiting += node.decorator_list
                continue
            yield node
            if isinstance(node, ast.Name) and node.id in self.definitions:
                if node.id not in entered:
                    entered.add(node.id)
                    waiting += self.definitions[node.id].body
                continue
            waiting += ast.iter_child_nodes(node)

    def tests_anything(self, body: Iterable[ast.stmt]) -> bool:
        """Return whether statements can fail because of the solution."""
        free = self.free_names() | _REFLECTIVE
        return any(
            isinstance(node, ast.Assert | ast.Raise)
            or (isinstance(node, ast.Name) and node.id in free)
            for node in self._live_nodes(body)
        )

    def test_names(self) -> tuple[str, ...]:
        """Return the names of test classes, and of tests that the text does not run itself.

        Raises:
            ValueError: a test has arguments that only pytest fills.
        """
        names = []
        for name, node in self.definitions.items():
            is_unused = name not in self.used
            if isinstance(node, ast.ClassDef):
                is_test = self._is_test_case(node) or (is_unused and _is_pytest_class(node))
            else:
                is_test = is_unused and name.startswith("test")
                if is_test and (argument := _unfilled_argument(node)):
                    raise ValueError(
                        f"has the test {name}, whose argument {argument!r} only pytest can fill"
                    )
            if is_test:
                names.append(name)
        return tuple(names)

    def _is_test_case(self, node: ast.ClassDef) -> bool:
        """Return whether a class derives from unittest's TestCase, also by classes of the text."""
        for base in node.bases:
            name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
            parent = self.definitions.get(name)
            is_parent = isinstance(parent, ast.ClassDef) and parent is not node
            if name.endswith("TestCase") or (is_parent and self._is_test_case(parent)):  # type: ignore[arg-type]
                return True
        return False

    def free_names(self) -> set[str]:
        """Return the names that the text uses and does not define."""
        used: set[str] = set()
        bound = set(_BUILTINS)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name):
                (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
            elif isinstance(node, ast.alias):
                bound.add((node.asname or node.name).partition(".")[0])
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
            elif isinstance(node, _Definition | _Capture) and node.name:
                bound.add(node.name)
        return used - bound

    def refusal(self) -> str:
        """Return why the tests are refused."""
        idle = [name for name in self.definitions if name not in self.used]
        if not idle:
            return "has tests that run nothing"
        return f"has tests that run nothing: {idle[-1]!r} is defined but not called"


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements of the module, also those in conditions, loops and other blocks."""
    for node in body:
        yield node
        if not isinstance(node, _Definition):
            for name in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, name, ()))
            for handler in getattr(node, "handlers", ()):
                yield from _statements(handler.body)


def _is_main_guard(node: ast.stmt) -> bool:
    r"""Return whether a statement is `if __name__ == "__main__"`."""
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
    )


def _is_pytest_class(node: ast.ClassDef) -> bool:
    """Return whether pytest would look for tests in a class."""
    methods = [item.name for item in node.body if isinstance(item, _Definition)]
    is_test = node.name.startswith("Test") and "__init__" not in methods
    return is_test and any(name.startswith("test") for name in methods)


def _unfilled_argument(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the first argument without a default; empty if there is none."""
    positional = [*node.args.posonlyargs, *node.args.args]
    required = positional[: len(positional) - len(node.args.defaults)]
    keyword = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    required += [argument for argument, default in keyword if default is None]
    return required[0].arg if required else ""
