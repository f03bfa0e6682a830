"""Runs and judgments of TREC, read from files."""

from typing import TYPE_CHECKING

from .lazy import resolver

if TYPE_CHECKING:
    from .data.trec.trec import read_qrels, read_run

__all__ = [
    "read_qrels",
    "read_run",
]

__getattr__ = resolver(
    __name__,
    {
        "read_qrels": "data.trec.trec",
        "read_run": "data.trec.trec",
    },
    __package__,
)
