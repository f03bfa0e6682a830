"""All candidates of all tasks, run and graded, as results and in the forms of other harnesses."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
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
from .engines import Engine, Runner, engine_runner
from .grading import (
    Conditions,
    ExitStatus,
    Grade,
    Prelude,
    TestIsolation,
    grade,
)
from .jobs import ProgramLimits
from .output_comparison import Comparison
from .reference_tests import Kind, ReferenceTests, read_tests
from .worker_pool import usable_cores

PERMISSION = "HF_ALLOW_CODE_EVAL"

Infrastructure = Literal["error", "fail", "skip"]
Score = Literal["pass_fail", "partial", "weighted_sum", "first_10"]
ResultFormat = Literal["code_eval", "livecodebench"]

REPORTS = frozenset(
    {
        *("layers", "outcomes", "status", "messages", "test_status", "passed_tests", "pass_rates"),
        *("scores", "first_failure"),
    }
)
_CODES: Mapping[str, Any] = {
    "passed": True,
    "wrong": -2,
    "timed_out": -3,
    "output_limit": -3,
    "failed": -4,
    "exited": -4,
}

_FIRST = 10  # tests that count for verl's proportion
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


class InfrastructureError(OSError):
    """The machine, a server or a checker has failed; the outcome of the program is unknown."""


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
    infrastructure: Infrastructure
    layers: list[str]

    @property
    def has_test_data(self) -> bool:
        """Return whether any task has tests as data."""
        return any(kind != "program" for kind in self.kinds)

    @property
    def outcomes(self) -> list[list[bool | None]]:
        """Return whether each candidate passed; None if this is unknown and to be skipped."""
        undecided = False if self.infrastructure == "fail" else None
        return [
            [undecided if grade.outcome is None else grade.outcome for grade in grades]
            for grades in self.grades
        ]

    def counted_outcomes(self) -> list[list[bool]]:
        """Return the outcomes that count for pass@k.

        Raises:
            ValueError: no outcome of a task is known.
        """
        decided = [[x for x in outcomes if x is not None] for outcomes in self.outcomes]
        for row, outcomes in enumerate(decided):
            if not outcomes:
                raise RowError(
                    "predictions",
                    row,
                    "has no candidate whose outcome is known: "
                    f"{self.grades[row][0].first_failure.get('message')}",
                )
        return decided

    def of_candidates(self, value: Callable[[Grade], Any]) -> list[list[Any]]:
        """Return a value for each candidate of each task."""
        return [[value(grade) for grade in grades] for grades in self.grades]


@dataclass(frozen=True)
class Preparation:
    """Everything needed to run programs: the tests of each task have been read and checked."""

    runner: Runner
    tests: list[ReferenceTests]
    conditions: Conditions

    def submit(self, program: str, row: int) -> "Future[Grade]":
        """Run a program with the tests of a task, as soon as a worker is idle."""
        return self.runner.submit(grade, self.runner, program, self.tests[row], self.conditions)

    def tasks_that_cannot_fail(self) -> list[int]:
        """Return the tasks whose tests an empty program passes."""
        conditions = replace(self.conditions, stop_at_failure=True)
        runs = [
            self.runner.submit(grade, self.runner, "", tests, conditions) for tests in self.tests
        ]
        return [row for row, run in enumerate(runs) if run.result().outcome]


@checked_options
def prepare(
    references: Sequence[Any],
    *,
    num_workers: Count | None = 4,
    per_core: Count = 1,
    check_tasks: bool = False,
    timeout: Positive = 3.0,
    program_timeout: Positive | None = None,
    isolation: TestIsolation = "in_process",
    require: Names = (),
    memory: Size = "4GiB",
    output_limit: Size = "64MiB",
    preload: Names = (),
    packages: bool = True,
    compare: Comparison = "lines",
    tolerance: NonNegative = 1e-6,
    stop_at_failure: bool = False,
    max_tests: Count | None = None,
    prelude: Prelude | None = "auto",
    exit_status: ExitStatus = "zero",
    engine: Engine = "local",
) -> Preparation:
    """Return the pool or server that runs programs with the tests of each task.

    Args:
        references: the tests of each task, in a form that `reference_tests.read_tests` reads.
        num_workers: the number of programs that run at once; None for `per_core` for each core, but
            at most 16 if that is more than one for each.
        per_core: the number of programs that share a core; with more than one, `timeout` is wall
            time too, once a test has had its share of it as CPU time.
        check_tasks: whether an empty program is run with each task first, and must not pass.
        timeout: the seconds of one test.
        program_timeout: the CPU seconds of all tests of a program.
        isolation: whether a test program runs in the process of its solution.
        require: layers of isolation; nothing is run if one is missing.
        memory: the address space of one program.
        output_limit: the maximum output of one program.
        preload: modules that workers import before any program.
        packages: whether programs can import installed packages.
        compare: how outputs are compared.
        tolerance: the tolerance of "floats".
        stop_at_failure: whether the tests after a failure are not run.
        max_tests: the number of tests of a task that count.
        prelude: the definitions that precede a program.
        exit_status: the exit status with which an output counts.
        engine: the engine that runs the programs.

    Raises:
        ValueError: tests cannot be run; names the row.
        NotImplementedError: programs cannot be isolated on this platform.
    """
    tests = _tests(references, isolation)
    if num_workers is None:
        cores = usable_cores()
        num_workers = max(cores, min(cores * per_core, _MOST_SHARING))
    runner = engine_runner(engine, num_workers, tuple(preload), has_packages=packages)
    for row, task in enumerate(tests):
        if task.kind not in runner.test_kinds:
            raise RowError(
                "references", row, f"has tests that {engine!r} cannot run: it takes tests as data"
            )
        if task.checker and not runner.runs_checkers:
            raise RowError("references", row, f"has a checker, which {engine!r} cannot run")
    for name in require:
        if name not in runner.layers:
            cause = runner.refused.get(name, "unknown layer")
            raise OptionError("require", f"holds {name!r}, which is missing here: {cause}")
    limits = ProgramLimits(
        timeout,
        program_timeout,
        byte_count(memory),
        byte_count(output_limit),
        least_cpu=None if per_core == 1 else _SHARE * timeout / per_core,
    )
    conditions = Conditions(
        limits=limits,
        isolation=isolation,
        compare=compare,
        tolerance=tolerance,
        stop_at_failure=stop_at_failure,
        max_tests=max_tests,
        prelude=prelude,
        exit_status=exit_status,
    )
    preparation = Preparation(runner, tests, conditions)
    if check_tasks and (rows := preparation.tasks_that_cannot_fail()):
        raise ValueError(cannot_fail([f"references[{row}]" for row in rows]))
    return preparation


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
    predictions: Sequence[Sequence[str]],
    references: Sequence[Any],
    *,
    infrastructure: Infrastructure = "error",
    **options: Any,
) -> Executions:
    """Return the grades of the candidates of each task.

    Args:
        predictions: the candidates of each task.
        references: the tests of each task.
        infrastructure: what to do if the machine has failed.
        **options: the options of `prepare`.

    Raises:
        ValueError: a task has no candidates, or its tests cannot be run; nothing has been run.
        InfrastructureError: the machine has failed, and `infrastructure` is "error".
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
    grades = _finished(futures, infrastructure)
    kinds = [task.kind for task in preparation.tests]
    return Executions(grades, kinds, infrastructure, list(preparation.runner.layers))


