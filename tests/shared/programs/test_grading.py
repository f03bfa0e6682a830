"""From the tests of a program to its status, score and first failure."""

import json
import os
import signal
import threading
import tracemalloc

import pytest

from metric_commons.programs.executions import execute, program_score
from metric_commons.programs.grading import Conditions, Grade, grade
from metric_commons.programs.jobs import ProgramLimits
from metric_commons.programs.reference_tests import read_tests
from metric_commons.programs.supervisor import LAYERS
from metric_commons.programs.worker_pool import Report
from tests.programs_run import SUM, SUMS, one_worker
from tests.spec import nightly
from tests.tables import by_table, tabled

pytestmark = pytest.mark.processes

SQUARES = {
    "inputs": [str(n) for n in range(6)],
    "outputs": [str(n * n) for n in range(6)],
    "fn_name": "square",
}
THIRD_WRONG = "def square(n):\n    return n * n if n != 2 else 5"


def graded(program, tests, **options):
    return execute([[program]], [tests], num_workers=1, **options).grades[0][0]


def test_tests_after_a_failure_run_unless_they_are_stopped():
    after = graded(THIRD_WRONG, SQUARES)
    stopped = graded(THIRD_WRONG, SQUARES, stop_at_failure=True)

    assert after.statuses == ["passed", "passed", "wrong", "passed", "passed", "passed"]
    assert stopped.statuses == ["passed", "passed", "wrong", "not_run", "not_run", "not_run"]


BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"


@pytest.mark.parametrize(
    ("seconds", "programs", "workers", "timeout"), [(0.3, 8, 8, 0.6), *nightly((0.9, 21, 16, 2.0))]
)
def test_time_in_a_queue_for_a_core_does_not_count(seconds, programs, workers, timeout):
    queue = [BURN.format(seconds)] * programs
    executions = execute([queue], ["assert True"], num_workers=workers, timeout=timeout)

    assert {grade.status for grade in executions.grades[0]} == {"passed"}


@pytest.mark.parametrize("program", ["import time; time.sleep(60)", BURN.format(0.5)])
def test_sleep_and_cpu_time_count(program):
    assert graded(program, "assert True", timeout=0.4).status == "timed_out"


def test_after_a_death_the_other_tests_go_on():
    program = "import os\ndef square(n):\n    if n in (1, 3): os._exit(0)\n    return n * n"
    grade = graded(program, SQUARES)

    assert grade.statuses == ["passed", "exited", "passed", "exited", "passed", "passed"]


def test_state_of_a_function_lasts_from_test_to_test():
    program = (
        "class Solution:\n"
        "    def __init__(self): self.calls = 0\n"
        "    def square(self, n):\n"
        "        self.calls += 1\n"
        "        return n * n if self.calls == n + 1 else None"
    )

    assert graded(program, SQUARES).outcome is True


@by_table("program, message")
def test_a_program_without_its_function_fails_every_test(program, message):
    grade = graded(program, SQUARES)

    assert set(grade.statuses) <= {"failed", "exited"}
    assert grade.message.startswith(message)
    assert grade.first_failure["test"] == 0


def test_a_function_of_the_star_imports_is_not_the_programs():
    tests = {"inputs": ["1\n2"], "outputs": ["3"], "fn_name": "add"}

    assert graded("x = 1", tests).status == "failed"
    assert graded(
        "from operator import add as plus\ndef add(a, b): return plus(a, b)", tests
    ).outcome


def test_the_first_failure_is_cut_in_the_middle():
    tests = {"inputs": ["x" * 1000], "outputs": ["y" * 1000]}
    failure = graded("print('z' * 1000)", tests).first_failure

    assert {len(failure[key]) for key in ("input", "expected", "got")} == {305}


@by_table("statuses, scores")
def test_scores_of_a_program(statuses, scores):
    names = ("pass_fail", "partial", "weighted_sum")
    found = [program_score(Grade(statuses), name) for name in names]

    assert found == [pytest.approx(score) if score is not None else None for score in scores]


class Broken:
    """A runner that fails in some runs."""

    def __init__(self, *statuses):
        self.statuses = list(statuses)

    def run(self, job):
        return Report(self.statuses.pop(0), "out of order", stdout=b"3\n", exit_status=0)


CONDITIONS = Conditions(limits=ProgramLimits(1.0))


def test_a_fault_of_the_machine_is_no_failure_of_the_program():
    tests = read_tests({"inputs": ["1 2"] * 3, "outputs": ["3"] * 3})
    undecided = grade(Broken("finished", "infrastructure", "finished"), SUM, tests, CONDITIONS)
    failed = grade(Broken("crashed", "infrastructure", "finished"), SUM, tests, CONDITIONS)

    assert undecided.outcome is None
    assert (undecided.status, undecided.message) == ("infrastructure", "out of order")
    assert failed.outcome is False
    assert failed.status == "crashed"


def test_a_broken_checker_passes_no_program_and_ends_no_evaluation():
    executions = execute([[SUM, "1 / 0"]], [SUMS | {"checker": "1 / 0"}])

    assert executions.outcomes == [[False, False]]
    assert [grade.outcome for grade in executions.grades[0]] == [None, False]
    assert [grade.status for grade in executions.grades[0]] == ["infrastructure", "failed"]


@by_table("protocol, checker, status")
def test_checkers(protocol, checker, status):
    tests = {"inputs": ["1 2"], "outputs": ["any"], "checker": checker}
    grade = graded(SUM, tests | {"checker_protocol": protocol})

    assert grade.statuses == [status]


