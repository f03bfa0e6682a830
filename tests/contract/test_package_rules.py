"""Rules for the files of the package, and tests that each rule notices a violation.

A rule is a function from a text to its violations. The package must have none; the broken toys at
the end of this file must each have theirs.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatch
from functools import cache, lru_cache
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest
from datasets.naming import camelcase_to_snakecase

from metric_commons.apps.hub.imports import imported
from tests.programs import output
from tests.spec import METRICS, PATIENCE, ROOT
from tests.tables import by_table

PACKAGE = ROOT / "shared" / "metric_commons"
CONTRIBUTING = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")

FAMILIES = (
    "text",
    "labels",
    "regression",
    "retrieval",
    "structured",
    "mathematics",
    "judging",
    "programs",
)
# The floors of the house. A room imports rooms of lower floors only; what of them, CONTRIBUTING
# says. Families read files only where their input is a file, and share the tokens of texts.
FLOORS = (
    {"statistics": "numpy scipy"},
    {"data": "numpy", "module": "numpy datasets evaluate"},
    dict.fromkeys(FAMILIES, "numpy scipy"),
    {"evaluation": "numpy"},
    {"frameworks": "numpy inspect_ai", "reporting": ""},
    {"apps": ""},
)
BETWEEN_FAMILIES = {("structured", "text/tokens"), ("programs", "text/tokens")}
READ_FILES = {"retrieval"}
# The rooms whose files scripts reach, and single files.
BUNDLED = (*("statistics", "module/declaration", *FAMILIES), "data/trec/identifiers")
AT_HOME = ("data", "module/catalog", "evaluation")  # others, whose functions import more on use
# Libraries that only files of this room import.
OF_ROOM = {
    "text/instructions": {"langdetect"},  # where a row asks for a language
    "structured": {"jsonschema"},  # where a row has a schema
    "text/transcripts": {"rapidfuzz"},  # where it is installed
    "text/rouge_overlaps": {"rapidfuzz"},  # where it is installed
}
ARITHMETIC = {"numpy", "scipy"}
MOST_FILES = 18  # of a room
MOST_ARROWS = 60  # between rooms
PUBLIC = ("base", "files", "lazy", "rewards", "scorers", "testing")

FILES = sorted(path for path in PACKAGE.rglob("*.py") if "metrics" not in path.parts)
OF_ROOMS = [path for path in FILES if path.parent != PACKAGE]


def room_of(path):
    """The room or sub-room of a file."""
    return path.parent.relative_to(PACKAGE).as_posix()


def building(room):
    """The room of a sub-room."""
    return room.partition("/")[0]


ROOMS = sorted({room_of(path) for path in OF_ROOMS if path.stem != "__init__"})
BUILDINGS = sorted({building(room) for room in ROOMS})


def is_bundled(path):
    room = room_of(path)
    names = {building(room), room, f"{room}/{path.stem}"}
    return bool(names & set(BUNDLED)) and path.stem != "__init__"


def floor(room):
    (number,) = (number for number, rooms in enumerate(FLOORS) if building(room) in rooms)
    return number


def libraries(room):
    """What the files of a room import from elsewhere."""
    return set(FLOORS[floor(room)][building(room)].split()) | OF_ROOM.get(
        room, OF_ROOM.get(building(room), set())
    )


def script_name(path):
    return path.relative_to(PACKAGE).as_posix()


def script(name):
    return ROOT / "metrics" / name / f"{name}.py"


# Rules for files of rooms


@cache
def sources(path, text):
    """Each file of the package that a file imports."""
    files = set()
    for node in nodes(text):
        if isinstance(node, ast.ImportFrom) and node.level:
            source = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            if source.with_suffix(".py").is_file() or (node.module and not source.is_dir()):
                files.add(source.with_suffix(".py"))
            else:
                files |= {source / f"{alias.name}.py" for alias in node.names}
    return files


def imported_rooms(path, text):
    """The other rooms of a file's imports; not the files that lie in no room."""
    rooms = {room_of(source) for source in sources(path, text) if source.parent != PACKAGE}
    return rooms - {room_of(path)}


def against_the_arrows(path, text):
    """Imports from a room on the same floor or above."""
    room = room_of(path)
    faults = []
    for other in imported_rooms(path, text):
        is_allowed = (
            building(other) == building(room)
            or (building(room), other) in BETWEEN_FAMILIES
            or (
                floor(other) < floor(room)
                and (building(other) != "data" or room in READ_FILES or floor(room) > 2)
            )
        )
        faults += [] if is_allowed else [other]
    return sorted(faults)


