"""The weighted sum of rewards, for trainers that take one function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Finite, check_option
from .reference_checks import ReferenceCheck, check_references
from .reward import Columns, Reward
from .verdicts import Task, Verdict, on_free_stack


@dataclass(frozen=True)
class _Sum(Task):
    """The weighted sum of tasks; the score is None if that of the first task is."""

    name: str = "total"
    parts: tuple[Task, ...] = ()
    weights: tuple[float, ...] = ()

    def verdicts(self, completions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        columns = [part.verdicts(completions, references) for part in self.parts]
        return [self.summed(row) for row in zip(*columns, strict=True)]

    def summed(self, row: Sequence[Verdict]) -> Verdict:
        """Return the verdict on a row, from the verdicts of the parts."""
        first = row[0]
        if first.score is None:
            return first  # the answer was not judged
        scores = {
            part.name: verdict.score
            for part, verdict in zip(self.parts, row, strict=True)
            if verdict.score is not None
        }
        weights = dict(zip((part.name for part in self.parts), self.weights, strict=True))
        total = sum(weights[name] * score for name, score in scores.items())
        reason = " ".join(verdict.reason for verdict in row if verdict.reason)
        return first._replace(score=float(total), scores=scores, reason=reason)

    def judged(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[Verdict]:
        return self.verdicts(predictions, references)

    def reference_problem(self, reference: Any) -> str | None:
        return self.parts[0].reference_problem(reference)

    def needs_reference(self) -> bool:
        return any(part.needs_reference() for part in self.parts)

    def suggestion(self, references: Sequence[Any]) -> str:
        return self.parts[0].suggestion(references)

    def settings(self) -> set[str]:
        return set()  # a setting may be meant for any part

    def further_scores(self) -> list[str]:
        return [part.name for part in self.parts]

    def _settings_of_scores(self) -> tuple[str, dict[str, Any]]:
        parts = zip(self.parts, self.weights, strict=True)
        return self.name, {part.signature: weight for part, weight in parts}


@dataclass(frozen=True)
class Total(Reward):
    """The weighted sum of rewards; see `total`."""

    task: _Sum
    parts: tuple[Reward, ...] = ()

    def check(self, dataset: Any) -> ReferenceCheck:
        """Return the same as `Reward.check`; rows need readable references of all parts."""
        columns = [(part.task, part.column) for part in self.parts]
        return on_free_stack(check_references, columns, dataset)

    def of_columns(self, completions: Sequence[Any], columns: Columns) -> list[Verdict]:
        """Return the verdicts, with the references of each part from the column of the part."""
        return self._summed(self._of_parts(completions, columns))

    def _of_parts(self, completions: Sequence[Any], columns: Columns) -> list[list[Verdict]]:
        return [part.of_columns(completions, columns) for part in self.parts]

    def _summed(self, of_parts: Sequence[Sequence[Verdict]]) -> list[Verdict]:
        return [self.task.summed(row) for row in zip(*of_parts, strict=True)]

    def __call__(
        self,
        completions: Sequence[Any],
        *,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the rewards in the form of TRL; the logs have those of each part, and its mean."""
        of_parts = self._of_parts(completions, columns)
        for part, verdicts in zip(self.parts, of_parts, strict=True):
            part.log(verdicts, log_extra, log_metric, columns.get("prompts"))
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
    task = _Sum(
        explain=any(reward.task.explain for reward in rewards),
        parts=tuple(reward.task for reward in rewards),
        weights=tuple(map(float, numbers)),
    )
    return Total(task, rewards[0].column, rewards)
