"""Attacks from outside a process: races, interrupts, and names with control characters.

Run in a clone as `python -m tests.apps.attacks [SECONDS] [SEED]`, which prints a table.
"""

import contextlib
import fcntl
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import tty
from collections import Counter
from functools import cache
from itertools import count
from pathlib import Path

from metric_commons.__main__ import main as command
from metric_commons.__main__ import program
from metric_commons.apps.mcp.root import Root
from metric_commons.apps.mcp.schemas import call, parameters
from metric_commons.apps.mcp.server import message
from metric_commons.apps.mcp.tools import CallContext
from metric_commons.evaluation.scoring.scoring import score
from tests.apps.probes import CALLS, JSON_LINES, QRELS, RUN, print_table
from tests.apps.server_session import LONG, children, is_running, write_files
from tests.spec import PATIENCE, ROOT
from tests.tables import tabled

PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
ENDS_WITHIN = 1.0  # seconds from an interrupt to the end of a server, on a machine that is not busy
CONTROLS = ["a\x1b[2Jb", "a\nb", "a\rb", "\x07", "a\x9bb", "a\x7fb", "a\u2028b", "\u202eabc"]


def turns_of(seconds):
    """The numbers of turns, until the time is over; six at least."""
    end = time.monotonic() + seconds
    for turn in count():
        if turn >= 6 and time.monotonic() > end:
            return
        yield turn


def counts_of(attack, turns, dice):
    """How many turns of an attack were tried, done, refused, and wrong.

    Args:
        attack: of a folder and dice, while it lasts, a function that is called for each turn.
    """
    counts = Counter()
    with tempfile.TemporaryDirectory() as folder, attack(Path(folder), dice) as turn:
        for number in turns:
            counts.update(["tried", turn(number)])
    return counts


# Races: another process replaces files and folders by links that lead outside, and back.

PUBLIC = '{"a": "x", "b": "x", "g": "public"}\n'
SECRET = '{"a": "x", "b": "y", "g": "secret"}\n'
FILE = {"path": "rows.jsonl", "predictions": "a", "references": "b", "groups": "g"}
READING = {
    "evaluate_file": FILE | {"modules": ["qa_em"]},
    "evaluate_trec": {"run_path": "run", "qrels_path": "folder/qrels", "metrics": ["map"]},
    "compare_files": {"paths": ["folder/saved.json", "folder/saved.json"]},
    "report": {"path": "folder/saved.json", "save_path": "page.html"},
}
INSIDE_MAP = 0.75  # of QRELS and RUN


def _write_place(folder, rows, qrels, system):
    folder.mkdir(parents=True)
    (folder / "rows.jsonl").write_text(rows)
    (folder / "run").write_text(RUN)
    (folder / "folder").mkdir()
    (folder / "folder" / "qrels").write_text(qrels)
    results = score("qa_em", predictions={system: ["x"]}, references=["x"], rows=True)
    results = results.save_rows(folder / "folder" / "saved.rows.jsonl")
    results.save(folder / "folder" / "saved.json")


# Makes each name a link that leads outside, and then the file or folder that it was.
ALTERNATE = """
import itertools, os, sys
root, outside, *names = sys.argv[1:]
os.chdir(root)
numbers = itertools.count()

def move(old, new):
    while True:
        try:
            return os.rename(old, new)
        except OSError:  # somebody has created a folder in the meantime
            os.rename(new, new + str(next(numbers)))

while True:
    for name in names:
        os.symlink(os.path.join(outside, name), name + ".new")
        move(name, name + ".kept")
        move(name + ".new", name)
        move(name, name + ".new")
        os.unlink(name + ".new")
        move(name + ".kept", name)
"""


@contextlib.contextmanager
def alternating(root, outside, names):
    """Another process replaces names in a folder by links that lead outside, and back."""
    words = [sys.executable, "-I", "-S", "-c", ALTERNATE, str(root), str(outside), *names]
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    try:
        yield
        assert process.poll() is None, process.stderr.read()
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def races_of_reading(place, dice):
    """Calls that read files while these become links that lead outside, and files again."""
    root, outside = place / "root", place / "outside"
    _write_place(root, PUBLIC, QRELS, "public")
    _write_place(outside, SECRET, QRELS.replace("a 1", "b 1").replace("b 0", "a 0"), "secret")
    context = CallContext(Root(root))

    def turn(_):
        tool = dice.choice([*READING])
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                answer = json.loads(call(context, tool, READING[tool]))
        except (ValueError, OSError):
            return "refused"
        if tool == "evaluate_trec":
            return "done" if answer["eval_res"]["map"] == INSIDE_MAP else "wrong"
        is_page = tool == "report"
        text = Path(answer["saved_to"]).read_text("utf-8") if is_page else json.dumps(answer)
        return "wrong" if "secret" in text else "done"

    with alternating(root, outside, ["rows.jsonl", "folder"]):
        yield turn


