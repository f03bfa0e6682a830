"""A bundle is a module that gives the same numbers where nothing of ours is installed."""

import json
import re
import shutil
import sys
import tomllib
from functools import cache
from textwrap import dedent

import evaluate
import pytest
from packaging.requirements import Requirement

from metric_commons.apps.hub import bundling
from metric_commons.apps.hub.bundling import MARKER_FILE, bundle, published_card
from metric_commons.apps.hub.imports import imported
from tests.apps.fake_hub import as_stranger, fake_hub
from tests.contract.test_package_rules import is_bundled
from tests.spec import METRICS, ROOT, nightly, spec
from tests.tables import by_table

pytestmark = pytest.mark.processes

# Runs as somebody who has evaluate and not this package: reads {address: arguments of compute}
# and prints {address: result}.
STRANGER = """
import json, sys

sys.modules["metric_commons"] = None
try:
    import metric_commons.text.answers.answers
except ModuleNotFoundError:
    pass
else:
    raise AssertionError("metric_commons can be imported")

import evaluate

calls = json.load(sys.stdin)
json.dump({at: evaluate.load(at).compute(**call) for at, call in calls.items()}, sys.stdout)
"""


def exactly(result):
    """A result as text in which equal numbers are equal, NaN too."""
    return json.dumps(result, sort_keys=True)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    out_dir = tmp_path_factory.mktemp("bundles")
    return {name: bundle(name, out_dir) for name in METRICS}


# On the Hub by day: a metric, a comparison, a class with an underscore, and the most files. From a
# folder, modules of other families.
ON_THE_HUB = ["code_eval", "paired_significance", "rouge_n_l"]
IN_FOLDERS = ["classification", "json_match", "math_equivalence"]


@pytest.mark.parametrize(
    ("on_the_hub", "in_folders", "is_cached"),
    [(ON_THE_HUB, IN_FOLDERS, False), *nightly((METRICS, METRICS, True))],
    ids=["by day", "all"],
)
def test_a_bundle_gives_the_same_numbers(bundles, tmp_path, on_the_hub, in_folders, is_cached):
    """A stranger loads it from the folder, from the Hub, and from the cache without a Hub.

    What evaluate keeps in its cache are the files that it got from the Hub, so that only the
    nightly tests start another process to read them.
    """
    samples = {name: spec(name).sample for name in {*on_the_hub, *in_folders}}
    here = {
        name: exactly(evaluate.load(str(ROOT / "metrics" / name)).compute(**sample))
        for name, sample in samples.items()
    }
    folders = {str(bundles[name]): samples[name] for name in in_folders}
    spaces = {f"org/{name}": samples[name] for name in on_the_hub}

    with fake_hub({f"org/{name}": folder for name, folder in bundles.items()}) as endpoint:
        online = as_stranger(STRANGER, folders | spaces, tmp_path, HF_ENDPOINT=endpoint)
    assert all(exactly(online[str(bundles[name])]) == here[name] for name in in_folders)
    assert all(exactly(online[f"org/{name}"]) == here[name] for name in on_the_hub)

    if is_cached:
        offline = {"HF_ENDPOINT": endpoint, "HF_EVALUATE_OFFLINE": "1"}
        cached = as_stranger(STRANGER, spaces, tmp_path, **offline)
        assert all(exactly(cached[f"org/{name}"]) == here[name] for name in on_the_hub)


def changed(before, after):
    """The lines of two texts of equally many that are not the same, in pairs."""
    lines = before.splitlines(), after.splitlines()
    return [(old, new) for old, new in zip(*lines, strict=True) if old != new]


# Some intervals need scipy, which evaluate does not install; prints what says so, or "an interval".
WITHOUT_SCIPY = """
import json, sys

sys.modules["metric_commons"] = sys.modules["scipy"] = None
import evaluate

said = {}
for name, (folder, call) in json.load(sys.stdin).items():
    metric = evaluate.load(folder)
    metric.compute(**call)
    try:
        metric.compute(**call, confidence_level=0.9)
        said[name] = "an interval"
    except ImportError as error:
        said[name] = str(error)
json.dump(said, sys.stdout)
"""


