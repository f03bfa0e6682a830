"""Files and functions of the package that one command passes through, and calls between files.

    python benchmarks/crossings.py              what is watched
    python benchmarks/crossings.py --pairs      also which files call which, the most frequent first
    python benchmarks/crossings.py --functions  also the functions of each file
    python benchmarks/crossings.py --lines      also the lines of code of every room

`metric_commons.score` on two rows and on a file is called twice, and the second call counts; a
command counts in a process that has run no other.

Floors are the rooms of the longest chain of imports, lazy ones too, among the files passed through.

A file counts if one of its functions is called; a call crosses if the function belongs to another
file than the nearest function of the package that is running. What modules do while they are
imported does not count, and comprehensions and lambdas are no functions.
"""

import ast
import io
import sys
import tokenize
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from metric_commons import score
from metric_commons.__main__ import main

PACKAGE = Path(sys.modules["metric_commons"].__path__[0])
EXAMPLE = Path(__file__).parents[1] / "examples" / "capitals.jsonl"
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Crossings:
    """Counts calls between files while it is the profile function."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.functions: set[tuple[str, str]] = set()  # file and name
        self.pairs: Counter[tuple[str, str]] = Counter()
        self._running: list[str | None] = []  # the file of each function, None for imports

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of a call or a return."""
        name = frame.f_code.co_filename
        if not name.startswith(str(PACKAGE)):
            return
        if event == "return" and self._running:
            self._running.pop()
        if event != "call":
            return
        file = str(Path(name).relative_to(PACKAGE))
        caller = self._running[-1] if self._running else file
        if frame.f_code.co_name == "<module>" or caller is None:
            self._running.append(None)
            return
        self._running.append(file)
        self.files.add(file)
        if not frame.f_code.co_name.startswith("<"):
            self.functions.add((file, frame.f_code.co_qualname))
        if caller != file:
            self.pairs[caller, file] += 1


def crossings(arguments: list[str]) -> Crossings:
    """What a command passes through, in a process that has run no other."""
    counted, status = watched(lambda: main(arguments))
    if status:
        raise SystemExit(f"{arguments} ended with status {status}")
    return counted


def second_call(*arguments: object, **columns: object) -> Crossings:
    """What the second of two equal calls of `score` passes through."""
    score(*arguments, **columns)
    return watched(lambda: score(*arguments, **columns))[0]


def watched(work: Callable[[], object]) -> tuple[Crossings, object]:
    """What a function passes through, and its value."""
    counted = Crossings()
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        sys.setprofile(counted)
        try:
            value = work()
        finally:
            sys.setprofile(None)
    return counted, value


def floors(files: set[str]) -> list[str]:
    """The longest chain of rooms of which each imports the next, among these files."""
    imports: dict[str, set[str]] = {}
    for file in files:
        room, _, rest = file.partition("/")
        if rest:
            imports.setdefault(room, set()).update(_rooms_of_imports(file, files) - {room})

    @cache
    def chain(room: str) -> list[str]:
        chains = map(chain, sorted(imports[room]))
        return [room, *max(chains, key=len, default=[])]

    return max(map(chain, sorted(imports)), key=len)


def _rooms_of_imports(file: str, files: set[str]) -> set[str]:
    """The rooms from which a file imports other files among these."""
    rooms = set()
    for node in ast.walk(ast.parse((PACKAGE / file).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            source = (
                (PACKAGE / file).parents[node.level - 1].joinpath(*(node.module or "").split("."))
            )
            targets = [source, *(source / name.name for name in node.names)]
            names = [target.relative_to(PACKAGE).as_posix() for target in targets]
            rooms |= {name.partition("/")[0] for name in names if f"{name}.py" in files}
    return {room for room in rooms if f"{room}.py" not in files}


def lines_of_code(path: Path) -> int:
    """The lines of a file that hold code: no docstrings, no comments, no blank lines."""
    source = path.read_text("utf-8")
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=last), *_]:
                    docstrings.update(range(first, (last or first) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--functions", action="store_true")
    asked = parser.parse_args()
    rows = {"predictions": ["a", "b"], "references": ["a", "c"]}
    fields = {"predictions": "atlas", "references": "answers"}
    with TemporaryDirectory() as folder:
        plain = ["score", "qa_f1", str(EXAMPLE), "-p", "atlas", "-r", "answers"]
        saved = ["--predictions", "borealis", "--confidence", "0.95", "--compare"]
        saved += ["--save", str(Path(folder) / "result.json")]
        for title, work in (
            ("score on two rows", partial(second_call, "qa_f1", **rows)),
            ("score on a file", partial(second_call, "qa_f1", EXAMPLE, **fields)),
            ("command", partial(crossings, plain)),
            ("command, compared and saved", partial(crossings, [*plain, *saved])),
        ):
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                counted = process.submit(work).result()
            sizes = f"{len(counted.files)} files, {len(counted.functions)} functions"
            print(f"{title}: {sizes}, {counted.pairs.total()} crossings")
            chain = floors(counted.files)
            print(f"  {len(chain)} floors: {' > '.join(chain)}")
            if asked.pairs:
                for (caller, file), count in counted.pairs.most_common():
                    print(f"  {count:4}  {caller} -> {file}")
            if asked.functions:
                for file in sorted(counted.files):
                    print(f"  {file}:", *(name for of, name in counted.functions if of == file))
    if asked.lines:
        for room in sorted(path for path in PACKAGE.iterdir() if path.is_dir()):
            total = sum(map(lines_of_code, room.rglob("*.py")))
            if total:
                print(f"{room.name:16} {total:6}")
