"""`metric-commons execute`: files in, outcomes out, and nothing lost on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.apps.files import systems_in, write_rows
from tests.programs_run import processes_with, workers_of
from tests.spec import PATIENCE
from tests.tables import by_table, tabled

pytestmark = pytest.mark.processes

TASKS = [
    {"task_id": "sum", "prompt": "def add(a, b):\n", "test": "assert add(1, 2) == 3"},
    {"task_id": 2, "test_list": ["assert square(2) == 4"]},
    {"task_id": "echo", "tests": {"inputs": ["1", "2"], "outputs": ["1", "2"]}},
]
SAMPLES = tabled(__file__, "SAMPLES")


EASY = [
    {"task_id": "always", "tests": "assert True"},
    {"task_id": "silent", "tests": {"inputs": ["1"], "outputs": [""]}},
    *TASKS,
]
EASY_SAMPLES = [{"task_id": name, "solution": "x = 1"} for name in ("always", "silent", "echo")]


@pytest.fixture
def execute(run):
    """The command on the files of this folder, with more words."""

    def execute(*words, samples=SAMPLES, tasks=TASKS):
        write_rows("tasks.jsonl", tasks)
        write_rows("samples.jsonl", samples)
        files = ("samples.jsonl", "--tests", "tasks.jsonl", "--save", "outcomes.jsonl")
        return run("execute", *files, *words)

    return execute


def outcomes():
    """The lines of the outcomes, without what differs from run to run."""
    lines = [json.loads(line) for line in Path("outcomes.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "cpu"} for line in lines]


def test_outcomes_come_in_the_order_of_the_samples(execute, run):
    status, out, err = execute("--allow-execution", "-j", "2")
    found = outcomes()

    assert (status, err) == (0, "")
    assert out.startswith("5 programs: 3 passed, ")
    names = ("task_id", "sample", "status", "outcome")
    assert [tuple(line[name] for name in names) for line in found] == [
        ("sum", 0, "passed", True),
        ("echo", 0, "wrong", False),
        ("MBPP/2", 0, "passed", True),
        ("sum", 1, "failed", False),
        ("echo", 1, "passed", True),
    ]
    assert (found[1]["passed_tests"], found[1]["tests"]) == (1, 2)
    assert not Path("outcomes.jsonl.unfinished").exists()

    status, out, _ = run("score", "pass_at_k", "outcomes.jsonl", "--format", "json")
    (result,) = systems_in(out).values()
    assert result["pass_at_k"].scores == {"pass@1": (1 / 2 + 1 / 2 + 1) / 3}


def test_nothing_runs_unless_it_is_allowed(execute, monkeypatch):
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL", raising=False)
    status, _, err = execute()
    assert status == 1
    assert "HF_ALLOW_CODE_EVAL=1" in err
    assert "--allow-execution" in err
    assert not Path("outcomes.jsonl").exists()

    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    assert execute()[0] == 0


def test_programs_are_taken_out_of_answers(execute):
    samples = [
        {"task_id": "sum", "completion": "Here:\n```python\ndef add(a, b): return a + b\n```"},
        {"task_id": "sum", "completion": "I cannot."},
    ]
    execute("--allow-execution", "--extract", "fenced", samples=samples)

    assert [line["outcome"] for line in outcomes()] == [True, False]


@by_table("words, samples, tasks, status, message")
def test_what_is_wrong_is_said_in_a_line(execute, words, samples, tasks, status, message):
    found, out, err = execute("--allow-execution", *words, samples=samples, tasks=tasks)

    assert (found, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1
    assert not Path("outcomes.jsonl").exists()


@by_table("choice, message, names")
def test_tasks_that_cannot_fail_may_be_kept(execute, choice, message, names):
    words = ("--allow-execution", "--check-tasks", choice)
    status, _, err = execute(*words, samples=EASY_SAMPLES, tasks=EASY)

    assert (status, err.count("\n")) == (0, bool(message))
    assert err.startswith(message)
    assert [line["task_id"] for line in outcomes()] == names


def test_a_run_that_was_interrupted_is_not_overwritten(execute):
    Path("outcomes.jsonl.unfinished").write_text("")
    status, _, err = execute("--allow-execution")

    assert status == 2
    assert "add --resume or remove it" in err


def test_only_what_is_missing_runs_again(execute, capsys):
    execute("--allow-execution")
    whole = Path("outcomes.jsonl").read_text()
    lines = whole.splitlines(keepends=True)
    open_line = json.loads(lines[1]) | {"outcome": None, "status": "infrastructure"}
    Path("outcomes.jsonl.unfinished").write_text(lines[0] + lines[4][:40])
    Path("outcomes.jsonl").write_text(json.dumps(open_line) + "\n" + lines[2])
    expected = [{key: v for key, v in json.loads(x).items() if key != "cpu"} for x in lines]
    execute("--allow-execution", "--resume")

    assert outcomes() == expected
    kept = [json.loads(line) for line in Path("outcomes.jsonl").read_text().splitlines()]
    assert kept[0] == json.loads(lines[0]), "what was finished is as it was"


def test_other_options_are_another_run(execute):
    execute("--allow-execution")
    before = [line["hash"] for line in outcomes()]
    execute("--allow-execution", "--resume", "--set", "timeout=2")

    assert not set(before) & {line["hash"] for line in outcomes()}


def many_files(folder, count):
    samples = [
        {"task_id": f"t{n % 10}", "solution": f"def f(x): return x + {n % 3}"} for n in range(count)
    ]
    tasks = [{"task_id": f"t{n}", "tests": f"assert f({n}) == {n + 1}"} for n in range(10)]
    os.chdir(folder)
    write_rows("samples.jsonl", samples)
    write_rows("tasks.jsonl", tasks)


@pytest.mark.parametrize("count", [100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_outcomes_survive_killed_workers_and_a_killed_run(count, tmp_path, run):
    many_files(tmp_path, count)
    command = [sys.executable, "-m", "metric_commons", "execute", "samples.jsonl"]
    command += ["--tests", "tasks.jsonl", "--allow-execution", "-j", "2"]
    command += ["--save", "outcomes.jsonl"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, env=environment)
    journal = tmp_path / "outcomes.jsonl.unfinished"
    deadline = time.monotonic() + PATIENCE

    def finished():
        return journal.read_bytes().count(b"\n") - 1 if journal.exists() else 0

    def wait_for(count):
        while finished() < count:
            assert process.poll() is None, "it has ended too early"
            assert time.monotonic() < deadline
            time.sleep(0.005)

    wait_for(count // 10)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    wait_for(count // 5)
    os.kill(workers_of(process.pid)[-1], signal.SIGKILL)
    wait_for(count * 3 // 10)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = finished()
    assert count * 3 // 10 <= done < count

    subprocess.run([*command, "--resume"], env=environment, check=True, capture_output=True)
    found = outcomes()
    assert len(found) == count
    assert [line["outcome"] for line in found] == [n % 3 == 1 for n in range(count)]
    assert not journal.exists()

    while processes_with(f"{tmp_path}/execution-"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    # A command that is killed while it starts a worker leaves the empty folder meant for it.
    assert not [*tmp_path.glob("execution-*/*")]
