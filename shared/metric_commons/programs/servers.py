"""Servers that run programs, and their protocols; only an address is needed here."""

import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Protocol

from .descriptors import file_content
from .plain_values import __file__ as values_path
from .program_bodies import STAR_IMPORTS
from .worker_pool import Job, ProgramLimits, Report

_ATTEMPTS = 4
_FUSION_CUT = 1 << 20  # bytes of stdout, beyond which SandboxFusion cuts silently
PAUSE = 1.0  # seconds before the second attempt
_SECONDS_MORE = 30.0  # that an answer may take in addition to the program

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


class Server(Protocol):
    """A server that runs a program with an input."""

    address: str

    def request(self, program: str, stdin: str, limits: ProgramLimits) -> dict[str, Any]:
        """Return the content of a request."""

    def report(self, answer: dict[str, Any]) -> Report:
        """Return the outcome in an answer.

        The status is "infrastructure" if the server has failed.
        """


class SandboxFusionServer:
    """ByteDance's SandboxFusion: POST /run_code. Its time is wall time."""

    def __init__(self, url: str) -> None:
        self.address = _with_path(url, "/run_code")

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


class PistonServer:
    """Piston: POST /api/v2/execute. It measures CPU time as well as wall time."""

    def __init__(self, url: str) -> None:
        self.address = _with_path(url, "/api/v2/execute")

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


def _with_path(url: str, path: str) -> str:
    return url if url.endswith(path) else url.rstrip("/") + path


def _ended(code: int, stderr: str, cpu: float, stdout: bytes) -> Report:
    """Return the report of a program with an exit status other than 0."""
    message = stderr.strip().split("\n")[-1]
    if code < 0:
        return Report("crashed", message, code, cpu, stdout)
    # As from a supervisor: the message of an exception is its text; any other exit is named.
    is_error = "Traceback" in stderr or "Error" in message
    text = message if is_error else f"exit {message}"
    return Report("exited", text, code, cpu, stdout)


def run_remotely(server: Server, job: Job) -> Report:
    """Run a program by a server."""
    program = _program(job)
    stdin = "" if job.data is None else _text(job.data)
    return _posted(server, program, stdin, job.limits)


def run_calls_remotely(server: Server, job: Job) -> Report:
    """Call a function by a server, once for each test, until one of the programs ends early."""
    values = Path(values_path).read_text("utf-8")
    program = _program(job) + _CALL.format(values=values, name=job.function)
    marker = f"answer-{id(job):x}:"
    lines, cpu = ['{"ready": true}'], 0.0
    for arguments in json.loads(_text(job.data or 0)):
        report = _posted(server, program, json.dumps([marker, arguments]), job.limits)
        cpu += report.cpu
        answer = report.stdout.decode("utf-8", "replace").rpartition(marker)
        if report.status == "finished" and answer[1]:
            lines.append(answer[2].strip())
        elif report.status == "exited" and report.exit_status == 1:
            lines.append(json.dumps({"error": report.message}))
        else:
            results = "".join(f"{line}\n" for line in lines).encode()
            return Report(report.status, report.message, report.exit_status, cpu, results=results)
    results = "".join(f"{line}\n" for line in lines).encode()
    return Report("finished", exit_status=0, cpu=cpu, results=results)


def _program(job: Job) -> str:
    text = _text(job.program)
    if job.star_imports:
        return f"{STAR_IMPORTS}sys.setrecursionlimit({job.recursion})\n{text}"
    return text


def _text(descriptor: int) -> str:
    return file_content(descriptor).decode("utf-8", "surrogatepass")


def _posted(server: Server, program: str, stdin: str, limits: ProgramLimits) -> Report:
    """Return the report of one run; a failing server is asked again, after 1, 2 and 3 seconds."""
    content = json.dumps(server.request(program, stdin, limits)).encode("ascii")
    headers = {"Content-Type": "application/json"}
    report = Report("infrastructure")
    for attempt in range(_ATTEMPTS):
        time.sleep(attempt * PAUSE)
        request = urllib.request.Request(server.address, content, headers)
        try:
            with urllib.request.urlopen(
                request, timeout=10 * limits.timeout + _SECONDS_MORE
            ) as answer:
                report = server.report(json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                excerpt = error.read(300).decode("utf-8", "replace")
            report = Report("infrastructure", f"{server.address} answers {error.code}: {excerpt}")
            if error.code < 500 and error.code != 429:  # it would refuse the same request again
                return report
        except (OSError, ValueError, AttributeError, TypeError) as error:
            report = Report("infrastructure", f"{server.address}: {error}")
        if report.status != "infrastructure":
            return report
    return report
