"""Columns of files, read by several processes."""

import marshal
import pickle
from contextlib import closing
from typing import Any

from ..files.pieces import Piece
from ..files.tables import Columns, Source
from .worker_processes import map_ordered

_ROWS = 2048


def columns_of(source: Source, jobs: int) -> dict[str, list[Any]]:
    """The columns of a file, read by several processes if possible; errors then lack line numbers.

    Raises:
        ValueError: the file is malformed.
        OSError: it cannot be read.
        EndedError: a process was killed.
    """
    if jobs == 1 or not source.is_divisible:
        return source.columns()
    from ..numbers.arrays import no_collection  # imports numpy, so only on use

    def work(task: tuple[int, Piece | Columns]) -> bytes:
        start, piece = task
        return _packed(source.columns_of(piece, start))

    columns: dict[str, list[Any]] = {field: [] for field in source.fields}
    with closing(map_ordered(work, source.pieces(_ROWS), jobs)) as blocks, no_collection():
        for block in blocks:
            for field, column in _unpacked(block).items():
                columns[field] += column
    return columns


def _packed(columns: dict[str, list[Any]]) -> bytes:
    """Columns as bytes: JSON values by `marshal`, in a fifth of the time of `pickle`."""
    try:
        return b"m" + marshal.dumps(columns, 2)
    except ValueError:  # for the dates and decimals of Parquet
        return b"p" + pickle.dumps(columns)


def _unpacked(data: bytes) -> dict[str, list[Any]]:
    load = marshal.loads if data.startswith(b"m") else pickle.loads
    columns: dict[str, list[Any]] = load(memoryview(data)[1:])
    return columns
