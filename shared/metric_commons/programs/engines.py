"""The engines that may run programs: this machine, a container, or a server elsewhere."""

import json
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

from ..statistics.arguments.checks import shown
from ..statistics.arguments.domains import Parsed
from .jobs import Job, ProgramLimits, file_content
from .plain_values import __file__ as values_path
from .worker_pool import (
    Pool,
    Report,
    Worker,
    WorkerSetup,
    program_environment,
    shared_pool,
    usable_cores,
)

_CONTAINERS = ("docker", "podman")
_IMAGE = "python:3.12-slim"
_SECONDS_TO_START = 60.0
_ATTEMPTS = 4
PAUSE = 1.0  # seconds before the second attempt
_SECONDS_MORE = 30.0  # that an answer may take in addition to the program
_FUSION_CUT = 1 << 20  # bytes of stdout, beyond which SandboxFusion cuts silently

# Calls the function with the arguments in its input, and writes the result after a line that
# separates it from the output of the program.
_CALL = """

import json as _json, sys as _sys
_values = {{"__name__": "values"}}
exec({values!r}, _values)
_sys.set_int_max_str_digits(0)
_marker, _arguments = _json.loads(_sys.stdin.read())
_solution = globals().get("Solution")
if isinstance(_solution, type) and (hasattr(_solution, {name!r}) or {name!r} not in globals()):
    _function = getattr(_solution(), {name!r})
else:
    _function = globals()[{name!r}]
try:
    _answer = {{"value": _values["packed"](_function(*_arguments))}}
except Exception as _error:
    _answer = {{"error": _values["error_message"](_error)}}
_sys.stdout.write("\\n" + _marker + _json.dumps(_answer) + "\\n")
"""


class Server(ABC):
    """A server that runs a program with an input; its layers are unknown here.

    Only its path, its requests and its answers differ from others.

    Args:
        url: its address, with or without the path.
        workers: the number of programs that it runs at once.
    """

    path: ClassVar[str]
    test_kinds = frozenset({"stdin", "calls"})
    runs_checkers = False
    layers: ClassVar[list[str]] = ["remote"]
    refused: ClassVar[dict[str, str]] = {}

    def __init__(self, url: str, workers: int) -> None:
        self._address = url if url.endswith(self.path) else url.rstrip("/") + self.path
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="execution")

    @abstractmethod
    def request(self, program: str, stdin: str, limits: ProgramLimits) -> dict[str, Any]:
        """Return the content of a request."""

    @abstractmethod
    def report(self, answer: dict[str, Any]) -> Report:
        """Return the outcome in an answer; "infrastructure" if the server has failed."""

    def submit(self, function: Any, *arguments: Any) -> "Future[Any]":
        """Call a function that runs programs in a thread."""
        return self._threads.submit(function, *arguments)

    def run(self, job: Job) -> Report:
        """Run one program, or call a function once for each test until a program ends early."""
        text, data = (_text(file) if file is not None else "" for file in (job.program, job.data))
        if job.star_imports:
            from .program_bodies import STAR_IMPORTS  # imports what programs may use

            text = f"{STAR_IMPORTS}sys.setrecursionlimit({job.recursion})\n{text}"
        if job.kind != "calls":
            return self._posted(text, data, job.limits)
        values = Path(values_path).read_text("utf-8")
        text += _CALL.format(values=values, name=job.function)
        marker = f"answer-{id(job):x}:"
        results, cpu = b'{"ready": true}\n', 0.0
        for arguments in json.loads(data):
            report = self._posted(text, json.dumps([marker, arguments]), job.limits)
            cpu += report.cpu
            answer = report.stdout.decode("utf-8", "replace").rpartition(marker)
            if report.status == "finished" and answer[1]:
                results += answer[2].strip().encode() + b"\n"
            elif report.status == "exited" and report.exit_status == 1:
                results += json.dumps({"error": report.message}).encode() + b"\n"
            else:
                return replace(report, cpu=cpu, stdout=b"", results=results)
        return Report("finished", exit_status=0, cpu=cpu, results=results)

    def _posted(self, program: str, stdin: str, limits: ProgramLimits) -> Report:
        """Return the report of one run; a failing server is asked again after 1, 2 and 3 s."""
        content = json.dumps(self.request(program, stdin, limits)).encode("ascii")
        request = urllib.request.Request(
            self._address, content, {"Content-Type": "application/json"}
        )
        seconds = 10 * limits.timeout + _SECONDS_MORE
        report = Report("infrastructure")
        for attempt in range(_ATTEMPTS):
            time.sleep(attempt * PAUSE)
            try:
                with urllib.request.urlopen(request, timeout=seconds) as answer:
                    report = self.report(json.load(answer))
            except urllib.error.HTTPError as error:
                with error:
                    excerpt = error.read(300).decode("utf-8", "replace")
                problem = f"{self._address} answers {error.code}: {excerpt}"
                report = Report("infrastructure", problem)
                if error.code < 500 and error.code != 429:  # it would refuse the same again
                    return report
            except (OSError, ValueError, AttributeError, TypeError) as error:
                report = Report("infrastructure", f"{self._address}: {error}")
            if report.status != "infrastructure":
                return report
        return report


