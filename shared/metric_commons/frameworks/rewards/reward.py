"""Rewards: tasks as a function of completions and references, in the forms of TRL and verl."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Finite, check_option
from .trl import LogExtra, LogMetric, log
from .verdicts import Outputs, References, Task, Verdict, on_free_stack
from .verl import configured, row_of

_EXAMPLES = 10  # of unreadable references


class ReferenceCheck(NamedTuple):
    """The number of readable references; when printed, it names the first ten unreadable ones."""

    rows: int
    readable: int
    unreadable: tuple[tuple[int, str], ...]  # row and problem, of the first ten
    suggestion: str = ""

    def __str__(self) -> str:
        lines = [f"{self.readable:,} of {self.rows:,} references can be read"]
        lines += [f"row {row} {problem}" for row, problem in self.unreadable]
        hidden = self.rows - self.readable - len(self.unreadable)
        lines += [f"and {hidden:,} more"] if hidden else []
        lines += [self.suggestion] if self.suggestion else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Reward:
    r"""A reward function, as a value: it can be pickled, compared and printed.

    Called as by TRL, it returns a float for each completion. If the reference cannot be read, it
    returns None, and TRL leaves the row out. `verl` is the form of verl; for other trainers a
    function of some lines calls `verdicts`.

    Args:
        task: how completions are judged.
        column: the column of the data set with the references.
        weight: of the score, in a sum.
        others: rewards that are added; see `total`.

    Raises:
        ValueError: lower is better for the score of the task, which a trainer would maximize.

    >>> from .named_rewards import math
    >>> math()([r"\boxed{0.5}", r"\boxed{3}", r"\boxed{3}"], solution=["1/2", "2", None])
    [1.0, 0.0, None]
    """

    task: Task
    column: str = "solution"
    weight: float = 1.0
    others: tuple["Reward", ...] = ()

    def __post_init__(self) -> None:
        if self.task.scale().lower_is_better:
            raise OptionError("score", f": lower is better for {self.task.score_name!r}")

    @property
    def __name__(self) -> str:
        """Return the name in logs: `rewards/math/mean` in TRL."""
        return "total" if self.others else self.task.name

    def verdicts(self, completions: Outputs, references: References) -> list[Verdict]:
        r"""Return the verdict on each completion, which may be a text or a list of messages.

        Raises:
            ValueError: the lengths differ.

        >>> from .named_rewards import math
        >>> math(explain=True).verdicts([r"\boxed{3}"], ["2"])[0].reason
        "The answer '3' does not equal '2'."
        """
        return self._sum([part._judged(completions, references) for part in self._parts()])

    async def awaited(self, completions: Outputs, references: References) -> list[Verdict]:
        """Return the verdicts; the event loop continues meanwhile."""
        parts = self._parts()
        return self._sum([await part.task.awaited(completions, references) for part in parts])

    def _parts(self) -> "tuple[Reward, ...]":
        return self, *self.others

    def _judged(self, completions: Outputs, references: References) -> list[Verdict]:
        verdicts = self.task.verdicts(completions, references)
        if len(verdicts) > 1 and all(verdict.status == "unreadable" for verdict in verdicts):
            warnings.warn(
                f"no reference in the column {self.column!r} can be read: "
                f"{self.task.suggestion(references)}",
                stacklevel=3,
            )
        return verdicts

    def _sum(self, of_parts: Sequence[list[Verdict]]) -> list[Verdict]:
        """Return the weighted sum of each row; its score is None if that of the first part is."""
        if not self.others and self.weight == 1:
            return of_parts[0]
        verdicts = []
        for row in zip(*of_parts, strict=True):
            if row[0].score is None:
                verdicts.append(row[0])
                continue
            pairs = list(zip(self._parts(), row, strict=True))
            scores = {p.task.name: v.score for p, v in pairs if v.score is not None}
            score = sum(part.weight * scores.get(part.task.name, 0.0) for part, _ in pairs)
            reason = " ".join(verdict.reason for verdict in row if verdict.reason)
            verdicts.append(row[0]._replace(score=score, scores=scores, reason=reason))
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
        columns = [(part.task, part.column) for part in self._parts()]
        return on_free_stack(_check_references, columns, dataset)

    def __call__(
        self,
        completions: Sequence[Any],
        *,
        log_extra: LogExtra = None,
        log_metric: LogMetric = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the rewards in the form of TRL, also for open-r1, Unsloth, Axolotl and ms-swift.

        `trl` has the names in its logs.
        """
        of_parts = []
        for part in self._parts():
            verdicts = part._judged(completions, part._references(completions, columns))
            log(part.task, verdicts, log_extra, log_metric, columns.get("prompts"))
            scores = [verdict.score for verdict in verdicts if verdict.score is not None]
            if self.others and log_metric is not None and scores:
                log_metric(f"{part.task.name}/mean", sum(scores) / len(scores))
            of_parts.append(verdicts)
        return [verdict.score for verdict in self._sum(of_parts)]

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
        if self.others and reward.task != self.task:
            raise TypeError("a sum takes no settings; pass them to one of its rewards")
        if solution_strs is None:
            return row_of(reward.verdicts([solution_str], [ground_truth])[0])
        references = [None] * len(solution_strs) if ground_truths is None else ground_truths
        return list(map(row_of, reward.verdicts(solution_strs, references)))


