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
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import anyio
from anyio import to_thread

from .memory_watch import INTERVAL, growth_of, half_of_memory, share_memory, size_of

Progress = Callable[[float, float], object]  # called with the steps that are done, and all steps
Report = Callable[[float, float], Awaitable[object]]  # the same, for the client

_ATTEMPTS = 3  # to start a process, if none has begun to work

# Imports that most calls need. Calls that read Parquet import its reader themselves: it would cost
# every server more memory than it saves time.
PRELOADED = [f"{__package__}.tools", "metric_commons.evaluation.scoring.scoring", "scipy.special"]


class Budget(NamedTuple):
    """The resources that the calls of a server may use.

    Args:
        seconds: the time of one call.
        gigabytes: the memory of one call (1 GB is 2**30 bytes).
        processes: how many calls run at the same time; further calls wait.
        max_memory: the memory of all calls together, in GB; None for half of the memory of the
            machine or its control group.
        max_unpacked: the bytes of content that is read as a whole, as in `Limits.with_whole`.
    """

    seconds: float = 600.0
    gigabytes: float = 4.0
    processes: int = 8
    max_memory: float | None = None
    max_unpacked: int | None = None


class ToolRefusedError(ValueError):
    """A call was refused; the message gives the reason."""


class _NotStartedError(ToolRefusedError):
    """The process of a call did not start, so the call can be retried."""


