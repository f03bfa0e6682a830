"""Turns of work on an event loop, so that many short pieces of it do not stop the loop."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_TURN = 0.005  # seconds that pieces may take before other callbacks of the loop run


class _Turns:
    """The pieces of work of a loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.queue: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self.start: float | None = None  # of the turn in which the loop is

    def is_free(self) -> bool:
        """Whether a piece may run at once."""
        is_late = self.start is not None and time.perf_counter() - self.start > _TURN
        return not (self.queue or is_late)

    def begin(self) -> None:
        if self.start is None:
            self.start = time.perf_counter()
            self.loop.call_soon(self.proceed)  # when the loop comes round again

    def proceed(self) -> None:
        """Run waiting pieces for one turn, and leave the others to the next."""
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
    """The result of a short piece of work, which waits if others have just taken long.

    A loop runs all tasks that are ready before it looks at sockets and timers again. Thousands of
    rows that are awaited at once would be judged in one go; instead, a few milliseconds of work
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
