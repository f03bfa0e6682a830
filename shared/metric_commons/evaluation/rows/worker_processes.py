"""Work in several processes, which are forked from this one and therefore share its memory.

They are forked whatever the start method of `multiprocessing` is: its default depends on the system
and, on Linux, is "forkserver" from Python 3.14 on. Work need not be picklable, and rows in memory
are not copied.

Tasks are sent to processes, and results are returned in the order of the tasks. If a process
refuses a task, all work is done again in one process, which finds the first invalid row and reports
it in the same words as if it had been alone.
"""

import gc
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Any, TypeVar

from ...data.files.json_rows import Columns
from ...data.tables.tables import Source

Result = TypeVar("Result")

_ROWS_OF_PIECE = 2048  # of a file, for one process at a time
_END = object()
_REFUSALS = (ValueError, OSError, ArithmeticError, MemoryError, RecursionError)


class RefusedError(ValueError):
    """A process refuses a task; doing the work in one process will show why."""


class EndedError(ChildProcessError):
    """A process ended before its work was done."""


def cores() -> int:
    """Return how many processes can run at the same time."""
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def run_parallel(work: Callable[[int], Result], jobs: int) -> Result:
    """Return the result of `work(jobs)` or, if a process refuses its input, of `work(1)`.

    Raises:
        EndedError: a process was killed.
    """
    if jobs > 1:
        try:
            return work(jobs)
        except EndedError:
            raise
        except _REFUSALS:
            pass  # one process finds the first invalid row, with its number and line
    return work(1)


def map_pieces(
    source: Source, work: Callable[[Iterator[tuple[int, Columns]]], Result], jobs: int
) -> Generator[Result, None, None]:
    """Yield the results of `work` for the blocks of a file, in other processes.

    Args:
        source: the file.
        work: takes blocks, each with the number of its first row.
        jobs: the number of processes.

    Raises:
        ValueError: the file is malformed, or `work` refuses a row.
        OSError: it cannot be read.
        EndedError: a process was killed.
    """

    def tasks() -> Iterator[tuple[int, Columns]]:
        for block in source.blocks(_ROWS_OF_PIECE):
            yield source.rows - len(next(iter(block.values()))), block

    def work_on(task: tuple[int, Columns]) -> Result:
        return work(iter([task]))

    with closing(map_ordered(work_on, tasks(), jobs)) as results:
        yield from results


def map_ordered(
    work: Callable[[Any], Any], tasks: Iterable[Any], jobs: int
) -> Generator[Any, None, None]:
    """Apply `work` to each task, and return the results in the order of the tasks.

    Close the generator (`contextlib.closing`) to end the processes at once.

    Args:
        work: any function, since it is not sent to processes; only its arguments and results are.
        tasks: taken as needed, one for each idle process.
        jobs: number of processes; with 1 this one does the work, otherwise one is started if there
            is a task and no idle process.

    Raises:
        RefusedError: the work raised an error about its input.
        EndedError: a process was killed, or ended because of a fault, which its stderr shows.

    >>> list(map_ordered(lambda task: task * task, range(5), jobs=2))
    [0, 1, 4, 9, 16]
    """
    if jobs == 1:
        yield from map(work, tasks)
        return
    from multiprocessing.connection import wait

    waiting = enumerate(tasks)
    number, task = next(waiting, (0, _END))
    workers: list[_Worker] = []
    idle: list[_Worker] = []
    busy: dict[Any, tuple[_Worker, int]] = {}
    results: dict[int, Any] = {}
    first = 0  # task whose result has not been returned
    try:
        while True:
            # A process gets the next task when it waits for one, so sending never blocks.
            while task is not _END and (idle or len(workers) < jobs):
                if not idle:
                    workers.append(_Worker(work, workers))
                    idle.append(workers[-1])
                worker = idle.pop()
                worker.send(task)
                busy[worker.connection] = worker, number
                number, task = next(waiting, (0, _END))
            while first in results:
                yield results.pop(first)
                first += 1
            if not busy:
                return
            for ready in wait(list(busy)):
                worker, number_of_task = busy.pop(ready)
                results[number_of_task] = worker.result()
                idle.append(worker)
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process that does tasks until it is killed or its parent has ended."""

    def __init__(self, work: Callable[[Any], Any], siblings: "list[_Worker]") -> None:
        from multiprocessing import Pipe, get_context

        self.connection, end_of_worker = Pipe()
        # A process that held ends of siblings would keep them waiting when the parent has ended.
        ends_of_parent = [*(worker.connection for worker in siblings), self.connection]
        self._process = get_context("fork").Process(
            target=_serve, args=(work, end_of_worker, ends_of_parent), daemon=True
        )
        # The parent handles interrupts, which are blocked in processes forked here.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        end_of_worker.close()

    def send(self, task: Any) -> None:
        """Send a task to the process."""
        try:
            self.connection.send(task)
        except (BrokenPipeError, ConnectionResetError):
            raise self._ended() from None

    def result(self) -> Any:
        """Receive the result of a task."""
        try:
            is_answer, value = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._ended() from None
        if not is_answer:
            raise RefusedError(value)
        return value

    def end(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def _ended(self) -> EndedError:
        """Return an error that describes how the process ended."""
        self._process.join()
        status = self._process.exitcode or 0
        if status >= 0:
            return EndedError(f"a worker process was ended with status {status}")
        name = signal.Signals(-status).name
        return EndedError(
            f"a worker process was ended by signal {-status} ({name}): from outside, or for want "
            "of memory; take fewer jobs"
        )


def _serve(work: Callable[[Any], Any], parent: Any, ends_of_parent: Iterable[Any]) -> None:
    """Do tasks until the connection is closed."""
    for end in ends_of_parent:
        end.close()
    gc.freeze()  # searching the objects of the parent for garbage would copy its pages
    while True:
        try:
            task = parent.recv()
        except EOFError:
            return
        try:
            answer = True, work(task)
        except _REFUSALS as error:
            answer = False, f"{type(error).__name__}: {error}"
        try:
            parent.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            return