@cache
def arrows():
    """The rooms that the files of each room import."""
    found = {room: set() for room in ROOMS}
    for path in OF_ROOMS:
        if path.stem != "__init__":
            found[room_of(path)] |= imported_rooms(path, path.read_text("utf-8"))
    return found


def arrows_of_rooms():
    return {
        (building(room), building(other))
        for room, others in arrows().items()
        for other in others
        if building(room) != building(other)
    }


def longest_chain(graph):
    """How many rooms import each other one after another, at most."""
    depth = {}

    def of(room):
        if room not in depth:
            depth[room] = 1 + max((of(other) for start, other in graph if start == room), default=0)
        return depth[room]

    return max(of(room) for arrow in graph for room in arrow)


def row_of_table(room):
    """What CONTRIBUTING says of the imports of a room."""
    own = {name.partition("/")[2] for name in arrows()[room] if building(name) == building(room)}
    others = {building(name) for name in arrows()[room]} - {building(room)}
    return ", ".join([*(f"`{name}`" for name in sorted(own)), *sorted(others)]) or "-"


def foreign_libraries(path, text):
    """Imports from elsewhere that the room does not have."""
    room = room_of(path)
    if not is_bundled(path) and not {room, building(room)} & set(AT_HOME):
        return []
    text = text if is_bundled(path) else at_import(text)
    names = {name for name in imported(text) if not name.startswith(".")}
    return sorted(names - libraries(room) - sys.stdlib_module_names)


# What opens the files of users for all others, and what opens only files of the package, pipes, the
# memory that the kernel reports, and the files of programs that are run.
OPENERS = (
    *("data/files/access.py", "apps/mcp/root.py"),
    *("module/catalog/*.py", "module/declaration/declared_module.py"),
    "reporting/report/*page.py",
    *("programs/*", "apps/hub/*"),
)
# How often others open such a file: stdout, the journal of a command, the summary of a workflow,
# and cards.
KNOWN_CALLS = {
    "data/files/stored.py": 1,
    "apps/functions/execute.py": 2,
    "apps/console/outputs.py": 1,
    "apps/mcp/tools.py": 1,
    "apps/mcp/folder.py": 1,
}
OPENING = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "fdopen"}


def opened_elsewhere(path, text):
    """Calls that open a file other than by `files.access`, which limits a server to its roots."""
    name = script_name(path)
    if any(fnmatch(name, pattern) for pattern in OPENERS):
        return []
    calls = [node.func for node in nodes(text) if isinstance(node, ast.Call)]
    names = [getattr(call, "id", None) or getattr(call, "attr", "") for call in calls]
    found = [name for name in names if name in OPENING]
    return found if len(found) != KNOWN_CALLS.get(name, 0) else []


def circles(graph):
    """The files that import themselves, by way of others or at once."""
    found = []
    for start in graph:
        reached, waiting = set(), [start]
        while waiting:
            new = graph.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        found += [start] if start in reached else []
    return found


def twins(paths):
    """Stems of bundled files that are not unique, or are taken by another module."""
    stems = [path.stem for path in paths]
    taken = {*sys.stdlib_module_names, *METRICS, *ARITHMETIC, "datasets", "evaluate"}
    return sorted({stem for stem in stems if stems.count(stem) > 1 or stem in taken})


@lru_cache(maxsize=1)  # the rules look at one file after another
def syntax(text):
    """The statements of a file, to be read and not to be changed."""
    return ast.parse(text)


@lru_cache(maxsize=1)
def nodes(text):
    """All nodes of the syntax tree of a file."""
    return list(ast.walk(syntax(text)))


def at_import(text):
    """What of `text` runs when it is imported: no bodies of functions, nothing for types only."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.If(test=ast.Name(id="TYPE_CHECKING")):
                node.body = [ast.Pass()]
    return ast.unparse(tree)


def unportable(text):
    """The package's name, which a Space does not know."""
    return re.findall(r"\bmetric_commons\b", text)


def impolite(text):
    """Assertions, prints and warnings: bad input is a ValueError."""
    asserts = [f"assert in line {n.lineno}" for n in nodes(text) if isinstance(n, ast.Assert)]
    calls = {node.id for node in nodes(text) if isinstance(node, ast.Name)} & {"print"}
    return [*asserts, *calls, *(imported(text) & {"warnings"})]


def vague(text):
    """Names without meaning."""
    words = re.compile(r"(?:^|_)(?:utils?|helpers?|managers?)(?:_|$)|(?:Util|Helper|Manager)s?$")
    return [
        node.name
        for node in nodes(text)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and words.search(node.name)
    ]


