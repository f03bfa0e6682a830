"""Runs and relevance judgments as TREC writes them in files.

A run is rows of query, Q0, document, rank, score and tag; qrels are rows of query, iteration,
document and relevance. Between them stand blanks, as many as the writer liked. Files are read whole
into flat columns (`Run`, `Qrels`), at the speed of C where every line looks like its neighbours,
line by line where not; both ways read the same, and refuse the same.
"""

import gzip
import os
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from ..numbers.arrays import Floats, Integers, Unsigned
from ..numbers.identifiers import Ids, decoded, encoded

File = str | os.PathLike[str]

_BLANKS = b" \t\r\x0b\x0c"  # and the line feed: what isspace() knows in the C locale
_TO_SPACES = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_SPACE, _LINE_FEED = b" \n"
_COMMENT_LINES = re.compile(rb"^#.*\n?", re.MULTILINE)
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_EXACT = 2**53
_BLOCK = 1 << 22
_CACHED = 1 << 18  # bytes that stay in the cache while they are looked at several times
_ODD = tuple(np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_HALF = np.uint64(32)


# QueryDocuments


@dataclass(frozen=True, eq=False)
class QueryDocuments(ABC):
    """Documents of queries, and a number beside each, as flat columns.

    `len` tells how many there are, `to_dict` makes `{query: {document: number}}` of them.
    """

    columns: ClassVar[tuple[str, ...]]  # of a file
    value: ClassVar[str]  # which of them holds the number
    more: ClassVar[bool]  # whether lines may go on after the last column

    queries: list[str]  # each once, in the order of their bytes
    query: Integers  # of each row the number of its query
    ids: Ids
    values: Floats

    @staticmethod
    @abstractmethod
    def number(text: bytes) -> float:
        """The number that a text means; ValueError if none."""

    def __len__(self) -> int:
        return len(self.values)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The rows as `{query: {document: number}}`, queries in the order of their bytes."""
        rows: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        of_queries = list(rows.values())
        for query, text, value in zip(
            self.query.tolist(), self.ids.texts(), self.values.tolist(), strict=True
        ):
            of_queries[query][text] = value
        return rows

    @cached_property
    def keys(self) -> Unsigned:
        """What tells pairs of query and document apart; the same in every file."""
        of_queries = _scattered(Ids.of(self.queries)) * _ODD[0]
        keys = of_queries[self.query]
        keys += _scattered(self.ids)
        return keys

    def repeated(self) -> int | None:
        """The first row whose query has its document already, if there is one."""
        keys = np.sort(self.keys)
        equal = keys[1:] == keys[:-1]
        if not equal.any():
            return None
        suspects = np.flatnonzero(np.isin(self.keys, keys[1:][equal]))
        texts = self.ids.take(suspects).texts()
        pairs = zip(self.query[suspects].tolist(), texts, strict=True)
        seen: set[tuple[int, str]] = set()
        for row, pair in zip(suspects.tolist(), pairs, strict=True):
            if pair in seen:
                return int(row)
            seen.add(pair)
        return None

    @classmethod
    def made(cls, names: Sequence[str], query: Integers, ids: Ids, values: Floats) -> Self:
        """QueryDocuments whose queries have names in any order."""
        order = sorted(range(len(names)), key=lambda each: encoded(names[each]))
        place = np.empty(len(names), dtype=np.int64)
        place[order] = np.arange(len(names))
        return cls([names[each] for each in order], place[query], ids, values)


_R = TypeVar("_R", bound=QueryDocuments)


class Run(QueryDocuments):
    """Documents that a system retrieved, and their scores."""

    columns = ("query", "Q0", "document", "rank", "score", "tag")
    value = "score"
    more = True

    @staticmethod
    def number(text: bytes) -> float:
        """A score."""
        if not _NUMBER.fullmatch(text):
            raise ValueError("the score is not a number")
        return float(text)


class Qrels(QueryDocuments):
    """Documents that have a judgment, and their relevance."""

    columns = ("query", "iteration", "document", "relevance")
    value = "relevance"
    more = False

    @staticmethod
    def number(text: bytes) -> float:
        """A level of relevance."""
        if not _INTEGER.fullmatch(text):
            raise ValueError("the relevance is not an integer")
        if len(text) > 20 or abs(int(text)) > _EXACT:
            raise ValueError("the relevance does not fit into 53 bits")
        return float(int(text))


def _scattered(ids: Ids) -> Unsigned:
    """A 64-bit number for each id that hardly any other id has.

    A word of zeros adds nothing, so the number does not depend on what other ids there are.
    """
    total = ids.lengths.astype(np.uint64) * _ODD[1]
    rows: Integers | slice = slice(None)
    for at in range(0, ids.longest, 8):
        if at and int(ids.lengths.min()) <= at:
            rows = np.flatnonzero(ids.lengths > at)
        words = (ids if isinstance(rows, slice) else ids.take(rows)).words(at)
        words *= _ODD[2] + np.uint64(2 * at)
        words ^= words >> _HALF
        total[rows] += words * _ODD[0]
    total ^= total >> _HALF
    return total * _ODD[2]


# Reading


def read_run(path: File) -> Run:
    """The run in a file, plain or gzip.

    Blanks and tabs may stand in any number, also before and after a line; so may blank lines, lines
    that begin with `#`, a byte order mark, line ends of any system, and text after the tag. Query,
    document and score count; the rank does not.

    Raises:
        ValueError: a line with fewer columns or without a number for a score, NaN, a document twice
            in a query, a file without rows or a broken gzip file; one line that names file and
            line and shows its text.
        OSError: the file cannot be read.
    """
    return _read(path, Run)


def read_qrels(path: File) -> Qrels:
    """The relevance judgments in a file, plain or gzip.

    As `read_run`, but there is no text after the last column, and relevance is an integer.

    Raises:
        ValueError: a line with fewer or more columns or without an integer for a relevance, a
            document twice in a query, a file without rows or a broken gzip file; one line that
            names file and line and shows its text.
        OSError: the file cannot be read.
    """
    return _read(path, Qrels)


def _read(path: File, kind: type[_R]) -> _R:
    data = _content(path)
    rows = _at_once(data, kind) or _line_by_line(path, data, kind)
    faults = np.flatnonzero(np.isnan(rows.values))
    if faults.size:
        raise _fault(path, data, int(faults[0]), f"the {kind.value} is not a number")
    repeated = rows.repeated()
    if repeated is not None:
        raise _fault(path, data, repeated, "the query has this document already")
    return rows


def _content(path: File) -> bytes:
    """What a file holds, unpacked, without a byte order mark; a line feed ends each line."""
    data = Path(path).read_bytes()
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{os.fspath(path)}: the gzip file is broken: {error}") from None
    if b"\n" not in data and b"\r" in data:  # as a Macintosh once wrote
        data = data.replace(b"\r", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf")


def _lines(data: bytes) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Number, text and fields of each line that has fields and is no comment."""
    for number, line in enumerate(BytesIO(data), 1):
        fields = line.split()  # of bytes: at what isspace() knows in the C locale
        if fields and not fields[0].startswith(b"#"):
            yield number, line, fields


def _fault(path: File, data: bytes, row: int, problem: str) -> ValueError:
    """An error that shows the line of a row."""
    number, line, _ = next(each for i, each in enumerate(_lines(data)) if i == row)
    return _fault_in(path, number, line, problem)


def _fault_in(path: File, number: int, line: bytes, problem: str) -> ValueError:
    text = line.strip().decode("utf-8", "backslashreplace")
    shown = repr(text if len(text) <= 80 else text[:77] + "...")
    return ValueError(f"{os.fspath(path)}, line {number}: {problem}: {shown}")


def _line_by_line(path: File, data: bytes, kind: type[_R]) -> _R:
    """The rows of a file of any look."""
    width = len(kind.columns)
    document, value = kind.columns.index("document"), kind.columns.index(kind.value)
    codes: dict[bytes, int] = {}
    query, ids, values = [], [], []
    for number, line, fields in _lines(data):
        if len(fields) < width or (len(fields) > width and not kind.more):
            problem = f"expected {width} columns ({', '.join(kind.columns)}), got {len(fields)}"
            raise _fault_in(path, number, line, problem)
        try:
            values.append(kind.number(fields[value]))
        except ValueError as error:
            raise _fault_in(path, number, line, str(error)) from None
        query.append(codes.setdefault(fields[0], len(codes)))
        ids.append(fields[document])
    if not values:
        raise ValueError(f"{os.fspath(path)} has no rows")
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    return kind.made(
        [decoded(name) for name in codes],
        np.array(query, dtype=np.int64),
        Ids.sliced(b"".join(ids), lengths),
        np.array(values, dtype=np.float64),
    )


def _at_once(data: bytes, kind: type[_R]) -> _R | None:
    """The rows of a file, or None if it has to be looked at line by line."""
    if not _uniform(data):
        data = _made_uniform(data)
    return _parsed(data, kind) if data else None


def _uniform(data: bytes) -> bool:
    """Whether fields are split by one and the same character, and by one of it."""
    separator, other = _separators(data)
    if data.startswith(b"#") or data.endswith(separator):
        return False
    every = np.frombuffer(data, np.uint8)
    for start in range(0, len(data), _CACHED):
        end = start + _CACHED
        if any(data.find(blank, start, end) >= 0 for blank in (other, b"\x0b", b"\x0c")):
            return False
        if data.find(b"#", start, end) >= 0 and data.find(b"\n#", max(start - 1, 0), end) >= 0:
            return False
        returns = data.count(b"\r", start, end) if data.find(b"\r", start, end) >= 0 else 0
        if returns and returns != data.count(b"\r\n", start, end + 1):
            return False
        block = every[start : end + 1]
        if ((block[:-1] == separator[0]) & (block[1:] <= 32)).any():
            return False
    return True


def _separators(data: bytes) -> tuple[bytes, bytes]:
    """What splits the fields of the first line, and what does not."""
    return (b"\t", b" ") if b"\t" in data[: data.find(b"\n")] else (b" ", b"\t")


def _made_uniform(data: bytes) -> bytes:
    """The same rows with single spaces between fields, and neither comments nor outer blanks."""
    return b"".join(map(_lines_made_uniform, _some_lines(data)))


def _some_lines(data: bytes) -> Iterator[bytes]:
    """Whole lines, as many at a time as stay in the cache."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _CACHED) + 1 or len(data)
        yield data[start:end]
        start = end


def _lines_made_uniform(lines: bytes) -> bytes:
    every = np.frombuffer(lines.translate(_TO_SPACES) + b"\n", np.uint8)
    spaces = every[:-1] == _SPACE
    useless = spaces & ((every[1:] == _SPACE) | (every[1:] == _LINE_FEED))
    lines = every[:-1][~useless].tobytes().removeprefix(b" ").replace(b"\n ", b"\n")
    return _COMMENT_LINES.sub(b"", lines) if b"#" in lines else lines


def _parsed(data: bytes, kind: type[_R]) -> _R | None:
    """The rows of a uniform file, or None if a line has not the right columns or no number."""
    import pyarrow as pa
    from pyarrow import csv

    texts = pa.dictionary(pa.int32(), pa.binary())
    types = dict.fromkeys(kind.columns, pa.binary()) | {"query": texts, "relevance": texts}
    types["score"] = pa.float64()
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
    query, names = _dictionary(table["query"])
    ids = _ids(table["document"].chunks)
    if b"" in names or not ids.lengths.all():
        return None
    if kind.value == "score":
        values = table["score"].to_numpy()
    else:
        number, levels = _dictionary(table["relevance"])
        try:
            values = np.array([kind.number(level) for level in levels])[number]
        except ValueError:
            return None
    return kind.made([decoded(name) for name in names], query, ids, values)


def _dictionary(column: Any) -> tuple[Integers, list[bytes]]:
    """Of an Arrow column of few distinct texts the number of each row's, and the texts."""
    column = column.unify_dictionaries()
    numbers = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return np.concatenate(numbers, dtype=np.int64), column.chunk(0).dictionary.to_pylist()


def _ids(chunks: Sequence[Any]) -> Ids:
    """Arrow arrays of bytes as one."""
    lengths, data = [], []
    for chunk in chunks:
        _, offsets, texts = chunk.buffers()
        places = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        lengths.append(np.diff(places))
        data.append(memoryview(texts)[places[0] : places[-1]] if texts else b"")
    return Ids.sliced(b"".join(data), np.concatenate(lengths, dtype=np.int64))