def _tests(references: Sequence[Any], isolation: TestIsolation) -> list[ReferenceTests]:
    """Return the tests of all tasks; equal texts are read once."""
    read: dict[str, ReferenceTests] = {}
    tests = []
    for row, reference in enumerate(references):
        key = reference if isinstance(reference, str) else ""
        try:
            parsed = read.get(key) or read_tests(reference)
        except ValueError as error:
            raise RowError("references", row, str(error)) from None
        if key:
            read[key] = parsed
        if isolation == "separate" and not all(test.entry_points for test in parsed.programs):
            raise RowError(
                "references",
                row,
                "has tests that name nothing of the solution; with isolation='separate' write "
                "{'tests': ..., 'prelude': ..., 'entry_points': [...]}",
            )
        tests.append(parsed)
    return tests


def _finished(
    futures: list[list["Future[Grade]"]], infrastructure: Infrastructure
) -> list[list[Grade]]:
    """Return all grades, in the order of the programs."""
    try:
        grades: list[list[Grade]] = []
        for row, candidates in enumerate(futures):
            grades.append([])
            for sample, future in enumerate(candidates):
                result = future.result()
                if result.outcome is None and infrastructure == "error":
                    raise InfrastructureError(
                        f"predictions[{row}][{sample}]: the machine has failed, not the program: "
                        f"{result.message}; infrastructure='skip' or 'fail' continues"
                    )
                grades[-1].append(result)
    except BaseException:
        for candidates in futures:
            for future in candidates:
                future.cancel()
        raise
    return grades


# ---- results ------------------------------------------------------------------------------------


def program_score(grade: Grade, score: Score) -> float | None:
    """Return the score of one program; None if it is unknown.

    "pass_fail" is 1.0 if all tests passed, "partial" the proportion of tests that passed, and
    "weighted_sum", as in open-r1, the first plus a tenth of the second. "first_10" is verl's: 1.0
    if all tests passed, else the proportion of the first ten, which is 1.0 too if only a later
    test failed.

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
    if score == "weighted_sum":
        return is_right + 0.1 * share
    first = grade.statuses[:_FIRST]
    return 1.0 if grade.outcome else first.count("passed") / len(first)


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
    shares = executions.of_candidates(lambda grade: program_score(grade, "partial"))
    rates = []
    for task in shares:
        decided = [share for share in task if share is not None]
        rates.append(sum(decided) / len(decided))
    return {"pass_rate": rates}


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
