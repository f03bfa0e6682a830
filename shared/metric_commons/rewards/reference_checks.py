"""References of a data set, read before a training starts."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .reward import Reward

_EXAMPLES = 10


class ReferenceCheck(NamedTuple):
    """How many references can be read; printed, it names the first ten that cannot."""

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


def check_references(rewards: Sequence["Reward"], dataset: Any) -> ReferenceCheck:
    """Read the references of each reward; a row can be read if all of its references can."""
    from ..scoring.table_columns import columns_of_table  # imports numpy, so only on use

    rewards = [reward for reward in rewards if reward.task.needs_reference()]
    columns = columns_of_table(dataset, [reward.column for reward in rewards])
    problems: dict[int, str] = {}
    rows, suggestion = 0, ""
    for reward in rewards:
        references = list(columns[reward.column])
        rows = len(references)
        found = {}
        for row, reference in enumerate(references):
            problem = reward.task.reference_problem(reference)
            if problem is not None:
                found[row] = problem if len(rewards) == 1 else f"({reward.task.name}) {problem}"
        advice = reward.task.suggestion if rows and len(found) == rows else reward.task.doubt
        suggestion = suggestion or advice(references)
        problems = found | problems
    first = tuple(islice(sorted(problems.items()), _EXAMPLES))
    return ReferenceCheck(rows, rows - len(problems), first, suggestion)
