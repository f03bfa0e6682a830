"""Races, interrupts and control characters: a few turns of each; nightly for some time."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from metric_commons.apps.mcp.root import Root
from metric_commons.apps.mcp.schemas import call
from metric_commons.apps.mcp.server import message
from metric_commons.apps.mcp.tools import CallContext
from metric_commons.data.files.access import limited_to, open_file
from metric_commons.data.files.stored import write_whole
from tests.apps import attacks
from tests.spec import PATIENCE, ROOT

pytestmark = pytest.mark.processes


@pytest.mark.parametrize("attack", [attacks.races_of_reading, attacks.races_of_writing])
def test_no_race_leads_outside_the_roots(monkeypatch, tmp_path, attack):
    monkeypatch.chdir(tmp_path)
    counts = attacks.counts_of(attack, range(60), random.Random(attack.__name__))

    assert counts["done"]
    assert counts["wrong"] == 0


@pytest.mark.parametrize("attack", [attacks.controls_in_tools, attacks.controls_in_commands])
def test_no_control_character_reaches_a_terminal_or_a_file_name(monkeypatch, tmp_path, attack):
    monkeypatch.chdir(tmp_path)
    counts = attacks.counts_of(attack, range(60), random.Random(attack.__name__))

    assert counts["refused"]
    assert counts["wrong"] == 0


@pytest.mark.parametrize(("calls", "on_terminal"), [(0, False), (1, True)])
def test_an_interrupt_ends_a_server_and_its_calls(tmp_path, calls, on_terminal):
    attacks.write_files(tmp_path)
    status, _, said, left = attacks.interrupted_server(tmp_path, calls, on_terminal)

    assert (status, said, left) == (130, "interrupted\n", [])


@pytest.mark.parametrize("delay", [0.05, 0.3])
def test_an_interrupt_while_a_command_is_imported_is_130(tmp_path, delay):
    attacks.write_files(tmp_path)
    interrupted = attacks.interrupted_command(tmp_path, attacks.INTERRUPTED["score"], delay)

    assert attacks.is_interrupted(*interrupted)


@pytest.mark.parametrize("command", ["--help", "list"])
def test_a_reader_that_has_read_enough_does_not_fail_a_command(command):
    reader, writer = os.pipe()
    os.close(reader)
    program = "import sys; from metric_commons.__main__ import process; sys.exit(process())"
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-c", program, command],
            stdout=closed,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            timeout=PATIENCE,
        )

    assert (done.returncode, done.stderr) == (0, b"")


# What a race would have to meet, one moment after the other


@pytest.fixture
def root(tmp_path):
    """A root with a file, in a folder that has a secret."""
    (tmp_path / "root" / "folder").mkdir(parents=True)
    (tmp_path / "root" / "folder" / "file").write_text("public")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("secret")
    return Root(tmp_path / "root")


@pytest.mark.parametrize("name", ["folder", "folder/file"])
def test_a_link_that_appears_after_a_path_was_checked_is_not_followed(root, name):
    outside = root.folder.parent / "outside"
    path = root.confined({"path": Path}, {"path": "folder/file"})["path"]
    (root.folder / name).rename(root.folder / "kept")
    (root.folder / name).symlink_to(outside if name == "folder" else outside / "file")

    with pytest.raises(ValueError, match="leads outside"):
        root.opened(path)
    with pytest.raises(ValueError, match="leads outside"):
        root.target(path)


def test_everything_that_is_opened_is_below_the_root(root):
    outside = root.folder.parent / "outside"
    (root.folder / "link").symlink_to(outside / "file")
    (root.folder / "inside").symlink_to(root.folder / "folder")
    with limited_to(root):
        for path in (outside / "file", root.folder / "link", "../outside/file"):
            with pytest.raises(ValueError, match="leads outside"):
                open_file(path)
            with pytest.raises(ValueError, match="leads outside"):
                write_whole(path, ["x"])
        with open_file("inside/file") as file:
            assert file.read() == b"public"
        write_whole("inside/new/file", ["new"])
    with open_file(outside / "file") as file:
        assert file.read() == b"secret"

    assert (root.folder / "folder" / "new" / "file").read_text() == "new"


@pytest.mark.parametrize("name", ["a\nb.json", "\x1b[2J.json"])
def test_a_tool_refuses_to_save_under_a_name_with_control_characters(root, name):
    answers = {"pred_ls": ["a"], "gt_ls": [["a"]], "save_path": name}
    with pytest.raises(ValueError, match="must be a path"):
        call(CallContext(root), "evaluate", answers)


def test_a_message_about_an_argument_has_no_control_characters(root):
    with pytest.raises(ValueError, match="unknown tool") as refused:
        call(CallContext(root), "\x1b[2J\n", {})

    assert message(refused.value).isprintable()


@pytest.mark.slow
def test_all_attacks_for_a_while(run_for_a_while):
    done = run_for_a_while("tests.apps.attacks", os.environ.get("ATTACK_SECONDS", "60"))

    assert done.returncode == 0, done.stderr
