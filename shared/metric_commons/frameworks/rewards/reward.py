"""Rewards: tasks as a function of completions and references, in the forms of TRL and verl."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...statistics.arguments.checks import OptionError
from .verdicts import STATUSES, Outputs, References, Task, Verdict, on_free_stack
from .verl import configured, row_of

LogExtra = Callable[[str, list[Any]], None] | None
LogMetric = Callable[[str, float], None] | None

_EXAMPLES = 10  # of unreadable references


class ReferenceCheck(NamedTuple):
    """The number of readable references; when printed, it names the first ten unreadable ones."""

    rows: int
    readable: int
    unreadable: tuple[tuple[int, str], ...]  # row and problem, of the first ten

    def __str__(self) -> str:
        lines = [f"{self.readable:,} of {self.rows:,} references can be read"]
        lines += [f"row {row} {problem}" for row, problem in self.unreadable]
        hidden = self.rows - self.readable - len(self.unreadable)
        return "\n".join([*lines, f"and {hidden:,} more"] if hidden else lines)


@dataclass(frozen=True)
class Reward:
    r"""A reward function, as a value: it can be pickled, compared and printed.

    Called as by TRL, it returns a float for each completion. If the reference cannot be read, it
    returns None, and TRL leaves the row out. `verl` is the form of verl; for other trainers a
    function of some lines calls `verdicts`.

    Args:
        task: how completions are judged.
        column: the column of the data set with the references.

    Raises:
        ValueError: lower is better for the score of the task, which a trainer would maximize.

    >>> from .named_rewards import math
    >>> math()([r"\boxed{0.5}", r"\boxed{3}", r"\boxed{3}"], solution=["1/2", "2", None])
    [1.0, 0.0, None]
    """

    task: Task
    column: str = "solution"

    def __post_init__(self) -> None:
        if self.task.scale().lower_is_better:
            raise OptionError("score", f": lower is better for {self.task.score_name!r}")

    @property
    def __name__(self) -> str:
        """Return the name in logs: `rewards/math/mean` in TRL."""
        return self.task.name

    def verdicts(self, completions: Outputs, references: References) -> list[Verdict]:
        r"""Return the verdict on each completion, which may be a text or a list of messages.

        Raises:
            ValueError: the lengths differ.

        >>> from .named_rewards import math
        >>> math(explain=True).verdicts([r"\boxed{3}"], ["2"])[0].reason
        "math is 0: the answer is '3', accepted is '2'."
        """
        verdicts = self.task.verdicts(completions, references)
        if len(verdicts) > 1 and all(verdict.status == "unreadable" for verdict in verdicts):
            warnings.warn(
                f"no reference in the column {self.column!r} can be read; the first "
                f"{self.task.reference_problem(references[0])}; pass column= for another column, "
                "or extract_references= for whole solutions",
                stacklevel=2,
            )
        return verdicts

    def check(self, dataset: Any) -> ReferenceCheck:
        r"""Return the number of readable references of a data set, and the first unreadable ones.

        Args:
            dataset: a Dataset of `datasets`, a DataFrame, a dictionary of columns, or rows as
                dictionaries.

        Raises:
            ValueError: the data do not have the column.

        >>> from .named_rewards import math
        >>> print(math().check([{"solution": "2"}, {"solution": r"\left( see figure"}]))
        1 of 2 references can be read
        row 1 cannot be read: '\\left( see figure'
        """
        # imports numpy, so only on use
        from ...evaluation.rows.libraries import columns_of_table

        if not self.task.needs_reference():
            return ReferenceCheck(0, 0, ())
        references = list(columns_of_table(dataset, [self.column])[self.column])
        unreadable = on_free_stack(self._unreadable, references)
        readable = len(references) - len(unreadable)
        return ReferenceCheck(len(references), readable, tuple(unreadable[:_EXAMPLES]))

    def _unreadable(self, references: References) -> list[tuple[int, str]]:
        problems = enumerate(map(self.task.reference_problem, references))
        return [(row, problem) for row, problem in problems if problem is not None]

    def __call__(
        self,
        completions: Sequence[Any],
        *,
        log_extra: LogExtra = None,
        log_metric: LogMetric = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the rewards in the form of TRL, also for open-r1, Unsloth, Axolotl and ms-swift.

        Its table of completions gets the column `<name>_answer`, and with `explain`
        `<name>_reason`; the metrics get the proportions `<name>/unparsed`, `<name>/undecided` and
        `<name>/unreadable`, and the means of further scores.
        """
        verdicts = self.verdicts(completions, self._references(completions, columns))
        name = self.task.name
        if log_extra is not None:
            log_extra(f"{name}_answer", [verdict.answer or "" for verdict in verdicts])
            if self.task.explain:
                log_extra(f"{name}_reason", [verdict.reason for verdict in verdicts])
        if log_metric is not None and verdicts:
            for score in self.task.further_scores():
                column = [verdict.scores[score] for verdict in verdicts if score in verdict.scores]
                if column:
                    log_metric(f"{name}/{score}", sum(column) / len(column))
            for status in STATUSES:
                number = sum(verdict.status == status for verdict in verdicts)
                log_metric(f"{name}/{status}", number / len(verdicts))
        return [verdict.score for verdict in verdicts]

    def _references(self, completions: Outputs, columns: Mapping[str, Any]) -> References:
        if not self.task.needs_reference():
            return [None] * len(completions)
        if self.column in columns:
            references: References = columns[self.column]
            return references
        lists = {name: value for name, value in columns.items() if isinstance(value, list)}
        names = [name for name, value in lists.items() if len(value) == len(completions)]
        raise ValueError(
            f"the data set has no column {self.column!r}; it has {', '.join(names) or 'none'}; "
            "pass column=..."
        )

    def verl(
        self,
        data_source: Any = None,
        solution_str: str | None = None,
        ground_truth: Any = None,
        extra_info: Any = None,
        *,
        data_sources: Sequence[Any] | None = None,
        solution_strs: Sequence[str] | None = None,
        ground_truths: Sequence[Any] | None = None,
        extra_infos: Sequence[Any] | None = None,
        **settings: Any,
    ) -> Any:
        r"""Return the form of verl, for single rows and, by the plural names, for batches.

        Args:
            data_source: not used.
            solution_str: the text of the model.
            ground_truth: the reference.
            extra_info: not used.
            data_sources: not used.
            solution_strs: the texts of a batch.
            ground_truths: their references.
            extra_infos: not used.
            **settings: settings of the task, such as `extract`, from `reward_kwargs` of a
                configuration; those that verl itself adds are ignored.

        Returns:
            A dictionary with `score`, `acc`, `pred`, `unparsed`, `undecided` and `unreadable`, the
            same keys for each row; for a batch, a list of these. A row that cannot be judged has
            the score 0.0.

        Raises:
            TypeError: a setting is unknown.

        >>> from .named_rewards import math
        >>> math().verl("aime", r"\boxed{3}", "3")["score"]
        1.0
        """
        reward = self
        if settings:
            judged = configured(self.task.module, self.task.given(), settings)
            reward = replace(self, task=judged)
        if solution_strs is None:
            return row_of(reward.verdicts([solution_str], [ground_truth])[0])
        references = [None] * len(solution_strs) if ground_truths is None else ground_truths
        return list(map(row_of, reward.verdicts(solution_strs, references)))
