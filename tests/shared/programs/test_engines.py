"""Containers and servers, each beside a stand-in that speaks its protocol on this machine."""

import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from metric_commons.programs import engines as engine_file
from metric_commons.programs.executions import execute
from metric_commons.programs.worker_pool import close_pools
from tests.programs_run import SUM, SUMS

pytestmark = pytest.mark.processes

CUT = 1 << 20  # of SandboxFusion's output


def run_here(program, stdin, seconds):
    """What a server knows of a program that it runs."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", program],
            input=stdin.encode(),
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode()


def sandbox_fusion(request):
    ended = run_here(request["code"], request["stdin"], request["run_timeout"])
    if ended is None:
        run = {"status": "TimeLimitExceeded", "execution_time": request["run_timeout"]}
        return {"status": "Failed", "message": "", "compile_result": None, "run_result": run}
    code, stdout, stderr = ended
    run = {
        "status": "Finished" if code == 0 else "Error",
        "execution_time": 0.1,
        "return_code": code,
        "stdout": stdout[:CUT],
        "stderr": stderr,
    }
    status = "Failed" if code else "Success"
    return {"status": status, "message": "", "compile_result": None, "run_result": run}


def piston(request):
    program = request["files"][0]["content"]
    ended = run_here(program, request["stdin"], request["run_cpu_time"] / 1000)
    if ended is None:
        run = {"stdout": "", "stderr": "", "code": None, "signal": "SIGKILL", "status": "TO"}
        return {"run": run | {"cpu_time": request["run_cpu_time"]}}
    code, stdout, stderr = ended
    run = {"stdout": stdout, "stderr": stderr, "code": code, "signal": None, "status": None}
    if code < 0:
        run |= {"code": None, "signal": "SIGSEGV", "status": "SG"}
    elif code:
        run |= {"status": "RE"}
    elif len(stdout) > CUT:
        run |= {"stdout": stdout[:CUT], "status": "OL"}
    return {"run": run | {"cpu_time": 100, "wall_time": 100, "memory": 1}}


@contextmanager
def serving(answer, faults=()):
    """The address of a server; its first answers are these statuses of HTTP, or these objects."""
    faults = list(faults)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            paths.append(self.path)
            content = faults.pop(0) if faults else answer(request)
            self.send_response(content if isinstance(content, int) else 200)
            self.end_headers()
            self.wfile.write(b"busy" if isinstance(content, int) else json.dumps(content).encode())

        def log_message(self, *_):
            pass

    paths = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", paths
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(engine_file, "PAUSE", 0.001)


ENGINES = {"sandbox_fusion": sandbox_fusion, "piston": piston}
PATHS = {"sandbox_fusion": "/run_code", "piston": "/api/v2/execute"}
engines = pytest.mark.parametrize("engine", ENGINES)


@engines
@pytest.mark.parametrize(
    ("program", "status", "message"),
    [
        (SUM, "passed", ""),
        ("print(0)", "wrong", "line 1 differs"),
        ("1 / 0", "failed", "ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(3)", "exited", ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crashed", ""),
        ("while True: pass", "timed_out", ""),
        ("print('x' * 2_000_000)", "output_limit", ""),
    ],
)
def test_programs_have_the_same_statuses_as_here(engine, program, status, message):
    tests = {"inputs": ["1 2\n"], "outputs": ["3\n"]}
    timeout = 0.3 if status == "timed_out" else 20.0  # of the wall clock, there
    with serving(ENGINES[engine]) as (url, paths):
        there = execute([[program]], [tests], engine=f"{engine}:{url}", timeout=timeout)
    (grade,) = there.grades[0]
    here = execute([[program]], [tests], timeout=timeout, output_limit="1MiB").grades[0][0]

    assert grade.status == status == here.status, grade
    assert message in grade.message
    assert there.layers == ["remote"]
    assert set(paths) == {PATHS[engine]}


@engines
def test_functions_have_the_same_statuses_as_here(engine):
    tests = {"inputs": ["1", "2", "3", "4"], "outputs": ["[1, 1]", "[2]", "[3, 3]", "[4, 4]"]}
    program = (
        "import sys\n"
        "class Solution:\n"
        "    def twice(self, x):\n"
        "        print('debug')\n"
        "        if x == 3: raise KeyError(x)\n"
        "        if x == 4: sys.exit(5)\n"
        "        return (x, x)"
    )
    with serving(ENGINES[engine]) as (url, _):
        executions = execute(
            [[program, "def other(): pass"]],
            [tests | {"fn_name": "twice"}],
            engine=f"{engine}:{url}",
            timeout=20.0,
        )
    first, second = executions.grades[0]

    assert first.statuses == ["passed", "wrong", "failed", "exited"]
    assert set(second.statuses) == {"failed"}


@engines
@pytest.mark.parametrize("faults", [[503], [504, 500, 502]])
def test_a_server_that_is_busy_is_asked_again(engine, faults):
    with serving(ENGINES[engine], faults) as (url, paths):
        grades = execute([[SUM]], [SUMS], engine=f"{engine}:{url}", timeout=20.0).grades

    assert grades[0][0].outcome is True
    assert len(paths) == 2 + len(faults)


FAULTS = {
    "sandbox_fusion": [{"status": "SandboxError", "message": "no cgroup"}, {}, {"run_result": {}}],
    "piston": [
        {"message": "no runtime"},
        {"run": {"status": "XX", "message": "internal"}},
        {"run": {"code": 1, "stderr": "fork: Resource temporarily unavailable"}},
    ],
}


@engines
@pytest.mark.parametrize("number", range(3))
def test_a_server_that_fails_is_infrastructure(engine, number):
    with serving(lambda _: FAULTS[engine][number]) as (url, _):
        (grade,) = execute(
            [[SUM]], [SUMS], engine=f"{engine}:{url}", infrastructure="skip", timeout=20.0
        ).grades[0]

    assert grade.outcome is None
    assert set(grade.statuses) == {"infrastructure"}


@engines
def test_a_server_that_refuses_or_is_not_there_is_infrastructure(engine):
    with serving(lambda _: 400) as (url, paths):
        refused = execute([[SUM]], [SUMS], engine=f"{engine}:{url}", infrastructure="skip")
    absent = execute([[SUM]], [SUMS], engine=f"{engine}:{url}", infrastructure="skip")

    assert "answers 400: busy" in refused.grades[0][0].message
    assert len(paths) == 2, "it would refuse the same again"
    assert absent.outcomes == [[None]]


@pytest.mark.parametrize(
    ("tests", "problem"),
    [
        ("assert f(1)", r"references\[0\] has tests that 'piston:http://x' cannot run"),
        (SUMS | {"checker": "x"}, r"references\[0\] has a checker, which 'piston:http://x' cannot"),
    ],
)
def test_what_a_server_cannot_run_is_an_error(tests, problem):
    with pytest.raises(ValueError, match=problem):
        execute([["x"]], [tests], engine="piston:http://x")


def test_a_server_has_no_layers_to_ask_for():
    with pytest.raises(ValueError, match="require holds 'landlock', which is missing here"):
        execute([[SUM]], [SUMS], engine="piston:http://x", require=["landlock"])


# What a container engine is asked for, done on this machine: the same folders, no container.
DOCKER = """#!{python}
import os, sys
words = sys.argv[1:]
open({log!r}, "w").write("\\n".join(words))
environment, at = {{}}, 0
while at < len(words):
    if words[at] == "--env":
        name, _, value = words[at + 1].partition("=")
        environment[name] = value
    at += 1
