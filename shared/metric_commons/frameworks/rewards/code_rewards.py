"""Rewards for programs: the score of the tests that a generated program passes.

Calls wait in the queue of the worker pool, not in separate threads: the forms that trainers await
are coroutines.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...programs.executions import Score
from .code_tasks import TIMEOUT, Code
from .reward import OF_VERL, Reward, verl_result
from .verdicts import Verdict


@dataclass(frozen=True)
class CodeReward(Reward):
    """A reward for programs; see `Reward`. The form of verl is `code_verl`, a coroutine."""

    task: Code

    async def awaited(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return the verdicts; the event loop continues while programs run."""
        task = self.task
        predictions = [task.prediction(completion) for completion in completions]
        verdicts = []
        for text, run in zip(predictions, task.submitted(predictions, references), strict=True):
            if isinstance(run, Verdict):
                verdicts.append(run)
            else:
                verdicts.append(task.graded(text, await asyncio.wrap_future(run)))
        return verdicts


def code(
    column: str = "verification_info",
    *,
    score: Score = "partial",
    allow_execution: bool = False,
    timeout: float = TIMEOUT,
    num_workers: int | None = None,
    name: str = "code",
    explain: bool = False,
    **options: Any,
) -> CodeReward:
    r"""Return the tests that a program passes: `reward_funcs=code("tests")`.

    The program is the last fenced block of a completion that is marked as Python, otherwise the
    last unmarked one; without one the reward is 0.0. The reward is None, so that the row is left
    out, if the tests cannot be read or run nothing, or if the machine failed and not the program.

    Test programs run in a process of their own, which gets plain values from the program;
    `isolation="in_process"` runs both in one, where a policy may learn to forge a pass, and warns.
    Programs share cores, so that the time limits of a batch run side by side: a test ends after
    `timeout` seconds of CPU time, of time without waiting for a core, or of wall time once it has
    had a fifth of them as CPU time.

    Args:
        column: the column of the data set with the tests, in a form that
            `execution.read_tests` reads, such as open-r1's `verification_info`.
        score: "pass_fail", "partial", "weighted_sum" or "first_10", as in `code_eval`.
        allow_execution: whether programs may be run; or set HF_ALLOW_CODE_EVAL=1.
        timeout: the seconds of one test.
        num_workers: the number of programs that run at once; None for four for each core, but at
            most 16 if that is more than one for each.
        name: the name of the reward in logs.
        explain: whether verdicts have a reason.
        **options: further options of `code_eval` about how programs are run and judged.

    Raises:
        ValueError: running programs is not allowed, or an option is not valid.

    >>> reward = code("tests", allow_execution=True)
    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> reward(["```python\nprint(2)\n```", "I cannot."], tests=[tests, tests])
    [0.5, 0.0]
    """
    task = Code(
        name=name,
        explain=explain,
        score=score,
        allow_execution=allow_execution,
        timeout=timeout,
        num_workers=num_workers,
        options=options,
    )
    return CodeReward(task, column)


async def code_verl(
    data_source: Any = None,
    solution_str: Any = None,
    ground_truth: Any = None,
    extra_info: Any = None,
    **settings: Any,
) -> dict[str, Any]:
    r"""Return the form of verl for programs, which verl awaits; see `Reward.verl`.

    Args:
        data_source: not used.
        solution_str: the answer of the model.
        ground_truth: the tests, in a form that `execution.read_tests` reads.
        extra_info: not used.
        **settings: options of `code`, from `reward_kwargs` of a configuration; those that verl
            itself adds are ignored.

    Raises:
        ValueError: running programs is not allowed, or an option is not valid.
        TypeError: there is no such option.

    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> program = "```\nprint(2)\n```"
    >>> asyncio.run(code_verl("toy", program, tests, allow_execution=True))["score"]
    0.5
    """
    return verl_result(await _configured_verdict(solution_str, ground_truth, settings))


async def code_score(
    data_source: Any, solution_str: Any, ground_truth: Any, extra_info: Any = None, **settings: Any
) -> dict[str, Any]:
    r"""Return the score of the first ten tests and their number; see `code_verl`.

    Returns:
        `score`, `passed_tests`, `tests`; and `undecided`, True if the tests cannot be read or the
        machine failed, so that the score of 0.0 is meaningless.

    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> asyncio.run(code_score("toy", "```\nprint(2)\n```", tests, allow_execution=True))
    {'score': 0.5, 'passed_tests': 1, 'tests': 2, 'undecided': False}
    """
    settings = {"score": "first_10", **settings}
    verdict = await _configured_verdict(solution_str, ground_truth, settings)
    return {
        "score": verdict.score or 0.0,
        "passed_tests": int(verdict.scores.get("passed_tests", 0)),
        "tests": int(verdict.scores.get("tests", 0)),
        "undecided": verdict.score is None,
    }


async def _configured_verdict(text: Any, tests: Any, settings: dict[str, Any]) -> Verdict:
    """Return the verdict of a reward with settings of a configuration."""
    reward = code(**{name: value for name, value in settings.items() if name not in OF_VERL})
    return (await reward.awaited([text], [tests]))[0]
