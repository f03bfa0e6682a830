"""The engines that may run programs: this machine, a container, or a server elsewhere."""

import json
import os
import re
import socket
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from ..statistics.arguments.checks import shown
from ..statistics.arguments.domains import Parsed
from .servers import PistonServer, SandboxFusionServer, Server, run_calls_remotely, run_remotely
from .worker_pool import (
    Job,
    Report,
    Runner,
    Worker,
    WorkerSetup,
    program_environment,
    shared_pool,
    usable_cores,
)

T = TypeVar("T")

_CONTAINERS = ("docker", "podman")
_SERVERS: dict[str, Callable[[str], Server]] = {
    "sandbox_fusion": SandboxFusionServer,
    "piston": PistonServer,
}
_IMAGE = "python:3.12-slim"
_SECONDS_TO_START = 60.0
_KINDS_OF_SERVERS = frozenset({"stdin", "calls"})


def read_engine(engine: Any) -> tuple[str, str]:
    """Return the name of an engine, and the image or address that follows it.

    >>> read_engine("local"), read_engine("piston:http://127.0.0.1:2000")
    (('local', ''), ('piston', 'http://127.0.0.1:2000'))
    >>> read_engine("dokcer")
    Traceback (most recent call last):
    ValueError: 'dokcer' is not one of 'local', 'docker', 'podman', 'sandbox_fusion:URL', \
'piston:URL'
    """
    name, _, location = engine.partition(":") if isinstance(engine, str) else ("", "", "")
    is_address = re.match(r"https?://", location) is not None
    is_right = is_address if name in _SERVERS else name in _CONTAINERS or engine == "local"
    if not is_right:
        listed = "'local', 'docker', 'podman', 'sandbox_fusion:URL', 'piston:URL'"
        raise ValueError(f"{shown(engine)} is not one of {listed}")
    return name, location


Engine = Annotated[
    str,
    Parsed(read_engine, "'local', 'docker', 'podman', 'sandbox_fusion:URL' or 'piston:URL'"),
]


def engine_runner(
    engine: str, workers: int | None, preload: tuple[str, ...] = (), *, has_packages: bool = True
) -> Runner:
    """Return the pool or server that runs programs in an engine.

    Shared by equal arguments, and warm.

    Args:
        engine: "local"; "docker" or "podman", optionally with ":" and an image;
            "sandbox_fusion:URL" or "piston:URL".
        workers: the number of programs that run at once; None for one for each core.
        preload: modules that workers here import before any program.
        has_packages: whether programs here can import installed packages.

    Raises:
        NotImplementedError: programs cannot be isolated on this platform.
    """
    name, location = read_engine(engine)
    if name in _SERVERS:
        return _remote_runner(name, location, workers or usable_cores())
    make_worker = Worker if name == "local" else ContainerWorker
    return shared_pool(workers, WorkerSetup(preload, has_packages, engine=engine), make_worker)


class ContainerWorker(Worker):
    """A supervisor inside a container, without network, on a read-only file system.

    It connects to a socket in a shared folder, and uses the protocol of all workers. This works
    only if the engine runs on this machine, because descriptors do not reach another one.
    """

    def _start_here(self) -> socket.socket:
        from .supervisor import command

        engine, image = read_engine(self.setup.engine)
        self._scratch = tempfile.mkdtemp(prefix="execution-")
        address = os.path.join(self._scratch, "caller")
        os.chmod(self._scratch, 0o755)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            listener.bind(address)
            os.chmod(address, 0o666)
            listener.listen(1)
            listener.settimeout(_SECONDS_TO_START)
            settings = {"scratch": "/tmp/programs", "preload": self.setup.preload}
            arguments = command(
                address,
                json.dumps(settings | {"without": []}),
                has_packages=self.setup.has_packages,
            )
            folder = str(Path(__file__).parent)
            self._process = subprocess.Popen(
                [
                    *(engine, "run", "--rm", "--network", "none", "--read-only"),
                    *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
                    *("--pids-limit", "64", "--user", "65534:65534"),
                    *("--tmpfs", "/tmp:size=128m,mode=1777"),
                    *("--volume", f"{folder}:{folder}:ro"),
                    *("--volume", f"{self._scratch}:{self._scratch}"),
                    *(
                        word
                        for name, value in program_environment("/tmp").items()
                        for word in ("--env", f"{name}={value}")
                    ),
                    *(image or _IMAGE, "python3", *arguments),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            return self._accepted(listener)
        except BaseException:
            self.close()
            raise
        finally:
            listener.close()

    def _accepted(self, listener: socket.socket) -> socket.socket:
        """Return the connection of the supervisor, unless its container ends before it connects."""
        listener.settimeout(0.2)
        for _ in range(int(_SECONDS_TO_START / 0.2)):
            try:
                return listener.accept()[0]
            except TimeoutError:
                if self._process is not None and self._process.poll() is not None:
                    break
        stderr = b""
        if self._process is not None and self._process.poll() is not None:
            _, stderr = self._process.communicate()
        raise OSError(f"the container does not start: {stderr.decode('utf-8', 'replace').strip()}")

    def start(self) -> None:
        """Start the container, unless it runs already."""
        if self._connection is None:
            super().start()
            self.layers = ["container", *self.layers]


class RemoteRunner:
    """A server that runs programs; time is its wall time, and its layers are unknown here."""

    test_kinds = _KINDS_OF_SERVERS
    runs_checkers = False
    layers = ["remote"]  # noqa: RUF012 - as a result has them
    refused: dict[str, str] = {}  # noqa: RUF012

    def __init__(self, server: Server, workers: int) -> None:
        self._server = server
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="execution")

    def run(self, job: Job) -> Report:
        """Run one program."""
        if job.kind == "calls":
            return run_calls_remotely(self._server, job)
        return run_remotely(self._server, job)

    def submit(self, function: Any, *arguments: Any) -> "Future[Any]":
        """Call a function that runs programs in a thread."""
        return self._threads.submit(function, *arguments)


@cache
def _remote_runner(name: str, url: str, workers: int) -> RemoteRunner:
    return RemoteRunner(_SERVERS[name](url), workers)
