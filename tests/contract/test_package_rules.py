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
from fnmatch import fnmatch
from functools import cache, lru_cache
from importlib import import_module
from itertools import groupby
from pathlib import Path

import evaluate
import pytest
from datasets import Features, Sequence, Value
from datasets.naming import camelcase_to_snakecase
from evaluate.loading import get_imports

from metric_commons.hub.imports import imported
from tests.programs import output
from tests.spec import METRICS, PATIENCE, ROOT

PACKAGE = ROOT / "shared" / "metric_commons"
CONTRIBUTING = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")

FAMILIES = (
    "answers",
    "rouge",
    "translation",
    "transcripts",
    "mathematics",
    "ranking",
    "classification",
    "spans",
    "regression",
    "clustering",
    "outcomes",
    "ratings",
    "judges",
    "execution",
    "instructions",
    "structured",
)
# What families share.
FOUNDATIONS = ("texts", "extraction", "curves", "formulas")
SURFACES = ("integrations", "plots", "report", "rewards")
APPLICATIONS = ("cli", "mcp", "hub")
MOST_FILES = 18  # of a room

# Who imports whom. An arrow leads to a room and to all that the room's own arrows lead to; a room
# of a group imports no other room of its group. CONTRIBUTING draws the same arrows.
GROUPS = {
    "families": FAMILIES,
    "foundations": FOUNDATIONS,
    "surfaces": SURFACES,
    "applications": APPLICATIONS,
}
ARROWS = [
    ("script", "base"),
    ("script", "families"),
    ("base", "statistics"),
    ("families", "foundations"),
    ("foundations", "statistics"),
    ("formulas", "algebra"),
    ("ranking", "files"),
    ("statistics", "resampling"),
    ("resampling", "numbers"),
    ("files", "numbers"),
    ("log_formats", "files"),
    ("catalog", "base"),
    ("catalog", "files"),
    ("score_kinds", "base"),
    ("score_kinds", "files"),
    ("score_kinds", "families"),
    ("results", "catalog"),
    ("comparison", "results"),
    ("comparison", "score_kinds"),
    ("scoring", "comparison"),
    ("leaderboards", "comparison"),
    ("leaderboards", "log_formats"),
    ("logs", "scoring"),
    ("surfaces", "tasks"),
    ("tasks", "logs"),
    ("console", "surfaces"),
    ("applications", "console"),
    ("applications", "leaderboards"),
]
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
BUNDLED = (
    "base",
    "numbers",
    "resampling",
    "statistics",
    "algebra",
    *FOUNDATIONS,
    *FAMILIES,
)  # the rooms whose files scripts reach
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "metrics" not in path.parts)
OF_ROOMS = [path for path in FILES if path.parent != PACKAGE]

# What the files of a room may import from elsewhere when they are imported themselves; the body of
# a function may import more in the rooms that stay at home.
ARITHMETIC = {"numpy", "scipy"}
LIBRARIES = {
    **dict.fromkeys(
        (
            *("numbers", "resampling", "statistics", "algebra", "files", "log_formats"),
            *FOUNDATIONS,
            *FAMILIES,
        ),
        ARITHMETIC,
    ),
    "mathematics": ARITHMETIC | {"math_verify", "sympy"},  # in a process of their own
    "instructions": ARITHMETIC | {"langdetect"},  # where a row asks for a language
    "structured": ARITHMETIC | {"jsonschema"},  # where a row has a schema
    "transcripts": ARITHMETIC | {"rapidfuzz"},  # where it is installed
    "rouge": ARITHMETIC | {"rapidfuzz"},  # where it is installed
    "base": {"datasets", "evaluate", "numpy"},
    **dict.fromkeys(
        (
            *("catalog", "score_kinds", "results", "comparison", "scoring"),
            *("leaderboards", "logs"),
        ),
        frozenset({"numpy"}),
    ),
    # inspect_ai imports the file that registers scorers and metrics; nothing else does.
    "integrations": {"numpy", "inspect_ai"},
}


def members(name):
    """The rooms that a name in an arrow stands for."""
    return GROUPS.get(name, (name,))


