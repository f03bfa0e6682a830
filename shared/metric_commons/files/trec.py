"""Runs and relevance judgments (qrels) in the file formats of TREC, and in others.

A line of a run has query, Q0, document, rank, score and tag; a line of qrels has query, iteration,
document and relevance. Columns are separated by any number of blanks. A file is read as a whole
into flat columns (`Run`, `Qrels`). Where all lines look alike, pyarrow's CSV reader parses them;
otherwise they are read line by line. Both ways accept, refuse and return the same.
"""

import gzip
import hashlib
import math
import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np

from ..numbers.arrays import Floats, Integers, Unsigned
from ..numbers.identifiers import Ids, decoded, encoded
from .retrieval_forms import Triple, checked, has_three_columns, triples_in, with_comment
from .streams import STANDARD_INPUT, broken_compression, uncompressed

File = str | os.PathLike[str]

_BLANKS = b" \t\r\x0b\x0c"  # with the line feed, what isspace() accepts in the C locale
_TO_SPACES = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_SPACE, _LINE_FEED = b" \n"
_COMMENT_LINES = re.compile(rb"^#.*\n?", re.MULTILINE)
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_EXACT = 2**53
_BLOCK = 1 << 22  # bytes that pyarrow parses at a time
_CACHED = 1 << 18  # bytes that stay in the processor's cache while they are searched several times

# The constants of SplitMix64 (Steele, Lea and Flood 2014), whose multipliers spread every bit.
_GOLDEN, _MULTIPLIER_1, _MULTIPLIER_2 = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_HALF = np.uint64(32)


@dataclass(frozen=True, eq=False)
class QueryDocuments(ABC):
    """Documents of queries with a number each, one per row, as flat columns.

    `len` is the number of rows; `to_dict` returns them as `{query: {document: number}}`.
    """

    columns: ClassVar[tuple[str, ...]]  # of a file
    value: ClassVar[str]  # the column of the number
    text_after: ClassVar[bool]  # whether text may follow the last column

    queries: list[str]  # all different, in ascending order of bytes
    query: Integers  # the index of each row's query
    ids: Ids
    values: Floats

    @staticmethod
    @abstractmethod
    def parse_number(text: bytes) -> float:
        """The number that a text stands for; ValueError if there is none."""

    @staticmethod
    @abstractmethod
    def number_problem(number: float) -> str | None:
        """What is wrong with a number; None if nothing is."""

    def __len__(self) -> int:
        return len(self.values)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The rows as `{query: {document: number}}`, queries in ascending order of bytes."""
        documents: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        by_index = list(documents.values())
        for query, text, value in zip(
            self.query.tolist(), self.ids.texts(), self.values.tolist(), strict=True
        ):
            by_index[query][text] = value
        return documents

    @cached_property
    def hashes(self) -> Unsigned:
        """A 64-bit hash of each row's query and document, the same in every file."""
        hashes = (_hash(Ids.from_texts(self.queries)) * _GOLDEN)[self.query]
        hashes += _hash(self.ids)
        return hashes

    def first_duplicate(self) -> int | None:
        """The first row whose query has the document in an earlier row; None if there is none."""
        hashes = np.sort(self.hashes)
        equal = hashes[1:] == hashes[:-1]
        if not equal.any():
            return None
        candidates = np.flatnonzero(np.isin(self.hashes, hashes[1:][equal]))
        texts = self.ids.take(candidates).texts()
        pairs = zip(self.query[candidates].tolist(), texts, strict=True)
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
        """The rows of queries that come in any order."""
        order = sorted(range(len(queries)), key=lambda index: encoded(queries[index]))
        new_index = np.empty(len(queries), dtype=np.int64)
        new_index[order] = np.arange(len(queries))
        return cls([queries[index] for index in order], new_index[query], ids, values)


_Table = TypeVar("_Table", bound=QueryDocuments)


class Run(QueryDocuments):
    """The documents that a system retrieved, with their scores."""

    columns = ("query", "Q0", "document", "rank", "score", "tag")
    value = "score"
    text_after = True

    @staticmethod
    def parse_number(text: bytes) -> float:
        """The score."""
        if not _NUMBER.fullmatch(text):
            raise ValueError("the score is not a number")
        return float(text)

    @staticmethod
    def number_problem(number: float) -> str | None:
        """What is wrong with a score."""
        return "is not a number" if math.isnan(number) else None


