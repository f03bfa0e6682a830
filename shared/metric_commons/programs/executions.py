"""All candidates of all tasks, run and graded, as results and in the forms of other harnesses."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Any, Literal

from ..statistics.arguments.checks import OptionError, RowError, check_sizes, shown
from ..statistics.arguments.domains import (
    Count,
    Names,
    NonNegative,
    Parsed,
    Positive,
    checked_options,
)
from .grading import Conditions, Grade, grade
from .jobs import ProgramLimits
from .output_comparison import Comparison
from .reference_tests import Kind, ReferenceTests, read_tests
from .worker_pool import Pool, shared_pool, usable_cores

PERMISSION = "HF_ALLOW_CODE_EVAL"

Score = Literal["pass_fail", "partial", "weighted_sum"]
ResultFormat = Literal["code_eval", "livecodebench"]

REPORTS = frozenset(
    (
        "layers outcomes status messages test_status passed_tests pass_rates scores first_failure"
    ).split()
)
_CODES: Mapping[str, Any] = {
    "passed": True,
    "wrong": -2,
    "timed_out": -3,
    "output_limit": -3,
    "failed": -4,
    "exited": -4,
}

_LISTED = 10  # tasks that a message names
_MOST_SHARING = 16  # programs that run at once because they share cores
_SHARE = 0.8  # of its part of a core: what a program has even if the machine does other work

_UNITS = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_SIZE = re.compile(r"(\d{1,12})\s*([A-Za-z]*)", re.ASCII)


def byte_count(size: Any) -> int:
    """Return the bytes of a size such as "64MiB".

    >>> byte_count("64MiB"), byte_count("100")
    (67108864, 100)
    >>> byte_count("64MB")
    Traceback (most recent call last):
    ValueError: '64MB' is not a size such as '64MiB'
    """
    match = _SIZE.fullmatch(size.strip()) if isinstance(size, str) else None
    if match is None or match[2].lower() not in _UNITS or not int(match[1]):
        raise ValueError(f"{shown(size)} is not a size such as '64MiB'")
    return int(match[1]) * _UNITS[match[2].lower()]


Size = Annotated[str, Parsed(byte_count, "a size such as '64MiB'")]


def check_permission(is_allowed: bool) -> None:
    """Check that the user has agreed to run programs that a model wrote.

    Raises:
        ValueError: neither the option nor the environment variable says so.
    """
    if not is_allowed and os.environ.get(PERMISSION) != "1":
        raise ValueError(
            "code_eval runs programs that a model wrote, which may do harm; read the section "
            f"Limitations of its card, then set {PERMISSION}=1, or pass allow_execution=True "
            "(on the command line --allow-execution)"
        )


@dataclass(frozen=True)
class Executions:
    """The grades of the candidates of each task, and the layers in which they ran."""

    grades: list[list[Grade]]
    kinds: list[Kind]  # of the tests of each task
    layers: list[str]

    @property
    def has_test_data(self) -> bool:
        """Return whether any task has tests as data."""
        return any(kind != "program" for kind in self.kinds)

    @property
    def outcomes(self) -> list[list[bool]]:
        """Return whether each candidate passed all tests."""
        return self.of_candidates(lambda grade: grade.outcome is True)

    def of_candidates(self, value: Callable[[Grade], Any]) -> list[list[Any]]:
        """Return a value for each candidate of each task."""
        return [[value(grade) for grade in grades] for grades in self.grades]


@dataclass(frozen=True)
class Preparation:
    """Everything needed to run programs: the tests of each task have been read and checked."""

    runner: Pool
    tests: list[ReferenceTests]
    conditions: Conditions

    def submit(self, program: str, row: int) -> "Future[Grade]":
        """Run a program with the tests of a task, as soon as a worker is idle."""
        return self.runner.submit(grade, self.runner, program, self.tests[row], self.conditions)

    def tasks_that_cannot_fail(self) -> list[int]:
        """Return the tasks whose tests an empty program passes."""
        stopping = replace(self, conditions=replace(self.conditions, stop_at_failure=True))
        runs = [stopping.submit("", row) for row in range(len(self.tests))]
        return [row for row, run in enumerate(runs) if run.result().outcome]


@checked_options
def prepare(
    references: Sequence[Any],
    *,
    num_workers: Count | None = 4,
    per_core: Count = 1,
    timeout: Positive = 3.0,
    require: Names = (),
    memory: Size = "4GiB",
    compare: Comparison = "lines",
    tolerance: NonNegative = 1e-6,
    stop_at_failure: bool = False,
) -> Preparation:
    """Return the pool that runs programs with the tests of each task.

    Args:
        references: the tests of each task, in a form that `reference_tests.read_tests` reads.
        num_workers: the number of programs that run at once; None for `per_core` for each core, but
            at most 16 if that is more than one for each.
        per_core: the number of programs that share a core; with more than one, `timeout` is wall
            time too, once a test has had its share of it as CPU time.
        timeout: the seconds of one test.
        require: layers of isolation; nothing is run if one is missing.
        memory: the address space of one program.
        compare: how outputs are compared.
        tolerance: the tolerance of "floats".
        stop_at_failure: whether the tests after a failure are not run.

    Raises:
        ValueError: tests cannot be run; names the row.
        NotImplementedError: programs cannot be isolated on this platform.
    """
    tests = [_read(row, reference) for row, reference in enumerate(references)]
    if num_workers is None:
        cores = usable_cores()
        num_workers = max(cores, min(cores * per_core, _MOST_SHARING))
    runner = shared_pool(num_workers)
    for name in require:
        if name not in runner.layers:
            cause = runner.refused.get(name, "unknown layer")
            raise OptionError("require", f"holds {name!r}, which is missing here: {cause}")
    limits = ProgramLimits(
        timeout,
        byte_count(memory),
        least_cpu=None if per_core == 1 else _SHARE * timeout / per_core,
    )
    conditions = Conditions(
        limits=limits, compare=compare, tolerance=tolerance, stop_at_failure=stop_at_failure
    )
    return Preparation(runner, tests, conditions)


def cannot_fail(names: Sequence[str]) -> str:
    """Return the message about tasks that cannot fail.

    >>> cannot_fail(["a"])
    '1 task cannot fail, since an empty program passes its tests: a'
    """
    count = "1 task" if len(names) == 1 else f"{len(names)} tasks"
    their = "its" if len(names) == 1 else "their"
    listed = ", ".join(names[:_LISTED]) + ", ..." * (len(names) > _LISTED)
    return f"{count} cannot fail, since an empty program passes {their} tests: {listed}"


def execute(
    predictions: Sequence[Sequence[str]], references: Sequence[Any], **options: Any
) -> Executions:
    """Return the grades of the candidates of each task.

    Args:
        predictions: the candidates of each task.
        references: the tests of each task.
        **options: the options of `prepare`.

    Raises:
        ValueError: a task has no candidates, or its tests cannot be run; nothing has been run.
        OSError: no worker can be started, such as for lack of memory.
        NotImplementedError: programs cannot be isolated on this platform.
    """
    for row, candidates in enumerate(predictions):
        if not candidates:
            raise RowError("predictions", row, "has no samples")
    preparation = prepare(references, **options)
    futures = [
        [preparation.submit(program, row) for program in candidates]
        for row, candidates in enumerate(predictions)
    ]
    try:
        grades = [[run.result() for run in runs] for runs in futures]
    finally:  # after an error, which leaves others in the queue
        for run in chain.from_iterable(futures):
            run.cancel()
    kinds = [task.kind for task in preparation.tests]
    return Executions(grades, kinds, preparation.runner.layers)


def _read(row: int, reference: Any) -> ReferenceTests:
    try:
        return read_tests(reference)
    except ValueError as error:
        raise RowError("references", row, str(error)) from None


# ---- results ------------------------------------------------------------------------------------


def program_score(grade: Grade, score: Score) -> float | None:
    """Return the score of one program; None if it is unknown.

    "pass_fail" is 1.0 if all tests passed, "partial" the proportion of tests that passed, and
    "weighted_sum", as in open-r1, the first plus a tenth of the second.

    >>> grade = Grade(["passed", "wrong"])
    >>> [program_score(grade, score) for score in ("pass_fail", "partial", "weighted_sum")]
    [0.0, 0.5, 0.05]
    """
    if grade.outcome is None:
        return None
    is_right, share = float(grade.outcome), grade.passed_tests / len(grade.statuses)
    if score == "pass_fail":
        return is_right
    if score == "partial":
        return share
    return is_right + 0.1 * share


def row_reports(executions: Executions, score: Score) -> dict[str, Any]:
    """Return the keys of a result about each candidate, besides scores, and the layers."""
    candidates = executions.of_candidates
    reports: dict[str, Any] = {
        "outcomes": executions.outcomes,
        "status": candidates(lambda grade: grade.status),
        "messages": candidates(lambda grade: grade.message),
        "layers": executions.layers,
    }
    if executions.has_test_data:
        reports |= {
            "test_status": candidates(lambda grade: grade.statuses),
            "passed_tests": candidates(lambda grade: grade.passed_tests),
            "pass_rates": candidates(lambda grade: program_score(grade, "partial")),
            "scores": candidates(lambda grade: program_score(grade, score)),
            "first_failure": candidates(lambda grade: grade.first_failure),
        }
    return reports


def mean_pass_rates(executions: Executions) -> dict[str, list[float]]:
    """Return with tests as data the proportion of tests passed: each task's mean."""
    if not executions.has_test_data:
        return {}
    rates = executions.of_candidates(lambda grade: grade.passed_tests / len(grade.statuses))
    return {"pass_rate": [sum(task) / len(task) for task in rates]}


