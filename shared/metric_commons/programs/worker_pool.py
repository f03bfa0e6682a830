"""Workers that run programs: each is a warm supervisor, in a pool that all calls share."""

import atexit
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .jobs import Job, file_content, memory_file, receive_packet, reopened, send_packet

T = TypeVar("T")

_ATTEMPTS = 2
_SECONDS_TO_END = 5.0
_STDERR, _MESSAGE = 2_000, 4_096  # bytes of them that are read
# Of programs, without anything of the caller's.
_ENVIRONMENT = {
    "PATH": os.defpath,
    "TMPDIR": ".",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    # Each thread of these libraries reserves address space, which is limited for programs.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Report:
    """How a program ended, and its output."""

    status: str
    message: str = ""
    exit_status: int | None = None
    cpu: float = 0.0
    stdout: bytes = b""
    stderr: bytes = b""
    results: bytes = b""
    is_cut: bool = False  # whether it has written more than the limit


@dataclass
class Worker:
    """A supervisor, which starts with the first program and again after a fault.

    `without` names layers that are switched off.
    """

    without: tuple[str, ...] = ()
    layers: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    _process: "subprocess.Popen[bytes] | None" = None
    _connection: socket.socket | None = None
    _scratch: str = ""

    def start(self) -> None:
        """Start the supervisor, unless it runs already.

        Raises:
            OSError: it does not start.
        """
        if self._connection is not None:
            return
        from .supervisor import command  # which imports modules that only Linux has

        self._scratch = tempfile.mkdtemp(prefix="execution-")
        self._connection, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, *command(far_end.fileno(), self._scratch, self.without)],
            stdin=subprocess.DEVNULL,
            pass_fds=[far_end.fileno()],
            env=_ENVIRONMENT | {"HOME": self._scratch},
            cwd="/",
            start_new_session=True,
        )
        far_end.close()
        try:
            about, _ = receive_packet(self._connection)
        except (EOFError, OSError) as error:
            self.close()
            raise OSError(f"the process that runs programs does not start: {error}") from None
        self.layers, self.refused = about["layers"], about["refused"]

    def run(self, job: Job) -> Report:
        """Run one program; once more after a fault of the worker, or after a SIGKILL.

        Raises:
            OSError: the supervisor does not start.
        """
        report = Report("infrastructure")
        for _ in range(_ATTEMPTS):
            self.start()
            try:
                report = self._run(job)
            except (EOFError, ConnectionError):  # on each attempt: this program ends its workers
                report = Report("crashed", "the worker has ended")
                self.close()
                continue
            if report.status == "infrastructure":
                self.close()
            elif report.message != "SIGKILL":  # from the program itself, or from the machine
                break
        return report

    def _run(self, job: Job) -> Report:
        if self._connection is None:
            raise OSError("the worker is closed")
        opened: list[int] = []
        try:
            opened.append(reopened(job.program))
            empty = os.open(os.devnull, os.O_RDONLY) if job.data is None else reopened(job.data)
            opened.append(empty)
            stdout, stderr, results = (memory_file() for _ in range(3))
            opened += [stdout, stderr, results]
            for file in job.files:
                opened.append(reopened(file))
            send_packet(self._connection, job.message(), opened)
            answer, _ = receive_packet(self._connection)
            limit = job.limits.output
            size = max(os.fstat(stdout).st_size, os.fstat(results).st_size)
            return Report(
                status=answer["status"],
                message=answer["message"],
                exit_status=answer.get("exit"),
                cpu=answer.get("cpu", 0.0),
                stdout=file_content(stdout, limit) if job.kind == "main" else b"",
                stderr=file_content(stderr, _STDERR),
                results=file_content(results, limit if job.kind == "calls" else _MESSAGE),
                is_cut=size >= limit,
            )
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def close(self) -> None:
        """End the supervisor: its connection is closed, and its namespace ends with it."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._process is not None:
            try:
                self._process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = ""

    def forget(self) -> None:
        """Leave the supervisor to the process that started it, after a fork."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._process = None
        self._scratch = ""


class Pool:
    """Warm workers, shared by any number of threads; each runs one program at a time.

    Args:
        workers: the number of workers.
        without: layers that are switched off.
    """

    def __init__(self, workers: int, without: Sequence[str] = ()) -> None:
        self._workers = [Worker(tuple(without)) for _ in range(workers)]
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()  # the warmest first
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="execution")

    @property
    def layers(self) -> list[str]:
        """Return the layers of isolation of a worker."""
        return self._started().layers

    @property
    def refused(self) -> dict[str, str]:
        """Return the missing layers of a worker, each with the cause."""
        return self._started().refused

    def _started(self) -> Worker:
        worker = self._idle.get()
        try:
            worker.start()
        finally:
            self._idle.put(worker)
        return worker

    def run(self, job: Job) -> Report:
        """Run one program, once a worker is idle."""
        worker = self._idle.get()
        try:
            return worker.run(job)
        finally:
            self._idle.put(worker)

    def submit(self, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        """Call a function that runs programs in a thread of the pool; calls wait in its queue."""
        return self._threads.submit(function, *arguments)

    def close(self) -> None:
        """End all workers, once they are idle."""
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def forget(self) -> None:
        """Leave the workers to the process that started them, after a fork."""
        for worker in self._workers:
            worker.forget()


_POOLS: dict[int, Pool] = {}
_LOCK = threading.Lock()


def shared_pool(workers: int) -> Pool:
    """Return the pool of this process with so many workers; it stays warm until the process ends.

    Raises:
        NotImplementedError: not on Linux, where programs cannot be isolated.
    """
    if not sys.platform.startswith("linux"):
        raise NotImplementedError("programs are run on Linux only, where they can be isolated")
    with _LOCK:
        if workers not in _POOLS:
            _POOLS[workers] = Pool(workers)
        return _POOLS[workers]


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def close_pools() -> None:
    """End all shared workers; the next program starts new ones."""
    with _LOCK:
        pools = list(_POOLS.values())
        _POOLS.clear()
    for pool in pools:
        pool.close()


def _forget_pools() -> None:
    global _LOCK  # the thread that holds it may not exist in the child
    _LOCK = threading.Lock()
    for pool in _POOLS.values():
        pool.forget()
    _POOLS.clear()


atexit.register(close_pools)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
