"""Grades as results: scores of programs, and the forms that other harnesses have."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..numbers.arrays import Floats
from .executions import Executions, Score
from .grading import Grade

ROW_REPORTS = frozenset(
    {
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
_FIRST = 10  # tests, of which verl takes the share


def program_score(grade: Grade, score: Score) -> float | None:
    """The score of one program; None where nothing is known of it.

    "pass_fail" is 1.0 if all tests passed, "partial" the share of tests that passed, and
    "weighted_sum", as in open-r1, the first plus a tenth of the second. "first_10" is verl's: 1.0
    if all tests passed, else the share of the first ten, which is 1.0 too where only a later test
    failed.

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
    """What a result says of each candidate beside scores, and the layers of isolation."""
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
    """With tests as data the share of tests that passed, as the mean of each task's candidates."""
    if not executions.has_test_data:
        return {}
    shares = executions.of_candidates(lambda grade: program_score(grade, "partial"))
    rates = []
    for task in shares:
        known = [share for share in task if share is not None]
        rates.append(sum(known) / len(known))
    return {"pass_rate": np.array(rates)}


def code_eval_result(
    executions: Executions, pass_at: Mapping[str, float]
) -> tuple[dict[str, float], dict[int, list[tuple[int, dict[str, Any]]]]]:
    """The result of evaluate's `code_eval`: the scores, and for each task what became of it."""
    results = {}
    for task, grades in enumerate(executions.grades):
        results[task] = [
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
    return dict(pass_at), results


def _human_eval_words(grade: Grade) -> str:
    if grade.status in ("passed", "infrastructure"):
        return grade.status
    if grade.status == "timed_out":
        return "timed out"
    _, _, text = grade.message.partition(": ")
    return f"failed: {text if grade.status == 'failed' else grade.status}"


def livecodebench_result(
    executions: Executions, pass_at: Mapping[str, float]
) -> dict[str, Any]:
    """LiveCodeBench's codes of the tests of each program, up to the first that did not pass."""
    results = [
        [_codes(grade, kind == "calls") for grade in grades]
        for grades, kind in zip(executions.grades, executions.kinds, strict=True)
    ]
    return {"results": results, **pass_at}


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