def test_intervals_without_scipy_say_what_to_install(bundles, tmp_path):
    names = ("error_rate", "qa_em", "qa_f1", "regression")
    calls = {name: (str(bundles[name]), spec(name).sample) for name in names}
    said = as_stranger(WITHOUT_SCIPY, calls, tmp_path)

    for name, text in said.items():
        assert text == "an interval" or text.endswith("needs scipy for this: pip install scipy")
        card = (bundles[name] / "README.md").read_text("utf-8")
        assert "intervals need `pip install scipy`" in card.partition("## ")[0]
    assert "scipy" in said["qa_f1"]


def test_bundled_files_differ_only_in_their_imports(bundles):
    package = ROOT / "shared" / "metric_commons"
    sources = {path.name: path for path in package.rglob("[!_]*.py") if is_bundled(path)}

    for name, folder in bundles.items():
        own = {f"{name}.py", "README.md", "index.html", "requirements.txt", MARKER_FILE}
        files = {path.name: path for path in folder.iterdir()}
        card = ROOT / "metrics" / name / "README.md"

        assert own < files.keys()
        published = published_card(card.read_text("utf-8"), "NAMESPACE")
        assert files["README.md"].read_text("utf-8") == published
        for file in files.keys() - own:
            copied = files[file].read_text("utf-8")
            for old, new in changed(sources[file].read_text("utf-8"), copied):
                rooms, stem = re.fullmatch(r" *from (\.\.[\w.]*\.)(\w+) import .*", old).groups()
                assert new == old.replace(f"{rooms}{stem}", f".{stem}")


@pytest.mark.parametrize("name", METRICS)
def test_links_of_a_card_lead_to_pages_of_the_repository(name, bundles):
    homepage = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    pages = f"{homepage['Homepage']}/blob/main/"
    card = (bundles[name] / "README.md").read_text("utf-8")

    targets = [
        link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", without_code(card))
    ]
    assert [link for link in targets if link and not link.startswith("https://")] == []
    for link in targets:
        if link.startswith(pages):
            assert (ROOT / link.removeprefix(pages)).is_file()


def without_code(text):
    return re.sub(r"^```.*?^```|`[^`\n]+`", "", text, flags=re.DOTALL | re.MULTILINE)


def test_a_space_contains_exactly_what_its_module_reaches(bundles):
    bundled = {path.stem for path in bundles["qa_em"].glob("*.py")}

    assert {"answers", "normalizers", "module"} <= bundled
    assert not {"rouge_scores", "significance", "trainer", "runs", "curves"} & bundled


@pytest.mark.parametrize("name", METRICS)
def test_only_the_imports_of_a_script_are_rewritten(name, bundles):
    before = (ROOT / "metrics" / name / f"{name}.py").read_text("utf-8").splitlines()
    after = (bundles[name] / f"{name}.py").read_text("utf-8").splitlines()

    assert {line for line in before if line not in after} == {
        line for line in before if line.startswith("from metric_commons.")
    }
    assert all(line.startswith(("from .", "# ")) for line in after if line not in before)


def test_requirements_are_those_of_the_package_for_a_space_that_reads_no_files(bundles):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    extras = project["optional-dependencies"]
    of_modules = {"instruction_following": extras["languages"], "json_match": extras["schema"]}

    for name, folder in bundles.items():
        required = (folder / "requirements.txt").read_text("utf-8").splitlines()
        expected = [*project["dependencies"], *of_modules.get(name, [])]
        assert sorted([*required, "pyarrow>=21", "tabulate>=0.9"]) == sorted(expected)


OPTIONAL = {
    "rapidfuzz",  # only faster
}


def test_requirements_are_all_that_is_imported(bundles):
    imports = cache(imported)  # of files that bundles share
    for folder in bundles.values():
        lines = (folder / "requirements.txt").read_text("utf-8").splitlines()
        files = [path.read_text("utf-8") for path in folder.glob("*.py")]
        others = set.union(*map(imports, files)) - sys.stdlib_module_names - OPTIONAL

        assert {name for name in others if not name.startswith(".")} <= {
            Requirement(line).name for line in lines
        }


