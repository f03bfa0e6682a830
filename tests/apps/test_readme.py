"""What the main page shows runs in a clone, and prints what the page says."""

import doctest
import re
import shlex
import shutil
import subprocess

import pytest

from metric_commons.__main__ import main
from tests.spec import ROOT

README = (ROOT / "README.md").read_text("utf-8")
SHELL = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
    if not line.startswith("make ")
]
SHOWN = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def in_a_clone(monkeypatch, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def test_the_examples_of_the_main_page_run(monkeypatch):
    monkeypatch.chdir(ROOT)

    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False)

    assert outcome.attempted > 5
    assert outcome.failed == 0


def test_the_commands_of_the_main_page_run(in_a_clone, capsys):
    assert len(SHELL) > 10
    for line in SHELL:
        if line.startswith("metric-commons "):
            status = main(shlex.split(line, comments=True)[1:])
            assert (line, status) == (line, 0), capsys.readouterr().err
        else:
            subprocess.run(line, shell=True, check=True)


@pytest.mark.parametrize(("command", "said"), SHOWN)
def test_a_command_prints_what_the_page_says(in_a_clone, capsys, command, said):
    assert main(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr().out
    assert [line.rstrip() for line in printed.splitlines()] == said.splitlines()
