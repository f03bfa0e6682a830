"""Check columns once, although several modules score them in one evaluation.

Kept apart from the checks themselves, so that callers need not import numpy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# The checked lists, each with the shape of its rows. Holding a reference keeps a list from being
# confused with another one that later has the same address.
CHECKED: ContextVar[list[tuple[list[Any], Any]] | None] = ContextVar("checked", default=None)


@contextmanager
def checked_once() -> Iterator[None]:
    """Within this context, a list that one module has checked is not checked again.

    It must not change in the meantime.
    """
    token = CHECKED.set([])
    try:
        yield
    finally:
        CHECKED.reset(token)
