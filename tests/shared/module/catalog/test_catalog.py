import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import metric_commons
from metric_commons.module.catalog import catalog
from tests.spec import PATIENCE

ROOT = Path(__file__).parents[4]


def test_a_module_is_a_folder_with_a_script_of_its_name(monkeypatch, tmp_path):
    monkeypatch.setattr(catalog, "_FOLDER", tmp_path)
    for file in ("b/b.py", "a/a.py", "notes/other.py", "loose.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text('"""What it measures.\n\nMore."""\n')

    assert catalog.names() == ["a", "b"]
    assert catalog.path("a") == tmp_path / "a"
    assert catalog.summary("a") == "What it measures."


def test_a_package_in_a_zip_says_that_it_must_be_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(catalog, "_FOLDER", tmp_path / "packages.zip" / "metrics")
    with pytest.raises(ValueError, match=r"no modules in .*metrics: install metric-commons"):
        catalog.path("qa_em")


def test_a_checkout_has_its_own_modules():
    assert catalog.path("qa_em") == ROOT / "metrics" / "qa_em"
    assert set(metric_commons.names()) == {p.parent.name for p in ROOT.glob("metrics/*/*.py")}


def test_settings_become_defaults():
    lower = metric_commons.load("qa_em", normalizer="lower")

    assert lower.options["normalizer"] == "lower"
    assert lower.compute(predictions=["The cat"], references=["cat"]) == {"qa_em": 0.0}


@pytest.mark.parametrize("find", [catalog.path, catalog.summary, metric_commons.load])
def test_an_unknown_module_is_an_error_that_knows_better(find):
    with pytest.raises(ValueError, match="there is no module 'qa_fi'; did you mean 'qa_f1'"):
        find("qa_fi")
    with pytest.raises(ValueError, match=r"there is no module 'zzz'; the modules are .*qa_f1"):
        find("zzz")


@pytest.mark.processes
def test_an_installed_wheel_carries_its_modules(tmp_path):
    package = tmp_path / "site" / "metric_commons"
    shutil.copytree(ROOT / "shared" / "metric_commons", package)
    shutil.copytree(ROOT / "metrics", package / "metrics")
    program = (
        "import metric_commons as m, metric_commons.module.catalog.catalog as c;"
        "print(c.path('qa_em'));"
        "print(m.load('qa_em').compute(predictions=['a'], references=['A']))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )

    assert run.stdout.splitlines() == [str(package / "metrics" / "qa_em"), "{'qa_em': 1.0}"]
