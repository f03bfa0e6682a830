"""Limits of the work per question, so that no text takes long, however it was made."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# A step is about the product of two terms, some 4 microseconds. Answers take dozens of steps.
MAX_STEPS = 4_000

# None if no limit is set.
_steps_left: ContextVar[list[int] | None] = ContextVar("_steps_left", default=None)


class UndecidedError(Exception):
    """The question is outside what is decided exactly, or its answer would cost too much."""


@contextmanager
def limited_work(steps: int = MAX_STEPS) -> Iterator[None]:
    """Let the body spend this many steps, whoever calls it; each thread has its own count.

    >>> with limited_work(10):
    ...     try:
    ...         spend(8)
    ...         spend(8)
    ...     except UndecidedError as error:
    ...         print(error)
    too much work
    """
    token = _steps_left.set([steps])
    try:
        yield
    finally:
        _steps_left.reset(token)


def spend(steps: int) -> None:
    """Count the steps of a piece of work, before it is done.

    Raises:
        UndecidedError: fewer steps are left.
    """
    left = _steps_left.get()
    if left is None:
        return
    if left[0] < steps:
        raise UndecidedError("too much work")
    left[0] -= steps
