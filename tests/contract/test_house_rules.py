"""What the files of the house must look like, and that each rule notices when one does not.

A rule is a function from a text to its faults. The house has to have none; the broken toys at
the end of this file have to have theirs.
"""

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path

import evaluate
import pytest
from datasets import Features, Sequence, Value
from datasets.naming import camelcase_to_snakecase
from evaluate.loading import get_imports

from metric_commons.hub.imports import imported
from tests.spec import METRICS, ROOT

PACKAGE = ROOT / "shared" / "metric_commons"
FLAT = sorted(path.stem for path in PACKAGE.glob("[!_]*.py"))


@dataclass(frozen=True)
class Layer:
    """Flat modules of one kind, and what they may import."""

    modules: frozenset[str]
    beside: frozenset[str]
    libraries: frozenset[str] = frozenset({"numpy", "scipy"})


FOUNDATION = frozenset(
    [
        "averages",
        "checks",
        "classes",
        "columns",
        "contingency",
        "exact_sums",
        "measures",
        "multisets",
        "normalizers",
        "ratios",
        "references",
        "resampling",
        "score_counts",
        "stems",
        "subsequences",
        "tokens",
        "trainer",
    ]
)
CONCEPTS = frozenset(
    [
        "answers",
        "choices",
        "curves",
        "labels",
        "ngrams",
        "partitions",
        "preferences",
        "ranking",
        "residuals",
        "sampling",
        "significance",
    ]
)
BASE = frozenset({"module"})
AROUND = frozenset(  # these stay at home
    [
        "catalog",
        "comparisons",
        "dataset",
        "jobs",
        "parts",
        "rendering",
        "results",
        "spark",
        "state",
        "trec",
        "ultrarag",
    ]
)

LAYERS = (
    Layer(FOUNDATION, beside=FOUNDATION),
    Layer(CONCEPTS, beside=FOUNDATION),
    Layer(BASE, beside=FOUNDATION, libraries=frozenset({"datasets", "evaluate", "numpy"})),
    Layer(AROUND, beside=FOUNDATION | CONCEPTS | AROUND, libraries=frozenset({"numpy"})),
)
TRAVELS = FOUNDATION | CONCEPTS | BASE


def flat(module):
    return (PACKAGE / f"{module}.py").read_text("utf-8")


def script(name):
    return ROOT / "metrics" / name / f"{name}.py"


# Rules for flat modules


def homeless(module):
    """A module that is not in exactly one layer."""
    homes = [layer for layer in LAYERS if module in layer.modules]
    return [] if len(homes) == 1 else [f"{module} is in {len(homes)} layers"]


def against_the_direction(module, text):
    """Imports that the module's layer does not allow."""
    (layer,) = (layer for layer in LAYERS if module in layer.modules)
    allowed = {f".{name}" for name in layer.beside} | layer.libraries | sys.stdlib_module_names
    if module in AROUND:  # these may import more, where it is used
        text = at_import(text)
    return sorted(imported(text) - allowed)


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


def ambiguous(module):
    """A name that also belongs to somebody else on the path of a Space."""
    taken = {*sys.stdlib_module_names, *METRICS, "datasets", "evaluate", "numpy", "scipy"}
    return [module] if module in taken else []


def impolite(text):
    """Assertions, prints and warnings: bad input is a ValueError."""
    tree = ast.parse(text)
    asserts = [f"assert in line {n.lineno}" for n in ast.walk(tree) if isinstance(n, ast.Assert)]
    calls = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & {"print"}
    return [*asserts, *calls, *(imported(text) & {"warnings"})]


def vague(text):
    """Names that say nothing."""
    words = re.compile(r"(?:^|_)(?:utils?|helpers?|managers?)(?:_|$)|(?:Util|Helper|Manager)s?$")
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and words.search(node.name)
    ]


def hidden_from_help(text):
    """Overrides whose docstring evaluate cannot extend, as it does when it makes an instance."""
    return [
        node.name
        for node in ast.walk(ast.parse(text))
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
    """Imports of a script beyond evaluate, datasets and flat modules that travel."""
    allowed = {"datasets", "evaluate", *(f"metric_commons.{module}" for module in TRAVELS)}
    faults = []
    for node in ast.walk(ast.parse(text)):
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


# The house


@pytest.mark.parametrize("module", FLAT)
def test_a_flat_module_keeps_the_rules(module):
    text = flat(module)

    assert not homeless(module)
    assert not against_the_direction(module, text)
    assert not ambiguous(module)
    assert not impolite(text)
    assert not vague(text)
    assert not hidden_from_help(text)
    assert module not in TRAVELS or not unportable(text)


@pytest.mark.parametrize("name", METRICS)
def test_a_script_keeps_the_rules(name):
    text = script(name).read_text("utf-8")

    assert not misread(script(name))
    assert not foreign(text)
    assert not disordered(text)
    assert not misnamed(name, text)
    assert not impolite(text)
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


def test_layers_share_no_module():
    assert len(FOUNDATION | CONCEPTS | BASE | AROUND) == sum(len(each.modules) for each in LAYERS)


def test_importing_the_package_loads_nothing():
    program = "import json, sys, metric_commons; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = {name.partition(".")[0] for name in json.loads(run.stdout)}

    assert not loaded & {"datasets", "evaluate", "numpy", "pandas", "pyarrow", "scipy", "typer"}


def test_the_arithmetic_needs_no_evaluate():
    modules = sorted((FOUNDATION | CONCEPTS) & set(FLAT))
    program = "\n".join(
        [
            "import sys",
            "sys.modules.update(evaluate=None, datasets=None)",
            *(f"import metric_commons.{module}" for module in modules),
        ]
    )

    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_no_file_is_tied_to_a_machine():
    ties = {path: tied_to_a_machine(path.read_text("utf-8", "ignore")) for path in files()}

    assert not {path: tie for path, tie in ties.items() if tie}


# The rules bite

SCRIPT = '''\
"""Share of toys."""

import datasets
import evaluate

from metric_commons.module import BatchMetric

_CITATION = "none"


class ToyShare(BatchMetric):
    """Share of toys.

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
        (foreign, "metric_commons.module", "metric_commons.catalog"),
        (foreign, "metric_commons.module", "metric_commons.hub.bundling"),
        (disordered, '"""Share of toys."""\n\n', ""),
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
    ("module", "text", "fault"),
    [
        ("ratios", "from .answers import f1", ".answers"),
        ("answers", "def f():\n    from .ngrams import rouge", ".ngrams"),
        ("answers", "from .module import BatchMetric", ".module"),
        ("answers", "from .results import Result", ".results"),
        ("answers", "import evaluate", "evaluate"),
        ("answers", "import pandas as pd", "pandas"),
        ("answers", "import metric_commons.ratios", "metric_commons"),
        ("module", "from .answers import f1", ".answers"),
        ("module", "import scipy", "scipy"),
        ("catalog", "import evaluate", "evaluate"),
        ("results", "from .hub import bundle", ".hub"),
        ("results", "class Table:\n    import rich", "rich"),
    ],
)
def test_an_import_against_the_direction_is_noticed(module, text, fault):
    assert against_the_direction(module, text) == [fault]


def test_lazy_imports_are_allowed_around_the_modules():
    assert not against_the_direction("catalog", "def load():\n    import evaluate")


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        (homeless, "no_such_module"),
        (ambiguous, "statistics"),
        (ambiguous, "evaluate"),
        (ambiguous, METRICS[0]),
        (unportable, "from metric_commons.ratios import divide"),
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
