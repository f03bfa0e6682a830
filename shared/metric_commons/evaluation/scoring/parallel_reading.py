"""Columns of files, read by several processes."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any, TypeVar

from ...data.files.pieces import Piece
from ...data.tables.tables import Columns, Source
from .worker_processes import map_ordered

_ROWS = 2048  # of a piece that only this process can parse

Result = TypeVar("Result")


def columns_of(source: Source, jobs: int) -> dict[str, list[Any]]:
    """Return the columns of a file, read by several processes if possible.

    Errors then lack line numbers.

    Raises:
        ValueError: the file is malformed.
        OSError: it cannot be read.
        EndedError: a process was killed.
    """
    if jobs == 1 or not source.is_divisible:
        return source.columns()
    from ...statistics.arguments.arrays import no_collection  # imports numpy, so only on use

    def read(blocks: Iterable[tuple[int, Columns]]) -> list[Columns]:
        return [block for _, block in blocks]

    columns: dict[str, list[Any]] = {field: [] for field in source.fields}
    with closing(map_pieces(source, read, jobs)) as pieces, no_collection():
        for block in chain.from_iterable(pieces):
            for field, column in block.items():
                columns[field] += column
    return columns


def map_pieces(
    source: Source, work: Callable[[Iterator[tuple[int, Columns]]], Result], jobs: int
) -> Generator[Result, None, None]:
    """Yield the results of `work` for each piece of a file, which other processes read.

    Args:
        source: the file.
        work: takes the blocks of a piece, each with a number for its first row.
        jobs: the number of processes.

    Raises:
        ValueError: the file is malformed, or `work` refuses a row.
        OSError: it cannot be read.
        EndedError: a process was killed.
    """

    def work_on(task: tuple[int, Piece | Columns]) -> tuple[Result, int]:
        start, piece = task
        rows = 0

        def blocks() -> Iterator[tuple[int, Columns]]:
            nonlocal rows
            for block in source.blocks_of(piece, start):
                yield start + rows, block
                rows += len(next(iter(block.values())))

        return work(blocks()), rows

    total = 0
    with closing(map_ordered(work_on, source.pieces(_ROWS), jobs)) as results:
        for result, rows in results:
            yield result
            total += rows
    source.end(total)
