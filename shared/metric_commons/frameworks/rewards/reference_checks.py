"""Whether the references of a data set can be read, before a training starts."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from .verdicts import Task

_EXAMPLES = 10


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


def check_references(tasks: Sequence[tuple[Task, str]], dataset: Any) -> ReferenceCheck:
    """Read the references of tasks; a row can be read if all of its references can.

    Args:
        tasks: the tasks, each with the column of its references.
        dataset: a table of any kind.
    """
    # imports numpy, so only on use
    from ...evaluation.rows.libraries import columns_of_table

    tasks = [(task, column) for task, column in tasks if task.needs_reference()]
    columns = columns_of_table(dataset, [column for _, column in tasks])
    problems: dict[int, str] = {}
    rows, suggestion = 0, ""
    for task, column in tasks:
        references = list(columns[column])
        rows = len(references)
        problems_of_task = {}
        for row, reference in enumerate(references):
            problem = task.reference_problem(reference)
            if problem is not None:
                label = "" if len(tasks) == 1 else f"({task.name}) "
                problems_of_task[row] = label + problem
        advice = task.suggestion if rows and len(problems_of_task) == rows else task.doubt
        suggestion = suggestion or advice(references)
        problems = problems_of_task | problems
    first = tuple(islice(sorted(problems.items()), _EXAMPLES))
    return ReferenceCheck(rows, rows - len(problems), first, suggestion)