command = words[words.index("python3") + 1 :]
if words[words.index("python3") - 1] == "missing":
    sys.exit("Unable to find image")
command = [word.replace("/tmp/programs", {scratch!r}) for word in command]
os.execve(sys.executable, [sys.executable, *command], environment)
"""


@pytest.fixture
def docker(tmp_path, monkeypatch):
    """A command `docker` in the path, and the words that it was called with."""
    log, scratch, folder = tmp_path / "words", tmp_path / "programs", tmp_path / "bin"
    folder.mkdir()
    scratch.mkdir(mode=0o777)
    script = folder / "docker"
    script.write_text(DOCKER.format(python=sys.executable, log=str(log), scratch=str(scratch)))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    yield lambda: log.read_text().splitlines()
    close_pools()


def test_a_supervisor_in_a_container(docker):
    executions = execute(
        [[SUM, "print(0)"], ["def f(): return 1"]],
        [SUMS, "assert f() == 1"],
        engine="docker",
        num_workers=1,
    )
    words = docker()

    assert executions.outcomes == [[True, False], [True]]
    assert executions.layers[:2] == ["container", "process"]
    assert words[:6] == ["run", "--rm", "--network", "none", "--read-only", "--cap-drop"]
    assert "python:3.12-slim" in words
    assert words[words.index("--user") + 1] == "65534:65534"


def test_a_container_that_does_not_start_is_infrastructure(docker):
    with pytest.raises(OSError, match="the container does not start: Unable to find image"):
        execute([[SUM]], [SUMS], engine="docker:missing", num_workers=1)


@pytest.mark.parametrize("engine", ["dokcer", "piston", "piston:localhost", "local:x", 5, None])
def test_an_engine_that_does_not_exist_is_an_error(engine):
    with pytest.raises(ValueError, match=r"engine: .* is not one of 'local', 'docker', "):
        execute([[SUM]], [SUMS], engine=engine)
