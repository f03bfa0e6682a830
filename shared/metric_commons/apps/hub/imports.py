"""The imports of a script: the files that they reach, and their form in a Space.

`evaluate.load` imports a copy of a script. It finds the imports of the script with a regular
expression, and copies these files, but not the files that they import. So a script in a Space names
every file that it reaches. All files of a Space are in one folder, so imports name no rooms.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

PACKAGE = __name__.partition(".")[0]

_COMMENT = "# Used by these files: evaluate copies only the files that this script names."


class Import(NamedTuple):
    """A module that an import statement names, and the lines of the statement."""

    source: str  # with its dots, if it is relative
    line: int
    last_line: int
    column: int
    names: tuple[str, ...]  # of `from source import name`; none of `import source`

    @property
    def stem(self) -> str:
        """Return the name of the file, without rooms."""
        return self.source.rpartition(".")[2]

    @property
    def is_shared(self) -> bool:
        """Return whether the file is one of the package."""
        return self.source.partition(".")[0] in ("", PACKAGE)


def imported(text: str) -> set[str]:
    r"""Return the modules that `text` imports, even inside functions; relative ones with dots.

    >>> sorted(imported("import numpy.linalg\ndef f():\n    from ..tokens.segments import split"))
    ['..tokens.segments', 'numpy']
    """
    sources = {statement.source for statement in _imports(text)}
    return {name if name.startswith(".") else name.partition(".")[0] for name in sources}


def closure(script: Path, package: Path) -> dict[str, Path]:
    """Return the files of `package` that `script` imports, directly or indirectly, by their stems.

    Imports inside functions count.

    Raises:
        ValueError: a file is missing, could not be imported from a Space, or has the same
            name as another file or the script.
    """
    files: dict[str, Path] = {}
    queue = [_file(source, package) for source, _ in _script_imports(script, package)]
    while queue:
        path = queue.pop()
        if path.stem == script.stem:
            raise ValueError(f"{script.name} imports a file with its own name")
        if files.setdefault(path.stem, path) != path:
            raise ValueError(f"{path} and {files[path.stem]} have the same name in a Space")
        queue += [target for target in _room_imports(path) if files.get(target.stem) != target]
    return files


def flatten(text: str) -> str:
    r"""Return the text of a file, with import lines rewritten for a folder without rooms.

    >>> flatten("from ...statistics.arithmetic.ratios import divide\nfrom .tokens import words")
    'from .ratios import divide\nfrom .tokens import words'
    """
    lines = text.split("\n")
    for statement in _imports(text):
        if statement.is_shared:
            first = statement.line - 1
            old, new = (f"from {name} " for name in (statement.source, f".{statement.stem}"))
            lines[first] = lines[first].replace(old, new, 1)
    return "\n".join(lines)


def flatten_script(script: Path, package: Path, stems: set[str]) -> str:
    """Return the text of `script`, with relative imports of all files named in `stems`."""
    text = script.read_text("utf-8")
    imports = list(_script_imports(script, package))
    lines = text.split("\n")
    missing = sorted(stems - {source.rpartition(".")[2] for source, _ in imports})
    if missing:
        end = max(statement.last_line for _, statement in imports)
        # Every file has this name; evaluate copies files that are imported.
        lines[end:end] = [
            "",
            _COMMENT,
            *(f"from .{stem} import __name__ as _{stem}" for stem in missing),
        ]
    for statement in {statement.line: statement for _, statement in imports}.values():
        if len(statement.source.split(".")) == 2:  # a public module: its names have homes
            homes = _homes(statement, package)
            first = statement.line - 1
            words = "\n".join(lines[first : statement.last_line])
            aliases = dict(re.findall(r"(\w+) as (\w+)", words))
            lines[first : statement.last_line] = [
                f"from .{source.rpartition('.')[2]} import {name}"
                + (f" as {aliases[name]}" if name in aliases else "")
                for name, source in homes.items()
            ] + [""] * (statement.last_line - first - len(homes))
    return flatten("\n".join(lines))


def check_readable(script: Path) -> None:
    """Check that evaluate would find the same imports in a script as Python.

    It misreads comments after imports, two imports on a line, three quotes in a comment, and
    imports inside blocks.

    Raises:
        ValueError: evaluate would miss an import, or mistake other text for one.
    """
    from evaluate.loading import get_imports  # takes a second, so only on use

    dots = {"internal": ".", "library": "", "external": ""}
    actual = {dots[kind] + source for kind, _, source, _ in get_imports(str(script))}
    expected = imported(script.read_text("utf-8"))
    if actual != expected:
        raise ValueError(
            f"{script.name}: evaluate would misread the imports; "
            f"it misses {sorted(expected - actual)} and takes in {sorted(actual - expected)}"
        )


@lru_cache(maxsize=1024)  # many modules reach the same file
def _imports(text: str) -> tuple[Import, ...]:
    """Return the import statements of a text."""
    statements: list[Import] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            position = node.lineno, node.end_lineno or node.lineno, node.col_offset
            names = tuple(alias.name for alias in node.names)
            if isinstance(node, ast.Import):
                statements += [Import(name, *position, names=()) for name in names]
            else:
                statements.append(Import("." * node.level + (node.module or ""), *position, names))
    return tuple(statements)


def _script_imports(script: Path, package: Path) -> Iterator[tuple[str, Import]]:
    """Yield each file that a script imports, as a module of the package, and the statement."""
    for statement in _imports(script.read_text("utf-8")):
        if statement.is_shared:
            rooms = statement.source.split(".")[1:]
            is_absolute = rooms and statement.names and not statement.source.startswith(".")
            if not is_absolute or statement.column:
                raise ValueError(
                    f"{script.name}, line {statement.line}: a script imports shared code as "
                    f"'from {PACKAGE}.room.file import name', at the start of a line"
                )
            sources = [statement.source] if len(rooms) > 1 else _homes(statement, package).values()
            yield from ((source, statement) for source in sources)


def _homes(statement: Import, package: Path) -> dict[str, str]:
    """Return the file of each name that a statement imports from a public module.

    A public module lists them for type checkers.
    """
    public, parent = package / f"{statement.stem}.py", PACKAGE
    if not public.is_file():
        public, parent = package / statement.stem / "__init__.py", statement.source
    homes = {
        name: resolve_name(home.source, parent)
        for home in _imports(public.read_text("utf-8"))
        if home.source.startswith(".")
        for name in home.names
    }
    missing = [name for name in statement.names if name not in homes]
    if missing:
        raise ValueError(f"{statement.source} has no public name {missing[0]}")
    return {name: homes[name] for name in statement.names}


def _file(source: str, package: Path) -> Path:
    return package.joinpath(*source.split(".")[1:]).with_suffix(".py")


def _room_imports(path: Path) -> list[Path]:
    """Return the files that a file of a room imports."""
    if not path.is_file():
        raise ValueError(
            f"{path.parent.name}/{path.name} is missing; whole rooms cannot be bundled"
        )
    text = path.read_text("utf-8")
    if PACKAGE in text:
        raise ValueError(f"{path.name} mentions {PACKAGE}, which a Space does not have")
    files = []
    for source in sorted(name for name in imported(text) if name.startswith(".")):
        names = source.lstrip(".")
        if not names:
            raise ValueError(
                f"{path.name} has imports other than 'from .file import name' or "
                "'from ..room.file import name'"
            )
        folder = path.parents[len(source) - len(names) - 1]
        files.append(folder.joinpath(*names.split(".")).with_suffix(".py"))
    return files
