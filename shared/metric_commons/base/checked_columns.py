"""Columns that several modules take are checked once, while they are scored in one evaluation.

Apart from the checks themselves, so that who asks for it need not wait for numpy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# The lists that were checked, each with the shape that its rows have. A list that is kept here
# cannot be taken for another one that lies at the same address later.
CHECKED: ContextVar[list[tuple[list[Any], Any]] | None] = ContextVar("checked", default=None)


@contextmanager
def checked_once() -> Iterator[None]:
    """Within it, a list that one module has found to be as declared is not looked at again.

    It may not change in the meantime.
    """
    token = CHECKED.set([])
    try:
        yield
    finally:
        CHECKED.reset(token)
