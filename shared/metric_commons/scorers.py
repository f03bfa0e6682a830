"""Modules as scorers of frameworks that judge one row at a time, such as DSPy and MLflow."""

from typing import TYPE_CHECKING

from .lazy import resolver

if TYPE_CHECKING:
    from .frameworks.harnesses.row_scorers import scorer
    from .frameworks.rewards.named_tasks import task

__all__ = ["scorer", "task"]

__getattr__ = resolver(
    __name__,
    {
        "scorer": "frameworks.harnesses.row_scorers",
        "task": "frameworks.rewards.named_tasks",
    },
    __package__,
)