Runner = Pool | Server  # of programs


class SandboxFusion(Server):
    """ByteDance's SandboxFusion. Its time is wall time."""

    path = "/run_code"

    def request(self, program: str, stdin: str, limits: ProgramLimits) -> dict[str, Any]:
        """Return the content of a request."""
        return {
            "code": program,
            "stdin": stdin,
            "language": "python",
            "compile_timeout": limits.timeout,
            "run_timeout": limits.timeout,
            "memory_limit_MB": limits.memory >> 20,
            "files": {},
            "fetch_files": [],
        }

    def report(self, answer: dict[str, Any]) -> Report:
        """Return the outcome in an answer."""
        built, run = answer.get("compile_result") or {}, answer.get("run_result") or {}
        if answer.get("status") == "SandboxError":
            return Report("infrastructure", str(answer.get("message") or "SandboxError"))
        stdout = str(run.get("stdout") or "").encode("utf-8", "surrogatepass")
        stderr = str(built.get("stderr") or run.get("stderr") or "")
        cpu = float(run.get("execution_time") or 0.0)
        if "TimeLimitExceeded" in (built.get("status"), run.get("status")):
            return Report("timed_out", cpu=cpu, stdout=stdout)
        code = built.get("return_code") or run.get("return_code")
        if code:
            return _ended(int(code), stderr, cpu, stdout)
        if run.get("status") != "Finished":
            return Report("infrastructure", f"the answer has no run: {str(answer)[:200]}")
        is_cut = len(stdout) >= _FUSION_CUT
        return Report("finished", exit_status=0, cpu=cpu, stdout=stdout, is_cut=is_cut)


class Piston(Server):
    """Piston, which measures CPU time as well as wall time."""

    path = "/api/v2/execute"

    def request(self, program: str, stdin: str, limits: ProgramLimits) -> dict[str, Any]:
        """Return the content of a request."""
        return {
            "language": "python",
            "version": "*",
            "files": [{"name": "main.py", "content": program}],
            "stdin": stdin,
            "run_timeout": int(10_000 * limits.timeout + 10_000),
            "run_cpu_time": int(1000 * limits.timeout),
            "run_memory_limit": limits.memory,
        }

    def report(self, answer: dict[str, Any]) -> Report:
        """Return the outcome in an answer."""
        run = answer.get("run")
        if not isinstance(run, dict) or run.get("status") == "XX":
            message = answer.get("message") or (run or {}).get("message") or "no run in the answer"
            return Report("infrastructure", str(message))
        stdout = str(run.get("stdout") or "").encode("utf-8", "surrogatepass")
        stderr = str(run.get("stderr") or "")
        if "Resource temporarily unavailable" in stderr:
            return Report("infrastructure", stderr.strip()[-200:])
        cpu = (run.get("cpu_time") or 0) / 1000
        if run.get("status") == "TO":
            return Report("timed_out", cpu=cpu, stdout=stdout)
        if run.get("status") in ("OL", "EL"):
            return Report("finished", exit_status=0, cpu=cpu, stdout=stdout, is_cut=True)
        if run.get("signal") or run.get("status") == "SG":
            return Report("crashed", str(run.get("signal") or ""), cpu=cpu, stdout=stdout)
        code = run.get("code")
        if code is None:
            return Report("infrastructure", f"the answer has no exit status: {str(answer)[:200]}")
        if code:
            return _ended(int(code), stderr, cpu, stdout)
        return Report("finished", exit_status=0, cpu=cpu, stdout=stdout)


def _ended(code: int, stderr: str, cpu: float, stdout: bytes) -> Report:
    """Return the report of a program with an exit status other than 0."""
    message = stderr.strip().split("\n")[-1]
    if code < 0:
        return Report("crashed", message, code, cpu, stdout)
    # As from a supervisor: the message of an exception is its text; any other exit is named.
    is_error = "Traceback" in stderr or "Error" in message
    text = message if is_error else f"exit {message}"
    return Report("exited", text, code, cpu, stdout)


_SERVERS: dict[str, type[Server]] = {"sandbox_fusion": SandboxFusion, "piston": Piston}


@cache
def _server(name: str, url: str, workers: int) -> Server:
    return _SERVERS[name](url, workers)


def _text(descriptor: int) -> str:
    return file_content(descriptor).decode("utf-8", "surrogatepass")


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
    """Return the pool or server that runs programs in an engine; equal arguments share one.

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
        return _server(name, location, workers or usable_cores())
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
        stderr = b""
        for _ in range(int(_SECONDS_TO_START / 0.2)):
            try:
                return listener.accept()[0]
            except TimeoutError:
                if self._process is not None and self._process.poll() is not None:
                    _, stderr = self._process.communicate()
                    break
        raise OSError(f"the container does not start: {stderr.decode('utf-8', 'replace').strip()}")

    def start(self) -> None:
        """Start the container, unless it runs already."""
        if self._connection is None:
            super().start()
            self.layers = ["container", *self.layers]