class Qrels(QueryDocuments):
    """The judged documents, with their relevance."""

    columns: ClassVar[tuple[str, ...]] = ("query", "iteration", "document", "relevance")
    value = "relevance"
    text_after = False

    @staticmethod
    def parse_number(text: bytes) -> float:
        """The relevance."""
        if not _INTEGER.fullmatch(text):
            raise ValueError("the relevance is not an integer")
        if len(text) > 20 or abs(int(text)) > _EXACT:
            raise ValueError("the relevance does not fit into 53 bits")
        return float(int(text))

    @staticmethod
    def number_problem(number: float) -> str | None:
        """What is wrong with a relevance."""
        is_integer = float(number).is_integer() and abs(number) <= _EXACT
        return None if is_integer else "is no integer of 53 bits"


class ShortQrels(Qrels):
    """Judgments without the column of the iteration, as BEIR writes them."""

    columns = ("query", "document", "relevance")


def _hash(ids: Ids) -> Unsigned:
    """A 64-bit hash of each id.

    It depends on nothing but the id: the other ids of a table may be longer, but the words of zeros
    past the end of an id add 0 to its hash.
    """
    hashes = ids.lengths.astype(np.uint64) * _MULTIPLIER_1
    rows: Integers | slice = slice(None)
    for offset in range(0, ids.longest, 8):
        if offset and int(ids.lengths.min()) <= offset:
            rows = np.flatnonzero(ids.lengths > offset)
        words = (ids if isinstance(rows, slice) else ids.take(rows)).words(offset)
        words *= _MULTIPLIER_2 + np.uint64(2 * offset)
        words ^= words >> _HALF
        hashes[rows] += words * _GOLDEN
    hashes ^= hashes >> _HALF
    return hashes * _MULTIPLIER_2


def read_run(path: File) -> Run:
    """The run in a file, plain or compressed: TREC's, ranx's Parquet, or a JSON dictionary.

    Any number of blanks and tabs may separate the columns, begin and end a line. Empty lines, lines
    that begin with `#`, a byte order mark, the line ends of any system, and text after the tag are
    allowed. Query, document and score are used; the rank is not.

    Raises:
        ValueError: a line has too few columns or a score that is not a number or NaN, a query has a
            document twice, the file has no rows, or its compression is broken. The message is one
            line with the file, the line's number and its text.
        OSError: the file cannot be read.
    """
    return _read(path, Run)


def read_qrels(path: File) -> Qrels:
    """The relevance judgments in a file, plain or compressed; also BEIR's TSV, with a header.

    As `read_run`, but no text may follow the last column, and relevance is an integer.

    Raises:
        ValueError: a line has too few or too many columns or a relevance that is not an integer, a
            query has a document twice, the file has no rows, or its compression is broken. The
            message is one line with the file, the line's number and its text.
        OSError: the file cannot be read.
    """
    return _read(path, Qrels)


def run_tag(path: File) -> str:
    """The name that a run gives itself: the last column of its first row; "" if there is none.

    Raises:
        OSError: the file cannot be read.
    """
    if Path(path) == STANDARD_INPUT:
        return ""
    for _, _, fields in _lines(_content(path, Path(path).read_bytes())):
        return decoded(fields[len(Run.columns) - 1]) if len(fields) >= len(Run.columns) else ""
    return ""


def read_hashed(path: File, kind: type[_Table]) -> tuple[_Table, str]:
    """The run or the judgments in a file, and the hash of the bytes that were read.

    The path `-` is standard input.
    """
    name = Path(path)
    data = sys.stdin.buffer.read() if name == STANDARD_INPUT else name.read_bytes()
    return _parsed(path, data, kind), hashlib.sha256(data).hexdigest()


def _read(path: File, kind: type[_Table]) -> _Table:
    table, _ = read_hashed(path, kind)
    return table


