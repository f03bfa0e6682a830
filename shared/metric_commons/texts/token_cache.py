"""A cache of tokenized texts, so that one evaluation tokenizes the same rows only once.

Kept apart from the functions that use it, so that callers need not import numpy.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_KEPT = 2  # entries: the modules of one evaluation rarely use more than two normalizers

TOKEN_CACHE: ContextVar[deque[Any] | None] = ContextVar("token_cache", default=None)


@contextmanager
def shared_token_cache() -> Iterator[None]:
    """Within this context, functions that compare the same normalized rows tokenize them once."""
    token = TOKEN_CACHE.set(deque(maxlen=_KEPT))
    try:
        yield
    finally:
        TOKEN_CACHE.reset(token)
