"""The task of programs: each is run with the tests of its row, as `code_eval` runs it."""

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from ...programs.completions import fenced_program
from ...programs.executions import Score, check_permission, prepare, program_score
from ...programs.grading import Grade
from ...statistics.arguments.domains import check_option
from .verdicts import Task, Verdict

TIMEOUT = 5.0  # seconds of a test
_PER_CORE = 4  # programs that share a core, so that time limits run side by side
_WARNING = (
    "with isolation='in_process' a program shares its process with its tests, and a policy may "
    "learn to forge a pass; the default is 'separate'"
)


@dataclass(frozen=True)
class Code(Task):
    """The tests that a generated program passes.

    The program is the last fenced block of a completion that is marked as Python, else the last
    without a mark. All tasks of a process share one pool of warm workers; a process that is forked
    has a pool of its own.

    Args:
        score: "pass_fail", "partial", "weighted_sum" or "first_10", as in `code_eval`.
        allow_execution: whether programs may be run; or set HF_ALLOW_CODE_EVAL=1.
        timeout: seconds of one test.
        num_workers: the number of programs that run at once; None for four for each core, but at
            most 16 if that is more than one for each.
        options: further options of `code_eval` about how programs are run and judged.

    Raises:
        ValueError: running programs is not allowed, or an option is not valid.
    """

    name: str = "code"
    score: Score = "partial"
    allow_execution: bool = False
    timeout: float = TIMEOUT
    num_workers: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_permission(self.allow_execution)
        check_option("score", self.score, Score)
        object.__setattr__(self, "options", dict(self.options))
        self.check_settings(self.options)
        if self.options.get("isolation") == "in_process":
            warnings.warn(_WARNING, UserWarning, stacklevel=4)
        prepare([], **self._settings())  # errors of options come before training starts

    def _settings(self) -> dict[str, Any]:
        return {
            "timeout": self.timeout,
            "num_workers": self.num_workers,
            "per_core": _PER_CORE,
            "isolation": "separate",
            **self.options,
        }

    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return one verdict for each program; waits for the pool."""
        runs = self.submitted(predictions, references)
        return [
            run if isinstance(run, Verdict) else self.graded(text, run.result())
            for text, run in zip(predictions, runs, strict=True)
        ]

    def submitted(
        self, predictions: Sequence[str], references: Sequence[Any]
    ) -> "list[Future[Grade] | Verdict]":
        """Programs that wait in the pool, and the verdicts on rows without program or tests."""
        return [self._submitted(*row) for row in zip(predictions, references, strict=True)]

    def _submitted(self, text: str, reference: Any) -> "Future[Grade] | Verdict":
        program = fenced_program(text)
        try:
            preparation = prepare([reference], **self._settings())
        except ValueError as error:  # a row without readable tests teaches nothing
            reason = f"The tests of the row cannot be read: {error}." if self.explain else ""
            return Verdict(None, program, "unreadable", reason=reason)
        if program is None:
            reason = "The text contains no fenced program." if self.explain else ""
            scores = {"passed_tests": 0.0, "tests": 0.0}
            return Verdict(0.0, None, "unparsed", scores, reason)
        return preparation.submit(program, 0)

    def graded(self, text: str, grade: Grade) -> Verdict:
        """Return the verdict on a program that was run."""
        value = program_score(grade, self.score)
        scores = {"passed_tests": float(grade.passed_tests), "tests": float(len(grade.statuses))}
        reason = ""
        if self.explain:
            reason = f"{grade.passed_tests} of {len(grade.statuses)} tests passed."
            if grade.message:
                reason += f" {grade.message}"
        program = fenced_program(text)
        if value is None:  # the machine failed, and not the program
            return Verdict(None, program, "undecided", scores, reason)
        return Verdict(value, program, "scored", scores, reason)

    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why tests cannot be read; None if they can."""
        try:
            prepare([reference], **self._settings())
        except ValueError as error:
            return f"cannot be read: {error}"
        return None

    def settings(self) -> set[str]:
        """Return the names of settings, and of the options about how programs are run."""
        of_rows = {"references", "timeout", "num_workers"}
        return super().settings() | (signature(prepare).parameters.keys() - of_rows)
