"""Runs and relevance judgments (qrels) in the file formats of TREC, and in others.

A line of a run has query, Q0, document, rank, score and tag; a line of qrels has query, iteration,
document and relevance. Columns are separated by any number of blanks. A file is read into flat
columns (`Run`, `Qrels`), a block of lines at a time (`trec_lines`), so that the text of a large
file is never in memory as a whole.

pytrec_eval and ranx take `{query: {document: number}}`, which ranx saves as JSON, or as Parquet
with the columns q_id, doc_id and score. BEIR's judgments
are TSV with three columns, usually with a header; `beir` itself always skips the first line, and so
loses a judgment if it is no header.
"""

import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import ClassVar, Self, TypeVar, cast

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers, Unsigned
from ..files.json_rows import fault_of
from ..files.streams import STANDARD_INPUT, Stream, UnpackedSizeError, broken_compression
from .identifiers import GOLDEN, Ids, decoded, encoded
from .other_formats import has_three_columns, is_dictionary, read_dictionary, with_comment
from .trec_lines import Columns, Layout, columns_of_blocks, looked_up

File = str | os.PathLike[str]

_INTEGER = re.compile(rb"[+-]?\d+")
_EXACT = 2**53
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLOCK = 1 << 19  # bytes to read at a time: few enough to stay in the processor's cache


@dataclass(frozen=True, eq=False)
class QueryDocuments(ABC):
    """Documents of queries with a number each, one per row, as flat columns.

    `len` is the number of rows; `to_dict` returns them as `{query: {document: number}}`.
    """

    layout: ClassVar[Layout]  # of a line of a file

    queries: list[str]  # all different, in ascending order of bytes
    query: Integers  # the index of each row's query
    ids: Ids
    values: Floats

    @staticmethod
    @abstractmethod
    def number_problem(number: float) -> str | None:
        """Return the problem with a number; None if it is valid."""

    def __len__(self) -> int:
        return len(self.values)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the rows as `{query: {document: number}}`, queries in ascending order of bytes."""
        documents: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        by_index = list(documents.values())
        for query, text, value in zip(
            self.query.tolist(), self.ids.texts(), self.values.tolist(), strict=True
        ):
            by_index[query][text] = value
        return documents

    @cached_property
    def hashes(self) -> Unsigned:
        """Return a 64-bit hash of the query and document of each row, the same in every file."""
        hashes = self.ids.hashes()
        hashes += (Ids.from_texts(self.queries).hashes() * GOLDEN)[self.query]
        return hashes

    def first_duplicate(self) -> int | None:
        """Return the first row that repeats a document of its query; None if there is none."""
        ascending = np.sort(self.hashes)
        repeated = ascending[1:][ascending[1:] == ascending[:-1]]
        if not repeated.size:
            return None
        candidates = np.flatnonzero(np.isin(self.hashes, repeated))
        pairs = zip(self.query[candidates].tolist(), self.ids.take(candidates).texts(), strict=True)
        earlier: set[tuple[int, str]] = set()
        for row, pair in zip(candidates.tolist(), pairs, strict=True):
            if pair in earlier:
                return int(row)
            earlier.add(pair)
        return None

    @classmethod
    def from_unsorted(
        cls, queries: Sequence[str], query: Integers, ids: Ids, values: Floats
    ) -> Self:
        """Return the rows of queries in any order."""
        order = sorted(range(len(queries)), key=lambda index: encoded(queries[index]))
        new_index = np.empty(len(queries), dtype=np.int32)
        new_index[order] = np.arange(len(queries))
        return cls([queries[index] for index in order], new_index[query], ids, values)


_Table = TypeVar("_Table", bound=QueryDocuments)


def _scores(texts: Sequence[bytes]) -> Floats:
    try:
        values = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        values = np.array([math.nan])
    if np.isnan(values).any() or b"_" in b"".join(texts):  # Python reads 1_000
        raise ValueError("the score is not a number")
    return values


class Run(QueryDocuments):
    """The documents that a system retrieved, with their scores."""

    layout = Layout(
        ("query", "Q0", "document", "rank", "score", "tag"),
        "score",
        allows_more_fields=True,
        parse_numbers=_scores,
        has_real_numbers=True,
    )

    @staticmethod
    def number_problem(number: float) -> str | None:
        """Return the problem with a score; None if it is valid."""
        return "is not a number" if math.isnan(number) else None


def _levels(texts: Sequence[bytes]) -> Floats:
    """Return the relevance that each text represents."""
    levels: dict[bytes, float] = {}
    for text in set(texts):
        if not _INTEGER.fullmatch(text):
            raise ValueError("the relevance is not an integer")
        if len(text) > 20 or abs(int(text)) > _EXACT:
            raise ValueError("the relevance does not fit into 53 bits")
        levels[text] = float(int(text))
    return np.array([levels[text] for text in texts], np.float64)


class Qrels(QueryDocuments):
    """The judged documents, with their relevance."""

    layout = Layout(
        ("query", "iteration", "document", "relevance"),
        "relevance",
        allows_more_fields=False,
        parse_numbers=_levels,
        has_real_numbers=False,
    )

    @staticmethod
    def number_problem(number: float) -> str | None:
        """Return the problem with a relevance; None if it is valid."""
        is_integer = float(number).is_integer() and abs(number) <= _EXACT
        return None if is_integer else "is not an integer of 53 bits"


class ShortQrels(Qrels):
    """Judgments without the column of the iteration, as in BEIR's files."""

    layout = Qrels.layout._replace(columns=("query", "document", "relevance"))


