"""Work in several processes, which are forked from this one and therefore share its memory.

They are forked whatever the start method of `multiprocessing` is, so work need not be picklable,
and rows in memory are not copied. If a process refuses a task, all work is done again in one
process, which finds the first invalid row and reports it in the same words as if it had been alone.
"""

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from threading import Thread
from typing import Any

REFUSALS = (ValueError, OSError, ArithmeticError, MemoryError, RecursionError)
_work: Callable[[Any], Any]  # of a worker process


class RefusedError(ValueError):
    """A process refuses a task; doing the work in one process will show why."""


class EndedError(ChildProcessError):
    """A process ended before its work was done."""


def cores() -> int:
    """Return how many processes can run at the same time."""
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def mapped(
    work: Callable[[Any], Any], tasks: Iterable[Any], jobs: int
) -> Generator[Any, None, None]:
    """Apply `work` to each task, and return the results in the order of the tasks.

    Close the generator (`contextlib.closing`) to end the processes at once.

    Args:
        work: any function, since it is not sent to processes; only its arguments and results are.
        tasks: taken as needed.
        jobs: number of processes.

    Raises:
        RefusedError: the work raised an error about its input.
        EndedError: a process was killed.

    >>> list(mapped(lambda task: task * task, range(5), jobs=2))
    [0, 1, 4, 9, 16]
    """
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
    from multiprocessing import get_context

    reader, writer = os.pipe()  # processes end when nobody can write to it, as when this one ends
    pool = ProcessPoolExecutor(jobs, get_context("fork"), _begin, (work, reader, writer))
    waiting: deque[Any] = deque()
    try:
        for task in tasks:
            # This process handles interrupts, which are blocked in those that it forks here.
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                waiting.append(pool.submit(_done, task))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            if len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        problem = "a worker process was ended: from outside, or for want of memory; take fewer jobs"
        raise EndedError(problem) from None
    finally:
        os.close(writer)
        pool.shutdown(cancel_futures=True)
        os.close(reader)


def _begin(work: Callable[[Any], Any], reader: int, writer: int) -> None:
    """Prepare a worker process."""
    global _work
    _work = work
    os.close(writer)
    Thread(target=lambda: os.read(reader, 1) or os._exit(1), daemon=True).start()
    gc.freeze()  # searching the objects of the parent for garbage would copy its pages


def _done(task: Any) -> Any:
    try:
        return _work(task)
    except REFUSALS as error:
        raise RefusedError(f"{type(error).__name__}: {error}") from None