def total(*rewards: Reward, weights: Sequence[float] | None = None) -> Reward:
    r"""Return the weighted sum of rewards, for trainers that take one function; TRL sums itself.

    If the first reward of a row is None, so is the sum; others that are None count as 0.

    Args:
        *rewards: rewards with different names.
        weights: one for each reward; by default all 1.

    Raises:
        ValueError: there are no rewards, a different number of weights, or two rewards with one
            name.

    >>> from .named_rewards import found, math
    >>> both = total(math(), found(), weights=[1, 0.1])
    >>> both([r"\boxed{2}", r"\boxed{3}", "2"], solution=["2", "2", "2"])
    [1.1, 0.1, 0.0]
    """
    numbers = [1.0] * len(rewards) if weights is None else list(weights)
    if not rewards:
        raise ValueError("total needs at least one reward")
    check_option("weights", numbers, Sequence[Finite])
    if len(numbers) != len(rewards):
        problem = f"has {len(numbers)} numbers, but there are {len(rewards)} rewards"
        raise OptionError("weights", problem)
    names = [reward.task.name for reward in rewards]
    for name in names:
        if names.count(name) > 1:
            raise OptionError("name", f": two rewards are called {name!r}; pass name=... to one")
    parts = [replace(part, weight=float(n)) for part, n in zip(rewards, numbers, strict=True)]
    return replace(parts[0], others=tuple(parts[1:]))


def _check_references(tasks: Sequence[tuple[Task, str]], dataset: Any) -> ReferenceCheck:
    """Read the references of tasks, each with its column; all of a row must be readable."""
    # imports numpy, so only on use
    from ...evaluation.rows.libraries import columns_of_table

    tasks = [(task, column) for task, column in tasks if task.needs_reference()]
    columns = columns_of_table(dataset, [column for _, column in tasks])
    problems: dict[int, str] = {}
    rows, suggestion = 0, ""
    for task, column in tasks:
        references = list(columns[column])
        rows = len(references)
        label = "" if len(tasks) == 1 else f"({task.name}) "
        found = enumerate(map(task.reference_problem, references))
        of_task = {row: label + problem for row, problem in found if problem is not None}
        if rows and len(of_task) == rows:
            suggestion = suggestion or task.suggestion(references)
        problems = of_task | problems
    first = tuple(islice(sorted(problems.items()), _EXAMPLES))
    return ReferenceCheck(rows, rows - len(problems), first, suggestion)
