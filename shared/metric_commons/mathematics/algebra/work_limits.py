"""Limits of the work per question, so that no text takes long, however it was made."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from threading import Thread
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")

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


def on_own_stack(otherwise: T) -> Callable[[Callable[P, U]], Callable[P, T | U]]:
    """Call a function again on the empty stack of a new thread where the caller's is too short.

    So results depend on the arguments alone, not on the depth of the caller. `otherwise` is the
    result where that stack is too short, too.

    >>> @on_own_stack(-1)
    ... def depth(levels: int) -> int:
    ...     return 1 + depth.__wrapped__(levels - 1) if levels else 0
    >>> depth(10), depth(100_000)
    (10, -1)
    """

    def decorate(function: Callable[P, U]) -> Callable[P, T | U]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T | U:
            try:
                return function(*args, **kwargs)
            except RecursionError:
                results: list[T | U] = [otherwise]

            def again() -> None:
                with suppress(RecursionError):
                    results.append(function(*args, **kwargs))

            thread = Thread(target=again)
            thread.start()
            thread.join()
            return results[-1]

        return call

    return decorate
