"""The task of programs: each is run with the tests of its row, as `code_eval` runs it.

Calls wait in the queue of the worker pool, not in separate threads: the forms that trainers await
are coroutines.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from ...programs.executions import Preparation, Score, check_permission, prepare, program_score
from ...programs.grading import Grade
from ...statistics.arguments.domains import check_option
from ...text.tokens.fences import fenced_program
from .verdicts import Outputs, References, Task, Verdict

_DEFAULTS: dict[str, Any] = {
    "score": "partial",
    "allow_execution": False,
    "timeout": 5.0,
    "num_workers": None,
    "per_core": 4,  # so that time limits run side by side
}
_NOT_OF_RUNS = ("score", "allow_execution")


class Code(Task):
    """The tests that a generated program passes; see `code`.

    All tasks of a process share one pool of warm workers; a process that is forked has a pool of
    its own.
    """

    def checked(self) -> dict[str, Any]:
        """Check the options before training starts; return all of them, with their defaults."""
        options = {**_DEFAULTS, **self.options}
        options["score"] = self.score or options["score"]
        check_permission(options["allow_execution"])
        check_option("score", options["score"], Score)
        _prepared([], options)
        return {"score": None, "options": options}

    def judged(self, predictions: Outputs, references: References) -> list[Verdict]:
        """Return one verdict for each program; waits for the pool."""
        runs = self.submitted(predictions, references)
        return list(map(self._graded, predictions, runs))

    async def awaited(self, completions: Outputs, references: References) -> list[Verdict]:
        """Return the verdicts; the event loop continues while programs run."""
        predictions = list(map(self.prediction, completions))
        runs = self.submitted(predictions, references)
        waiting = [asyncio.wrap_future(run) for run in runs if isinstance(run, Future)]
        await asyncio.gather(*waiting, return_exceptions=True)
        return list(map(self._graded, predictions, runs))

    def submitted(
        self, predictions: Outputs, references: References
    ) -> "list[Future[Grade] | Verdict]":
        """Return runs of programs in the pool, or verdicts on rows without program or tests."""
        check_permission(self.options["allow_execution"])  # may have ended since
        return list(map(self._submitted, predictions, references))

    def _submitted(self, text: str | None, reference: Any) -> "Future[Grade] | Verdict":
        program = fenced_program(text or "")
        try:
            preparation = _prepared([reference], self.options)
        except ValueError as error:  # a row without readable tests teaches nothing
            reason = f"The tests of the row cannot be read: {error}."
            return Verdict(None, program, "unreadable", reason=reason)
        if program is None:
            scores = {"passed_tests": 0.0, "tests": 0.0}
            return Verdict(0.0, None, "unparsed", scores, "The text contains no fenced program.")
        return preparation.submit(program, 0)

    def _graded(self, text: str, run: "Future[Grade] | Verdict") -> Verdict:
        """Return the verdict on a program; waits for the end of its run."""
        if isinstance(run, Verdict):
            return run
        program = fenced_program(text)
        try:
            grade = run.result()
        except OSError as error:  # no worker can be started
            return Verdict(None, program, "undecided", reason=f"The machine failed: {error}")
        value = program_score(grade, self.options["score"])
        passed, number = grade.passed_tests, len(grade.statuses)
        # Without a score, the machine failed, and not the program.
        return Verdict(
            value,
            program,
            "undecided" if value is None else "scored",
            {"passed_tests": float(passed), "tests": float(number)},
            f"{passed} of {number} tests passed. {grade.message}".strip(),
        )

    def reference_problem(self, reference: Any) -> str | None:
        """Return the reason why tests cannot be read; None if they can."""
        try:
            _prepared([reference], self.options)
        except ValueError as error:
            return f"cannot be read: {error}"
        return None


def _prepared(references: list[Any], options: Mapping[str, Any]) -> Preparation:
    of_runs = {name: value for name, value in options.items() if name not in _NOT_OF_RUNS}
    return prepare(references, **of_runs)
