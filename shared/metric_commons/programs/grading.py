"""One program graded by the tests of its task: a status for each test."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..statistics.arguments.checks import shown
from .jobs import Job, ProgramLimits, memory_file
from .output_comparison import Comparison, is_expected_value, output_difference
from .reference_tests import ReferenceTests
from .worker_pool import Pool, Report

STATUSES = tuple(
    (
        "passed wrong failed exited crashed timed_out output_limit tampered not_run infrastructure"
    ).split()
)

_EXCERPT = 300  # characters of a text in a failure
_LONGEST_CLAIM = 20_000  # bytes of a program's answer that are read as JSON
_VALUE = b'{"value": '
_TESTLIB: dict[int | None, str] = {0: "passed", 1: "wrong", 2: "wrong"}  # exit statuses
_CHECKER_LIMITS = ProgramLimits(timeout=15.0)  # independent of those of the solution


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """How programs are run and judged, as in the options of `code_eval`."""

    limits: ProgramLimits
    compare: Comparison = "lines"
    tolerance: float = 1e-6
    stop_at_failure: bool = False


@dataclass
class Grade:
    """The outcome of one program.

    `outcome` is True if all tests passed, None if only a fault of the machine kept the program from
    passing, and otherwise False. `first_failure` is empty if there is none.
    """

    statuses: list[str]
    message: str = ""
    first_failure: dict[str, Any] = field(default_factory=dict)
    cpu: float = 0.0

    @property
    def outcome(self) -> bool | None:
        """Return whether all tests passed."""
        if self.status == "infrastructure":
            return None
        return self.status == "passed"

    @property
    def status(self) -> str:
        """Return the status of the first test that did not pass."""
        failed = [status for status in self.statuses if status != "passed"]
        decided = [status for status in failed if status != "infrastructure"]
        return (decided or failed or ["passed"])[0]

    @property
    def passed_tests(self) -> int:
        """Return the number of tests that passed."""
        return self.statuses.count("passed")


def grade(runner: Pool, program: str, tests: ReferenceTests, conditions: Conditions) -> Grade:
    """Return the statuses of a program's tests; see `Grade`."""
    grading = _Grading(runner, program, tests, conditions, Grade(["not_run"] * len(tests)))
    if tests.kind == "calls":
        grading.run_calls()
        return grading.grade
    run_test = grading.run_stdin if tests.kind == "stdin" else grading.run_test_program
    for number in range(len(tests)):
        if not run_test(number):
            break
    return grading.grade


@dataclass
class _Grading:
    runner: Pool
    program: str
    tests: ReferenceTests
    conditions: Conditions
    grade: Grade

    def run_test_program(self, number: int) -> bool:
        """Run the program and a test program or statement; False if no other test is to run."""
        test = self.tests.programs[number]
        is_statement = self.tests.kind == "asserts"
        separator = "\n\n" if is_statement else "\n"  # as the harnesses of these tests do
        report = self._run(
            "tests",
            f"{self.program}{separator}{test.text}",
            name="__main__" if is_statement else None,
            test_names=test.test_names,
        )
        statement = test.text if is_statement else ""
        return self._note(number, report.status, _message(report), statement)

    def run_stdin(self, number: int) -> bool:
        """Run the program with one input; False if no other test is to run."""
        test = self.tests.inputs[number], self.tests.outputs[number]
        report = self._run("main", self.program, test[0])
        status, message = report.status, _message(report)
        is_error = report.exit_status == 1 and message and not message.startswith("exit ")
        if status == "exited" and is_error:
            status = "failed"
        if report.is_cut and status in ("finished", "failed"):
            status = "output_limit"
        elif status == "finished" and self.tests.checker:
            status, message = checked_output(self.runner, self.tests, number, report.stdout)
        elif status == "finished":
            compare, tolerance = self.conditions.compare, self.conditions.tolerance
            message = output_difference(report.stdout, test[1], compare, tolerance)
            status = "wrong" if message else "passed"
        return self._note(number, status, message, *test, report.stdout)

    def run_calls(self) -> None:
        """Call the function with all arguments in one process, and in a new one after its end."""
        number = 0
        while number < len(self.tests):
            number = self._run_calls(number)

    def _run_calls(self, number: int) -> int:
        """Call the function from one test on; return the next test, or the end of all."""
        count = len(self.tests)
        arguments = self.tests.arguments[number:]
        report = self._run(
            "calls",
            self.program,
            json.dumps(arguments),
            tests=len(arguments),
            function=self.tests.function,
        )
        lines = _lines(report.results)
        first = next(lines, memoryview(b""))
        if b'"ready"' not in bytes(first[:20]):  # it would end the same way before every test
            status, message = _start_failure(first, report)
            for unstarted in range(number, count):
                if not self._note(unstarted, status, message, *self._call(unstarted)):
                    break
            return count
        for line in lines:
            if number == count:
                return count
            if not self._judge(number, line):
                return count
            number += 1
        if number < count:  # the process ended during this test
            is_next = self._note(number, *_early_end(report), *self._call(number))
            return number + 1 if is_next else count
        return count

    def _call(self, number: int) -> tuple[Any, Any]:
        return self.tests.arguments[number], self.tests.answers[number][0]

    def _judge(self, number: int, line: memoryview) -> bool:
        """Record the result of one call; the line is what the program claims."""
        tolerance = self.conditions.tolerance if self.conditions.compare == "floats" else None
        message, value = "", None
        if bytes(line[: len(_VALUE)]) != _VALUE or bytes(line[-1:]) != b"}":
            status, message = _claimed_end(line, "error")
        else:
            result = line[len(_VALUE) : -1]
            answers = self.tests.answers[number]
            if any(is_expected_value(result, answer, tolerance) for answer in answers):
                status = "passed"
            else:
                status, message, value = _wrong_value(result)
        return self._note(number, status, message, *self._call(number), value)

    def _run(self, kind: str, *texts: str, **options: Any) -> Report:
        """Run a program, which may have data."""
        with _files(*texts) as (program, *data):
            job = Job(
                kind,
                program,
                self.conditions.limits,
                data=data[0] if data else None,
                **options,
            )
            report = self.runner.run(job)
        self.grade.cpu += report.cpu
        return report

    def _note(
        self,
        number: int,
        status: str,
        message: str,
        test_input: Any = "",
        expected: Any = "",
        output: Any = "",
    ) -> bool:
        """Record the status of a test; False if no other test is to run."""
        self.grade.statuses[number] = status
        if status == "passed":
            return True
        if not self.grade.first_failure:
            self.grade.message = _excerpt(message)
            self.grade.first_failure = {
                "test": number,
                "status": status,
                "message": _excerpt(message),
                "input": _excerpt(test_input),
                "expected": _excerpt(expected),
                "got": _excerpt(output),
            }
        return not self.conditions.stop_at_failure