def test_a_worker_that_dies_is_replaced_and_its_program_runs_again():
    pool = one_worker()
    worker = pool._workers[0]
    worker.start()
    killer = threading.Timer(0.2, lambda: os.killpg(worker._process.pid, signal.SIGKILL))
    killer.start()
    try:
        conditions = Conditions(limits=ProgramLimits(30.0))
        found = grade(pool, BURN.format(0.6), read_tests("assert True"), conditions)
    finally:
        killer.join()
        pool.close()

    assert found.outcome is True


def test_expected_outputs_never_reach_the_program():
    secret = "424242424242"
    program = (
        "import gc, sys\n"
        "text = ''.join(map(repr, gc.get_objects()))\n"
        "frame = sys._getframe()\n"
        "while frame:\n"
        "    text += repr(frame.f_locals)\n"
        "    frame = frame.f_back\n"
        "print(''.join(['42'] * 6) in text)"
    )
    tests = {"inputs": [""], "outputs": [secret]}

    assert graded(program, tests).first_failure["got"] == "False\n"


@pytest.mark.parametrize("value", ["object()", "1j", "b'4'", "{(1, 2): 3}", "iter([4])"])
def test_only_values_of_json_are_results(value):
    grade = graded(f"def square(n): return {value}", SQUARES)

    assert set(grade.statuses) == {"failed"}
    assert grade.message.startswith("TypeError: ")


def test_arrays_are_lists_and_tuples_too():
    program = "import numpy\ndef pair(n): return (numpy.arange(n), numpy.int64(n), numpy.bool_(n))"
    tests = {"inputs": ["2"], "outputs": ["[[0, 1], 2, true]"], "fn_name": "pair"}

    assert graded(program, tests).outcome is True


def test_json_of_a_function_is_bounded():
    program = "def square(n):\n    x = []\n    for _ in range(10**5): x = [x]\n    return x"

    assert set(graded(program, SQUARES).statuses) == {"failed"}


def test_grades_are_plain():
    grade_of_all = graded(THIRD_WRONG, SQUARES)

    assert json.loads(json.dumps(grade_of_all.first_failure)) == {
        "test": 2,
        "status": "wrong",
        "message": "",
        "input": "[2]",
        "expected": "4",
        "got": "5",
    }


def test_the_first_verdict_counts_if_a_program_forks():
    program = "import os\nos.fork()"
    executions = execute([[program] * 30], ["assert False"], num_workers=2)

    assert {grade.status for grade in executions.grades[0]} == {"failed"}


def forging(line):
    """A program that writes a line where results are expected, and ends."""
    return (
        "import os\n"
        "def square(n):\n"
        "    for number in range(3, 20):\n"
        "        try: os.write(number, LINE)\n"
        "        except OSError: pass\n"
        "    os._exit(0)\n"
    ).replace("LINE", repr(line + b"\n"))


FORGED = [
    b'{"value": }',
    b'{"value": 0x0}',
    b'{"value": 1e99999, 0}',
    b'{"value": ' + b"9" * 5_000 + b"}",
    b'{"value": ' + b"[" * 10_000 + b"}",
    b'{"value": "\xff"}',
    b'{"value": 1e999, "error": ' + b"9" * 5_000 + b"}",
    b'{"error": ' + b"[" * 10_000 + b"}",
    b'["value"]',
    b"null",
    b"\xff\x00",
    b'{"error": "\\ud800"}',
    b"{" * 100_000,
]


@pytest.mark.parametrize("line", FORGED, ids=lambda line: line[:30].decode("latin-1"))
def test_a_forged_result_is_a_failure_of_its_program_alone(line):
    good = "def square(n): return n * n"
    executions = execute([[forging(line), good]], [SQUARES], num_workers=1)
    forged, right = executions.grades[0]

    assert forged.outcome is False
    assert forged.statuses[0] == "failed"
    assert right.outcome is True
    json.dumps(forged.first_failure, ensure_ascii=False).encode()


class Answering:
    """A runner whose programs have written something where results are expected."""

    def __init__(self, results):
        self.report = Report("finished", exit_status=0, results=results)

    def run(self, job):
        return self.report


@pytest.mark.long
@pytest.mark.parametrize("start", [b'{"value": [', b'{"value": {"', b'{"error": "', b""])
@pytest.mark.parametrize("piece", [b"[], ", b"{}, ", b"12345678901234567890, ", b"[", b"a"])
def test_large_results_take_little_memory(start, piece):
    results = b'{"ready": true}\n' + start + piece * ((8 << 20) // len(piece)) + b"}\n"
    tests = read_tests(SQUARES | {"outputs": ["[[]]", '{"a": []}', "1", "1", "1", "1"]})
    tracemalloc.start()
    found = grade(Answering(results), "", tests, CONDITIONS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "passed" not in found.statuses
    assert peak <= len(results) + 10**8 / 2  # besides the results


NAMESPACES = [layer for layer in LAYERS if "namespace" in layer or "mounts" in layer]
HOSTILE = tabled(__file__, "HOSTILE")


@pytest.mark.parametrize("layers", ["all", "no namespaces"])
@pytest.mark.parametrize("program", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("tests", ["assert 1 == 2", SQUARES], ids=["program", "calls"])
def test_a_hostile_program_never_ends_an_evaluation(program, tests, layers):
    pool = one_worker(without=NAMESPACES if layers == "no namespaces" else ())
    conditions = Conditions(limits=ProgramLimits(0.5))
    try:
        hostile = grade(pool, program, read_tests(tests), conditions)
        after = grade(pool, "x = 1", read_tests("assert x"), conditions)
    finally:
        pool.close()

    assert hostile.outcome is False, hostile
    assert after.outcome is True, after
