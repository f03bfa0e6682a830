"""Reading and writing files: tables, TREC runs and judgments, results."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .stored import write_whole
    from .tables import Source
    from .trec import Qrels, Run, read_qrels, read_run

__all__ = ["Qrels", "Run", "Source", "read_qrels", "read_run", "write_whole"]

__getattr__ = resolver(
    __name__,
    {
        "Qrels": "trec",
        "Run": "trec",
        "Source": "tables",
        "read_qrels": "trec",
        "read_run": "trec",
        "write_whole": "stored",
    },
)
