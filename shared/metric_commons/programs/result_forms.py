"""Grades as results: scores of programs, and the forms of other harnesses."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ..statistics.arguments.arrays import Floats
from ..statistics.arguments.checks import RowError, check_sizes
from .executions import Executions, Score
from .grading import Grade

ResultFormat = Literal["code_eval", "livecodebench"]

REPORTS = frozenset(
    {
        "layers",
        "outcomes",
        "status",
        "messages",
        "test_status",
        "passed_tests",
        "pass_rates",
        "scores",
        "first_failure",
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
    """The keys of a result about each candidate, besides scores, and the layers of isolation."""
    reports: dict[str, Any] = {
        "outcomes": executions.outcomes,
        "status": executions.of_candidates(lambda grade: grade.status),
        "messages": executions.of_candidates(lambda grade: grade.message),
        "layers": executions.layers,
    }
    if executions.has_test_data:
        candidates = executions.of_candidates
        reports |= {
            "test_status": candidates(lambda grade: grade.statuses),
            "passed_tests": candidates(lambda grade: grade.passed_tests),
            "pass_rates": candidates(lambda grade: program_score(grade, "partial")),
            "scores": candidates(lambda grade: program_score(grade, score)),
            "first_failure": candidates(lambda grade: grade.first_failure),
        }
    return reports


def mean_pass_rates(executions: Executions) -> dict[str, Floats]:
    """With tests as data, the proportion of tests passed: the mean of each task's candidates."""
    if not executions.has_test_data:
        return {}
    shares = executions.of_candidates(lambda grade: program_score(grade, "partial"))
    rates = []
    for task in shares:
        decided = [share for share in task if share is not None]
        rates.append(sum(decided) / len(decided))
    return {"pass_rate": np.array(rates)}


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
    """True for each test that passed, and the code of the first other one.

    >>> _codes(Grade(["passed", "timed_out", "passed"]), False)
    [True, -3]
    """
    codes: list[Any] = []
    for status in grade.statuses:
        codes.append(False if is_call and status == "wrong" else _CODES.get(status, -1))
        if codes[-1] is not True:
            break
    return codes
