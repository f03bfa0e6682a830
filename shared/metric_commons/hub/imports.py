"""The imports of a script: which flat modules they reach, and how a Space has to write them.

`evaluate.load` does not import a script where it lies. It reads the lines of the script with a
regular expression, copies the files that these lines name, and imports the copy. What a copied
file imports is not looked at, so a script in a Space has to name every flat module it reaches.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = __name__.partition(".")[0]

_WHY = "# Used by these modules: evaluate copies only the files that this script names."


def imported(text: str) -> set[str]:
    r"""Every module that `text` imports, anywhere in it; a dot stands before those beside it.

    >>> sorted(imported("import numpy.linalg\ndef f():\n    from .ratios import divide"))
    ['.ratios', 'numpy']
    """
    sources = {source for _, source in _imports(text)}
    return {name if name.startswith(".") else name.partition(".")[0] for name in sources}


def closure(named: Iterable[str], folder: Path) -> set[str]:
    """The flat modules `named` and all that they reach, by lazy imports too.

    Raises:
        ValueError: a module is not in `folder`, or could not be imported from a Space.
    """
    reached: set[str] = set()
    waiting = list(named)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += _siblings(folder / f"{module}.py")
    return reached


def named_by(script: Path) -> set[str]:
    """The flat modules that `script` itself imports from."""
    return {module for _, module in _shared_imports(script)}


def relative(script: Path, modules: set[str]) -> str:
    """The text of `script` with relative imports that name all of `modules`."""
    lines = script.read_text("utf-8").split("\n")
    statements = list(_shared_imports(script))
    for statement, module in statements:
        first = statement.lineno - 1
        lines[first] = lines[first].replace(f"{PACKAGE}.{module}", f".{module}", 1)

    unnamed = sorted(modules - {module for _, module in statements})
    if unnamed:
        end = max(statement.end_lineno or 0 for statement, _ in statements)
        # Every module has a __name__, so that this line needs no knowledge of the module.
        named = [f"from .{name} import __name__ as _{name}" for name in unnamed]
        lines[end:end] = ["", _WHY, *named]
    return "\n".join(lines)


def check_readable(script: Path) -> None:
    """Refuse a script whose imports evaluate reads otherwise than Python does.

    It is misled by a comment behind an import, two imports on a line, three quotes in a comment
    and an import inside a block.
    """
    from evaluate.loading import get_imports  # takes a second, and only this function needs it

    dots = {"internal": ".", "library": "", "external": ""}
    seen = {dots[kind] + source for kind, _, source, _ in get_imports(str(script))}
    meant = imported(script.read_text("utf-8"))
    if seen != meant:
        raise ValueError(
            f"{script.name}: evaluate would misread the imports; "
            f"it misses {sorted(meant - seen)} and takes in {sorted(seen - meant)}"
        )


def _imports(text: str) -> Iterator[tuple[ast.stmt, str]]:
    """Each import statement with a module that it imports or imports from."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node, "." * node.level + (node.module or "")


def _shared_imports(script: Path) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement `from metric_commons.x import y` of a script, with its `x`."""
    for statement, source in _imports(script.read_text("utf-8")):
        if source.partition(".")[0] in ("", PACKAGE):
            flat = re.fullmatch(rf"{PACKAGE}\.(\w+)", source)
            if not flat or statement.col_offset or isinstance(statement, ast.Import):
                raise ValueError(
                    f"{script.name}, line {statement.lineno}: a script imports shared code as "
                    f"'from {PACKAGE}.module import name', at the start of a line"
                )
            yield statement, flat[1]


def _siblings(path: Path) -> list[str]:
    """The flat modules that the flat module at `path` imports."""
    if not path.is_file():
        raise ValueError(f"{path.stem} is not a flat module; a sub-package does not travel")
    text = path.read_text("utf-8")
    if PACKAGE in text:
        raise ValueError(f"{path.name} mentions {PACKAGE}, which a Space does not have")
    beside = sorted(name[1:] for name in imported(text) if name.startswith("."))
    if not all(name.isidentifier() for name in beside):
        raise ValueError(f"{path.name} imports otherwise than 'from .module import name'")
    return beside