@contextlib.contextmanager
def races_of_writing(place, dice):
    """Calls that write files while their folder becomes a link that leads outside, and back."""
    root, outside = place / "root", place / "outside"
    for folder in (root / "out", outside / "out"):
        folder.mkdir(parents=True)
    context = CallContext(Root(root))
    answers = {"pred_ls": ["x"], "gt_ls": [["x"]], "metrics": ["em"]}

    def turn(_):
        path = dice.choice(["out/x.json", "out/new/x.json"])
        result = "done"
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                call(context, "evaluate", answers | {"save_path": path})
        except (ValueError, OSError):
            result = "refused"
        is_file = map(Path.is_file, (outside / "out").rglob("*"))
        return "wrong" if any(is_file) else result

    with alternating(root, outside, ["out"]):
        yield turn


# Interrupts


def server_process(folder, terminal=None):
    """A server, which an interrupt may end; `terminal` is its stdin, if it has one."""

    def in_child():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if terminal is not None:
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    words = [sys.executable, "-m", "metric_commons", "mcp", "--root", str(folder)]
    stdin = subprocess.PIPE if terminal is None else terminal
    return subprocess.Popen(words, stdin=stdin, **PIPES, cwd=ROOT, preexec_fn=in_child)


def open_terminal():
    """Both ends of a terminal that passes lines on unchanged, and Ctrl-C as an interrupt."""
    ours, terminal = os.openpty()
    tty.setraw(terminal)
    settings = termios.tcgetattr(terminal)
    settings[3] |= termios.ISIG
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    return ours, terminal


def interrupted_server(folder, calls, on_terminal):
    """Interrupt a server with open calls: its status, seconds, stderr, and remaining processes."""
    ours, terminal = open_terminal() if on_terminal else (None, None)
    server = server_process(folder, terminal)
    stdin = server.stdin.fileno() if ours is None else ours

    def send(**fields):
        os.write(stdin, json.dumps({"jsonrpc": "2.0", **fields}).encode() + b"\n")

    about = {"name": "attacks", "version": "1"}
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    send(id=0, method="initialize", params=begin)
    server.stdout.readline()
    send(method="notifications/initialized")
    for number in range(calls):
        asked = {"name": "evaluate_file", "arguments": LONG}
        send(id=number + 1, method="tools/call", params=asked)

    def processes():
        return children(server.pid)

    end = time.monotonic() + PATIENCE
    while len(processes()) < calls + 1:
        assert time.monotonic() < end, "the calls did not begin"
        time.sleep(0.01)
    started, begun = processes(), time.monotonic()
    if ours is None:
        server.send_signal(signal.SIGINT)
    else:
        os.write(ours, b"\x03")
    try:
        status = server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        status = "hung"
    seconds = time.monotonic() - begun
    for descriptor in filter(None, (ours, terminal)):
        os.close(descriptor)
    with server:
        said = server.stderr.read().decode()
    end = time.monotonic() + PATIENCE  # the system may take a moment to end a process
    while any(map(is_running, started)) and time.monotonic() < end:
        time.sleep(0.01)
    return status, seconds, said, [*filter(is_running, started)]


@contextlib.contextmanager
def interrupts_of_servers(folder, _):
    """Servers that are interrupted, on a terminal and on pipes, with 0, 1 and 3 open calls."""
    kinds = [(calls, on_terminal) for on_terminal in (False, True) for calls in (0, 1, 3)]
    write_files(folder)

    def turn(number):
        status, took, said, left = interrupted_server(folder, *kinds[number % len(kinds)])
        if (status, said, left) == (130, "interrupted\n", []) and took < ENDS_WITHIN:
            return "done"
        return wrong("interrupts of servers", f"{status} {took:.2f} s {said!r} {left}")

    yield turn


# Says so as soon as Python has started and is about to import the command.
STARTED = (
    "import os; os.write(1, b'x'); from metric_commons.__main__ import process; import sys; "
    "sys.exit(process())"
)


def interrupted_command(folder, arguments, seconds):
    """Interrupt a command after this time: its status and what it said."""
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED, *arguments],
        cwd=folder,
        stdin=subprocess.PIPE,
        **PIPES,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        process.stdout.read(1)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return "hung", ""
        return process.returncode, process.stderr.read().decode()


def is_interrupted(status, said):
    """Whether a command ended as an interrupted one does, or was faster than the interrupt.

    Before it imports the command, and after its last line, Python lets the system end the process,
    which a shell shows as 130, too; before, it shows a traceback without a line of the command.
    """
    if "Traceback" in said:
        return status == -signal.SIGINT and "metric_commons" not in said
    last_line = said.splitlines()[-1] if said else ""
    if status == -signal.SIGINT and last_line.startswith("wrote "):
        return True  # its work was done
    if status in (130, -signal.SIGINT):
        return last_line in ("", "interrupted")
    return status == 0


