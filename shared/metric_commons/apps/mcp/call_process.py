"""The process of one call: it imports modules, waits for its call, and ends after it."""

import os
import pickle
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ...data.trec.trec import LineError
from ...evaluation.results.rendering import label, message_line
from ...module.catalog.usage import MissingExtraError
from ...statistics.arguments.checks import OptionError

_PAUSE = 0.1  # seconds between two reports of progress
_TOO_LARGE = "too large", None  # the answer of a process without memory; the server knows the limit


def serve(descriptor: int, modules: Sequence[str]) -> None:
    """Serve the call that arrives, and end this process.

    Args:
        descriptor: the file descriptor of the connection to the server.
        modules: modules to import before the call arrives.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when this ends
    connection = Connection(descriptor)
    try:
        for module in modules:
            import_module(module)
        gigabytes, work, arguments = pickle.loads(connection.recv_bytes())
        connection.send(("started", None))
        threading.Thread(target=_end_with_the_server, args=(connection,), daemon=True).start()
        _limit_memory(gigabytes)
        connection.send(_answer(connection, work, arguments))
    except MemoryError:
        connection.send(_TOO_LARGE)
    except (EOFError, OSError):
        pass  # the server has ended, or cancelled the call
    finally:
        sys.stderr.flush()
        os._exit(0)  # without waiting for threads


def _answer(
    connection: Connection, work: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[str, Any]:
    """Return the result of the work, or the reason why it was refused."""
    last = -_PAUSE

    def report(fraction: float) -> None:
        nonlocal last
        if fraction >= 1 or time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            connection.send(("progress", fraction))

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
    """Make allocations beyond this limit, on top of the present memory, raise a MemoryError."""
    import resource

    try:  # what RLIMIT_DATA limits
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[5])
    except OSError:  # not on Linux
        pages = 0
    size = pages * resource.getpagesize() + int(gigabytes * 2**30)
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
    if not isinstance(error, OptionError):  # which quotes only arguments of the caller
        text = _QUOTED.sub(r"\1 a value", text)
    if isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    return message_line(text)
