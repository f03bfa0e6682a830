"""Rewards of generated programs, in batches and in event loops."""

import asyncio
import json
import os
import subprocess
import sys
import threading

import pytest

from metric_commons.programs.executions import prepare
from metric_commons.programs.worker_pool import Report
from metric_commons.rewards import code, code_verl
from tests.programs_run import SUM, SUMS
from tests.spec import nightly
from tests.tables import by_table

pytestmark = pytest.mark.processes


@pytest.fixture(autouse=True)
def _allowed(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


def fenced(program):
    return f"Here it is:\n```python\n{program}\n```\n"


HALF = fenced("print(3)")
COMPLETIONS = [fenced(SUM), HALF, fenced("1 / 0"), "I cannot.", fenced("print(")]


@by_table("score, rewards")
def test_rewards_of_a_batch(score, rewards):
    reward = code("tests", score=score)

    found = reward(COMPLETIONS, tests=[SUMS] * 5, prompts=["?"] * 5)
    assert found == pytest.approx(rewards)


@pytest.mark.parametrize(
    "tests", [{}, "{", {"inputs": ["1"]}, None, {"language": "cpp", "test_cases": []}]
)
def test_rows_without_readable_tests_have_no_reward(tests):
    tests = "[" if tests == "{" else tests

    assert code("tests")([fenced(SUM)], tests=[tests]) in ([None], [0.0])


def test_a_fault_of_the_machine_is_no_reward(monkeypatch):
    pool = prepare([], num_workers=None, per_core=4).runner
    monkeypatch.setattr(pool, "run", lambda job: Report("infrastructure", "out of order"))

    assert code("tests")([fenced(SUM)], tests=[SUMS]) == [None]
    found = asyncio.run(code_verl("toy", fenced(SUM), SUMS))
    assert (found["score"], found["undecided"]) == (0.0, 1.0)


@pytest.mark.parametrize("count", [60, *nightly(400)])
def test_many_scores_are_awaited_at_once(count):
    async def scores():
        runs = [
            code_verl("toy", fenced(SUM) if n % 2 else HALF, json.dumps(SUMS), {"index": n})
            for n in range(count)
        ]
        return await asyncio.gather(*runs)

    before = threading.active_count()
    found = asyncio.run(scores())

    assert [result["score"] for result in found] == [1.0 if n % 2 else 0.5 for n in range(count)]
    assert {result["tests"] for result in found} == {2}
    assert threading.active_count() - before <= max(len(os.sched_getaffinity(0)), 16) + 1


def test_loops_and_threads_share_the_workers():
    found = []

    def work():
        found.append(asyncio.run(code_verl("toy", fenced(SUM), SUMS))["score"])
        found.extend(code("tests")([fenced(SUM)], tests=[SUMS]))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [1.0] * 16


def test_a_forked_process_has_its_own_workers():
    assert code("tests")([fenced(SUM)], tests=[SUMS]) == [1.0]
    program = (
        "import multiprocessing, sys\n"
        "from metric_commons.rewards import code\n"
        f"completion, tests = {fenced(SUM)!r}, {SUMS!r}\n"
        "def work(_): return code('tests')([completion], tests=[tests])\n"
        "first = work(0)\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    print(first, pool.map(work, range(4)), work(0))\n"
        "print('evaluate' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == [f"[1.0] {[[1.0]] * 4} [1.0]", "False"]


@by_table("options, problem")
def test_options_are_checked_before_training(options, problem):
    with pytest.raises(ValueError, match=problem):
        code("tests", **options)
    with pytest.raises(ValueError, match=problem):
        asyncio.run(code_verl("toy", fenced(SUM), SUMS, **options))


def test_it_asks_before_it_runs(monkeypatch):
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")

    with pytest.raises(ValueError, match="allow_execution=True"):
        code("tests")
    with pytest.raises(ValueError, match="allow_execution=True"):
        asyncio.run(code_verl("toy", fenced(SUM), SUMS))


@pytest.mark.parametrize("program", ["while True: pass", "import time; time.sleep(600)"])
def test_time_limits_run_side_by_side(program):
    task = code("tests", timeout=2.0).task
    tests = {"inputs": ["1 2"], "outputs": ["3"]}
    grades = [run.result() for run in task.submitted([fenced(program)] * 8, [tests] * 8)]

    assert [grade.status for grade in grades] == ["timed_out"] * 8
    # Alone on the cores, each has had its share of 2 seconds; beside others a fifth is enough.
    assert sum(grade.cpu for grade in grades) < 2.5 * len(os.sched_getaffinity(0)) + 1


def test_a_test_program_has_a_reward_too():
    reward, tests = code("tests"), "assert add(2, 3) == 5"

    assert reward([fenced("def add(a, b): return a + b")], tests=[tests]) == [1.0]
    assert reward([fenced("def add(a, b): return a * b")], tests=[tests]) == [0.0]
    assert reward([fenced("def add(a, b): return a + b")], tests=["# nothing"]) == [None]