def read_run(path: File) -> Run:
    """Read a run, plain or compressed: TREC's format, or a JSON dictionary.

    Any number of blanks and tabs may separate the columns, and begin and end a line. Empty lines,
    lines that begin with `#`, a byte order mark, and text after the tag are allowed. Query,
    document and score are used; the rank is not.

    Raises:
        ValueError: a line has too few columns or a score that is not a number or NaN, a query has a
            document twice, the file has no rows, or its compression is broken. The message has
            the file, and the number and text of a wrong line.
        OSError: the file cannot be read.
    """
    return read_hashed(path, Run)[0]


def read_qrels(path: File) -> Qrels:
    """Read relevance judgments, plain or compressed; also from BEIR's TSV with a header.

    As in `read_run`, but no text may follow the last column, and relevance is an integer.

    Raises:
        ValueError: a line has too few or too many columns or a relevance that is not an integer, a
            query has a document twice, the file has no rows, or its compression is broken. The
            message has the file, and the number and text of a wrong line.
        OSError: the file cannot be read.
    """
    return read_hashed(path, Qrels)[0]


def run_tag(path: File) -> str:
    """Return the tag of a run: the last column of its first row; "" if there is none.

    Raises:
        OSError: the file cannot be read.
    """
    if Path(path) == STANDARD_INPUT:
        return ""
    with _named_damages(path), Stream(Path(path)) as stream:
        for _, _, fields in _lines(stream.content):
            tag = len(Run.layout.columns) - 1
            return decoded(fields[tag]) if len(fields) > tag else ""
    return ""


def read_hashed(path: File, kind: type[_Table]) -> tuple[_Table, str]:
    """Return the run or the judgments in a file, and the hash of the bytes that were read.

    The path `-` is standard input.
    """
    with _named_damages(path), Stream(Path(path)) as stream:
        start = stream.content.read(_BLOCK).removeprefix(_BYTE_ORDER_MARK)
        if is_dictionary(start):
            table = _from_dictionary(path, start + stream.content.read(), kind)
            return table, stream.sha256()
        # A usual rate of compression is 4.
        size = (stream.size or 0) * (4 if stream.is_compressed else 1)
        pieces = chain([start], iter(partial(stream.content.read, _BLOCK), b""))
        table = _table(path, _line_blocks(pieces), size, kind)
        sha256 = stream.sha256()
    row = table.first_duplicate()
    if row is not None:
        if Path(path) != STANDARD_INPUT:  # which cannot be read again
            with Stream(Path(path)) as stream:
                for number, line, _ in islice(_lines(stream.content), row, None):
                    raise _line_error(path, number, line, "the query has this document already")
        query, (document,) = (
            table.queries[table.query[row]],
            table.ids.take(np.array([row])).texts(),
        )
        raise ValueError(f"{os.fspath(path)}: query {query!r} has document {document!r} twice")
    return table, sha256


