"""The recipes of the guide for other frameworks are short, and return what `compute` does."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from metric_commons import load
from tests.spec import PATIENCE, ROOT

pytestmark = pytest.mark.processes

GUIDE = (ROOT / "docs/guides/scale.md").read_text("utf-8")
RECIPES = {
    block.split()[1].partition(".")[0]: block
    for block in re.findall(r"^```python\n(?!>>>)(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
}
ROWS = list(map(json.loads, (ROOT / "examples/nq_open.jsonl").read_bytes().splitlines()))
PRINTED = "\nif __name__ == '__main__':\n    import json; print(json.dumps({}))\n"
ENVIRONMENT = {
    "DASK_SCHEDULER": "processes",
    "DASK_MULTIPROCESSING__CONTEXT": "fork",
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
}


def expected():
    return load("qa_f1").compute(
        predictions=[row["dpr"] for row in ROWS],
        references=[row["answers"] for row in ROWS],
        confidence_level=0.95,
    )


def printed(tmp_path, recipe, result):
    """What a program prints that has the result of a recipe."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "recipe.py").write_text(recipe + PRINTED.format(result), "utf-8")
    done = subprocess.run(
        [sys.executable, "recipe.py"],
        cwd=tmp_path,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["datasets", "ray", "dask"])
def test_a_recipe_is_short(name):
    lines = [line for line in RECIPES[name].splitlines() if line.strip()]

    assert len(lines) <= 10
    assert max(map(len, lines)) <= 100


def test_a_stream_is_read_by_shards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    for name, rows in (("first", ROWS[:250]), ("second", ROWS[250:])):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "build" / f"{name}.jsonl").write_text(text)
    names = {"__name__": "__main__"}
    exec(RECIPES["datasets"], names)

    assert names["results"]["dpr"]["qa_f1"]["qa_f1"] == expected()["qa_f1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ray", "dask"])
def test_a_recipe_returns_what_compute_does(tmp_path, name):
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed: pip install --group recipes")
    found = printed(tmp_path, RECIPES[name], "total.result(confidence_level=0.95)")

    assert found == expected()
