"""Work in several processes, which are forked from this one and so know all that it knows.

Pieces of the work are sent to processes, and what these return comes back in the order of pieces.
A process that refuses a piece does not say what is wrong with it: who asked for the work does it
again in one process, which meets the first wrong row as it would have without others, and says so
in the same words.
"""

import gc
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Result = TypeVar("Result")

MOST_JOBS = 512  # more would be no faster on any machine, and might leave it no memory

_END = object()
_REFUSALS = (ValueError, OSError, ArithmeticError, MemoryError, RecursionError)


class RefusedError(ValueError):
    """A process refuses a piece; one process alone will say why."""


class EndedError(ChildProcessError):
    """A process ended before its work was done."""


def can_fork() -> bool:
    """Whether the operating system can fork processes."""
    return hasattr(os, "fork")


def cores() -> int:
    """How many processes can run at the same time."""
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def check_jobs(jobs: int) -> None:
    """Nothing, if the work can be done in so many processes.

    Raises:
        ValueError: it cannot.

    >>> check_jobs(0)
    Traceback (most recent call last):
    ValueError: jobs must be an integer from 1 to 512, got 0
    """
    from ..numbers.domains import Range, check_option

    check_option("jobs", jobs, Annotated[int, Range(1, MOST_JOBS)])
    if jobs > 1 and not can_fork():
        raise ValueError(
            "jobs must be 1 here; several processes need Linux, macOS or WSL, where they are forked"
        )


def in_processes(work: Callable[[int], Result], jobs: int) -> Result:
    """What `work(jobs)` returns; if a process refuses its input, what `work(1)` returns or raises.

    Raises:
        EndedError: a process was killed.
    """
    if jobs > 1:
        try:
            return work(jobs)
        except EndedError:
            raise
        except _REFUSALS:
            pass  # one process finds the first wrong row, and knows its number and line
    return work(1)


def in_order(
    work: Callable[[Any], Any], pieces: Iterable[Any], jobs: int
) -> Generator[Any, None, None]:
    """What `work` returns for each piece, in the order of pieces.

    Close it (`contextlib.closing`) to end the processes at once.

    Args:
        work: any function, since it is not sent; what it is given and what it returns is.
        pieces: taken as they are needed, one for each process that waits.
        jobs: how many processes.

    Raises:
        RefusedError: the work raised an error that is about its input.
        EndedError: a process was killed, or ended by a fault, which its stderr shows.

    >>> list(in_order(lambda piece: piece * piece, range(5), jobs=2))
    [0, 1, 4, 9, 16]
    """
    workers: list[_Worker] = []
    try:
        yield from _dealt(pieces, workers, work, jobs)
    finally:
        for worker in workers:
            worker.end()


def _dealt(
    pieces: Iterable[Any], workers: "list[_Worker]", work: Callable[[Any], Any], jobs: int
) -> Iterator[Any]:
    """What becomes of the pieces; a process is started for a piece for which none waits."""
    from multiprocessing.connection import wait

    waiting = enumerate(pieces)
    number, piece = next(waiting, (0, _END))
    idle: list[_Worker] = []
    busy: dict[Any, tuple[_Worker, int]] = {}
    results: dict[int, Any] = {}
    first = 0  # of the pieces whose results are not yet handed on
    while True:
        # A process gets the next piece when it waits for one, so nobody waits to send.
        while piece is not _END and (idle or len(workers) < jobs):
            if not idle:
                with _forking():
                    workers.append(_Worker(work, workers))
                idle.append(workers[-1])
            worker = idle.pop()
            worker.send(piece)
            busy[worker.connection] = worker, number
            number, piece = next(waiting, (0, _END))
        while first in results:
            yield results.pop(first)
            first += 1
        if not busy:
            return
        for ready in wait(list(busy)):
            worker, number_of_piece = busy.pop(ready)
            results[number_of_piece] = worker.result()
            idle.append(worker)


class _Worker:
    """A process that does pieces of work until it is ended, or its parent has gone."""

    def __init__(self, work: Callable[[Any], Any], siblings: "Sequence[_Worker]") -> None:
        from multiprocessing import Pipe, get_context

        self.connection, end_of_worker = Pipe()
        # A process that held ends of siblings would keep them waiting when the parent has gone.
        ends_of_parent = [*(worker.connection for worker in siblings), self.connection]
        self._process = get_context("fork").Process(
            target=_serve, args=(work, end_of_worker, ends_of_parent), daemon=True
        )
        self._process.start()
        end_of_worker.close()

    def send(self, piece: Any) -> None:
        """Hand over a piece."""
        try:
            self.connection.send(piece)
        except (BrokenPipeError, ConnectionResetError):
            raise EndedError(self._ending()) from None

    def result(self) -> Any:
        """What became of a piece."""
        try:
            is_answer, value = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise EndedError(self._ending()) from None
        if not is_answer:
            raise RefusedError(value)
        return value

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def _ending(self) -> str:
        """How the process ended."""
        self._process.join()
        status = self._process.exitcode or 0
        if status >= 0:
            return f"a worker process was ended with status {status}"
        name = signal.Signals(-status).name
        return (
            f"a worker process was ended by signal {-status} ({name}): from outside, or for want "
            "of memory; take fewer jobs"
        )


def _serve(
    work: Callable[[Any], Any],
    parent: "Connection[Any, Any]",
    ends_of_parent: "Sequence[Connection[Any, Any]]",
) -> None:
    """Do what is sent until nobody sends any more."""
    for end in ends_of_parent:
        end.close()
    gc.freeze()  # what the parent has is not searched for garbage, which would copy its pages
    while True:
        try:
            piece = parent.recv()
        except EOFError:
            return
        try:
            answer = True, work(piece)
        except _REFUSALS as error:
            answer = False, f"{type(error).__name__}: {error}"
        try:
            parent.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            return


@contextmanager
def _forking() -> Iterator[None]:
    """Processes that are forked inside do not hear of interrupts, which their parent deals with."""
    signals = {signal.SIGINT}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
