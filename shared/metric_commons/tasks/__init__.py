"""Tasks: how the outputs of models are judged, row by row, in training and by scorers.

A task is a value that has one method, `verdicts`. `verdicts` defines it, `model_outputs` reads what
trainers and frameworks pass, and the other files contain the kinds of tasks.
"""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .named_tasks import task
    from .verdicts import Task, Verdict

__all__ = ["Task", "Verdict", "task"]

__getattr__ = resolver(__name__, {"Task": "verdicts", "Verdict": "verdicts", "task": "named_tasks"})