INTERRUPTED = {
    "score": ["score", "qa_f1", "rows.jsonl", "--predictions", "fid", "--references", "gold"],
    "report": ["report", "saved.json", "--save", "page.html"],
    "mcp": ["mcp", "--root", "."],
    "--help": ["--help"],
}


@contextlib.contextmanager
def interrupts_of_commands(folder, dice):
    """Commands that are interrupted at any moment after their first line."""
    write_files(folder)

    def turn(_):
        name = dice.choice([*INTERRUPTED])
        moment = dice.random() ** 2 * 2  # mostly while it starts
        status, said = interrupted_command(folder, INTERRUPTED[name], moment)
        if is_interrupted(status, said):
            return "done"
        return wrong("interrupts of commands", f"{name} after {moment:.3f} s: {status} {said!r}")

    yield turn


# Control characters


def is_shown_safely(text):
    """Whether a text that goes to a terminal consists of printable lines."""
    return all(line.isprintable() for line in text.split("\n"))


def _bad_names(folder):
    return {path for path in Path(folder).rglob("*") if not path.name.isprintable()}


@contextlib.contextmanager
def controls_in_tools(root, dice):
    """Calls with control characters in an argument: no message and no file name has them."""
    write_files(root)
    (root / "run").write_text(RUN, "utf-8")
    (root / "x.jsonl").write_text(JSON_LINES, "utf-8")
    known = _bad_names(root)

    def turn(_):
        tool, text = dice.choice([*CALLS]), dice.choice(CONTROLS)
        name = dice.choice([*parameters(tool), text])
        value = dice.choice([text, [text], {text: text}, {"normalizer": text}, f"x/{text}"])
        arguments = CALLS[tool] | {name: value}
        said, result = io.StringIO(), "done"
        try:
            with contextlib.redirect_stderr(said):
                call(CallContext(Root(root)), tool, arguments)
        except (ValueError, OSError) as error:
            said.write(message(error))
            result = "refused"
        if is_shown_safely(said.getvalue()) and _bad_names(root) == known:
            return result
        return wrong("control characters in tools", f"{tool} {name} {value!r}")

    yield turn


# Commands that work, by name: words, of which one is replaced, or to which an option is added.
COMMANDS = tabled(__file__, "COMMANDS")


@cache
def _options(name):
    """The options of a command that take a value."""
    command = program().get_command(None, name)
    return [
        option.opts[0]
        for option in command.params
        if option.param_type_name == "option" and not option.is_flag
    ]


@contextlib.contextmanager
def controls_in_commands(folder, dice):
    """Commands with control characters in a word: they print none, and write no such file."""
    write_files(folder)
    (folder / "c.yaml").write_text(
        "modules: [qa_em]\ndata: rows.jsonl\npredictions: a\nreferences: b\n"
    )
    for text in CONTROLS:
        shutil.copy(folder / "rows.jsonl", folder / f"{text}.jsonl")
    known = _bad_names(folder)

    def turn(_):
        words = [*COMMANDS[name := dice.choice([*COMMANDS])]]
        text = dice.choice(CONTROLS)
        text = dice.choice([text, f"{text}.jsonl", f"folder/{text}", f"x={text}"])
        if _options(name) and (dice.random() < 0.5 or len(words) == 1):
            words += [dice.choice(_options(name)), text]
        else:
            words[dice.randrange(len(words))] = text
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = command(words)
        is_safe = all(is_shown_safely(stream.getvalue()) for stream in (out, err))
        if status in (0, 1, 2, 3, 4) and is_safe and _bad_names(folder) == known:
            return "refused" if status else "done"
        return wrong("control characters in commands", f"{words} {status} {err.getvalue()!r}")

    with contextlib.chdir(folder):
        yield turn


ATTACKS = {
    "races of files that are read": races_of_reading,
    "races of folders that are written": races_of_writing,
    "interrupts of servers": interrupts_of_servers,
    "interrupts of commands": interrupts_of_commands,
    "control characters in arguments of tools": controls_in_tools,
    "control characters in words of commands": controls_in_commands,
}


def wrong(name, fault):
    """Print what went wrong, which is the result of a turn."""
    print(f"{name}: {fault}", file=sys.stderr)  # noqa: T201
    return "wrong"


def counts_within(name, seconds, dice):
    """The counts of an attack that lasts this long."""
    return counts_of(ATTACKS[name], turns_of(seconds), dice)


if __name__ == "__main__":
    sys.exit(print_table([*ATTACKS], counts_within, 360))
