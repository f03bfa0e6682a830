"""Workers that run programs: each is a warm supervisor, in a pool that all calls share."""

import atexit
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from .jobs import Job, file_content, memory_file, receive_packet, reopened, send_packet

T = TypeVar("T")

_ATTEMPTS = 2
_SECONDS_TO_END = 5.0
_STDERR, _MESSAGE = 2_000, 4_096  # bytes of them that are read


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


class WorkerSetup(NamedTuple):
    """How workers are started.

    They import the modules to `preload` once; `has_packages` says whether installed packages are
    available, and `without` names layers that are switched off.
    """

    preload: tuple[str, ...] = ()
    has_packages: bool = True
    without: tuple[str, ...] = ()
    engine: str = "local"


@dataclass
class Worker:
    """A supervisor, which starts with the first program and again after a fault."""

    setup: WorkerSetup
    layers: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    python: str = ""
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
        connection = self._start_here()
        try:
            about, _ = receive_packet(connection)
        except (EOFError, OSError) as error:
            self._connection = connection
            self.close()
            raise OSError(f"the process that runs programs does not start: {error}") from None
        self._connection = connection
        self.layers, self.refused = about["layers"], about["refused"]
        self.python = about["python"]

    def _start_here(self) -> socket.socket:
        from .supervisor import command  # which imports modules that only Linux has

        self._scratch = tempfile.mkdtemp(prefix="execution-")
        connection, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings = {
            "scratch": self._scratch,
            "preload": self.setup.preload,
            "without": self.setup.without,
        }
        arguments = command(
            str(far_end.fileno()), json.dumps(settings), has_packages=self.setup.has_packages
        )
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.DEVNULL,
            pass_fds=[far_end.fileno()],
            env=program_environment(self._scratch),
            cwd="/",
            start_new_session=True,
        )
        far_end.close()
        return connection

    def run(self, job: Job) -> Report:
        """Run one program; once more after a fault of the worker, or after a SIGKILL."""
        report = Report("infrastructure")
        for _ in range(_ATTEMPTS):
            try:
                self.start()
                report = self._run(job)
            except (EOFError, ConnectionError):  # on each attempt: this program ends its workers
                self.close()
                report = Report("crashed", "the worker has ended")
                continue
            except (OSError, ValueError) as error:
                report = Report("infrastructure", f"the worker has failed: {error!r}")
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
            if self._process.stderr is not None:
                self._process.stderr.close()
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


def program_environment(home: str) -> dict[str, str]:
    """Return the environment of programs, without anything of the caller's."""
    return {
        "PATH": os.defpath,
        "HOME": home,
        "TMPDIR": ".",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        # Each thread of these libraries reserves address space, which is limited for programs.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


class Pool:
    """Warm workers, shared by any number of threads; each runs one program at a time.

    Args:
        workers: the number of workers.
        setup: how they are started.
        make_worker: a function that makes one.
    """

    runs_checkers = True
    test_kinds = frozenset({"program", "stdin", "calls", "asserts"})

    def __init__(
        self,
        workers: int,
        setup: WorkerSetup = WorkerSetup(),  # noqa: B008 - it cannot change
        make_worker: Callable[[WorkerSetup], Worker] = Worker,
    ) -> None:
        self._workers = [make_worker(setup) for _ in range(workers)]
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()  # the warmest first
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="execution")

    @property
    def layers(self) -> list[str]:
        """Return the layers of isolation of a worker."""
        return self._ask(lambda worker: worker.layers)

    @property
    def refused(self) -> dict[str, str]:
        """Return the missing layers of a worker, each with the cause."""
        return self._ask(lambda worker: worker.refused)

    def _ask(self, question: Callable[[Worker], T]) -> T:
        worker = self._idle.get()
        try:
            worker.start()
            return question(worker)
        finally:
            self._idle.put(worker)

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


_POOLS: dict[tuple[int, WorkerSetup], Pool] = {}
_LOCK = threading.Lock()


def shared_pool(
    workers: int | None,
    setup: WorkerSetup,
    make_worker: Callable[[WorkerSetup], Worker] = Worker,
) -> Pool:
    """Return the pool of this process with these workers; it stays warm until the process ends.

    Args:
        workers: the number of workers; None for one for each core that this process may use.
        setup: how they are started.
        make_worker: a function that makes one.

    Raises:
        NotImplementedError: not on Linux, where programs cannot be isolated from here.
    """
    if not sys.platform.startswith("linux"):
        raise NotImplementedError(
            "programs are run on Linux only; elsewhere use a server, such as "
            "engine='sandbox_fusion:URL' or engine='piston:URL'"
        )
    key = (workers or usable_cores(), setup)
    with _LOCK:
        if key not in _POOLS:
            _POOLS[key] = Pool(*key, make_worker)
        return _POOLS[key]


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
