"""Locks for objects that must remain copyable and picklable."""

import threading
from typing import Any


class Lock(type(threading.RLock())):  # type: ignore[misc]
    """A lock that one thread may take several times; a copy or a pickle of it is a new lock.

    >>> import copy
    >>> lock = Lock()
    >>> with lock, lock, copy.deepcopy(lock):
    ...     copy.copy(lock) is lock
    False
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()
