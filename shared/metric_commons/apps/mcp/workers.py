"""Processes that do the work of calls, each within limits of time and memory.

Every call has its own process, so it can be stopped at any time, leaves no memory behind and never
waits for another call. A process is started before its call arrives, since its imports take longer
than most calls.
"""

import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from anyio import to_thread

Progress = Callable[[float], object]  # called with the fraction of the work that is done
Report = Callable[[float], Awaitable[object]]  # the same, for the client

_ATTEMPTS = 3  # to start a process, if none has begun to work
_LEAST = 1 / 4  # of an equal part of the memory: what each call can have
_GROUPS = Path("/sys/fs/cgroup")

# Imports that most calls need. Calls that read Parquet import its reader themselves: it would cost
# every process more memory than it saves time.
PRELOADED = [f"{__package__}.tools", "metric_commons.evaluation.scoring.scoring", "scipy.special"]


class Budget(NamedTuple):
    """The resources that the calls of a server may use.

    Args:
        seconds: the time of one call.
        gigabytes: the memory of one call (1 GB is 2**30 bytes).
        processes: how many calls run at the same time; further calls wait.
        max_memory: the memory of all calls together, in GB; None for half of the memory of the
            machine or its control group.
    """

    seconds: float = 600.0
    gigabytes: float = 4.0
    processes: int = 8
    max_memory: float | None = None


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
        self._memory = half_of_memory() if budget.max_memory is None else budget.max_memory
        self._promised: list[float] = []  # GB, to the calls that run
        # For the next two attributes; an interrupt may close everything while it is held.
        self._lock = threading.RLock()
        self._processes: set[_Process] = set()
        self._waiting: _Process | None = None  # for the next call
        self._is_closed = False

    def prepare(self) -> None:
        """Start the process of the next call, unless it waits already."""
        with self._lock:
            if not self._is_closed and self._waiting is None:
                self._waiting = _Process()
                self._processes.add(self._waiting)

    def close(self) -> None:
        """End all processes and refuse all calls; may be called from any thread."""
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.end()

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
            gigabytes = self._part_of_memory()
            self._promised.append(gigabytes)
            try:
                request = pickle.dumps((gigabytes, work, arguments))
                with anyio.move_on_after(self._budget.seconds):
                    for _ in range(_ATTEMPTS - 1):
                        with suppress(_NotStartedError):
                            return await self._attempt(request, gigabytes, progress)
                    return await self._attempt(request, gigabytes, progress)
            finally:
                self._promised.remove(gigabytes)
            raise ToolRefusedError(
                f"took longer than {self._budget.seconds:g} seconds and was stopped; request "
                "less, or start the server with a higher --seconds"
            )

    def _part_of_memory(self) -> float:
        """Return the GB that a call may take: a least part, and half of the memory left over.

        The least part of each further call is kept free.
        """
        free = self._memory - sum(self._promised)
        slots = self._budget.processes - len(self._promised)
        if slots > 1:
            least = _LEAST * self._memory / self._budget.processes
            free = least + (free - slots * least) / 2
        return min(self._budget.gigabytes, free)

    async def _attempt(self, request: bytes, gigabytes: float, progress: Report) -> Any:
        with self._lock:
            self.prepare()
            process, self._waiting = self._waiting, None
        if process is None:
            raise ToolRefusedError("the server is closing")
        try:
            # Sending blocks if the request exceeds the buffer of the socket.
            await to_thread.run_sync(process.send, request)
            self.prepare()
            return await self._outcome(process, gigabytes, progress)
        finally:
            process.end()
            with self._lock:
                self._processes.discard(process)
            process.connection.close()

    async def _outcome(self, process: "_Process", gigabytes: float, progress: Report) -> Any:
        is_started = False
        while True:
            await anyio.wait_readable(process.connection.fileno())
            try:
                kind, value = process.connection.recv()
            except (EOFError, OSError):
                if self._is_closed:
                    raise ToolRefusedError("the server is closing") from None
                raise (ToolRefusedError if is_started else _NotStartedError)(
                    "the process of this call was killed, perhaps because it ran out of memory, of "
                    f"which it may use {gigabytes:.3g} GB; try again, or request less"
                ) from None
            if kind == "started":
                is_started = True
            elif kind == "progress":
                await progress(value)
            elif kind == "too large":
                raise ToolRefusedError(self._too_large(gigabytes))
            elif kind == "refused":
                raise ToolRefusedError(value)
            else:
                return value

    def _too_large(self, gigabytes: float) -> str:
        """Return the reason why a call was refused more memory."""
        if gigabytes < self._budget.gigabytes:
            return (
                f"the calls of this server together may use {self._memory:.3g} GB of memory, and "
                f"this one needs more than the {gigabytes:.3g} GB left for it; request less, or "
                "start the server with a higher --max-memory"
            )
        return (
            f"needs more than the {gigabytes:g} GB of memory that a call may use; request less, or "
            "start the server with a higher --gigabytes"
        )


class _Process:
    """A process that serves one call."""

    def __init__(self) -> None:
        server_end, far_end = socket.socketpair()
        start = f"from {__package__}.call_process import serve; "
        start += f"serve({far_end.fileno()}, {PRELOADED!r})"
        with far_end:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", start],
                pass_fds=[far_end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=2,
                start_new_session=True,  # Ctrl-C in a terminal reaches only the server
                # By default, Arrow reserves a gigabyte of memory for any file that it reads.
                env={
                    "ARROW_DEFAULT_MEMORY_POOL": "system",
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(sys.path),
                },
            )
        self.connection = Connection(server_end.detach())

    def send(self, request: bytes) -> None:
        """Send the request, unless the process has ended."""
        with suppress(OSError):
            self.connection.send_bytes(request)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def half_of_memory() -> float:
    """Return half of the memory of the machine or its control group, in GB (2**30 bytes)."""
    pages = os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in os.sysconf_names else 0
    sizes = [pages * os.sysconf("SC_PAGE_SIZE"), *_limits_of_groups()]
    return min((size for size in sizes if size > 0), default=2**33) / 2**31


def _limits_of_groups() -> Iterator[int]:
    """Yield the limits of the control groups of this process, in both versions of the interface."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            name, top = ("memory.max", _GROUPS)
            if "memory" in controllers.split(","):
                name, top = "memory.limit_in_bytes", _GROUPS / "memory"
            group = top / path.lstrip("/")
            for folder in (group, *group.parents):
                if folder.is_relative_to(top):
                    with suppress(OSError, ValueError):  # "max" is not a number
                        yield int((folder / name).read_text("ascii"))