def hidden_from_help(text):
    """Overrides whose docstring evaluate cannot extend, as it does when it makes an instance."""
    return [
        node.name
        for node in nodes(text)
        if isinstance(node, ast.FunctionDef)
        and node.name in {"add", "add_batch", "compute"}
        and (node.decorator_list or not ast.get_docstring(node))
    ]


# Rules for scripts


def foreign(text):
    """Imports of a script other than evaluate, datasets and bundled files."""
    bundled = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in OF_ROOMS
        if is_bundled(path)
    }
    allowed = {"datasets", "evaluate", "metric_commons.base", *bundled}
    faults = []
    for node in nodes(text):
        if isinstance(node, ast.Import):
            faults += [alias.name for alias in node.names if alias.name not in allowed]
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            # `from evaluate import Metric` would be instantiated in place of the script's class.
            if source not in allowed or source == "evaluate":
                faults.append(f"from {source}")
    return faults


def disordered(text):
    """Parts of a script that are missing, doubled or not in the order of the anatomy."""
    tree = ast.parse(text)
    parts = [part for part, _ in groupby(parts_of(tree))]
    anatomy = ["description", "import", "_CITATION", "class"]
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    faults = [] if parts == anatomy else [f"{parts}, not {anatomy}"]
    if len(classes) != 1:
        return [*faults, f"{len(classes)} classes"]

    told = ast.get_docstring(classes[0]) or ""
    sections = re.findall(r"^(Args|Returns|Examples):$", told, re.MULTILINE)
    methods = [node.name for node in classes[0].body if isinstance(node, ast.FunctionDef)]
    if sections != ["Args", "Returns", "Examples"]:
        faults.append(f"the docstring has {sections}")
    if methods != ["_info", "_compute"]:
        faults.append(f"the class has {methods}")
    return faults


def parts_of(tree):
    """What each statement at the top of a script is."""
    for node in tree.body:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                yield "description"
            case ast.Import() | ast.ImportFrom():
                yield "import"
            case ast.ClassDef():
                yield "class"
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name
            case _:
                yield type(node).__name__


def misnamed(name, text):
    """Classes that evaluate would call otherwise than their folder."""
    classes = [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return [each for each in classes if camelcase_to_snakecase(each) != name]


# Rules for every file

MACHINE = re.compile(
    r"(?<![\w.])/(?:work|root|home|Users)/\w+"
    r"|--(?:(?:extra-)?index-url|find-links|trusted-host)\b"
    r"|https?://[^\s/]+/(?:[^\s/]+/)*simple\b"
)


def tied_to_a_machine(text):
    """Paths and package indexes that exist for one machine only."""
    return MACHINE.findall(text)


def files():
    """The files of the repository: all but those that .gitignore names."""
    ignored = [".git", *(line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split())]
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not any(fnmatch(name, each) for each in ignored)]
        yield from (Path(folder, name) for name in names if name not in ignored)


# The package


@pytest.mark.parametrize("path", OF_ROOMS, ids=script_name)
def test_a_file_keeps_the_rules(path):
    text = path.read_text("utf-8")

    assert path.stem == "__init__" or not against_the_arrows(path, text)
    assert not opened_elsewhere(path, text)
    assert not foreign_libraries(path, text)
    assert floor(room_of(path)) > 3 or not impolite(text)
    assert not vague(text)
    assert not hidden_from_help(text)
    assert not is_bundled(path) or not unportable(text)


@pytest.mark.long
def test_nothing_imports_itself_by_way_of_others():
    graph = {path: sources(path, path.read_text("utf-8")) for path in OF_ROOMS}

    assert not circles({path: found for path, found in graph.items() if path.stem != "__init__"})


def test_no_room_imports_itself_by_way_of_others():
    assert not circles(arrows())
    assert len(arrows_of_rooms()) <= MOST_ARROWS
    assert longest_chain(arrows_of_rooms()) <= 9


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_can_be_read_at_a_glance(room):
    files = [path.name for path in (PACKAGE / room).glob("[!_]*.py")]

    assert len(files) <= MOST_FILES


def test_every_room_is_on_a_floor():
    assert {room for rooms in FLOORS for room in rooms} == set(BUILDINGS)


def test_few_files_lie_in_no_room():
    beside = {path.stem for path in FILES if path.parent == PACKAGE}

    assert beside == {"__init__", "__main__", *PUBLIC}


def test_files_of_a_space_have_unique_names():
    assert not twins([path for path in OF_ROOMS if is_bundled(path)])


