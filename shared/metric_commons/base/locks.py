"""Locks for objects that must remain copyable and picklable."""

import threading
from typing import Any


class Lock:
    """A reentrant lock; a copy or an unpickled lock is a new lock.

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
