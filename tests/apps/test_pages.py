"""What README and the pages of the site show runs in a clone, and prints what they say."""

import doctest
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import evaluate
import pytest
import yaml

from metric_commons.__main__ import main
from tests.spec import METRICS, ROOT

pytestmark = pytest.mark.processes

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if page.parent.name != "tables"]
TEXTS = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in PAGES}
FENCES = {"sh", "console", "python", "json", "text", "yaml", "bibtex", "mermaid"}


@pytest.fixture
def in_a_clone(monkeypatch, tmp_path):
    """A folder with what the pages use of a clone."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "metrics").symlink_to(ROOT / "metrics")
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def commands(text):
    """The lines of shell blocks, those of console blocks with what they print."""
    for kind, block in re.findall(r"^```(sh|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if kind == "sh":
            for line in block.replace("\\\n", " ").splitlines():
                if not line.startswith("make "):
                    yield line, None
        else:
            assert block.startswith("$ ")
            command, _, printed = block[2:].replace("\\\n", " ").partition("\n")
            yield command, printed


@pytest.mark.parametrize("page", TEXTS)
def test_what_a_page_shows_runs_and_prints_what_it_says(page, in_a_clone, capsys):
    for line, said in commands(TEXTS[page]):
        if line.startswith("metric-commons "):
            command, _, target = line.partition(" > ")
            status = main(shlex.split(command, comments=True)[1:])
            printed, error = capsys.readouterr()
            assert (line, status) == (line, 0), error
            if target:
                Path(target).write_text(printed)
        else:
            run = subprocess.run(line, shell=True, check=True, capture_output=True, text=True)
            printed = run.stdout
        if said is not None:
            shown = [text.rstrip() for text in printed.splitlines()]
            assert shown == said.splitlines()

    outcome = doctest.testfile(str(ROOT / page), module_relative=False, verbose=False)
    assert outcome.failed == 0, capsys.readouterr().out


def test_the_recipe_for_ci_passes_and_fails_as_it_says(in_a_clone, capsys):
    text = TEXTS["docs/guides/ci.md"]
    (recipe,) = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    steps = [step.get("run", "") for step in yaml.safe_load(recipe)["jobs"]["gate"]["steps"]]
    ours = [shlex.split(step)[1:] for step in steps if step.startswith("metric-commons ")]
    baseline, *_ = (line for line, _ in commands(text))
    assert main(shlex.split(baseline.replace("build/", ""))[1:]) == 0
    lines = Path("examples/nq_open.jsonl").read_text("utf-8").splitlines()
    statuses = []
    for system in ("emdr2", "dpr"):
        rows = [json.loads(line) for line in lines]
        answers = [{"prediction": row[system], "answers": row["answers"]} for row in rows]
        Path("answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
        statuses.append([main(step) for step in ours])
    assert statuses == [[0, 0], [0, 4]]
    assert capsys.readouterr().out


def test_the_whole_script_for_contributors_is_a_module(tmp_path):
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    (script,) = re.findall(r'^```python\n(""".*?)^```', text, re.DOTALL | re.MULTILINE)
    folder = tmp_path / "token_jaccard"
    folder.mkdir()
    (folder / "token_jaccard.py").write_text(script)
    module = evaluate.load(str(folder))
    rows = {"predictions": ["a b", "c"], "references": ["B c", "c"]}

    assert module.compute(**rows) == {"token_jaccard": (1 / 3 + 1) / 2}
    assert module.compute(**rows, lower=False) == {"token_jaccard": 0.5}
    assert module.compute(**rows, per_example=True)["per_example"] == {
        "token_jaccard": [1 / 3, 1.0]
    }


def test_the_main_page_counts_the_tests_of_seqeval_as_the_table_does():
    row, _ = re.findall(r"^\| seqeval \|.*$", TEXTS["docs/conformance.md"], re.MULTILINE)
    cases, equal, by_design, unsupported = [cell.strip() for cell in row.split("|")[5:9]]

    assert (
        f"of its {cases} tests {equal} pass with ours, {by_design} differ by design "
        f"and {unsupported} are not supported"
    ) in TEXTS["README.md"]


def test_the_overview_names_modules():
    linked = set(re.findall(r"\]\(modules/(\w+)\.md\)", TEXTS["docs/which.md"]))

    assert linked <= set(METRICS)


def test_the_main_page_is_short():
    lines = TEXTS["README.md"].splitlines()

    assert len(lines) <= 180
    assert "$ metric-commons score" in "\n".join(lines[:15])  # what one gets comes first


def test_the_pages_show_much():
    assert sum(len(list(commands(text))) for text in TEXTS.values()) > 35
    assert sum(text.count(">>> ") for text in TEXTS.values()) > 60


@pytest.mark.parametrize("page", TEXTS)
def test_a_block_says_what_it_is(page):
    kinds = set(re.findall(r"^```(\S*)\n(?:.*?)^```", TEXTS[page], re.DOTALL | re.MULTILINE))

    assert kinds <= FENCES
