"""Reading and writing files: tables, TREC runs and judgments, results."""

from typing import TYPE_CHECKING

from .lazy import resolver

if TYPE_CHECKING:
    from .data.files.stored import write_whole
    from .data.tables.tables import Source
    from .data.trec.trec import Qrels, Run, read_qrels, read_run

__all__ = [
    "Qrels",
    "Run",
    "Source",
    "read_qrels",
    "read_run",
    "write_whole",
]

__getattr__ = resolver(
    __name__,
    {
        "Qrels": "data.trec.trec",
        "Run": "data.trec.trec",
        "Source": "data.tables.tables",
        "read_qrels": "data.trec.trec",
        "read_run": "data.trec.trec",
        "write_whole": "data.files.stored",
    },
    __package__,
)