@cache
def allowed(room):
    """The rooms that a room may import: those that arrows lead to from it, and itself."""
    found = {room}
    while True:
        more = {
            target
            for start, end in ARROWS
            if found & set(members(start))
            for target in members(end)
        }
        if more <= found:
            return found
        found |= more


def script_name(path):
    return path.relative_to(PACKAGE).as_posix()


def script(name):
    return ROOT / "metrics" / name / f"{name}.py"


# Rules for files of rooms


def sources(path, text):
    """Each file of the package that a file imports, as room and stem."""
    for source in imported(text):
        if source.startswith(".."):
            room, _, stem = source[2:].partition(".")
            yield (room, stem) if stem else ("", room)
        elif source.startswith("."):
            yield path.parent.name, source[1:]


def against_the_arrows(path, text):
    """Imports that lead to a room where no arrow leads."""
    room = path.parent.name
    faults = [source for source, _ in sources(path, text) if source and source not in allowed(room)]
    faults += [source for source in imported(text) if source.startswith("...")]
    return sorted(faults)


def foreign_libraries(path, text):
    """Imports from elsewhere that the room does not have."""
    room = path.parent.name
    if room not in LIBRARIES:
        return []
    text = text if room in BUNDLED else at_import(text)
    names = {name for name in imported(text) if not name.startswith(".")}
    return sorted(names - LIBRARIES[room] - sys.stdlib_module_names)