def test_bundling_again_leaves_no_old_file(tmp_path):
    folder = bundle(METRICS[0], tmp_path)
    (folder / "no_longer_used.py").touch()

    assert bundle(METRICS[0], tmp_path) == folder
    assert not (folder / "no_longer_used.py").exists()
    assert list(tmp_path.iterdir()) == [folder]


def test_a_failure_leaves_the_old_bundle(tmp_path, monkeypatch):
    folder = bundle(METRICS[0], tmp_path)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr(bundling, "_PACKAGE", tmp_path)

    with pytest.raises(ValueError, match="is missing"):
        bundle(METRICS[0], tmp_path)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: (folder.mkdir(), (folder / "notes.txt").touch()),
        lambda folder: (folder.mkdir(), (folder / "other.py").touch()),
        lambda folder: (bundle(METRICS[0], folder.parent) / ".git").mkdir(),
        lambda folder: shutil.copytree(ROOT / "metrics" / METRICS[0], folder),
    ],
    ids=["notes", "a script", "a clone of a space", "the source"],
)
def test_only_a_bundle_is_replaced(make, tmp_path):
    make(folder := tmp_path / METRICS[0])
    before = sorted(folder.rglob("*"))

    with pytest.raises(ValueError, match="is in the way"):
        bundle(METRICS[0], tmp_path)
    assert sorted(folder.rglob("*")) == before


def test_an_unknown_name_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no_such_metric"):
        bundle("no_such_metric", tmp_path / "spaces")
    assert not list(tmp_path.iterdir())


# Toy packages: what is bundled, and what is refused.

ANSWERS = "from ...numbers.ratios import divide\n"


def build(tmp_path, script, **files):
    """The files of a bundle of a toy script, over files named room_subroom_stem."""
    for name, text in {"text_answers_answers": ANSWERS, "numbers_ratios": "", **files}.items():
        path = tmp_path / (name if name.endswith("__init__") else name.replace("_", "/"))
        path = path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")
    home = tmp_path / "toy"
    home.mkdir()
    (home / "toy.py").write_text(script, "utf-8")
    (home / "README.md").touch()
    space = tmp_path / "space"
    bundling._write(space, script=home / "toy.py", package=tmp_path, summary="Toys & co.")
    return {path.name: path.read_text("utf-8") for path in space.iterdir()}


def test_the_script_names_everything_it_reaches(tmp_path):
    files = build(
        tmp_path,
        '"""Toys.\n\nfrom metric_commons.text.answers.answers import never\n"""\n\n'
        "import evaluate\n\n"
        "from metric_commons.text.answers.answers import (\n    exact,\n    f1,\n)\n"
        "\n\nVALUE = 1\n",
    )

    assert files["toy.py"] == (
        '"""Toys.\n\nfrom metric_commons.text.answers.answers import never\n"""\n\n'
        "import evaluate\n\n"
        "from .answers import (\n    exact,\n    f1,\n)\n"
        "\n# Used by these files: evaluate copies only the files that this script names.\n"
        "from .ratios import __name__ as _ratios\n\n\nVALUE = 1\n"
    )
    assert files["answers.py"] == "from .ratios import divide\n"
    assert "<p>Toys &amp; co. " in files["index.html"]


def test_lazy_and_typing_imports_are_bundled(tmp_path):
    files = build(
        tmp_path,
        "from metric_commons.text.answers.answers import f1\n",
        text_answers_answers="""\
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from .tokens import Tokens
            def f1():
                from ...numbers.ratios import divide
        """,
        text_answers_tokens="from ...numbers.ratios import divide\n",
        text_answers_unused="",
    )

    assert {"answers.py", "tokens.py", "ratios.py"} < files.keys()
    assert "    from .ratios import divide" in files["answers.py"].splitlines()
    assert "unused.py" not in files


def test_what_a_script_names_follows_all_of_its_imports(tmp_path):
    lines = build(
        tmp_path,
        "from metric_commons.text.answers.answers import f1\n"
        "from metric_commons.text.answers.tokens import words\n",
        text_answers_tokens="",
    )["toy.py"].splitlines()

    assert lines[:2] == ["from .answers import f1", "from .tokens import words"]
    assert lines[-1] == "from .ratios import __name__ as _ratios"