class Workers:
    """Runs functions in processes.

    Args:
        budget: the budget of every call.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._slots = anyio.Semaphore(budget.processes)
        self._calls: set[_Call] = set()
        # For the next two attributes; an interrupt may close everything while it is held.
        self._lock = threading.RLock()
        self._control: socket.socket | None = None
        self._origin: subprocess.Popen[bytes] | None = None  # from which processes are forked
        self._is_closed = False
        self._max_memory = half_of_memory() if budget.max_memory is None else budget.max_memory
        self._sharing = threading.Lock()  # of the memory of calls
        self._has_calls = threading.Event()
        threading.Thread(target=self._watch_memory, daemon=True).start()

    def prepare(self) -> None:
        """Start the imports before the first call arrives."""
        with self._lock:
            if self._control is not None and self._origin and self._origin.poll() is None:
                return
            self._control, worker_end = socket.socketpair()
            with worker_end:
                start = (
                    f"from {__package__}.forking import serve; "
                    f"serve({worker_end.fileno()}, {PRELOADED!r}, {self._budget.gigabytes!r}, "
                    f"{self._budget.max_unpacked!r})"
                )
                self._origin = subprocess.Popen(
                    [sys.executable, "-P", "-c", start],
                    pass_fds=[worker_end.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=2,
                    start_new_session=True,  # Ctrl-C in a terminal reaches only the server
                    # By default, Arrow reserves a gigabyte of memory for whatever it reads.
                    env={
                        "ARROW_DEFAULT_MEMORY_POOL": "system",
                        **os.environ,
                        "PYTHONPATH": os.pathsep.join(sys.path),
                    },
                )

    def close(self) -> None:
        """End all processes and refuse all calls; may be called from any thread."""
        self._is_closed = True
        self._has_calls.set()  # so that the thread that waits for it ends
        for call in list(self._calls):
            call.stop()
        with self._lock:
            if self._control is not None and self._origin is not None:
                self._control.close()
                self._origin.kill()
                self._origin.wait()
            self._control = None

    async def run(self, work: Callable[..., Any], *arguments: Any, progress: Report) -> Any:
        """Return the return value of `work(report, *arguments)`, run in a process.

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
            request = pickle.dumps((work, arguments))
            with anyio.move_on_after(self._budget.seconds):
                for _ in range(_ATTEMPTS - 1):
                    try:
                        return await self._attempt(request, progress)
                    except _NotStartedError:
                        await to_thread.run_sync(self._discard_origin)
                return await self._attempt(request, progress)
            raise ToolRefusedError(
                f"took longer than {self._budget.seconds:g} seconds and was stopped; request "
                "less, or start the server with a higher --seconds"
            )

    async def _attempt(self, request: bytes, progress: Report) -> Any:
        server_end, worker_end = socket.socketpair()
        call = _Call(Connection(server_end.detach()))
        self._calls.add(call)
        self._has_calls.set()
        try:
            await to_thread.run_sync(self._start, worker_end)
            return await self._outcome(call, request, progress)
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

    def _start(self, worker_end: socket.socket) -> None:
        """Fork the process of a call, which says so when it has started."""
        with worker_end:
            if self._is_closed:
                return
            self.prepare()
            with self._lock, suppress(OSError):  # the process has ended, as reading will show
                if self._control is not None:
                    socket.send_fds(self._control, [b"1"], [worker_end.fileno()])

    async def _outcome(self, call: "_Call", request: bytes, progress: Report) -> Any:
        while True:
            await anyio.wait_readable(call.connection.fileno())
            try:
                kind, value = call.connection.recv()
            except (EOFError, OSError):
                is_started, call.process = call.process is not None, None
                kind_of_error = (
                    ToolRefusedError if is_started or self._is_closed else _NotStartedError
                )
                raise kind_of_error(self._ending(call)) from None
            if kind == "process":
                call.first_size, call.process = size_of(value), value
                # It must not take memory before it is limited.
                self._share_memory()
                # Sending blocks if the request exceeds the buffer of the socket.
                await to_thread.run_sync(call.send, request)
            elif kind == "progress":
                await progress(*value)
            else:
                call.process = None  # it ends by itself
                if kind == "too large":
                    raise ToolRefusedError(self._too_large(call))
                if kind == "refused":
                    raise ToolRefusedError(value)
                return value

    def _watch_memory(self) -> None:
        """Share the memory among the calls again and again, until the server ends.

        If too little is left for others, the largest call is stopped. The calls that it leaves
        behind are measured after its memory is free.
        """
        stopped: int | None = None
        while self._has_calls.wait() and not self._is_closed:
            if not self._calls:
                self._has_calls.clear()
                continue
            if not self._share_memory() and (stopped is None or not size_of(stopped)):
                stopped = self._stop_largest()
            time.sleep(INTERVAL)

    def _share_memory(self) -> bool:
        """Limit the memory of each call; whether enough is left for others."""
        with self._sharing:
            calls = [call for call in list(self._calls) if call.process is not None]
            limit = int(self._budget.gigabytes * 2**30)
            return share_memory(calls, int(self._max_memory * 2**30), limit)

    def _stop_largest(self) -> int | None:
        """End the process with most memory; its id."""
        call = max(list(self._calls), key=growth_of, default=None)
        if call is None:
            return None
        call.reason = self._exceeded(f"this one took most of it, {growth_of(call) / 2**30:.2g} GB")
        _kill(call.process)
        return call.process

    def _too_large(self, call: "_Call") -> str:
        """Return the reason why a call was refused more memory."""
        if call.allowance is not None and call.allowance < int(self._budget.gigabytes * 2**30):
            return self._exceeded("this one needs more than is left for it")
        return (
            f"needs more than the {self._budget.gigabytes:g} GB of memory that a call may use; "
            "request less, or start the server with a higher --gigabytes"
        )

    def _exceeded(self, cause: str) -> str:
        return (
            f"the calls of this server together may use {self._max_memory:.3g} GB of memory, and "
            f"{cause}; request less, or start the server with a higher --max-memory"
        )

    def _ending(self, call: "_Call") -> str:
        """Return the reason why the process of a call ended without an answer."""
        if self._is_closed:
            return "the server is closing"
        if call.reason:
            return call.reason
        return (
            "the process of this call was killed, perhaps because it ran out of memory, of which "
            f"it may use {self._budget.gigabytes:g} GB; try again, or request less"
        )


def _kill(process: int | None) -> None:
    """End a process, if it has started and not ended."""
    if process is not None:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@dataclass(eq=False)
class _Call:
    """A running call: the connection to its process, and the id of the process."""

    connection: Connection
    process: int | None = None
    first_size: int = 0  # bytes of memory of the process when it started
    allowance: int | None = None  # what it may have beyond that
    reason: str = ""  # why it was stopped

    def send(self, request: bytes) -> None:
        """Send the request to the process, if it has not ended."""
        with suppress(OSError):
            self.connection.send_bytes(request)

    def stop(self) -> None:
        """End the process; if its id is not known yet, it ends when the connection is closed."""
        process, self.process = self.process, None
        _kill(process)
