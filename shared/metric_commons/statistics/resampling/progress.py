"""Progress reports of long computations.

A loop reports which fraction of its work is done, from 0 to 1. It knows neither who listens nor
which larger task it belongs to: `step` scales its reports to that task.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_quiet = ContextVar("quiet", default=False)
_listener: ContextVar[Callable[[float], object] | None] = ContextVar("listener", default=None)


def set_quiet(*, quiet: bool) -> bool:
    """Choose whether progress bars and notes on stderr are left out, and return the choice."""
    _quiet.set(quiet)
    return quiet


def is_quiet() -> bool:
    """Return whether progress bars and notes on stderr are left out."""
    return _quiet.get()


def shows_bars() -> bool:
    """Return whether progress bars are shown: on a terminal, unless the user wants none."""
    return not is_quiet() and sys.stderr is not None and sys.stderr.isatty()


def report(fraction: float) -> None:
    """Tell the listener, if there is one, which fraction of the work is done."""
    listener = _listener.get()
    if listener is not None:
        listener(fraction)


@contextmanager
def watched(listener: Callable[[float], object]) -> Iterator[None]:
    """Pass the progress of the work inside to a listener. Reports never go backwards.

    >>> with watched(print):
    ...     for number in range(2):
    ...         with step(number, 2):
    ...             report(0.5)
    0.25
    0.5
    0.75
    1.0
    """
    highest = 0.0

    def forward(fraction: float) -> None:
        nonlocal highest
        if fraction > highest:
            highest = fraction
            listener(fraction)

    token = _listener.set(forward)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def step(number: int, steps: int) -> Iterator[None]:
    """Treat progress reported inside as that of one of several steps, counted from 0."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    token = _listener.set(lambda fraction: listener((number + fraction) / steps))
    try:
        yield
    finally:
        _listener.reset(token)
    listener((number + 1) / steps)
