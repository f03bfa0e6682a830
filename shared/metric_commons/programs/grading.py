"""One program graded by the tests of its task: a status for each test."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from ..statistics.arguments.checks import shown
from .engines import Runner
from .jobs import Job, ProgramLimits, memory_file
from .output_comparison import Comparison, is_expected_value, output_difference
from .plain_values import unpacked
from .reference_tests import Protocol, ReferenceTests
from .worker_pool import Report

STATUSES = (
    *("passed", "wrong", "failed", "exited", "crashed", "timed_out", "output_limit", "tampered"),
    *("not_run", "infrastructure"),
)
Prelude = Literal["auto", "livecodebench"]
ExitStatus = Literal["zero", "any"]
TestIsolation = Literal["in_process", "separate"]

_EXCERPT = 300  # characters of a text in a failure
_LONGEST_CLAIM = 20_000  # characters of a program's answer that are read as JSON
_VALUE = '{"value": '
_CHECKER_LIMITS = ProgramLimits(timeout=15.0)  # independent of those of the solution


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """How programs are run and judged, as in the options of `code_eval`."""

    limits: ProgramLimits
    isolation: TestIsolation = "in_process"
    compare: Comparison = "lines"
    tolerance: float = 1e-6
    stop_at_failure: bool = False
    max_tests: int | None = None
    prelude: Prelude | None = "auto"
    exit_status: ExitStatus = "zero"


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
        if all(status == "passed" for status in self.statuses):
            return True
        is_undecided = set(self.statuses) <= {"passed", "infrastructure"}
        return None if is_undecided else False

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


def grade(runner: Runner, program: str, tests: ReferenceTests, conditions: Conditions) -> Grade:
    """Return the statuses of a program's tests; see `Grade`.

    Args:
        runner: the pool that runs programs.
        program: the text of the program.
        tests: the tests of its task.
        conditions: how it is run and judged.
    """
    count = len(tests)
    if conditions.max_tests is not None and tests.kind != "program":
        count = min(count, conditions.max_tests)
    grading = _Grading(runner, program, tests, conditions, Grade(["not_run"] * count))
    match tests.kind:
        case "calls":
            grading.run_calls()
        case "stdin":
            grading.run_all(grading.run_stdin)
        case _:
            grading.run_all(grading.run_test_program)
    return grading.grade


@dataclass
class _Grading:
    runner: Runner
    program: str
    tests: ReferenceTests
    conditions: Conditions
    grade: Grade

    def run_all(self, run_test: Any) -> None:
        """Run tests one by one, until time runs out or a failure ends the program."""
        for number in range(len(self.grade.statuses)):
            if self._is_out_of_time() or not run_test(number):
                return

    def run_test_program(self, number: int) -> bool:
        """Run the program and a test program or statement; False if no other test is to run."""
        test = self.tests.programs[number]
        is_statement = self.tests.kind == "asserts"
        name = "__main__" if is_statement else None
        names: dict[str, Any] = {"name": name, "test_names": test.test_names}
        if self.conditions.isolation == "separate":
            task = {
                "prelude": self.tests.prelude,
                "tests": test.text,
                "entry_points": test.entry_points,
            }
            report = self._run("separate", self.program, json.dumps(task), **names)
        else:
            separator = "\n\n" if is_statement else "\n"  # as the harnesses of these tests do
            report = self._run("tests", f"{self.program}{separator}{test.text}", **names)
        statement = test.text if is_statement else ""
        return self._note(number, report.status, _message(report), statement)

    def run_stdin(self, number: int) -> bool:
        """Run the program with one input; False if no other test is to run."""
        test = self.tests.inputs[number], self.tests.outputs[number]
        report = self._run("main", self.program, test[0], **self._star_imports(False))
        status, message = self._end_status(report), _message(report)
        if status == "finished" and self.tests.checker:
            status, message = checked_output(
                self.runner, self.tests.checker, self.tests.protocol, test, report.stdout
            )
        elif status == "finished":
            compare, tolerance = self.conditions.compare, self.conditions.tolerance
            message = output_difference(report.stdout, test[1], compare, tolerance)
            status = "wrong" if message else "passed"
        return self._note(number, status, message, *test, report.stdout)

    def _end_status(self, report: Report) -> str:
        """Return the status from the end of a program, regardless of its output."""
        status = report.status
        if status == "exited":
            text = _message(report)
            if report.exit_status == 1 and text and not text.startswith("exit "):
                status = "failed"  # an exception
            if self.conditions.exit_status == "any" and report.exit_status is not None:
                status = "finished"
        is_cut = report.is_cut and status in ("finished", "failed")
        return "output_limit" if is_cut else status

    def run_calls(self) -> None:
        """Call the function with all arguments in one process, and in a new one after its end."""
        number = 0
        while number < len(self.grade.statuses) and not self._is_out_of_time():
            number = self._run_calls(number)

    def _run_calls(self, number: int) -> int:
        """Call the function from one test on; return the next test, or the end of all."""
        count = len(self.grade.statuses)
        arguments = self.tests.arguments[number:count]
        report = self._run(
            "calls",
            self.program,
            json.dumps(arguments),
            tests=len(arguments),
            function=self.tests.function,
            **self._star_imports(True),
        )
        lines = _lines(report.results)
        first = next(lines, "")
        if '"ready"' not in first[:20]:  # it would end the same way before every test
            status, message = _start_failure(first, report)
            for unstarted in range(number, count):
                if not self._note(unstarted, status, message, *self._call(unstarted)):
                    break
            return count
        for line in islice(lines, count - number):
            if not self._judge(number, line):
                return count
            number += 1
        if number < count:  # the process ended during this test
            is_next = self._note(number, *_early_end(report), *self._call(number))
            return number + 1 if is_next else count
        return count

    def _call(self, number: int) -> tuple[Any, Any]:
        return self.tests.arguments[number], self.tests.answers[number][0]

    def _judge(self, number: int, line: str) -> bool:
        """Record the result of one call; the line is what the program claims."""
        tolerance = self.conditions.tolerance if self.conditions.compare == "floats" else None
        status, message, value = "passed", "", ""
        try:
            if not _is_answer(line, self.tests.answers[number], tolerance):
                status, message, value = _wrong_answer(line)
        except Exception as error:  # a program may have written anything
            status, message = "failed", f"the returned value cannot be read: {error!r}"
        return self._note(number, status, message, *self._call(number), value)

    def _star_imports(self, is_usual: bool) -> dict[str, Any]:
        """Return whether LiveCodeBench's imports precede the program, as usual with functions."""
        prelude = self.conditions.prelude
        if prelude == "livecodebench" or (prelude == "auto" and is_usual):
            from .program_bodies import STAR_RECURSION  # imports what programs may use

            return {"star_imports": True, "recursion": STAR_RECURSION}
        return {}

    def _is_out_of_time(self) -> bool:
        limit = self.conditions.limits.program_timeout
        return limit is not None and self.grade.cpu >= limit

    def _run(self, kind: str, *texts: str, **options: Any) -> Report:
        """Run a program, which may have data, within the time that is left."""
        limits = self.conditions.limits
        if limits.program_timeout is not None:
            limits = limits._replace(program_timeout=limits.program_timeout - self.grade.cpu)
        with _files(*texts) as (program, *data):
            job = Job(kind, program, limits, data=data[0] if data else None, **options)
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
    runner: Runner, checker: str, protocol: Protocol, test: tuple[str, str], output: bytes
) -> tuple[str, str]:
    """Return the status and the message of a checker for an output.

    "testlib" gets the paths of input, output and answer; its exit status is 0 for a right output,
    1 or 2 for a wrong one. "open-r1" gets input, answer and output; the last word that it prints is
    1 or 0. A checker that ends otherwise is not a failure of the program: the status is
    "infrastructure".

    Args:
        runner: the pool that runs the checker, locked in like a program.
        checker: the text of the checker.
        protocol: its arguments, and how it answers.
        test: the input, and the expected output.
        output: the output of the program.
    """
    texts = [text.encode("utf-8", "surrogatepass") for text in test]
    order = [texts[0], output, texts[1]] if protocol == "testlib" else [*texts, output]
    with _files(checker.encode("utf-8", "surrogatepass"), *order) as (program, *files):
        report = runner.run(Job("main", program, _CHECKER_LIMITS, files=files, script="checker.py"))
    printed = report.stdout.decode("utf-8", "replace")
    raised = report.results.decode("utf-8", "replace")
    message = (report.stderr.decode("utf-8", "replace") or printed).strip()
    if report.status in ("finished", "exited") and (not raised or raised.startswith("exit ")):
        if protocol == "testlib" and report.exit_status in (0, 1, 2):
            return ("wrong" if report.exit_status else "passed"), message
        last = printed.split()[-1:]
        if protocol == "open-r1" and report.exit_status == 0 and last in (["0"], ["1"]):
            return ("passed" if last == ["1"] else "wrong"), message
    cause = raised or message or report.message
    return (
        "infrastructure",
        f"the checker ended with {report.status}, exit status {report.exit_status}: {cause}",
    )


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


