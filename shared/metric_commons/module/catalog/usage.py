"""Errors about how the package is used, and progress bars."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TypeVar

from ...statistics.resampling.progress import shows_bars

_Step = TypeVar("_Step")


class UsageError(ValueError):
    """A meaningless combination of arguments; a command then exits with status 2."""


class MissingExtraError(ModuleNotFoundError):
    """A library of an extra is missing; the message says how to install it."""


_notes: ContextVar[list[str]] = ContextVar("notes")


def note(text: str) -> None:
    """Tell the user of a command something; who calls a function is not told."""
    with suppress(LookupError):
        _notes.get().append(text)


@contextmanager
def noted() -> Iterator[list[str]]:
    """Collect the notes that are made inside.

    >>> with noted() as notes:
    ...     note("field 'a' are the predictions")
    >>> notes
    ["field 'a' are the predictions"]
    """
    notes: list[str] = []
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Wrap imports of libraries that an extra installs.

    Raises:
        MissingExtraError: a library is missing.

    >>> with extra("plot"):
    ...     import math
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error}; it comes with: pip install 'metric-commons[{name}]'"
        raise MissingExtraError(message, name=error.name) from error


def with_bar(
    steps: Iterable[_Step], text: str, unit: str = "it", total: int | None = None
) -> Iterable[_Step]:
    """Return the steps, with a progress bar on a terminal if they take more than a second.

    `total` is their number, for steps that have no length.

    >>> list(with_bar([1, 2], "counting"))
    [1, 2]
    """
    if not shows_bars():
        return steps
    from tqdm import tqdm

    bar: Iterable[_Step] = tqdm(steps, text, total, unit=unit, delay=1, leave=False)
    return bar