def _parsed(path: File, data: bytes, kind: type[_Table]) -> _Table:
    data = _content(path, data)
    try:
        triples = triples_in(data)
        if triples is not None:
            return _from_triples(triples, kind)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
    if issubclass(kind, Qrels):
        data = with_comment(data)
        if has_three_columns(data):
            kind = cast(type[_Table], ShortQrels)
    table = _parse_bulk(data, kind) or _parse_lines(path, data, kind)
    nan_rows = np.flatnonzero(np.isnan(table.values))
    if nan_rows.size:
        raise _row_error(path, data, int(nan_rows[0]), f"the {kind.value} is not a number")
    duplicate = table.first_duplicate()
    if duplicate is not None:
        raise _row_error(path, data, duplicate, "the query has this document already")
    return table


def _from_triples(triples: Iterable[Triple], kind: type[_Table]) -> _Table:
    """The rows of a dictionary or a table."""
    rows = checked(triples, kind.number_problem)
    if not rows:
        raise ValueError("there are no rows")
    queries, documents, numbers = zip(*rows, strict=True)
    indices: dict[str, int] = {}
    query = np.array([indices.setdefault(name, len(indices)) for name in queries], np.int64)
    table = kind.from_unsorted(
        list(indices), query, Ids.from_texts(documents), np.array(numbers, np.float64)
    )
    duplicate = table.first_duplicate()
    if duplicate is not None:
        name, document, _ = rows[duplicate]
        raise ValueError(f"query {name!r} has document {document!r} twice")
    return table


