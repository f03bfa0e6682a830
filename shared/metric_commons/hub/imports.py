"""The imports of a script: the files that they reach, and their form in a Space.

`evaluate.load` imports a copy of a script. It reads the lines of the script with a regular
expression, and copies the files that these lines name. It does not look for imports in the copied
files, so a script in a Space names every file that it reaches. All files of a Space are in one
folder, so their import lines name no rooms.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = __name__.partition(".")[0]

_COMMENT = "# Used by these files: evaluate copies only the files that this script names."
_IN_SCRIPT = re.compile(rf"{PACKAGE}\.(?P<room>\w+)\.(?P<stem>\w+)")
_IN_ROOM = re.compile(r"\.(?P<neighbour>\w+)|\.\.(?P<room>\w+)\.(?P<stem>\w+)")


class Import(NamedTuple):
    """A module that an import statement names, and the lines of the statement."""

    source: str  # with its dots, if it is relative
    line: int
    last_line: int
    column: int
    has_names: bool  # `from source import name`, not `import source`


def imported(text: str) -> set[str]:
    r"""The modules that `text` imports, even inside functions; relative ones with their dots.

    >>> sorted(imported("import numpy.linalg\ndef f():\n    from ..numbers.ratios import divide"))
    ['..numbers.ratios', 'numpy']
    """
    sources = {statement.source for statement in _imports(text)}
    return {name if name.startswith(".") else name.partition(".")[0] for name in sources}


def closure(script: Path, package: Path) -> dict[str, Path]:
    """The files of `package` that `script` imports, directly or indirectly, by their stems.

    Imports inside functions count.

    Raises:
        ValueError: a file is missing, could not be imported from a Space, or has the same
            name as another file or the script.
    """
    files: dict[str, Path] = {}
    queue = [package / room / f"{stem}.py" for room, stem, _ in _script_imports(script)]
    while queue:
        path = queue.pop()
        if path.stem == script.stem:
            raise ValueError(f"{script.name} imports a file with its own name")
        if files.setdefault(path.stem, path) != path:
            raise ValueError(f"{path} and {files[path.stem]} have the same name in a Space")
        queue += [target for target in _room_imports(path) if files.get(target.stem) != target]
    return files


def flatten(text: str) -> str:
    r"""The text of a file, with import lines rewritten for a flat folder without rooms.

    >>> flatten("from ..numbers.ratios import divide\nfrom .tokens import words")
    'from .ratios import divide\nfrom .tokens import words'
    """
    lines = text.split("\n")
    for statement in _imports(text):
        source = statement.source
        match = _IN_SCRIPT.fullmatch(source) or _IN_ROOM.fullmatch(source)
        if match and match["stem"]:
            first = statement.line - 1
            lines[first] = lines[first].replace(f"from {source} ", f"from .{match['stem']} ", 1)
    return "\n".join(lines)


def flatten_script(script: Path, stems: set[str]) -> str:
    """The text of `script`, with relative imports of all files named in `stems`."""
    statements = list(_script_imports(script))
    lines = flatten(script.read_text("utf-8")).split("\n")
    missing = sorted(stems - {stem for _, stem, _ in statements})
    if missing:
        end = max(last_line for *_, last_line in statements)
        # A name that every module has, so that evaluate copies the file.
        imports = [f"from .{stem} import __name__ as _{stem}" for stem in missing]
        lines[end:end] = ["", _COMMENT, *imports]
    return "\n".join(lines)


def check_readable(script: Path) -> None:
    """Check that evaluate would find the same imports in a script as Python.

    It misreads a comment after an import, two imports on a line, three quotes in a comment and an
    import inside a block.

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
    """The import statements of a text."""
    statements: list[Import] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            position = node.lineno, node.end_lineno or node.lineno, node.col_offset
            if isinstance(node, ast.Import):
                statements += [
                    Import(alias.name, *position, has_names=False) for alias in node.names
                ]
            else:
                source = "." * node.level + (node.module or "")
                statements.append(Import(source, *position, has_names=True))
    return tuple(statements)


def _script_imports(script: Path) -> Iterator[tuple[str, str, int]]:
    """Room, file and last line of each `from metric_commons.room.file import name`."""
    for statement in _imports(script.read_text("utf-8")):
        if statement.source.partition(".")[0] in ("", PACKAGE):
            match = _IN_SCRIPT.fullmatch(statement.source)
            if not match or statement.column or not statement.has_names:
                raise ValueError(
                    f"{script.name}, line {statement.line}: a script imports shared code as "
                    f"'from {PACKAGE}.room.file import name', at the start of a line"
                )
            yield match["room"], match["stem"], statement.last_line


def _room_imports(path: Path) -> list[Path]:
    """The files that a file of a room imports."""
    if not path.is_file():
        raise ValueError(
            f"{path.parent.name}/{path.name} is missing; whole rooms cannot be bundled"
        )
    text = path.read_text("utf-8")
    if PACKAGE in text:
        raise ValueError(f"{path.name} mentions {PACKAGE}, which a Space does not have")
    files = []
    for source in sorted(name for name in imported(text) if name.startswith(".")):
        match = _IN_ROOM.fullmatch(source)
        if not match:
            raise ValueError(
                f"{path.name} has imports other than 'from .file import name' or "
                "'from ..room.file import name'"
            )
        room = path.parents[1] / match["room"] if match["room"] else path.parent
        files.append(room / f"{match['stem'] or match['neighbour']}.py")
    return files
