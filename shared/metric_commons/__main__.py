"""The command `metric-commons`, and `python -m metric_commons`: all commands in one program."""

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer

_INTERRUPTED = 130  # the exit status
_OBJECTS = 100_000  # new objects before Python collects garbage; its default is 700
_OF_APPLICATIONS = ("hub", "mcp", "ultrarag-init")


def process() -> int:
    """Run `main` as a separate process, in which there is hardly any garbage before the end.

    By default, Python searches all modules for garbage during imports, and three more times at the
    end, which takes as long as importing numpy.
    """
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)
    return main()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0 for success, 1 bad input, 2 bad usage, 130 interrupted."""
    try:
        with _interrupted_at_once():
            from .cli.app import run_command

            words = sys.argv[1:] if arguments is None else arguments
            commands = program(words[0] if words else None)
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error}; it comes with: pip install 'metric-commons[cli]'\n")
        return 1
    try:
        status = run_command(commands, arguments)
    except KeyboardInterrupt:
        status = _INTERRUPTED
    if status == _INTERRUPTED:
        sys.stderr.write("interrupted\n")
    return status


@contextmanager
def _interrupted_at_once() -> Iterator[None]:
    """Exit on an interrupt, which imports would turn into a traceback, or ignore."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _end(*_: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(_INTERRUPTED)


@cache
def program(command: str | None = None) -> "Typer":
    """The commands of all applications, which are combined only here.

    If `command` is one of them, only this one is loaded, since importing the files of all commands
    takes as long as running many of them.
    """
    from .cli.app import COMMANDS, commands
    from .cli.grouping import Command, Group, panel_of

    if command in COMMANDS:
        return commands([command])
    if command in ("--version", "-V"):
        return commands([])
    app = commands([] if command in _OF_APPLICATIONS else COMMANDS)
    if command not in _OF_APPLICATIONS or command == "hub":
        from .hub.commands import hub

        app.add_typer(hub, name="hub", cls=Group, rich_help_panel=panel_of("hub"))
    if command != "hub":
        from .mcp.commands import mcp, ultrarag_init

        for function in (mcp, ultrarag_init):
            name = function.__name__.replace("_", "-")
            app.command(name, cls=Command, rich_help_panel=panel_of(name))(function)
    return app


if __name__ == "__main__":
    sys.exit(process())
