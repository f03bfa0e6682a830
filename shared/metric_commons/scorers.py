"""Modules as scorers of frameworks that judge one row at a time, such as DSPy and MLflow."""

from typing import TYPE_CHECKING

from .lazy import resolver

if TYPE_CHECKING:
    from .frameworks.harnesses.row_scorers import Framework, scorer
    from .frameworks.rewards.named_tasks import task
    from .frameworks.rewards.verdicts import Task, Verdict

__all__ = ["Framework", "Task", "Verdict", "scorer", "task"]

__getattr__ = resolver(
    __name__,
    {
        "Framework": "frameworks.harnesses.row_scorers",
        "Task": "frameworks.rewards.verdicts",
        "Verdict": "frameworks.rewards.verdicts",
        "scorer": "frameworks.harnesses.row_scorers",
        "task": "frameworks.rewards.named_tasks",
    },
    __package__,
)