def checked_output(
    runner: Pool, tests: ReferenceTests, number: int, output: bytes
) -> tuple[str, str]:
    """Return the status and the message of a checker for the output of a test.

    The checker is locked in like a program. "testlib" gets the paths of input, output and answer;
    its exit status is 0 for a right output, 1 or 2 for a wrong one. "open-r1" gets input, answer
    and output; the last word that it prints is 1 or 0. A checker that ends otherwise is not a
    failure of the program: the status is "infrastructure".
    """
    given, answer = tests.inputs[number], tests.outputs[number]
    is_testlib = tests.protocol == "testlib"
    order = (given, output, answer) if is_testlib else (given, answer, output)
    with _files(tests.checker, *order) as (program, *files):
        report = runner.run(Job("main", program, _CHECKER_LIMITS, files=files))
    printed = report.stdout.decode("utf-8", "replace")
    raised = report.results.decode("utf-8", "replace")
    message = (report.stderr.decode("utf-8", "replace") or printed).strip()
    verdict = None
    if raised and not raised.startswith("exit "):
        message = raised
    elif report.status in ("finished", "exited") and is_testlib:
        verdict = _TESTLIB.get(report.exit_status)
    elif report.status == "finished":
        verdict = {"1": "passed", "0": "wrong"}.get("".join(printed.split()[-1:]))
    if verdict is not None:
        return verdict, message
    end = f"{report.status}, exit status {report.exit_status}"
    return "infrastructure", f"the checker ended with {end}: {message or report.message}"


@contextmanager
def _files(*texts: str | bytes) -> Iterator[Sequence[int]]:
    """Open files in memory with these texts, which are closed afterwards."""
    descriptors: list[int] = []
    try:
        for text in texts:
            if isinstance(text, str):
                text = text.encode("utf-8", "surrogatepass")
            descriptors.append(memory_file(text))
        yield descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _lines(results: bytes) -> Iterator[memoryview]:
    """Yield the complete lines, one at a time and not copied, since there may be a long one."""
    start = 0
    while (end := results.find(b"\n", start)) >= 0:
        yield memoryview(results)[start:end]
        start = end + 1


def _wrong_value(result: memoryview) -> tuple[str, str, Any]:
    """Return the status, the message and the value of a call that has returned no right answer."""
    if len(result) > _LONGEST_CLAIM:
        return "wrong", "", bytes(result[:_LONGEST_CLAIM])
    try:
        return "wrong", "", json.loads(bytes(result))
    except (ValueError, RecursionError) as error:  # a program may have written anything
        return "failed", f"the returned value cannot be read: {error!r}", ""


def _claimed_end(line: memoryview, name: str) -> tuple[str, str]:
    """Return the status and the message in a line about an error, or the end of a program."""
    try:
        if len(line) > _LONGEST_CLAIM:
            raise ValueError(f"a line of {len(line)} bytes")
        claim = dict(json.loads(bytes(line)))
        message = str(claim.get(name) or claim.get("ended") or "")
        return ("exited" if "ended" in claim else "failed"), message
    except Exception as error:  # a program may have written anything
        return "failed", f"the answer of the program cannot be read: {error!r}"


def _start_failure(line: memoryview, report: Report) -> tuple[str, str]:
    """Return status and message of a program that did not reach its first call."""
    return _claimed_end(line, "unusable") if line else _early_end(report)


def _early_end(report: Report) -> tuple[str, str]:
    """Return status and message of a program that ended before its calls did."""
    status = "exited" if report.status == "finished" else report.status
    return ("output_limit" if report.is_cut else status), _message(report)


def _message(report: Report) -> str:
    """Return the facts about the end of a program."""
    if report.message:
        return report.message
    is_text = report.results and not report.results.startswith(b"{")
    return (report.results if is_text else report.stderr).decode("utf-8", "replace")


def _excerpt(value: Any) -> str:
    """Return a text for a failure, shortened in the middle if it is long."""
    half = _EXCERPT // 2
    if isinstance(value, bytes):
        if len(value) > 4 * _EXCERPT:  # bytes, of which a character has at most four
            value = value[: 4 * half] + b" ... " + value[-4 * half :]
        value = value.decode("utf-8", "replace")
    text = value if isinstance(value, str) else shown(value, 10 * _EXCERPT)
    if len(text) > _EXCERPT:
        text = f"{text[:half]} ... {text[-half:]}"
    return text.encode("utf-8", "backslashreplace").decode()