def _content(path: File, data: bytes) -> bytes:
    """The content of a file, uncompressed, without byte order mark; lines end with a line feed."""
    damages: tuple[type[Exception], ...] = (*broken_compression(), gzip.BadGzipFile, OSError)
    kind = "gzip" if data.startswith(b"\x1f\x8b") else "compressed"
    try:
        data = uncompressed(data)
    except damages as error:
        raise ValueError(f"{os.fspath(path)}: the {kind} file is broken: {error}") from None
    if b"\n" not in data and b"\r" in data:  # line ends of the classic Mac OS
        data = data.replace(b"\r", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf")


# Line by line


def _lines(data: bytes) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Number, text and fields of each line that has fields and is no comment."""
    for number, line in enumerate(BytesIO(data), 1):
        fields = line.split()  # bytes.split() splits at the blanks of the C locale
        if fields and not fields[0].startswith(b"#"):
            yield number, line, fields


def _parse_lines(path: File, data: bytes, kind: type[_Table]) -> _Table:
    """The rows of any file, line by line."""
    width = len(kind.columns)
    document, value = kind.columns.index("document"), kind.columns.index(kind.value)
    indices: dict[bytes, int] = {}
    query, ids, values = [], [], []
    for number, line, fields in _lines(data):
        if len(fields) < width or (len(fields) > width and not kind.text_after):
            problem = f"expected {width} columns ({', '.join(kind.columns)}), got {len(fields)}"
            raise _line_error(path, number, line, problem)
        try:
            values.append(kind.parse_number(fields[value]))
        except ValueError as error:
            raise _line_error(path, number, line, str(error)) from None
        query.append(indices.setdefault(fields[0], len(indices)))
        ids.append(fields[document])
    if not values:
        raise ValueError(f"{os.fspath(path)} has no rows")
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    return kind.from_unsorted(
        list(map(decoded, indices)),
        np.array(query, dtype=np.int64),
        Ids.from_bytes(b"".join(ids), lengths),
        np.array(values, dtype=np.float64),
    )


def _row_error(path: File, data: bytes, row: int, problem: str) -> ValueError:
    """An error that shows the line of a row."""
    number, line, _ = next(islice(_lines(data), row, None))
    return _line_error(path, number, line, problem)


class LineError(ValueError):
    """A line is not what it should be: where and why, and what it is."""

    def __init__(self, problem: str, line: str) -> None:
        super().__init__(problem, line)
        self.problem = problem

    def __str__(self) -> str:
        return ": ".join(self.args)


def _line_error(path: File, number: int, line: bytes, problem: str) -> ValueError:
    text = line.strip().decode("utf-8", "backslashreplace")
    excerpt = repr(text if len(text) <= 80 else text[:77] + "...")
    return LineError(f"{os.fspath(path)}, line {number}: {problem}", excerpt)


# The whole file at once


def _parse_bulk(data: bytes, kind: type[_Table]) -> _Table | None:
    """The rows of a file, or None if it has to be read line by line."""
    if not _is_uniform(data):
        data = _make_uniform(data)
    return _parse_csv(data, kind) if data else None


def _is_uniform(data: bytes) -> bool:
    """Whether exactly one separator, always the same character, stands between any two fields."""
    separator, unused = _separators(data)
    if data.startswith(b"#") or data.endswith(separator):
        return False
    characters = np.frombuffer(data, np.uint8)
    for start in range(0, len(data), _CACHED):
        end = start + _CACHED
        if any(data.find(blank, start, end) >= 0 for blank in (unused, b"\x0b", b"\x0c")):
            return False
        if data.find(b"#", start, end) >= 0 and data.find(b"\n#", max(start - 1, 0), end) >= 0:
            return False
        returns = data.count(b"\r", start, end) if data.find(b"\r", start, end) >= 0 else 0
        if returns and returns != data.count(b"\r\n", start, end + 1):
            return False
        block = characters[start : end + 1]
        if ((block[:-1] == separator[0]) & (block[1:] <= 32)).any():
            return False
    return True


def _separators(data: bytes) -> tuple[bytes, bytes]:
    """The character that separates the fields of the first line, and the one that does not."""
    return (b"\t", b" ") if b"\t" in data[: data.find(b"\n")] else (b" ", b"\t")


def _make_uniform(data: bytes) -> bytes:
    """The same rows with one space between fields, without comments and outer blanks."""
    return b"".join(map(_make_lines_uniform, _line_blocks(data)))


def _line_blocks(data: bytes) -> Iterator[bytes]:
    """Blocks of whole lines that fit into the cache."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _CACHED) + 1 or len(data)
        yield data[start:end]
        start = end


def _make_lines_uniform(lines: bytes) -> bytes:
    characters = np.frombuffer(lines.translate(_TO_SPACES) + b"\n", np.uint8)
    current, following = characters[:-1], characters[1:]
    is_redundant = (current == _SPACE) & ((following == _SPACE) | (following == _LINE_FEED))
    lines = current[~is_redundant].tobytes().removeprefix(b" ").replace(b"\n ", b"\n")
    return _COMMENT_LINES.sub(b"", lines) if b"#" in lines else lines


def _parse_csv(data: bytes, kind: type[_Table]) -> _Table | None:
    """The rows of a uniform file, or None if a line lacks a column or a number."""
    import pyarrow as pa
    from pyarrow import csv

    categories = pa.dictionary(pa.int32(), pa.binary())
    types = dict.fromkeys(kind.columns, pa.binary())
    types |= {"query": categories, "relevance": categories, "score": pa.float64()}
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            csv.ReadOptions(column_names=kind.columns, block_size=_BLOCK, use_threads=False),
            csv.ParseOptions(delimiter=_separators(data)[0].decode(), quote_char=False),
            csv.ConvertOptions(
                column_types=types,
                include_columns=["query", "document", kind.value],
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    if not table.num_rows:
        return None
    query, queries = _categories(table["query"])
    ids = _ids(table["document"].chunks)
    if b"" in queries or not ids.lengths.all():
        return None
    if kind.value == "score":
        values = table["score"].to_numpy()
    else:
        codes, levels = _categories(table["relevance"])
        try:
            values = np.array([kind.parse_number(level) for level in levels])[codes]
        except ValueError:
            return None
    return kind.from_unsorted(list(map(decoded, queries)), query, ids, values)


def _categories(column: Any) -> tuple[Integers, list[bytes]]:
    """The code of each row of a dictionary-encoded Arrow column, and the texts by code."""
    column = column.unify_dictionaries()
    codes = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return np.concatenate(codes, dtype=np.int64), column.chunk(0).dictionary.to_pylist()


def _ids(chunks: Sequence[Any]) -> Ids:
    """The ids in binary Arrow arrays."""
    lengths, data = [], []
    for chunk in chunks:
        _, offsets, texts = chunk.buffers()
        ends = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        lengths.append(np.diff(ends))
        data.append(memoryview(texts)[ends[0] : ends[-1]] if texts else b"")
    return Ids.from_bytes(b"".join(data), np.concatenate(lengths, dtype=np.int64))
