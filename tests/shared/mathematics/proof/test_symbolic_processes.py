import subprocess
import sys
import tomllib
from importlib.util import find_spec
from threading import Thread
from time import perf_counter

import pytest

from metric_commons.mathematics import equivalence_scores
from metric_commons.mathematics.proof import symbolic_processes
from metric_commons.mathematics.proof.symbolic_processes import SymbolicProcess
from metric_commons.mathematics.proof.symbolic_worker import SCRIPT, verdict
from tests.spec import ROOT

pytestmark = pytest.mark.processes

has_sympy = find_spec("sympy") is not None and find_spec("math_verify") is not None

WORKER = """\
import json, sys, time
print("{}", flush=True)
for line in sys.stdin:
    reference, prediction = json.loads(line)
    if prediction == "for ever":
        time.sleep(600)
    if prediction == "crash":
        sys.exit(1)
    print(json.dumps(reference == prediction), flush=True)
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """A worker that compares texts, and can be made to hang and to crash."""
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    monkeypatch.setattr(symbolic_processes, "SCRIPT", script)
    return script


def test_one_process_compares_all(worker):
    with SymbolicProcess("minerva", timeout=60) as process:
        verdicts = [process.compare("1", "1"), process.compare("1", "2"), process.compare("π", "π")]

    assert verdicts == [True, False, True]
    assert process._process is None


def test_what_takes_too_long_is_ended_and_the_next_comparison_goes_on(worker):
    start = perf_counter()
    with SymbolicProcess("minerva", timeout=1) as process:
        process.compare("1", "1")
        first = process._process
        verdicts = [process.compare("1", "for ever"), process.compare("1", "1")]
        second = process._process

    assert verdicts == [None, True]
    assert first is not second
    assert first.poll() is not None
    assert perf_counter() - start < 60


def test_a_crash_leaves_one_comparison_undecided(worker):
    with SymbolicProcess("minerva", timeout=60) as process:
        assert process.compare("1", "crash") is None
        assert process.compare("1", "1") is True


def test_it_runs_in_threads(worker):
    results = []

    def compare():
        scores = equivalence_scores(["1", "2"], ["1", "1"], backend="math_verify", timeout=60)
        results.append(scores.equal.tolist())

    threads = [Thread(target=compare) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [[1.0, 0.0]] * 2


def test_a_script_that_does_not_start_is_said(worker):
    worker.write_text("raise SystemExit(1)")

    with (
        SymbolicProcess("minerva", timeout=60) as process,
        pytest.raises(ValueError, match=r"^backend 'minerva' needs more .*does not start"),
    ):
        process.compare("1", "1")


@pytest.mark.skipif(has_sympy, reason="the extra math is installed")
@pytest.mark.parametrize("backend", ["minerva", "math_verify"])
def test_a_missing_library_is_named(backend):
    with pytest.raises(ValueError, match=r"pip install 'metric-commons\[math\]'"):
        equivalence_scores(["1"], ["1"], backend=backend)


@pytest.mark.skipif(not has_sympy, reason="the extra math is not installed")
@pytest.mark.parametrize("backend", ["minerva", "math_verify"])
def test_sympy_compares(backend):
    scores = equivalence_scores(["1/2", "3"], [r"\frac{2}{4}", "2"], backend=backend, timeout=60)

    assert scores.equal.tolist() == [1.0, 0.0]


def test_a_comparison_that_fails_says_nothing():
    assert verdict(lambda reference, prediction: reference == prediction, "1", "1") is True
    assert verdict(lambda reference, prediction: [][0], "1", "1") is None


def test_the_worker_needs_no_other_file_of_the_package(tmp_path):
    program = "import runpy, sys; runpy.run_path(sys.argv[1]); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-P", "-c", program, str(SCRIPT)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )

    assert "metric_commons" not in run.stdout


def test_no_extra_pins_a_version():
    """An extra that a trainer installs beside its own libraries must not replace theirs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    requirements = [text for extra in project["optional-dependencies"].values() for text in extra]

    assert requirements
    assert not [text for text in requirements if "==" in text]