def _line_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes in blocks of whole lines."""
    remainder = b""
    for piece in pieces:
        data = remainder + piece
        end = data.rfind(b"\n") + 1
        if end:
            yield data[:end]
        remainder = data[end:]
    if remainder:
        yield remainder


def _table(path: File, blocks: Iterator[bytes], size: int, kind: type[_Table]) -> _Table:
    """Return the rows of blocks of lines; `size` is about their number of bytes."""
    first = next(blocks, b"")
    if issubclass(kind, Qrels):
        first = with_comment(first)
        if has_three_columns(first):
            kind = cast("type[_Table]", ShortQrels)
    parts: list[Columns] = []
    indices: dict[bytes, int] = {}  # of all queries
    query: list[Integers] = []
    line = 1
    for block, columns in columns_of_blocks(chain([first], blocks), kind.layout, size):
        if columns is None:
            raise _error(path, block, kind.layout, line)
        line += columns.lines
        parts.append(columns)
        for name in columns.queries:
            indices.setdefault(name, len(indices))
        query.append(looked_up(columns.queries, indices)[columns.query])
    if not indices:
        raise ValueError(f"{os.fspath(path)} has no rows")
    lengths = np.concatenate([part.lengths for part in parts])
    documents = np.concatenate([*(part.documents for part in parts), np.zeros(8, np.uint8)])
    return kind.from_unsorted(
        list(map(decoded, indices)),
        np.concatenate(query),
        Ids.from_padded(documents, lengths),
        np.concatenate([part.values for part in parts]),
    )


def _from_dictionary(path: File, data: bytes, kind: type[_Table]) -> _Table:
    """Return the rows of a dictionary `{query: {document: number}}`."""
    try:
        content = read_dictionary(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{os.fspath(path)}: {fault_of(error)}") from None
    content = {query: documents for query, documents in content.items() if documents}
    for query, documents in content.items():
        for document, number in documents.items():
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            problem = kind.number_problem(number) if is_number else "is not a number"
            if problem:
                place = f"{os.fspath(path)}: query {query!r}, document {document!r}"
                raise ValueError(f"{place}: {number!r} {problem}")
    if not content:
        raise ValueError(f"{os.fspath(path)}: there are no rows")
    sizes = [len(documents) for documents in content.values()]
    ids = Ids.from_texts([document for documents in content.values() for document in documents])
    numbers = np.concatenate([np.array([*d.values()], np.float64) for d in content.values()])
    return kind.from_unsorted(list(content), np.repeat(np.arange(len(sizes)), sizes), ids, numbers)


@contextmanager
def _named_damages(path: File) -> Iterator[None]:
    """Make errors of decompression, and those about limits, name the file."""
    damages: tuple[type[Exception], ...] = (*broken_compression(), OSError)
    try:
        yield
    except UnpackedSizeError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
    except damages as error:
        if isinstance(error, OSError) and error.errno is not None:  # not about the compression
            raise
        raise ValueError(f"{os.fspath(path)}: the compressed file is broken: {error}") from None


# Line by line


def _lines(lines: Iterable[bytes], first: int = 1) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Yield number, text and fields of each line that is not empty and not a comment."""
    for number, line in enumerate(lines, first):
        if number == 1:
            line = with_comment(line.removeprefix(_BYTE_ORDER_MARK))
        fields = line.split()  # at the blanks of the C locale, since these are bytes
        if fields and not fields[0].startswith(b"#"):
            yield number, line, fields


def _error(path: File, data: bytes, layout: Layout, first: int) -> ValueError:
    """Return the error of the first wrong line of a block, whose first line has this number."""
    columns, width = layout.columns, len(layout.columns)
    for number, line, fields in _lines(BytesIO(data), first):
        if len(fields) < width or (len(fields) > width and not layout.allows_more_fields):
            problem = f"expected {width} columns ({', '.join(columns)}), got {len(fields)}"
            return _line_error(path, number, line, problem)
        try:
            layout.parse_numbers([fields[layout.used[-1]]])
        except ValueError as error:
            return _line_error(path, number, line, str(error))
    return ValueError(f"{os.fspath(path)} cannot be read")


def _line_error(path: File, number: int, line: bytes, problem: str) -> ValueError:
    text = line.strip().decode("utf-8", "backslashreplace")
    excerpt = repr(text if len(text) <= 80 else text[:77] + "...")
    return ValueError(f"{os.fspath(path)}, line {number}: {problem}: {excerpt}")
