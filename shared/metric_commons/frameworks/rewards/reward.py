"""Rewards: a task as a function of completions and references, in the forms of TRL and verl."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...statistics.arguments.checks import OptionError
from .reference_checks import ReferenceCheck, check_references
from .trl import LogExtra, LogMetric, log
from .verdicts import Task, Verdict, on_free_stack
from .verl import row_of, settings_of

Columns = Mapping[str, Any]


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

    >>> from .named_tasks import math
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

    def verdicts(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        r"""Return the verdict on each completion, which may be a text or a list of messages.

        Raises:
            ValueError: the lengths differ.

        >>> from .named_tasks import math
        >>> math(explain=True).verdicts([r"\boxed{3}"], ["2"])[0].reason
        "The answer '3' does not equal '2'."
        """
        verdicts = self.task.verdicts(completions, references)
        if len(verdicts) > 1 and all(verdict.status == "unreadable" for verdict in verdicts):
            warnings.warn(
                f"no reference in the column {self.column!r} can be read: "
                f"{self.task.suggestion(references)}",
                stacklevel=3,
            )
        return verdicts

    def explain(
        self, completions: Sequence[Any], references: Sequence[Any]
    ) -> list[dict[str, Any]]:
        r"""Return for each completion the readings, the steps, the verdict and the reason.

        Raises:
            ValueError: the lengths differ.

        >>> from .named_tasks import math
        >>> [row] = math().explain([r"\boxed{x < 5}"], [r"(-\infty, 5]"])
        >>> row["prediction_reading"], row["reference_reading"], row["verdict"]
        ('x ∈ (-∞, 5)', '(-∞, 5]', False)
        """
        verdicts = replace(self.task, explain=True).verdicts(completions, references)
        pairs = zip(verdicts, references, strict=True)
        return [self.task.explanation(verdict, reference) for verdict, reference in pairs]

    def check(self, dataset: Any) -> ReferenceCheck:
        r"""Return the number of readable references of a data set, and the first unreadable ones.

        Args:
            dataset: a Dataset of `datasets`, a DataFrame, a dictionary of columns, or rows as
                dictionaries.

        Raises:
            ValueError: the data do not have the column.

        >>> from .named_tasks import math
        >>> print(math().check([{"solution": "2"}, {"solution": r"\left( see figure"}]))
        1 of 2 references can be read
        row 1 cannot be read: '\\left( see figure'
        """
        return on_free_stack(check_references, [(self.task, self.column)], dataset)

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
        verdicts = self.of_columns(completions, columns)
        log(self.task, verdicts, log_extra, log_metric, columns.get("prompts"))
        return [verdict.score for verdict in verdicts]

    def of_columns(self, completions: Sequence[Any], columns: Columns) -> list[Verdict]:
        """Return the verdicts, with the references from the column of the reward."""
        if not self.task.needs_reference():
            return self.verdicts(completions, [None] * len(completions))
        if self.column not in columns:
            names = [
                name
                for name, value in columns.items()
                if isinstance(value, list) and len(value) == len(completions)
            ]
            listed = ", ".join(names) or "none"
            raise ValueError(
                f"the data set has no column {self.column!r}; it has {listed}; pass column=..."
            )
        return self.verdicts(completions, columns[self.column])

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

        >>> from .named_tasks import math
        >>> math().verl("aime", r"\boxed{3}", "3")["score"]
        1.0
        """
        reward = self.configured(settings_of(settings))
        if solution_strs is None:
            return row_of(reward.verdicts([solution_str], [ground_truth])[0])
        references = [None] * len(solution_strs) if ground_truths is None else ground_truths
        return list(map(row_of, reward.verdicts(solution_strs, references)))

    def configured(self, settings: Mapping[str, Any]) -> "Reward":
        """Return the reward with other settings of its task.

        A run has one configuration, which comes with every call, so the result is kept.
        """
        if not settings:
            return self
        key = self, repr(sorted(settings.items()))
        if key not in _CONFIGURED:
            if len(_CONFIGURED) >= _CONFIGURATIONS:  # a setting that differs between rows
                _CONFIGURED.clear()
            _CONFIGURED[key] = replace(self, task=self.task.with_settings(settings))
        return _CONFIGURED[key]


_CONFIGURATIONS = 256
_CONFIGURED: dict[tuple[Reward, str], Reward] = {}
