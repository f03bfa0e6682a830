"""The process that the server starts, from which the process of each call is forked.

It imports what calls need, so that a call need not, and never does anything else: its memory stays
as it is, whatever calls do.
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
from pathlib import Path
from typing import Any

from ..catalog.usage import MissingExtraError
from ..files.trec import LineError
from ..numbers.checks import OptionError

_IDLE = 0.5  # seconds without a request, after which there is time for something else
_PAUSE = 0.1  # seconds between two reports of progress
_LONGEST = 2_000  # characters of an error message


def serve(descriptor: int, modules: Sequence[str], gigabytes: float) -> None:
    """Fork a process for every connection that arrives, until the server ends.

    Args:
        descriptor: of the socket on which connections arrive.
        modules: to be imported: the first at once, the others while nothing is asked for.
        gigabytes: how much memory each process may use.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when this ends
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that processes that end are forgotten
    control = socket.socket(fileno=descriptor)
    first, *waiting = modules
    import_module(first)
    while True:
        # The first is what all calls need. Others wait for a pause: many a server is soon ended.
        while waiting and not select.select([control], [], [], _IDLE)[0]:
            import_module(waiting.pop(0))
        message, descriptors, *_ = socket.recv_fds(control, 1, 1)
        if not message:
            os._exit(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # threads of numpy, which it starts again
            process = os.fork()
        if process == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _work(Connection(descriptors[0]), gigabytes)
        for received in descriptors:
            os.close(received)


def _work(connection: Connection, gigabytes: float) -> None:
    """Do what one request asks for, and end."""
    try:
        connection.send(("process", os.getpid()))
        _limit_memory(gigabytes)
        work, arguments = pickle.loads(connection.recv_bytes())
        threading.Thread(target=_end_with_the_server, args=(connection,), daemon=True).start()
        connection.send(_answer(connection, work, arguments, gigabytes))
    except MemoryError:
        connection.send(("refused", _too_large(gigabytes)))
    except (EOFError, OSError):
        pass  # the server has gone, or has no more use for an answer
    finally:
        sys.stderr.flush()
        os._exit(0)  # nothing is left to be tidied up


def _answer(
    connection: Connection, work: Callable[..., Any], arguments: Sequence[Any], gigabytes: float
) -> tuple[str, Any]:
    """What the work returns, or why it is refused."""
    last = -_PAUSE

    def report(step: float, steps: float) -> None:
        nonlocal last
        if step >= steps or time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            connection.send(("progress", (step, steps)))

    try:
        return "result", work(report, *arguments)
    except MemoryError:
        return "refused", _too_large(gigabytes)
    except (ValueError, OSError, MissingExtraError) as error:
        return "refused", message(error)
    except Exception as error:
        traceback.print_exc()
        kind = type(error).__name__
        return "refused", f"a fault of this server, which its stderr shows ({kind}); report it"


def _too_large(gigabytes: float) -> str:
    return (
        f"needs more than the {gigabytes:g} GB of memory that a call may use; ask for less, or "
        "start the server with a greater --gigabytes"
    )


def _end_with_the_server(connection: Connection) -> None:
    """End the process when the server has gone, even if it was killed."""
    try:
        connection.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


def _limit_memory(gigabytes: float) -> None:
    """Let what asks for more, beyond what a process starts with, fail with a MemoryError."""
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[5])
    except OSError:  # not on macOS
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
    """The message of an error; of a very long message the start and the end.

    What stands in a file is not quoted: it may be of any file, and is nobody's business.
    """
    text = error.problem if isinstance(error, LineError) else str(error)
    if not isinstance(error, OptionError):  # which is about what the caller says
        text = _QUOTED.sub(r"\1 a value", text)
    if isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    text = text.encode("utf-8", "backslashreplace").decode()  # half of a pair of surrogates
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2 - 3]} ... {text[-_LONGEST // 2 + 2 :]}"
    return text