# What opens the files of users for all others, and what opens only files of the package, pipes, the
# memory that the kernel reports, and the files of programs that are run.
OPENERS = (
    *("files/access.py", "mcp/roots.py"),
    *("catalog/catalog.py", "base/declared_module.py", "mathematics/symbolic_worker.py"),
    *("report/page.py", "report/leaderboard_page.py", "mcp/stdio.py", "mcp/forking.py"),
    "mcp/memory_watch.py",
    *("execution/*", "hub/*"),
)
# How often others open such a file: stdout and a place that `files.access` returned, the journal of
# a command, the summary of a workflow, and cards.
KNOWN_CALLS = {
    "files/stored.py": 2,
    "cli/execute.py": 2,
    "cli/gate.py": 1,
    "mcp/file_tools.py": 1,
    "mcp/folder.py": 1,
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


def misread(path):
    """Imports that evaluate's line reader sees otherwise than Python."""
    dots = {"internal": ".", "library": "", "external": ""}
    seen = {dots[kind] + source for kind, _, source, _ in get_imports(str(path))}
    return sorted(seen ^ imported(path.read_text("utf-8")))


def foreign(text):
    """Imports of a script other than evaluate, datasets and bundled files."""
    bundled = {
        f"metric_commons.{path.parent.name}.{path.stem}"
        for path in OF_ROOMS
        if path.parent.name in BUNDLED and path.stem != "__init__"
    }
    allowed = {"datasets", "evaluate", *bundled}
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


def lossy(feature):
    """Types of a feature that round, cut or wrap what a caller passes in."""
    if isinstance(feature, dict | list):
        items = feature.values() if isinstance(feature, dict) else feature
        return [fault for item in items for fault in lossy(item)]
    if hasattr(feature, "feature"):
        return lossy(feature.feature)
    return [] if feature.dtype in {"string", "bool", "int64", "float64"} else [feature.dtype]


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
    is_bundled = path.parent.name in BUNDLED and path.stem != "__init__"

    assert not against_the_arrows(path, text)
    assert not opened_elsewhere(path, text)
    assert not foreign_libraries(path, text)
    assert path.parent.name in (*SURFACES, *APPLICATIONS) or not impolite(text)
    assert not vague(text)
    assert not hidden_from_help(text)
    assert not is_bundled or not unportable(text)


@pytest.mark.long
def test_nothing_imports_itself_by_way_of_others():
    graph = {}
    for path in OF_ROOMS:
        if path.stem != "__init__":
            text = path.read_text("utf-8")
            graph[path.parent.name, path.stem] = set(sources(path, text))

    assert not circles(graph)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_can_be_read_at_a_glance(room):
    files = [path.name for path in (PACKAGE / room).glob("[!_]*.py")]

    assert len(files) <= MOST_FILES


def test_every_room_is_in_a_group():
    placed = {room for arrow in ARROWS for name in arrow for room in members(name)} - {"script"}

    assert set(ROOMS) == placed


def test_files_of_a_space_have_unique_names():
    bundled = [path for path in OF_ROOMS if path.parent.name in BUNDLED and path.stem != "__init__"]

    assert not twins(bundled)


def test_contributing_draws_these_arrows():
    drawn = re.findall(r"^ +(\w+) --> (\w+)$", CONTRIBUTING, re.MULTILINE)

    assert sorted(drawn) == sorted(ARROWS)
    assert len(ARROWS) <= 28


def test_contributing_lists_the_rooms_and_their_files():
    rows = re.findall(r"^\| `(\w+)/` \| [^|]+ \| ([^|]+) \|$", CONTRIBUTING, re.MULTILINE)
    listed = {room: sorted(re.findall(r"`(\w+)`", files)) for room, files in rows}
    present = {
        room: sorted(path.stem for path in (PACKAGE / room).glob("[!_]*.py")) for room in ROOMS
    }

    pairs = {(room, file) for room, files in present.items() for file in files}
    rows_of_table = {(room, file) for room, files in listed.items() for file in files}

    unlisted, missing = sorted(pairs - rows_of_table), sorted(rows_of_table - pairs)

    assert not unlisted, "files that the table of CONTRIBUTING lacks"
    assert not missing, "files of the table of CONTRIBUTING that do not exist"
    assert listed == present  # each file once


@pytest.mark.parametrize("room", [*ROOMS, ""])
def test_the_public_names_of_a_room_exist(room):
    public = import_module(f"metric_commons.{room}".rstrip("."))
    names = getattr(public, "__all__", [])
    files = {path.stem for path in (PACKAGE / room).glob("*.py")} | set(ROOMS if not room else ())

    assert public.__doc__
    assert len(set(names)) == len(names)
    assert not files & set(names), "importing the file would hide the name"
    assert all(getattr(public, name) is not None for name in names)


@pytest.mark.parametrize("name", METRICS)
def test_a_script_keeps_the_rules(name):
    text = script(name).read_text("utf-8")

    assert not misread(script(name))
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
def test_inputs_arrive_without_loss(name):
    metric = evaluate.load(str(script(name).parent))

    assert not lossy(metric.features)
    assert metric.format is None, "formats round: even float64 becomes float32 under 'numpy'"


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_a_script_and_a_card(name):
    present = {path.name for path in script(name).parent.iterdir()} - {"__pycache__"}

    assert present == {f"{name}.py", "README.md"}


def test_importing_the_package_loads_nothing():
    program = "import json, sys, metric_commons; print(json.dumps(sorted(sys.modules)))"
    loaded = {name.partition(".")[0] for name in json.loads(output(program))}

    assert not loaded & {"datasets", "evaluate", "numpy", "pandas", "pyarrow", "scipy", "typer"}


@pytest.mark.processes
def test_the_public_names_of_a_room_load_only_what_is_needed():
    program = "import sys, metric_commons.answers as room; room.exact_match; print(*sys.modules)"

    loaded = output(program).split()

    assert "metric_commons.answers.answers" in loaded
    assert "metric_commons.rouge.rouge_scores" not in loaded


@pytest.mark.processes
def test_the_arithmetic_needs_no_evaluate():
    files = [
        path
        for path in OF_ROOMS
        if path.parent.name in {*FAMILIES, *FOUNDATIONS, "statistics", "resampling", "numbers"}
    ]
    program = "\n".join(
        [
            "import sys",
            "sys.modules.update(evaluate=None, datasets=None)",
            *(f"import metric_commons.{path.parent.name}.{path.stem}" for path in files),
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

from metric_commons.base.module import BatchMetric

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


def test_the_sound_script_has_no_fault(tmp_path):
    path = tmp_path / "toy_share.py"
    path.write_text(SCRIPT)

    assert not misread(path)
    assert not foreign(SCRIPT)
    assert not disordered(SCRIPT)
    assert not misnamed("toy_share", SCRIPT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import BatchMetric", "import BatchMetric  # noqa"),
        ("import datasets\nimport evaluate", "import datasets, evaluate"),
        ("import evaluate\n", 'import evaluate\n# """\n'),
        ("import evaluate\n", "import evaluate\nif True:\n    import math\n"),
        ("import evaluate\n", "import evaluate\nTEXT = '''\nimport toys\n'''\n"),
    ],
)
def test_a_misread_import_is_noticed(old, new, tmp_path):
    path = tmp_path / "toy_share.py"
    path.write_text(SCRIPT.replace(old, new))

    assert misread(path)


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        (foreign, "import evaluate", "import evaluate\nimport numpy as np"),
        (foreign, "import evaluate", "from evaluate import Metric"),
        (foreign, "import evaluate", "from .qa_em import QaEm"),
        (foreign, "metric_commons.base.module", "metric_commons.catalog.catalog"),
        (foreign, "metric_commons.base.module", "metric_commons.hub.bundling"),
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


@pytest.mark.parametrize(
    ("room", "text", "fault"),
    [
        ("numbers", "from ..statistics.summary import mean", "statistics"),
        ("statistics", "from ..answers.answers import f1", "answers"),
        ("texts", "def f():\n    from ..ranking.order import rank", "ranking"),
        ("texts", "from ..base.module import BatchMetric", "base"),
        ("answers", "from ..rouge.rouge_scores import rouge", "rouge"),
        ("texts", "from ..results.results import Results", "results"),
        ("files", "from ..statistics.summary import mean", "statistics"),
        ("scoring", "from ..integrations.trainer import trainer_hook", "integrations"),
        ("results", "def f():\n    from ..hub.bundling import bundle", "hub"),
        ("report", "from ..plots.pictures import picture", "plots"),
        ("mcp", "from ..cli.app import app", "cli"),
    ],
)
def test_an_import_against_the_arrows_is_noticed(room, text, fault):
    assert against_the_arrows(PACKAGE / room / "new.py", text) == [fault]


@pytest.mark.parametrize(
    ("text", "fault"),
    [("open(path)", "open"), ("path.open()", "open"), ("Path(path).read_text()", "read_text")],
)
def test_a_file_that_is_opened_elsewhere_is_noticed(text, fault):
    assert opened_elsewhere(PACKAGE / "files" / "new.py", text) == [fault]


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("texts", "from ..numbers.ratios import divide"),
        ("ranking", "from ..files.trec import read_run"),
        ("score_kinds", "from ..regression.moments import Moments"),
        ("cli", "from ..numbers.checks import nearest"),
    ],
)
def test_an_import_along_the_arrows_is_none(room, text):
    assert not against_the_arrows(PACKAGE / room / "new.py", text)


@pytest.mark.parametrize(
    ("room", "text", "fault"),
    [
        ("texts", "import evaluate", "evaluate"),
        ("texts", "def f():\n    import pandas", "pandas"),
        ("base", "import scipy", "scipy"),
        ("results", "class Table:\n    import rich", "rich"),
    ],
)
def test_a_foreign_library_is_noticed(room, text, fault):
    assert foreign_libraries(PACKAGE / room / "new.py", text) == [fault]


def test_lazy_imports_are_allowed_in_rooms_that_stay_at_home():
    load = "def load():\n    import evaluate"

    assert not foreign_libraries(PACKAGE / "catalog" / "catalog.py", load)


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
        (unportable, "from metric_commons.numbers.ratios import divide"),
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
    "feature",
    [
        Value("float32"),
        [Features({"predictions": Value("string")}), Features({"predictions": Value("int32")})],
        Features({"predictions": {"score": Sequence(Value("float16"))}}),
        Features({"predictions": [Value("int8")]}),
    ],
)
def test_a_lossy_feature_is_noticed(feature):
    assert lossy(feature)


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