def test_public_names_are_imported_from_their_files(tmp_path):
    files = build(
        tmp_path,
        "from metric_commons.base import divide as ratio\n"
        "from metric_commons.text import (\n    f1,\n    recall,\n)\n",
        base="from .lazy import resolver\nfrom .numbers.ratios import divide\n",
        **{"text/__init__": "from .answers.answers import f1, recall\n"},
    )

    assert files["toy.py"].splitlines()[:3] == [
        "from .ratios import divide as ratio",
        "from .answers import f1",
        "from .answers import recall",
    ]


def test_files_of_one_name_are_noticed_however_deep_they_are(tmp_path):
    with pytest.raises(ValueError, match="have the same name"):
        build(
            tmp_path,
            f"{FROM_ANSWERS}\n",
            text_answers_answers="from ..aside.tokens import a\nfrom ...numbers.ratios import b\n",
            text_aside_tokens="from ...data.ratios import c\n",
            data_ratios="",
        )


def test_a_published_card_loads_modules_from_the_hub():
    card = published_card(
        ">>> import metric_commons\n"
        ">>> # in a clone also: from here\n"
        '>>> one = metric_commons.load("toy")\n'
        '>>> two = metric_commons.load(\n...     "toy", size=2\n... )\n'
        '>>> evaluate.load("./metrics/toy"), evaluate.load("./metrics/toy")\n',
        "acme",
    )

    assert card == (
        ">>> import evaluate\n"
        '>>> one = evaluate.load("acme/toy")\n'
        '>>> two = evaluate.load(\n...     "acme/toy", size=2\n... )\n'
        '>>> evaluate.load("acme/toy"), evaluate.load("acme/toy")\n'
    )


def test_a_bundle_says_what_runs_it(tmp_path):
    folder = bundle("qa_em", tmp_path)
    front_matter = (folder / "README.md").read_text("utf-8").split("---\n")[1].splitlines()

    assert "sdk: static" in front_matter
    assert not any(b"\r" in path.read_bytes() for path in folder.iterdir())


FROM_ANSWERS = "from metric_commons.text.answers.answers import f1"


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        (f"{FROM_ANSWERS}  # noqa\n", "misread"),
        ("from metric_commons.text.answers.answers import (  # all\n    f1,\n)\n", "misread"),
        (f'# """\n{FROM_ANSWERS}\n', "misread"),
        ("import math, os\n", "misread"),
        ("if True:\n    import math\n", "misread"),
        ("TEXT = '''\nimport nothing\n'''\n", "misread"),
        ("import metric_commons.text.answers.answers\n", "line 1: a script imports"),
        ("import metric_commons\n", "line 1: a script imports"),
        ("from metric_commons import answers\n", "line 1: a script imports"),
        ("from metric_commons.text.answers import answers\n", "answers.py is missing; whole rooms"),
        ("\nfrom .answers import f1\n", "line 2: a script imports"),
        ("from . import answers\n", "line 1: a script imports"),
        (f"if True:\n    {FROM_ANSWERS}\n", "line 2: a script imports"),
        (f"import math; {FROM_ANSWERS}\n", "line 1: a script imports"),
        ("from metric_commons.text.answers.nothing import f1\n", "answers/nothing.py is missing"),
        ("from metric_commons.text import rouge\n", r"metric_commons\.text has no public name"),
        ("from metric_commons.text.answers.toy import f1\n", "with its own name"),
    ],
)
def test_a_script_that_evaluate_could_not_load_is_refused(script, cause, tmp_path):
    with pytest.raises(ValueError, match=cause):
        build(tmp_path, script, text_answers_toy="", **{"text/__init__": ""})


@by_table("answers, cause")
def test_a_file_that_cannot_be_bundled_is_refused(answers, cause, tmp_path):
    with pytest.raises(ValueError, match=cause):
        build(tmp_path, f"{FROM_ANSWERS}\n", text_answers_answers=answers, text_answers_ratios="")
