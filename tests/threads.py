"""Work that several threads do at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from tests.spec import PATIENCE

THREADS = 8


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """What each thread gets from its work, which it is given its number for; all begin together."""
    start = Barrier(THREADS, timeout=PATIENCE)

    def begin(thread: int) -> Any:
        start.wait()
        return work(thread)

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(begin, range(THREADS)))
