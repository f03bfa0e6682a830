"""Rows judged on an event loop, a few at a time, so that its other callbacks run between them."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

_SLICE = 0.002  # seconds that rows take before other callbacks of the loop run
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def in_turns(
    judge: Callable[[Sequence[Any], Sequence[Any]], list[T]],
    completions: Sequence[Any],
    references: Sequence[Any],
) -> list[T]:
    """Return the results of a function of rows, called for a few rows at a time.

    A loop runs all tasks that are ready before it looks at sockets and timers again. Thousands of
    rows that are awaited together would be judged in one go; instead, they take turns in the order
    of the calls. CPU time is measured, so that slices on a busy machine are as large as on an idle
    one.
    """
    turns = _TURNS.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    results: list[T] = []
    size = 1
    while len(results) < len(completions):
        rows = slice(len(results), len(results) + size)
        async with turns:
            start = time.thread_time()
            results += judge(completions[rows], references[rows])
            seconds = time.thread_time() - start
            await asyncio.sleep(0)  # the other callbacks
        # At most twice as many rows as before, since one row says little about the next.
        size = max(1, min(2 * size, int(size * _SLICE / max(seconds, 1e-9))))
    return results
