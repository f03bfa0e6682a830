"""What README and the pages of the site show runs in a clone, and prints what they say."""

import doctest
import re
import shlex
import shutil
import subprocess

import pytest

from metric_commons.__main__ import main
from tests.spec import ROOT

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
            status = main(shlex.split(line, comments=True)[1:])
            printed, error = capsys.readouterr()
            assert (line, status) == (line, 0), error
        else:
            run = subprocess.run(line, shell=True, check=True, capture_output=True, text=True)
            printed = run.stdout
        if said is not None:
            shown = [text.rstrip() for text in printed.splitlines()]
            assert shown == said.splitlines()

    outcome = doctest.testfile(str(ROOT / page), module_relative=False, verbose=False)
    assert outcome.failed == 0, capsys.readouterr().out


def test_the_main_page_is_short():
    of_modules = TEXTS["README.md"].count("](metrics/")
    assert TEXTS["README.md"].count("\n") - of_modules < 180


def test_the_pages_show_much():
    assert sum(len(list(commands(text))) for text in TEXTS.values()) > 35
    assert sum(text.count(">>> ") for text in TEXTS.values()) > 60


@pytest.mark.parametrize("page", TEXTS)
def test_a_block_says_what_it_is(page):
    kinds = set(re.findall(r"^```(\S*)\n(?:.*?)^```", TEXTS[page], re.DOTALL | re.MULTILINE))

    assert kinds <= FENCES
