"""What makes no sense in a call, refused before any data is read."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ..files.streams import on_terminal

_Step = TypeVar("_Step")


class UsageError(ValueError):
    """A combination of arguments that makes no sense; a command then ends with the status 2."""


class MissingExtraError(ModuleNotFoundError):
    """A library is missing that an extra brings; the message says how to install it."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports of what an extra brings.

    Raises:
        MissingExtraError: one is missing.

    >>> with extra("plot"):
    ...     import math
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error}; it comes with: pip install 'metric-commons[{name}]'"
        raise MissingExtraError(message, name=error.name) from error


def with_bar(steps: Sequence[_Step], text: str, unit: str = "it") -> Iterable[_Step]:
    """The steps, with a bar on a terminal that says how far they are, if they take over a second.

    >>> list(with_bar([1, 2], "counting"))
    [1, 2]
    """
    if not on_terminal():
        return steps
    from tqdm import tqdm

    bar: Iterable[_Step] = tqdm(steps, text, unit=unit, delay=1, leave=False)
    return bar


def check_outputs(outputs: Sequence[Path | None], inputs: Sequence[Path]) -> None:
    """Nothing, if no output would replace an input, or another output.

    Raises:
        UsageError: one would.
    """
    paths_in_use = {os.path.realpath(path) for path in inputs}  # also of links in a circle
    for path in filter(None, outputs):
        if os.path.realpath(path) in paths_in_use:
            raise UsageError(f"{path} would be overwritten")
        paths_in_use.add(os.path.realpath(path))