def possible_sizes(
    predictions: Sequence[Sequence[str]], k: Any, result_format: ResultFormat | None
) -> tuple[int, ...]:
    """Return the sizes k, checked against the number of candidates of each task.

    As in evaluate's `code_eval`, its form of the result omits sizes that are too large.

    >>> possible_sizes([["", ""], ["", "", ""]], [1, 5], "code_eval")
    (1,)
    >>> possible_sizes([["", ""], ["", "", ""]], [1, 3], None)
    Traceback (most recent call last):
    ValueError: predictions[0] has 2 samples, pass@3 needs at least 3
    """
    sizes = check_sizes("k", k)
    fewest = min(map(len, predictions))
    if result_format == "code_eval":
        return tuple(size for size in sizes if size <= fewest)
    for size in sizes:
        if 0 < fewest < size:
            row = [*map(len, predictions)].index(fewest)
            raise RowError(
                "predictions", row, f"has {fewest} samples, pass@{size} needs at least {size}"
            )
    return sizes


def harness_result(
    executions: Executions, pass_at: Mapping[str, float], result_format: ResultFormat
) -> Any:
    """Return the result in the form of another harness.

    "code_eval" is the pair of evaluate's module: the scores, and for each task the number and the
    outcome of each candidate. "livecodebench" has the codes of the tests of each candidate, up to
    the first that did not pass.
    """
    if result_format == "livecodebench":
        results = [
            [_codes(grade, kind == "calls") for grade in grades]
            for grades, kind in zip(executions.grades, executions.kinds, strict=True)
        ]
        return {"results": results, **pass_at}
    details = {
        task: [
            (
                number,
                {
                    "task_id": task,
                    "passed": executions.outcomes[task][number],
                    "result": _human_eval_words(grade),
                    "completion_id": number,
                },
            )
            for number, grade in enumerate(grades)
        ]
        for task, grades in enumerate(executions.grades)
    }
    return dict(pass_at), details


def _human_eval_words(grade: Grade) -> str:
    if grade.status in ("passed", "infrastructure"):
        return grade.status
    if grade.status == "timed_out":
        return "timed out"
    _, _, text = grade.message.partition(": ")
    return f"failed: {text if grade.status == 'failed' else grade.status}"


def _codes(grade: Grade, is_call: bool) -> list[Any]:
    """Return True for each test that passed, and the code of the first other one.

    >>> _codes(Grade(["passed", "timed_out", "passed"]), False)
    [True, -3]
    """
    codes: list[Any] = []
    for status in grade.statuses:
        codes.append(False if is_call and status == "wrong" else _CODES.get(status, -1))
        if codes[-1] is not True:
            break
    return codes
