"""The imports of a script: which files they reach, and how a Space has to write them.

`evaluate.load` does not import a script where it lies. It reads the lines of the script with a
regular expression, copies the files that these lines name, and imports the copy. What a copied
file imports is not looked at, so a script in a Space has to name every file that it reaches. All
files of a Space lie side by side, so import lines lose the names of the rooms.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = __name__.partition(".")[0]

_WHY = "# Used by these files: evaluate copies only the files that this script names."
_IN_SCRIPT = re.compile(rf"{PACKAGE}\.(?P<room>\w+)\.(?P<stem>\w+)")
_IN_ROOM = re.compile(r"\.(?P<beside>\w+)|\.\.(?P<room>\w+)\.(?P<stem>\w+)")


def imported(text: str) -> set[str]:
    r"""Every module that `text` imports, anywhere in it; relative ones with their dots.

    >>> sorted(imported("import numpy.linalg\ndef f():\n    from ..numbers.ratios import divide"))
    ['..numbers.ratios', 'numpy']
    """
    sources = {source for _, source in _imports(text)}
    return {name if name.startswith(".") else name.partition(".")[0] for name in sources}


def closure(script: Path, package: Path) -> dict[str, Path]:
    """The files that `script` reaches, by lazy imports too, under the names of their stems.

    Raises:
        ValueError: a file is not there, could not be imported from a Space, or has the name of
            another one or of the script.
    """
    reached: dict[str, Path] = {}
    waiting = [package / room / f"{stem}.py" for _, room, stem in _script_imports(script)]
    while waiting:
        path = waiting.pop()
        if path.stem == script.stem:
            raise ValueError(f"{script.name} imports a file of its own name")
        if reached.setdefault(path.stem, path) != path:
            raise ValueError(f"{path} and {reached[path.stem]} have the same name in a Space")
        neighbours = _neighbours(path)
        waiting += [each for each in neighbours if reached.get(each.stem) != each]
    return reached


def flattened(text: str) -> str:
    r"""The text of a file with its imports as they are where all files lie side by side.

    >>> flattened("from ..numbers.ratios import divide\nfrom .tokens import words")
    'from .ratios import divide\nfrom .tokens import words'
    """
    lines = text.split("\n")
    for statement, source in _imports(text):
        match = _IN_SCRIPT.fullmatch(source) or _IN_ROOM.fullmatch(source)
        if match and match["stem"]:
            first = statement.lineno - 1
            lines[first] = lines[first].replace(f"from {source} ", f"from .{match['stem']} ", 1)
    return "\n".join(lines)


def naming(script: Path, stems: set[str]) -> str:
    """The text of `script` with relative imports that name all of `stems`."""
    statements = list(_script_imports(script))
    lines = flattened(script.read_text("utf-8")).split("\n")
    unnamed = sorted(stems - {stem for *_, stem in statements})
    if unnamed:
        end = max(statement.end_lineno or 0 for statement, *_ in statements)
        # Every module has a __name__, so that this line needs no knowledge of the module.
        named = [f"from .{stem} import __name__ as _{stem}" for stem in unnamed]
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


def _script_imports(script: Path) -> Iterator[tuple[ast.stmt, str, str]]:
    """Each `from metric_commons.room.file import name` of a script, with room and file."""
    for statement, source in _imports(script.read_text("utf-8")):
        if source.partition(".")[0] in ("", PACKAGE):
            match = _IN_SCRIPT.fullmatch(source)
            if not match or statement.col_offset or isinstance(statement, ast.Import):
                raise ValueError(
                    f"{script.name}, line {statement.lineno}: a script imports shared code as "
                    f"'from {PACKAGE}.room.file import name', at the start of a line"
                )
            yield statement, match["room"], match["stem"]


def _neighbours(path: Path) -> list[Path]:
    """The files that a file of a room imports."""
    if not path.is_file():
        raise ValueError(
            f"{path.parent.name}/{path.name} is not there; a room does not travel whole"
        )
    text = path.read_text("utf-8")
    if PACKAGE in text:
        raise ValueError(f"{path.name} mentions {PACKAGE}, which a Space does not have")
    neighbours = []
    for source in sorted(name for name in imported(text) if name.startswith(".")):
        match = _IN_ROOM.fullmatch(source)
        if not match:
            raise ValueError(
                f"{path.name} imports otherwise than 'from .file import name' or "
                "'from ..room.file import name'"
            )
        room = path.parents[1] / match["room"] if match["room"] else path.parent
        neighbours.append(room / f"{match['stem'] or match['beside']}.py")
    return neighbours
