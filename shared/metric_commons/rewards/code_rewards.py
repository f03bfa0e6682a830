"""Rewards for programs: the score of the tests that a generated program passes.

All calls of a process share one pool of warm workers, whatever threads and event loops they come
from; a process that is forked has a pool of its own. Calls wait in the queue of the pool, and not
in threads of their own.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from ..execution.completions import fenced_program
from ..execution.executions import Score, check_permission, prepare
from ..execution.grading import Grade
from ..execution.result_forms import program_score
from ..numbers.domains import check_option

_TIMEOUT = 5.0  # seconds of a test

Completion = str | Sequence[Mapping[str, Any]]
Reward = Callable[..., list[float | None]]


def code_reward(
    column: str = "verification_info",
    *,
    score: Score = "partial",
    allow_execution: bool = False,
    timeout: float = _TIMEOUT,
    num_workers: int | None = None,
    **options: Any,
) -> Reward:
    r"""A reward function for TRL: `reward_funcs=[code_reward()]`.

    The program is the last fenced block of a completion that is marked as Python, else the last
    without a mark; without one the reward is 0.0. The reward is None, so that the row is left out,
    where the tests cannot be read, and where the machine has failed and not the program.

    Args:
        column: the column of the data set with the tests, in a form that
            `execution.read_tests` reads, such as open-r1's `verification_info`.
        score: "pass_fail", "partial", "weighted_sum" or "first_10", as in `code_eval`.
        allow_execution: whether programs may be run; or set HF_ALLOW_CODE_EVAL=1.
        timeout: seconds of one test.
        num_workers: the number of programs that run at once; None for one for each core.
        **options: further options of `code_eval` about how programs are run and judged.

    Returns:
        A function of `completions` (texts, or lists of messages) and of columns, which returns a
        float or None for each completion.

    Raises:
        ValueError: nobody has allowed programs to be run, or an option is not what it may be.

    >>> reward = code_reward("tests", allow_execution=True)
    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> reward(["```python\nprint(2)\n```", "I cannot."], tests=[tests, tests])
    [0.5, 0.0]
    """
    check_permission(allow_execution)
    check_option("score", score, Score)
    settings = {"timeout": timeout, "num_workers": num_workers, **options}
    prepare([], **settings)  # errors of options come before training starts

    def code(completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        if column not in columns:
            raise ValueError(f"the data set has no column {column!r}; it has {', '.join(columns)}")
        runs = [
            _submitted(completion, reference, settings)
            for completion, reference in zip(completions, columns[column], strict=True)
        ]
        return [
            run if run is None or isinstance(run, float) else program_score(run.result(), score)
            for run in runs
        ]

    return code


async def code_score(
    data_source: Any,
    solution_str: str,
    ground_truth: Any,
    extra_info: Any = None,
    *,
    score: Score = "first_10",
    allow_execution: bool = False,
    timeout: float = _TIMEOUT,
    num_workers: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    r"""The score of one answer, for verl's `custom_reward_function`.

    Args:
        data_source: not used.
        solution_str: the answer of the model.
        ground_truth: the tests, in a form that `execution.read_tests` reads.
        extra_info: not used.
        score: as in `code_eval`.
        allow_execution: whether programs may be run; or set HF_ALLOW_CODE_EVAL=1.
        timeout: seconds of one test.
        num_workers: the number of programs that run at once; None for one for each core.
        **options: further options of `code_eval` about how programs are run and judged.

    Returns:
        `score`, `passed_tests`, `tests`; and `undecided`, True where the tests cannot be read or
        the machine has failed, and the score of 0.0 says nothing.

    Raises:
        ValueError: nobody has allowed programs to be run, or an option is not what it may be.

    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> asyncio.run(code_score("toy", "```\nprint(2)\n```", tests, allow_execution=True))
    {'score': 0.5, 'passed_tests': 1, 'tests': 2, 'undecided': False}
    """
    check_permission(allow_execution)
    check_option("score", score, Score)
    settings = {"timeout": timeout, "num_workers": num_workers, **options}
    prepare([], **settings)
    run = _submitted(solution_str, ground_truth, settings)
    if run is None or isinstance(run, float):
        return {"score": 0.0, "passed_tests": 0, "tests": 0, "undecided": run is None}
    grade = await asyncio.wrap_future(run)
    value = program_score(grade, score)
    return {
        "score": value or 0.0,
        "passed_tests": grade.passed_tests,
        "tests": len(grade.statuses),
        "undecided": value is None,
    }


def _submitted(
    completion: Completion, reference: Any, settings: Mapping[str, Any]
) -> "Future[Grade] | float | None":
    """The program of a completion, waiting in the pool; None without tests, 0.0 without program."""
    try:
        preparation = prepare([reference], **settings)
    except ValueError:  # a row without readable tests teaches nothing
        return None
    text = completion if isinstance(completion, str) else str(completion[-1]["content"])
    program = fenced_program(text)
    return 0.0 if program is None else preparation.submit(program, 0)
