"""Processes that do the work of calls, each within a budget of time and memory.

Every call has its own process, so it can be stopped at any time, leaves no memory behind and never
waits for another call. Processes are forked, in some 10 ms, from one that has finished the slow
imports. That one is a new program and not a fork of the server, so it has none of the server's
threads; `multiprocessing` and its start method take no part.
"""

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import anyio
from anyio import to_thread

from ..catalog.usage import UsageError

Progress = Callable[[float, float], object]  # called with the steps that are done, and all steps

_ATTEMPTS = 3  # to start a process, if none has begun to work

# Imports that most calls need. Calls that read Parquet import its reader themselves: it would cost
# every server more memory than it saves time.
PRELOADED = [f"{__package__}.tools", "metric_commons.scoring.scoring", "scipy.special"]


class Budget(NamedTuple):
    """The resources that the calls of a server may use.

    Args:
        seconds: the time of one call.
        gigabytes: the memory of one call (1 GB is 2**30 bytes).
        processes: how many calls run at the same time; further calls wait.
    """

    seconds: float = 600.0
    gigabytes: float = 4.0
    processes: int = 8


class RefusedError(ValueError):
    """A call was refused; the message gives the reason."""


class _NotStartedError(RefusedError):
    """The process of a call did not start, so the call can be retried."""


class Workers:
    """Runs functions in processes.

    Args:
        budget: the budget of every call.

    Raises:
        UsageError: the operating system cannot fork processes.
    """

    def __init__(self, budget: Budget) -> None:
        if not hasattr(os, "fork"):
            raise UsageError("the server needs Linux, macOS or WSL, where processes can be forked")
        self._budget = budget
        self._slots = anyio.Semaphore(budget.processes)
        self._calls: set[_Call] = set()
        self._lock = threading.Lock()  # for the next two attributes
        self._control: socket.socket | None = None
        self._origin: subprocess.Popen[bytes] | None = None  # from which processes are forked
        self._is_closed = False

    def prepare(self) -> None:
        """Start the imports before the first call arrives."""
        with self._lock:
            if self._control is not None and self._origin and self._origin.poll() is None:
                return
            self._control, worker_end = socket.socketpair()
            with worker_end:
                start = (
                    f"from {__package__}.forking import serve; "
                    f"serve({worker_end.fileno()}, {PRELOADED!r}, {self._budget.gigabytes!r})"
                )
                self._origin = subprocess.Popen(
                    [sys.executable, "-P", "-c", start],
                    pass_fds=[worker_end.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=2,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                )

    def close(self) -> None:
        """End all processes and refuse all calls; may be called from any thread."""
        self._is_closed = True
        for call in list(self._calls):
            call.stop()
        with self._lock:
            if self._control is not None and self._origin is not None:
                self._control.close()
                self._origin.kill()
                self._origin.wait()
            self._control = None

    async def run(
        self,
        work: Callable[..., Any],
        *arguments: Any,
        progress: Callable[[float, float], Awaitable[object]],
    ) -> Any:
        """The return value of `work(report, *arguments)`, run in a process.

        If this is cancelled, the process is ended.

        Args:
            work: a function that `pickle` can find by name.
            *arguments: values that `pickle` can write.
            progress: awaited for each report of progress.

        Raises:
            RefusedError: the work raised a ValueError or an OSError, exceeded its time or memory,
                or failed by an internal error.
        """
        async with self._slots:
            with anyio.move_on_after(self._budget.seconds):
                for _ in range(_ATTEMPTS - 1):
                    try:
                        return await self._attempt(work, arguments, progress)
                    except _NotStartedError:
                        await to_thread.run_sync(self._discard_origin)
                return await self._attempt(work, arguments, progress)
            raise RefusedError(
                f"took longer than {self._budget.seconds:g} seconds and was stopped; request "
                "less, or start the server with a higher --seconds"
            )

    async def _attempt(
        self,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
        progress: Callable[[float, float], Awaitable[object]],
    ) -> Any:
        server_end, worker_end = socket.socketpair()
        call = _Call(Connection(server_end.detach()))
        self._calls.add(call)
        try:
            # Sending blocks if the data exceeds the buffer of the socket.
            await to_thread.run_sync(self._start, call, worker_end, work, arguments)
            return await self._outcome(call, progress)
        finally:
            self._calls.discard(call)
            call.stop()
            call.connection.close()

    def _discard_origin(self) -> None:
        """End the process from which others are forked, if it fails to fork; a new one follows."""
        with self._lock:
            if self._origin is not None:
                self._origin.kill()
                self._origin.wait()

    def _start(
        self,
        call: "_Call",
        worker_end: socket.socket,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> None:
        with worker_end:
            if self._is_closed:
                return
            self.prepare()
            with self._lock, suppress(OSError):  # the process has ended, as reading will show
                if self._control is not None:
                    socket.send_fds(self._control, [b"1"], [worker_end.fileno()])
        with suppress(OSError):
            call.connection.send_bytes(pickle.dumps((work, arguments)))

    async def _outcome(
        self, call: "_Call", progress: Callable[[float, float], Awaitable[object]]
    ) -> Any:
        while True:
            await anyio.wait_readable(call.connection.fileno())
            try:
                kind, value = call.connection.recv()
            except (EOFError, OSError):
                is_started, call.process = call.process is not None, None
                if is_started or self._is_closed:
                    raise RefusedError(self._ending()) from None
                raise _NotStartedError(self._ending()) from None
            if kind == "process":
                call.process = value
            elif kind == "progress":
                await progress(*value)
            else:
                call.process = None  # it ends by itself
                if kind == "refused":
                    raise RefusedError(value)
                return value

    def _ending(self) -> str:
        """The reason why a process ended without an answer."""
        if self._is_closed:
            return "the server is closing"
        return (
            "the process of this call was killed, perhaps because it ran out of memory, of which "
            f"it may use {self._budget.gigabytes:g} GB; try again, or request less"
        )


class _Call:
    """A running call: the connection to its process, and the id of the process."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.process: int | None = None

    def stop(self) -> None:
        """End the process; if its id is not known yet, it ends when the connection is closed."""
        process, self.process = self.process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
