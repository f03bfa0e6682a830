"""The process that the server starts, from which the process of each call is forked.

It imports what calls need, so that they do not have to, and never does anything else, so that calls
cannot change its memory.
"""

import os
import pickle
import re
import select
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from ...data.files.access import Limits, set_default
from ...data.trec.trec import LineError
from ...evaluation.results.rendering import label, message_line
from ...module.catalog.usage import MissingExtraError
from ...statistics.arguments.checks import OptionError
from .memory_watch import size_of

_IDLE = 0.5  # seconds without a request, after which further modules are imported
_PAUSE = 0.1  # seconds between two reports of progress
_TOO_LARGE = "too large", None  # the answer of a process without memory; the server knows the limit
_LIMITS = Limits(line=20_000_000, content=2_000_000_000)  # of files, in bytes


def serve(
    descriptor: int, modules: Sequence[str], gigabytes: float, max_unpacked: int | None = None
) -> None:
    """Fork a process for every connection that arrives, until the server ends.

    Args:
        descriptor: the file descriptor of the socket on which connections arrive.
        modules: modules to import: the first at once, the others while the server is idle.
        gigabytes: the memory that each process may use.
        max_unpacked: as in `Budget`.
    """
    set_default(_LIMITS.with_whole(max_unpacked))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when this ends
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that no zombies remain
    control = socket.socket(fileno=descriptor)
    first, *waiting = modules
    import_module(first)
    while True:
        # All calls need the first module. The others wait for a pause: many servers end soon.
        while waiting and not select.select([control], [], [], _IDLE)[0]:
            import_module(waiting.pop(0))
        message, descriptors, *_ = socket.recv_fds(control, 1, 1)
        if not message:
            os._exit(0)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # about the threads of numpy, which restart in the child
            process = os.fork()
        if process == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _work(Connection(descriptors[0]), gigabytes)
        for received in descriptors:
            os.close(received)


def _work(connection: Connection, gigabytes: float) -> None:
    """Execute one request, and end the process."""
    try:
        _limit_memory(gigabytes)  # which the server may lower from now on
        connection.send(("process", os.getpid()))
        work, arguments = pickle.loads(connection.recv_bytes())
        threading.Thread(target=_end_with_the_server, args=(connection,), daemon=True).start()
        connection.send(_answer(connection, work, arguments))
    except MemoryError:
        connection.send(_TOO_LARGE)
    except (EOFError, OSError):
        pass  # the server has ended, or cancelled the call
    finally:
        sys.stderr.flush()
        os._exit(0)  # without the cleanup of the forked interpreter


def _answer(
    connection: Connection, work: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[str, Any]:
    """Return the result of the work, or the reason why it was refused."""
    last = -_PAUSE

    def report(step: float, steps: float) -> None:
        nonlocal last
        if step >= steps or time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            connection.send(("progress", (step, steps)))

    try:
        return "result", work(report, *arguments)
    except MemoryError:
        return _TOO_LARGE
    except (ValueError, OSError, MissingExtraError) as error:
        return "refused", message(error)
    except Exception as error:
        sys.stderr.writelines(f"{label(line)}\n" for line in traceback.format_exc().splitlines())
        kind = type(error).__name__
        return "refused", f"an internal error, shown on the server's stderr ({kind}); report it"


def _end_with_the_server(connection: Connection) -> None:
    """End this process when the server ends, even if it is killed."""
    try:
        connection.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


def _limit_memory(gigabytes: float) -> None:
    """Make allocations beyond this limit, on top of the initial memory, raise a MemoryError."""
    import resource

    size = size_of(os.getpid()) + int(gigabytes * 2**30)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    size = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


# A value that a message quotes, as in "field 'a' is 'Paris' (str); expected float".
_QUOTED = re.compile(
    r"""\b(is|state|but|query) (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[{(].*[\]})])"""
    r"(?= \(\w+\)|; |, which | has no | \.\.\.|$)"
)


def message(error: Exception) -> str:
    """Return the message of an error, as one line.

    Values from files are not quoted, since a path may lead to any file below the roots.
    """
    text = error.problem if isinstance(error, LineError) else str(error)
    if not isinstance(error, OptionError):  # which quotes only what the caller passed
        text = _QUOTED.sub(r"\1 a value", text)
    if isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    return message_line(text)
