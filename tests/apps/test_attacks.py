"""Races, interrupts and control characters: a few turns of each; nightly for some time."""

import asyncio
import os
import random
import signal
import subprocess
import sys

import pytest

from metric_commons.apps.mcp.roots import CallContext, Roots
from metric_commons.apps.mcp.server import Calls, _end_at_an_interrupt
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


def test_a_server_that_was_started_to_ignore_interrupts_does_so():
    earlier = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _end_at_an_interrupt(None)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, earlier)


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
def roots(tmp_path):
    """A root with a file, in a folder that has a secret."""
    (tmp_path / "root" / "folder").mkdir(parents=True)
    (tmp_path / "root" / "folder" / "file").write_text("public")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("secret")
    return Roots([tmp_path / "root"])


@pytest.mark.parametrize("name", ["folder", "folder/file"])
def test_a_link_that_appears_after_a_path_was_resolved_is_not_followed(roots, name, monkeypatch):
    root = roots.first
    resolved = roots._resolved("path", "folder/file")
    monkeypatch.setattr(roots, "_resolved", lambda *_: resolved)
    (root / name).rename(root / "kept")
    outside = root.parent / "outside"
    (root / name).symlink_to(outside if name == "folder" else outside / "file")

    with pytest.raises(OSError, match=r"folder.file"):
        roots.opened(root / "folder" / "file")
    if name == "folder":
        with pytest.raises(OSError, match=r"folder.file"):
            roots.target(root / "folder" / "file")


def test_a_file_that_was_replaced_by_a_link_meanwhile_is_resolved_again(roots, monkeypatch):
    root, resolve = roots.first, roots._resolved
    first = [resolve("path", "folder/file")]
    (root / "other").write_text("other")
    (root / "folder" / "file").unlink()
    (root / "folder" / "file").symlink_to(root / "other")
    monkeypatch.setattr(roots, "_resolved", lambda *a: first.pop() if first else resolve(*a))

    with roots.opened(root / "folder" / "file") as file:
        assert file.read() == b"other"


def test_a_root_that_was_replaced_is_refused(roots):
    roots.first.rename(roots.first.with_name("moved"))
    roots.first.symlink_to(roots.first.with_name("outside"))

    with pytest.raises(ValueError, match=r"was replaced; start the server again"):
        roots._roots[0].open()


def test_everything_that_is_opened_is_limited_to_the_roots(roots):
    outside = roots.first.parent / "outside"
    (roots.first / "link").symlink_to(outside / "file")
    (roots.first / "inside").symlink_to(roots.first / "folder")
    with limited_to(roots):
        for path in (outside / "file", roots.first / "link", "../outside/file"):
            with pytest.raises(ValueError, match="leads outside"):
                open_file(path)
            with pytest.raises(ValueError, match="leads outside"):
                write_whole(path, ["x"])
        with open_file("inside/file") as file:
            assert file.read() == b"public"
        write_whole("inside/new/file", ["new"])
    with open_file(outside / "file") as file:
        assert file.read() == b"secret"

    assert (roots.first / "folder" / "new" / "file").read_text() == "new"


@pytest.mark.parametrize("name", ["a\nb.json", "\x1b[2J.json"])
def test_a_tool_refuses_to_save_under_a_name_with_control_characters(roots, name):
    with pytest.raises(ValueError, match="has control characters"):
        roots.to_write("save_path", name)


def test_a_message_about_an_argument_has_no_control_characters(roots):
    answer = asyncio.run(Calls(CallContext(roots), None).answer("\x1b[2J\n", {}, None))

    assert answer.content[0].text.isprintable()


@pytest.mark.slow
def test_all_attacks_for_a_while(run_for_a_while):
    done = run_for_a_while("tests.apps.attacks", os.environ.get("ATTACK_SECONDS", "10"))

    assert done.returncode == 0, done.stderr
