"""Work in small pieces, so that an event loop continues: on the loop itself, or in a thread."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_TURN = 0.002  # seconds that pieces may take before other callbacks of the loop run
_SLICE = 0.002  # seconds of CPU that a thread takes before other threads may run
_PAUSE = 1e-5  # seconds; the system wakes a waiting thread meanwhile


class _Turns:
    """The pieces of work of a loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.queue: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self.start: float | None = None  # of the current turn of the loop

    def is_free(self) -> bool:
        """Return whether a piece may run immediately."""
        is_late = self.start is not None and time.perf_counter() - self.start > _TURN
        return not (self.queue or is_late)

    def begin(self) -> None:
        if self.start is None:
            self.start = time.perf_counter()
            self.loop.call_soon(self.proceed)  # in the next turn of the loop

    def proceed(self) -> None:
        """Run waiting pieces for one turn, and leave the others to the next one."""
        start, self.start = time.perf_counter(), None
        while self.queue:
            work, future = self.queue.popleft()
            if future.cancelled():
                continue
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)
            if time.perf_counter() - start > _TURN:
                break
        if self.queue:
            self.begin()


class _OfThread(threading.local):
    turns: _Turns | None = None


_THREAD = _OfThread()


async def in_turn(work: Callable[[], T]) -> T:
    """Return the result of a short piece of work, which waits if previous ones took long.

    A loop runs all tasks that are ready before it looks at sockets and timers again. Thousands of
    rows that are awaited together would be judged in one go; instead, a few milliseconds of work
    are done at a time, in the order of the calls.
    """
    loop = asyncio.get_running_loop()
    turns = _THREAD.turns
    if turns is None or turns.loop is not loop:
        turns = _THREAD.turns = _Turns(loop)
    if turns.is_free():
        turns.begin()
        return work()
    future: asyncio.Future[T] = loop.create_future()
    turns.queue.append((work, future))
    return await future


async def in_thread(
    judge: Callable[[Sequence[Any], Sequence[Any]], list[T]],
    completions: Sequence[Any],
    references: Sequence[Any],
) -> list[T]:
    """Return the results of a function of rows, called in a thread for a few rows at a time."""
    return await asyncio.to_thread(_in_slices, judge, completions, references)


def _in_slices(
    judge: Callable[[Sequence[Any], Sequence[Any]], list[T]],
    completions: Sequence[Any],
    references: Sequence[Any],
) -> list[T]:
    """Return the results of all rows.

    Python switches away from a computing thread only after some milliseconds, at each callback of
    the loop. A thread that sleeps releases the interpreter immediately. CPU time is measured, so
    that slices on a busy machine are as large as on an idle one.
    """
    results: list[T] = []
    size = 1
    while len(results) < len(completions):
        rows = slice(len(results), len(results) + size)
        start = time.thread_time()
        results += judge(completions[rows], references[rows])
        seconds = time.thread_time() - start
        # At most twice as many rows as before, since one row says little about the next.
        size = max(1, min(2 * size, int(size * _SLICE / max(seconds, 1e-9))))
        time.sleep(_PAUSE)
    return results
