"""Refuse meaningless calls before any data is read."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from ..files.streams import on_terminal

_Step = TypeVar("_Step")


class UsageError(ValueError):
    """A meaningless combination of arguments; a command then exits with status 2."""


class MissingExtraError(ModuleNotFoundError):
    """A library of an extra is missing; the message says how to install it."""


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


def with_bar(steps: Sequence[_Step], text: str, unit: str = "it") -> Iterable[_Step]:
    """The steps, with a progress bar on a terminal if they take more than a second.

    >>> list(with_bar([1, 2], "counting"))
    [1, 2]
    """
    if not on_terminal():
        return steps
    from tqdm import tqdm

    bar: Iterable[_Step] = tqdm(steps, text, unit=unit, delay=1, leave=False)
    return bar