def test_a_class_is_defined_once_and_docstrings_say_what_a_function_does():
    """ "Return the rows", not "The rows"."""
    classes, docstrings = Counter(), []
    for path in FILES:
        for node in nodes(path.read_text("utf-8")):
            if isinstance(node, ast.ClassDef):
                classes[node.name] += 1
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                docstrings += filter(None, [ast.get_docstring(node)])
    nouns = [text for text in docstrings if text.startswith("The ")]

    assert {name for name, times in classes.items() if times > 1} == set()
    assert len(nouns) <= 0.05 * len(docstrings), "\n".join(nouns)


def test_contributing_lists_the_rooms_and_their_imports():
    rows = re.findall(r"^\| `([\w/]+)/` \| [^|]+ \| ([^|]+) \|$", CONTRIBUTING, re.MULTILINE)

    assert dict(rows) == {room: row_of_table(room) for room in ROOMS}
    assert len(rows) == len(ROOMS)


@pytest.mark.parametrize("room", [*BUILDINGS, *PUBLIC, ""])
def test_the_public_names_of_a_room_exist(room):
    public = import_module(f"metric_commons.{room}".rstrip("."))
    names = getattr(public, "__all__", [])
    folder = PACKAGE / room
    files = {path.stem for path in folder.glob("*") if path.suffix in ("", ".py")}

    assert public.__doc__
    assert len(set(names)) == len(names)
    assert not files & set(names), "importing the file would hide the name"
    assert all(getattr(public, name) is not None for name in names)


@pytest.mark.parametrize("name", METRICS)
def test_a_script_keeps_the_rules(name):
    text = script(name).read_text("utf-8")

    assert not foreign(text)
    assert not disordered(text)
    assert not misnamed(name, text)
    assert not impolite(text)
    assert not hidden_from_help(text)


def test_the_script_for_contributors_keeps_the_rules():
    (text,) = re.findall(r'^```python\n(""".*?)^```', CONTRIBUTING, re.DOTALL | re.MULTILINE)

    assert not foreign(text)
    assert not disordered(text)
    assert not misnamed("token_jaccard", text)
    assert not hidden_from_help(text)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_a_script_and_a_card(name):
    present = {path.name for path in script(name).parent.iterdir()} - {"__pycache__"}

    assert present == {f"{name}.py", "README.md"}


def test_importing_the_package_loads_nothing():
    program = "import json, sys, metric_commons; print(json.dumps(sorted(sys.modules)))"
    loaded = {name.partition(".")[0] for name in json.loads(output(program))}

    assert not loaded & {"datasets", "evaluate", "numpy", "pandas", "pyarrow", "scipy", "click"}


@pytest.mark.processes
def test_the_public_names_of_a_room_load_only_what_is_needed():
    program = "import sys, metric_commons.text as room; room.exact_match; print(*sys.modules)"

    loaded = output(program).split()

    assert "metric_commons.text.answers.answers" in loaded
    assert "metric_commons.text.rouge_overlaps.rouge_scores" not in loaded


@pytest.mark.processes
def test_the_arithmetic_needs_no_evaluate():
    files = [path for path in OF_ROOMS if building(room_of(path)) in {*FAMILIES, "statistics"}]
    program = "\n".join(
        [
            "import sys",
            "sys.modules.update(evaluate=None, datasets=None)",
            *(
                "import " + ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
                for path in files
            ),
        ]
    )

    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)


@pytest.mark.long
def test_no_file_is_tied_to_a_machine():
    ties = {path: tied_to_a_machine(path.read_text("utf-8", "ignore")) for path in files()}

    assert not {path: tie for path, tie in ties.items() if tie}


# The rules bite

SCRIPT = '''\
"""Proportion of toys."""

import datasets
import evaluate

from metric_commons.module.declaration.module import BatchMetric

_CITATION = "none"


class ToyShare(BatchMetric):
    """Proportion of toys.

    Args:
        predictions: toys.

    Returns:
        toy_share.

    Examples:
        >>> 1
        1
    """

    def _info(self):
        return evaluate.MetricInfo(features=datasets.Features())

    def _compute(self, *, predictions):
        return {}
'''


