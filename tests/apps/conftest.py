import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from tqdm import std

from metric_commons.__main__ import main
from tests.spec import PATIENCE, ROOT


@pytest.fixture(autouse=True)
def _the_same_environment():
    """`datasets` puts a copy of the environment in its place."""
    environment = os.environ
    yield
    os.environ = environment  # noqa: B003


@pytest.fixture
def run_for_a_while():
    """Runs a program that draws new input until its time is over; its table is printed."""

    def run(program, seconds):
        done = subprocess.run(
            [sys.executable, "-m", program, seconds],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout)  # noqa: T201
        return done

    return run


class Clock:
    """A clock that moves only when it is told to."""

    def __init__(self):
        self.now = time.time()

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The clock of progress bars: they show when work takes long, but not because of the machine.

    Processes that a test starts show none.
    """
    clock = Clock()
    monkeypatch.setattr(std, "time", clock)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    return clock


_ASIDES = ("wrote ", "new folder ", "warning: --")


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder: its exit status, stdout and stderr.

    The lines on stderr about files that were written and about old names of options, and the word
    "error:" before messages, are left out; test_messages.py has those.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        status = main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        lines = err.splitlines(keepends=True)
        others = [line for line in lines if not line.startswith(_ASIDES)]
        return status, out, "".join(line.removeprefix("error: ") for line in others)

    return run


@pytest.fixture
def refused(run):
    """Run the command and return its exit status and the one line that it has to say."""

    def refused(*arguments):
        before = sorted(Path.cwd().rglob("*"))
        status, out, err = run(*arguments)
        assert out == ""
        assert err.endswith("\n")
        assert err.count("\n") == 1
        assert sorted(Path.cwd().rglob("*")) == before, "nothing may be left behind"
        return status, err.rstrip("\n")

    return refused


@pytest.fixture
def interrupted(tmp_path):
    """Interrupt a command that waits for more of a pipe: its exit status, stdout and stderr.

    Earlier, while it imports something, Python may lose an interrupt.
    """

    def interrupted(path, *arguments):
        program = "import sys; from metric_commons.__main__ import main; sys.exit(main())"
        process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # What a shell runs in the background ignores interrupts, and so do tests there.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        with path.open("wb", buffering=0) as pipe:  # waits until the command opens it, too
            pipe.write(b"\n")
            while int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder):
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    return interrupted
