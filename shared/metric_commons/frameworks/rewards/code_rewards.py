"""Rewards for programs: each is run with the tests of its row, as `code_eval` runs it.

Calls wait in the queue of the worker pool, not in separate threads: the forms that trainers await
are coroutines.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from ...programs.executions import Score, check_permission, prepare, program_score
from ...programs.grading import Grade
from ...statistics.arguments.domains import check_option
from ...text.tokens.fences import fenced_program
from ...text.tokens.thoughts import Thoughts
from .reward import Reward
from .verdicts import Task, Verdict
from .verl import row_of, settings_of

# Four programs share a core, so that time limits run side by side.
_DEFAULTS: dict[str, Any] = {"timeout": 5.0, "num_workers": None, "per_core": 4}


@dataclass(frozen=True)
class Code(Task):
    """The tests that a generated program passes; see `code`.

    All tasks of a process share one pool of warm workers; a process that is forked has a pool of
    its own.

    Args:
        score: "pass_fail", "partial", "weighted_sum" or "first_10", as in `code_eval`.
        allow_execution: whether programs may be run; or set HF_ALLOW_CODE_EVAL=1.
        options: of `code_eval`, about how programs are run and judged.

    Raises:
        ValueError: running programs is not allowed, or an option is not valid.
    """

    name: str = "code"
    score: Score = "partial"
    allow_execution: bool = False
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_permission(self.allow_execution)
        check_option("score", self.score, Score)
        object.__setattr__(self, "options", {**_DEFAULTS, **self.options})
        prepare([], **self.options)  # errors of options come before training starts

    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each program; waits for the pool."""
        runs = self.submitted(predictions, references)
        return [self.graded(*row) for row in zip(predictions, runs, strict=True)]

    def submitted(
        self, predictions: Sequence[str | None], references: Sequence[Any]
    ) -> "list[Future[Grade] | Verdict]":
        """Return runs of programs in the pool, or verdicts on rows without program or tests."""
        return [self._submitted(*row) for row in zip(predictions, references, strict=True)]

    def _submitted(self, text: str | None, reference: Any) -> "Future[Grade] | Verdict":
        program = fenced_program(text or "")
        try:
            preparation = prepare([reference], **self.options)
        except ValueError as error:  # a row without readable tests teaches nothing
            reason = f"The tests of the row cannot be read: {error}." if self.explain else ""
            return Verdict(None, program, "unreadable", reason=reason)
        if program is None:
            reason = "The text contains no fenced program." if self.explain else ""
            scores = {"passed_tests": 0.0, "tests": 0.0}
            return Verdict(0.0, None, "unparsed", scores, reason)
        return preparation.submit(program, 0)

    def graded(self, text: str, run: "Future[Grade] | Verdict") -> Verdict:
        """Return the verdict on a program; waits for the end of its run."""
        if isinstance(run, Verdict):
            return run
        program = fenced_program(text)
        try:
            grade = run.result()
        except OSError as error:  # no worker can be started
            return Verdict(None, program, "undecided", reason=f"The machine failed: {error}")
        value = program_score(grade, self.score)
        scores = {"passed_tests": float(grade.passed_tests), "tests": float(len(grade.statuses))}
        reason = ""
        if self.explain:
            reason = f"{grade.passed_tests} of {len(grade.statuses)} tests passed. {grade.message}"
        if value is None:  # the machine failed, and not the program
            return Verdict(None, program, "undecided", scores, reason.strip())
        return Verdict(value, program, "scored", scores, reason.strip())

    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why tests cannot be read; None if they can."""
        try:
            prepare([reference], **self.options)
        except ValueError as error:
            return f"cannot be read: {error}"
        return None

    def settings(self) -> set[str]:
        """Return the names of settings, and of the options about how programs are run."""
        return super().settings() | signature(prepare).parameters.keys() - {"references"}


@dataclass(frozen=True)
class CodeReward(Reward):
    """A reward for programs; see `Reward`. The form of verl is `code_verl`, a coroutine."""

    task: Code

    async def awaited(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return the verdicts; the event loop continues while programs run."""
        predictions = list(map(self.task.prediction, completions))
        runs = self.task.submitted(predictions, references)
        waiting = [asyncio.wrap_future(run) for run in runs if isinstance(run, Future)]
        await asyncio.gather(*waiting, return_exceptions=True)
        return [self.task.graded(*row) for row in zip(predictions, runs, strict=True)]


def code(
    column: str = "verification_info",
    *,
    score: Score = "partial",
    allow_execution: bool = False,
    thoughts: Thoughts = "strip",
    name: str = "code",
    explain: bool = False,
    **options: Any,
) -> CodeReward:
    r"""Return a reward for the tests that a program passes: `reward_funcs=code("tests")`.

    The program is the last fenced block of a completion that is marked as Python, otherwise the
    last unmarked one, and of several the last that can be parsed; without one the reward is
    0.0. The reward is None, so that the row is left out, if the tests cannot be read or run
    nothing, or if the machine failed and not the program.

    Give tests as data, if you can: their expected outputs never enter the process of a program.
    A test program shares that process, and a policy may learn to forge a pass.

    Programs share cores, so that the time limits of a batch run side by side: a test ends after
    `timeout` seconds of CPU time, of time without waiting for a core, or of wall time once it has
    had a fifth of them as CPU time.

    Args:
        column: the column of the data set with the tests, in a form that
            `execution.read_tests` reads, such as open-r1's `verification_info`.
        score: "pass_fail", "partial", "weighted_sum" or "first_10", as in `code_eval`.
        allow_execution: whether programs may be run; or set HF_ALLOW_CODE_EVAL=1.
        thoughts: as in `math`.
        name: the name of the reward in logs.
        explain: whether verdicts have a reason.
        **options: further options of `code_eval` about how programs are run and judged, such as
            `timeout`, 5 seconds for each test; by default as many programs run at once as are four
            for each core, but at most 16 if that is more than one for each.

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
        thoughts=thoughts,
        score=score,
        allow_execution=allow_execution,
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
        TypeError: an option is unknown.

    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> program = "```\nprint(2)\n```"
    >>> asyncio.run(code_verl("toy", program, tests, allow_execution=True))["score"]
    0.5
    """
    return row_of(await _configured_verdict(solution_str, ground_truth, settings))


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
    return (await code(**settings_of(settings)).awaited([text], [tests]))[0]