def test_the_sound_script_has_no_fault():
    assert not foreign(SCRIPT)
    assert not disordered(SCRIPT)
    assert not misnamed("toy_share", SCRIPT)


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (foreign, "import evaluate", "import evaluate\nimport numpy as np"),
        (foreign, "import evaluate", "from evaluate import Metric"),
        (foreign, "import evaluate", "from .qa_em import QaEm"),
        (
            foreign,
            "metric_commons.module.declaration.module",
            "metric_commons.module.catalog.catalog",
        ),
        (foreign, "metric_commons.module.declaration.module", "metric_commons.apps.hub.bundling"),
        (disordered, '"""Proportion of toys."""\n\n', ""),
        (disordered, '_CITATION = "none"', ""),
        (disordered, '_CITATION = "none"', '_CITATION = "none"\nimport evaluate'),
        (disordered, '_CITATION = "none"', '_CITATION = "none"\nprint(_CITATION)'),
        (disordered, "    Args:\n        predictions: toys.\n\n", ""),
        (disordered, "    def _info", "    def other(self):\n        pass\n\n    def _info"),
        (disordered, "class ToyShare", "class Other:\n    pass\n\n\nclass ToyShare"),
        (lambda text: misnamed("toy_share", text), "class ToyShare", "class Toyshare"),
        (hidden_from_help, "def _compute", "def compute"),
    ],
)
def test_a_broken_script_is_noticed(rule, old, new):
    broken = SCRIPT.replace(old, new, 1)

    assert broken != SCRIPT
    assert rule(broken)


@by_table("room, text, fault")
def test_an_import_against_the_arrows_is_noticed(room, text, fault):
    assert against_the_arrows(PACKAGE / room / "new.py", text) == [fault]


@pytest.mark.parametrize(
    ("text", "fault"),
    [("open(path)", "open"), ("path.open()", "open"), ("Path(path).read_text()", "read_text")],
)
def test_a_file_that_is_opened_elsewhere_is_noticed(text, fault):
    assert opened_elsewhere(PACKAGE / "data" / "files" / "new.py", text) == [fault]


@by_table("room, text")
def test_an_import_along_the_arrows_is_none(room, text):
    assert not against_the_arrows(PACKAGE / room / "new.py", text)


@pytest.mark.parametrize(
    ("room", "text", "fault"),
    [
        ("text/tokens", "import evaluate", "evaluate"),
        ("text/tokens", "def f():\n    import pandas", "pandas"),
        ("module/declaration", "import scipy", "scipy"),
        ("evaluation/results", "class Table:\n    import click", "click"),
    ],
)
def test_a_foreign_library_is_noticed(room, text, fault):
    assert foreign_libraries(PACKAGE / room / "new.py", text) == [fault]


def test_lazy_imports_are_allowed_in_rooms_that_stay_at_home():
    load = "def load():\n    import evaluate"

    assert not foreign_libraries(PACKAGE / "module" / "catalog" / "catalog.py", load)


def test_a_circle_is_noticed():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "paths", [["texts/mean.py", "numbers/mean.py"], ["texts/statistics.py"], ["texts/qa_em.py"]]
)
def test_a_name_that_a_space_would_confuse_is_noticed(paths):
    assert twins([Path(path) for path in paths])


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        (unportable, "from metric_commons.statistics.arithmetic.ratios import divide"),
        (impolite, "def f(x):\n    assert x"),
        (impolite, "print(1)"),
        (impolite, "def f():\n    import warnings"),
        (vague, "def load_helper():\n    pass"),
        (vague, "class ColumnManager:\n    pass"),
        (hidden_from_help, "class M:\n    def add(self):\n        pass"),
        (hidden_from_help, "class M:\n    @cache\n    def compute(self):\n        'Doc.'"),
    ],
)
def test_a_broken_module_is_noticed(rule, broken):
    assert rule(broken)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("see /{}/main/README.md", "work"),
        ("path = '/{}/someone/data'", "home"),
        ("pip install --{} wheels .", "find-links"),
        ("https://mirror.example.org/python/{}/", "simple"),
    ],
)
def test_a_tie_to_a_machine_is_noticed(text, word):
    assert tied_to_a_machine(text.format(word))


def test_addresses_are_no_ties():
    assert not tied_to_a_machine("https://example.org/work/paper.pdf ../home/x a/root/b")


def test_no_code_reads_a_printed_signature():
    """Values of options may contain the signs between them; results hold the options themselves."""
    reading = re.compile(
        r"""signature\)?\.(r?split|r?partition|find|index|removeprefix|removesuffix)\b"""
        r"""|\.r?(split|partition)\(["']\|["']"""
    )
    assert reading.search('result.signature.split("|")')
    assert reading.search("line.partition('|')")
    for path in sorted((ROOT / "shared").rglob("*.py")):
        assert not reading.search(path.read_text("utf-8")), path
