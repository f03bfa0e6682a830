"""What a test program runs, read from its text: tests that run nothing would pass every program."""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..statistics.arguments.python_syntax import syntax_tree

# With these builtins a test reaches names that are not in its text.
_REFLECTIVE = frozenset({"eval", "exec", "globals", "locals", "vars", "compile", "__import__"})
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class RunnableTests:
    """The text of a test program, and what follows from it.

    `test_names` are its test classes and test functions, which are run after the text, and
    `entry_points` the names that it takes from the solution.
    """

    text: str
    test_names: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()


def read_test_program(text: str) -> RunnableTests:
    r"""Return what a test program runs.

    Test classes, and functions whose names start with "test" and that the text does not use, are
    run as unittest and pytest would do, and `unittest.main()` is left out. If otherwise nothing
    would run, so is `if __name__ == "__main__"`. A text that is not valid Python stays as it is,
    and fails every program.

    Raises:
        ValueError: the tests run nothing, or have functions whose arguments only pytest fills.

    >>> program = read_test_program("def test_add():\n    assert add(1, 2) == 3")
    >>> program.test_names, program.entry_points
    (('test_add',), ('add',))
    >>> read_test_program("def check(candidate):\n    assert candidate(1) == 2")
    Traceback (most recent call last):
    ValueError: has tests that run nothing: 'check' is defined but not called
    """
    try:
        tree = syntax_tree(text, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return RunnableTests(text)
    reading = _Reading(tree)
    guards = [node for node in tree.body if _is_main_guard(node)]
    edits: list[tuple[ast.stmt | ast.expr, str]] = [
        (node, "") for node in reading.runners(tree.body)
    ]
    names = reading.test_names()
    if not names and not reading.tests_anything(node for node in tree.body if node not in guards):
        if not reading.tests_anything(tree.body):
            raise ValueError(reading.refusal())
        edits += [(guard.test, "1") for guard in guards if isinstance(guard, ast.If)]
    return RunnableTests(_edited(text, edits), names, reading.free_names())


@dataclass
class _Reading:
    tree: ast.Module
    definitions: dict[str, _Definition] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # by the statements that run
    unittest_mains: set[str] = field(default_factory=set)  # names of `unittest.main`

    def __post_init__(self) -> None:
        for node in _statements(self.tree.body):
            if isinstance(node, _Definition):
                self.definitions[node.name] = node
            elif isinstance(node, ast.ImportFrom) and node.module == "unittest":
                names = {name.asname or name.name for name in node.names if name.name == "main"}
                self.unittest_mains |= names
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
        free = {*self.free_names(), *_REFLECTIVE}
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

    def runners(self, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements `unittest.main()`, which would end the program."""
        for node in _statements(body):
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call):
                name = ast.unparse(call.func)
                if name == "unittest.main" or name in self.unittest_mains:
                    yield node

    def free_names(self) -> tuple[str, ...]:
        """Return the names that the text uses and does not define, in their order."""
        bound = set(_BUILTINS)
        free: dict[str, None] = {}
        for node in ast.walk(self.tree):
            match node:
                case ast.Name(ctx=ast.Store() | ast.Del()):
                    bound.add(node.id)
                case ast.arg():
                    bound.add(node.arg)
                case ast.alias():
                    bound.add((node.asname or node.name).partition(".")[0])
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    bound.add(node.name)
                case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if node.name:
                    bound.add(node.name)
                case ast.Name():
                    free[node.id] = None
        return tuple(name for name in free if name not in bound)

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


def _edited(text: str, edits: Iterable[tuple[ast.stmt | ast.expr, str]]) -> str:
    """Return a text with other values in the place of some nodes; lines keep their numbers."""
    lines = [line.encode() for line in re.split(r"(?<=\n)", text)]
    for node, value in sorted(edits, key=lambda edit: -edit[0].lineno):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        parts = lines[first][: node.col_offset], value.encode(), b"\n" * (last - first)
        changed = b"%s(%s%s)%s" % (*parts, lines[last][node.end_col_offset :])
        lines[first : last + 1] = [changed, *[b""] * (last - first)]
    return b"".join(lines).decode()
