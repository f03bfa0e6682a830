"""The weighted sum of rewards, for trainers that take one function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Finite, check_option
from .reference_checks import ReferenceCheck, check_references
from .reward import Columns, Reward
from .trl import LogExtra, LogMetric, log
from .verdicts import Verdict, on_free_stack


@dataclass(frozen=True)
class Total(Reward):
    """The weighted sum of rewards; see `total`. Its task and column are those of the first."""

    parts: tuple[Reward, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def __name__(self) -> str:
        return "total"

    def verdicts(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        """Return the verdicts on completions, each with the same reference for all parts."""
        return self._summed([part.verdicts(completions, references) for part in self.parts])

    def of_columns(self, completions: Sequence[Any], columns: Columns) -> list[Verdict]:
        """Return the verdicts, with the references of each part from the column of the part."""
        return self._summed([part.of_columns(completions, columns) for part in self.parts])

    def check(self, dataset: Any) -> ReferenceCheck:
        """Return the same as `Reward.check`; rows need readable references of all parts."""
        columns = [(part.task, part.column) for part in self.parts]
        return on_free_stack(check_references, columns, dataset)

    def configured(self, settings: Mapping[str, Any]) -> Reward:
        """Return the sum itself: a setting may be meant for any part.

        Raises:
            TypeError: there are settings.
        """
        for name in settings:
            raise TypeError(f"total has no option {name!r}; pass it to one of the rewards")
        return self

    def _summed(self, of_parts: Sequence[Sequence[Verdict]]) -> list[Verdict]:
        return [self._sum(row) for row in zip(*of_parts, strict=True)]

    def _sum(self, row: Sequence[Verdict]) -> Verdict:
        """Return the sum of a row; its score is None if that of the first part is."""
        first = row[0]
        if first.score is None:
            return first  # the answer was not judged
        scores: dict[str, float] = {}
        terms = []
        for part, weight, verdict in zip(self.parts, self.weights, row, strict=True):
            if verdict.score is not None:
                scores[part.task.name] = verdict.score
                terms.append(weight * verdict.score)
        reason = " ".join(verdict.reason for verdict in row if verdict.reason)
        return first._replace(score=float(sum(terms)), scores=scores, reason=reason)

    def __call__(
        self,
        completions: Sequence[Any],
        *,
        log_extra: LogExtra = None,
        log_metric: LogMetric = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the rewards in the form of TRL; the logs have those of each part, and its mean."""
        of_parts = [part.of_columns(completions, columns) for part in self.parts]
        for part, verdicts in zip(self.parts, of_parts, strict=True):
            log(part.task, verdicts, log_extra, log_metric, columns.get("prompts"))
            scores = [verdict.score for verdict in verdicts if verdict.score is not None]
            if log_metric is not None and scores:
                log_metric(f"{part.task.name}/mean", sum(scores) / len(scores))
        return [verdict.score for verdict in self._summed(of_parts)]


def total(*rewards: Reward, weights: Sequence[float] | None = None) -> Total:
    r"""Return the weighted sum of rewards, for trainers that take one function; TRL sums itself.

    If the first reward of a row is None, so is the sum; others that are None count as 0.

    Args:
        *rewards: rewards with different names.
        weights: one for each reward; by default all 1.

    Raises:
        ValueError: there are no rewards, a different number of weights, or two rewards with one
            name.

    >>> from .named_tasks import found, math
    >>> both = total(math(), found(), weights=[1, 0.1])
    >>> both([r"\boxed{2}", r"\boxed{3}", "2"], solution=["2", "2", "2"])
    [1.1, 0.1, 0.0]
    """
    numbers = [1.0] * len(rewards) if weights is None else list(weights)
    if not rewards:
        raise ValueError("total needs at least one reward")
    check_option("weights", numbers, Sequence[Finite])
    if len(numbers) != len(rewards):
        raise OptionError(
            "weights", f"has {len(numbers)} numbers, but there are {len(rewards)} rewards"
        )
    names = [reward.task.name for reward in rewards]
    for name in names:
        if names.count(name) > 1:
            raise OptionError("name", f": two rewards are called {name!r}; pass name=... to one")
    first = rewards[0]
    return Total(first.task, first.column, rewards, tuple(map(float, numbers)))
