"""Locks that objects may hold without losing their copies and pickles."""

import threading
from typing import Any


class Lock:
    """A lock that one thread may take several times; a copy or a pickle of it is a new lock.

    >>> import copy
    >>> lock = Lock()
    >>> with lock, lock, copy.deepcopy(lock):
    ...     copy.copy(lock) is lock
    False
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()
