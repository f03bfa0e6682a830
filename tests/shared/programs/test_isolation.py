"""The layers around a program, and what is left of it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metric_commons.programs.executions import execute
from metric_commons.programs.grading import Conditions, grade
from metric_commons.programs.jobs import ProgramLimits
from metric_commons.programs.reference_tests import read_tests
from metric_commons.programs.supervisor import LAYERS
from metric_commons.programs.worker_pool import shared_pool
from tests.programs_run import SUM, SUMS, one_worker, processes_with, report
from tests.spec import PATIENCE

pytestmark = pytest.mark.processes

NAMESPACES = "user and network namespaces"
OPTIONAL = [NAMESPACES, "read-only mounts", "pid namespace", "landlock", "seccomp"]


@pytest.fixture(scope="module")
def pool():
    pool = one_worker()
    yield pool
    pool.close()


def test_every_layer_is_there_or_refused_with_its_cause(pool):
    assert set(pool.layers) | set(pool.refused) == set(LAYERS)
    assert not set(pool.layers) & set(pool.refused)
    assert all(pool.refused.values())


@pytest.mark.parametrize("layer", OPTIONAL)
def test_programs_run_without_a_layer_and_the_result_says_so(layer):
    pool = one_worker(without=[layer])
    try:
        assert layer not in pool.layers
        assert pool.refused[layer] == "switched off"
        assert report(pool, "assert 1 + 1 == 2").status == "passed"
        orphan = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)"
        assert report(pool, orphan).status == "passed"
        assert report(pool, SUM, "main", "1 2").stdout == b"3\n"
    finally:
        pool.close()


def test_a_layer_that_is_asked_for_and_missing_is_an_error():
    with pytest.raises(ValueError, match=r"require holds 'moat', which is missing here: unknown"):
        execute([["pass"]], ["assert True"], require=["pid namespace", "moat"])


CONNECTION = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), 0.1)
except OSError:
    pass
else:
    raise SystemExit(1)
"""


@pytest.mark.parametrize("without", [[], [NAMESPACES], ["seccomp"]])
def test_there_is_no_network(without):
    pool = one_worker(without)
    try:
        assert report(pool, CONNECTION).status == "passed"
    finally:
        pool.close()


@pytest.mark.parametrize("without", [[], ["landlock"], [NAMESPACES]])
def test_nothing_outside_of_the_folder_can_be_written(tmp_path, without):
    tmp_path.chmod(0o777)
    pool = one_worker(without)
    if without and not {"landlock", "read-only mounts"} & set(pool.layers):
        pytest.skip("neither of the two layers is there")
    target = tmp_path / "left"
    try:
        program = f"open({str(target)!r}, 'w').write('x')"
        assert report(pool, program).status == "failed"
        assert not target.exists()
        assert report(pool, "open('own', 'w').write('x')").status == "passed"
    finally:
        pool.close()


def test_a_program_finds_nothing_of_the_one_before(pool):
    leave = (
        "import os\n"
        "for path in ('own', '../shared', os.environ['HOME'] + '/home'):\n"
        "    open(path, 'w').write('x')"
    )
    look = (
        "import os\n"
        "assert os.listdir('.') == []\n"
        "assert os.listdir('..') == [os.path.basename(os.getcwd())], os.listdir('..')"
    )
    report(pool, leave)

    found = report(pool, look)
    assert found.status == "passed", found.results


def test_the_environment_and_descriptors_are_its_own(pool, monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    program = (
        "import os\n"
        "assert set(os.environ) <= {'PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_CTYPE', 'PYTHONHASHSEED',"
        " 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'}, os.environ\n"
        "for number in range(3, 60):\n"
        "    try:\n"
        "        kind = os.readlink(f'/proc/self/fd/{number}')\n"
        "    except OSError:\n"
        "        continue\n"
        "    assert 'socket' not in kind, kind"
    )
    fresh = one_worker()
    try:
        found = report(fresh, program)
    finally:
        fresh.close()

    assert found.status == "passed", found.results


def test_memory_is_limited(pool):
    assert b"MemoryError" in report(pool, "x = bytearray(8 << 30)").results


def scratch_folders(folder):
    return [path for path in Path(folder).iterdir() if path.name.startswith("execution-")]


CALLER = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from metric_commons.programs.executions import execute
execute([["pass"]], ["assert True"], num_workers=1)
if sys.argv[2] == "busy":
    print("ready", flush=True)
    execute([["while True: pass"]], ["assert True"], num_workers=1, timeout=300.0)
print("ready", flush=True)
if sys.argv[2] == "idle":
    sys.stdin.read()
"""


@pytest.mark.parametrize("end", ["idle", "busy", "exit"])
def test_nothing_is_left_when_the_caller_ends(end, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", CALLER, str(tmp_path), end],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    if end != "exit":
        process.send_signal(signal.SIGKILL)
    process.communicate()
    deadline = time.monotonic() + PATIENCE
    while processes_with(str(tmp_path)) or scratch_folders(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_worker_that_is_killed_is_replaced(pool):
    report(pool, "pass")
    worker = pool._workers[0]
    os.killpg(worker._process.pid, signal.SIGKILL)

    assert report(pool, "pass").status == "passed"
    assert not processes_with("never-there")


def test_a_forked_process_has_workers_of_its_own():
    first = shared_pool(1)
    assert report(first, "pass").status == "passed"
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            second = shared_pool(1)
            status = report(second, "pass").status
            os.write(write, json.dumps([second is first, status]).encode())
            second.close()
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        assert json.load(file) == [False, "passed"]
    os.waitpid(pid, 0)
    assert report(first, "pass").status == "passed"


def test_elsewhere_programs_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")

    with pytest.raises(NotImplementedError, match="on Linux only"):
        execute([["pass"]], ["assert True"])


def test_ten_megabytes_go_in_and_out(pool):
    text = "x" * 9_999_999 + "\n"
    found = report(pool, "import sys\nsys.stdout.write(sys.stdin.read())", "main", text)

    assert found.stdout == text.encode()


def test_too_much_output_is_cut(pool):
    conditions = Conditions(limits=ProgramLimits(5.0, output=1 << 20))
    found = grade(pool, "while True: print('x' * 10000)", read_tests(SUMS), conditions)

    assert found.statuses == ["output_limit"] * 2
