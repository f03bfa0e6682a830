"""Texts that several functions read are read once, while they score one evaluation.

Apart from the functions themselves, so that who asks for it need not wait for numpy.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_KEPT = 2  # readings: modules of one evaluation have a normalizer or two

READINGS: ContextVar[deque[Any] | None] = ContextVar("readings", default=None)


@contextmanager
def shared_readings() -> Iterator[None]:
    """Within it, functions that compare the same rows by one normalizer read their texts once."""
    token = READINGS.set(deque(maxlen=_KEPT))
    try:
        yield
    finally:
        READINGS.reset(token)