def _lines(results: bytes) -> Iterator[str]:
    """Yield the complete lines, one at a time, since there may be many, or a long one."""
    start = 0
    while (end := results.find(b"\n", start)) >= 0:
        yield str(memoryview(results)[start:end], "latin-1")
        start = end + 1


def _is_answer(line: str, answers: Sequence[Any], tolerance: float | None) -> bool:
    """Return whether a line claims that a call has returned a right answer."""
    if not line.startswith(_VALUE) or not line.endswith("}"):
        return False
    part = len(_VALUE), len(line) - 1  # not copied
    return any(is_expected_value(line, answer, tolerance, *part) for answer in answers)


def _wrong_answer(line: str) -> tuple[str, str, Any]:
    """Return the status, the message and the value of a call that has returned no right answer."""
    if line.startswith(_VALUE) and len(line) > _LONGEST_CLAIM:
        return "wrong", "", line
    answer = _claim(line)
    if "value" in answer:
        return "wrong", "", unpacked(answer["value"])
    message = str(answer.get("error") or answer.get("ended") or "")
    return ("exited" if "ended" in answer else "failed"), message, ""


def _claim(line: str) -> dict[str, Any]:
    """Return the answer in a line.

    Raises:
        Exception: the line is forged.
    """
    if len(line) > _LONGEST_CLAIM:
        raise ValueError(f"a line of {len(line)} characters")
    return dict(json.loads(line))


def _start_failure(line: str, report: Report) -> tuple[str, str]:
    """Return status and message of a program that did not reach its first call."""
    if not line:
        return _early_end(report)
    try:
        answer = _claim(line)
        message = str(answer.get("unusable") or answer.get("ended") or "")
        return ("exited" if "ended" in answer else "failed"), message
    except Exception:  # a program may have written anything
        return "failed", "the first answer of the program cannot be read"


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
