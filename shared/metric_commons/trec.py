"""Runs and relevance judgments as TREC writes them: files, and what they score.

A run is rows of query, Q0, document, rank, score and tag; qrels are rows of query, iteration,
document and relevance. Between them stand blanks, as many as the writer liked. Files are read whole
into flat columns (`Run`, `Qrels`), at the speed of C where every line looks like its neighbours,
line by line where not; both ways read the same, and refuse the same.

Documents of a run meet their judgments by 64-bit keys of query and document, which are sorted and
merged. Whatever keys say is then checked byte by byte, so the results are not those of a hash.
"""

import gzip
import math
import os
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .checks import check_choice, check_flag
from .columns import Layout, Mismatch, Scalar, read
from .measures import Measure, parse_measures
from .ranking import (
    LEAST_MAP,
    UNJUDGED,
    Floats,
    Ids,
    Ints,
    Judgments,
    MapDenominator,
    Rankings,
    Reading,
    ScoreType,
    Words,
    average,
    encoded,
    flat,
    rank,
    rank_ids,
    scores,
)
from .results import write_whole

Missing = Literal["zero", "skip"]
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


# Rows


@dataclass(frozen=True, eq=False)
class Rows(ABC):
    """Documents of queries, and a number beside each, as flat columns.

    `len` tells how many there are, `to_dict` makes `{query: {document: number}}` of them.
    """

    columns: ClassVar[tuple[str, ...]]  # of a file
    value: ClassVar[str]  # which of them holds the number
    more: ClassVar[bool]  # whether lines may go on after the last column

    queries: list[str]  # each once, in the order of their bytes
    query: Ints  # of each row the number of its query
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
            self.query.tolist(), _texts(self.ids), self.values.tolist(), strict=True
        ):
            of_queries[query][text] = value
        return rows

    @cached_property
    def keys(self) -> Words:
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
        texts = _texts(self.ids.take(suspects))
        pairs = zip(self.query[suspects].tolist(), texts, strict=True)
        seen: set[tuple[int, str]] = set()
        for row, pair in zip(suspects.tolist(), pairs, strict=True):
            if pair in seen:
                return int(row)
            seen.add(pair)
        return None

    @classmethod
    def made(cls, names: Sequence[str], query: Ints, ids: Ids, values: Floats) -> Self:
        """Rows whose queries have names in any order."""
        order = sorted(range(len(names)), key=lambda each: encoded(names[each]))
        place = np.empty(len(names), dtype=np.int64)
        place[order] = np.arange(len(names))
        return cls([names[each] for each in order], place[query], ids, values)


_R = TypeVar("_R", bound=Rows)


class Run(Rows):
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


class Qrels(Rows):
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


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _texts(ids: Ids) -> list[str]:
    data, ends = ids.data.tobytes(), ids.starts + ids.lengths
    return [_decoded(data[i:j]) for i, j in zip(ids.starts.tolist(), ends.tolist(), strict=True)]


def _scattered(ids: Ids) -> Words:
    """A 64-bit number for each id that hardly any other id has.

    A word of zeros adds nothing, so the number does not depend on what other ids there are.
    """
    total = ids.lengths.astype(np.uint64) * _ODD[1]
    rows: Ints | slice = slice(None)
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
        [_decoded(name) for name in codes],
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
    return kind.made([_decoded(name) for name in names], query, ids, values)


def _dictionary(column: Any) -> tuple[Ints, list[bytes]]:
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


# Scores


def score_run(
    qrels: Any,
    run: Any,
    measures: Any = ("ndcg@10", "map", "mrr", "recall@10", "precision@10"),
    *,
    missing: Missing = "zero",
    score_dtype: ScoreType = "float64",
    relevance_level: float = 1,
    max_depth: int | None = None,
    judged_only: bool = False,
    map_denominator: MapDenominator = "relevant",
    per_query: bool = True,
) -> dict[str, Any]:
    """What a run scores: `{"mean": {measure: value}, "per_query": {query: {measure: value}}}`.

    The values are those of trec_eval, to the last bit. Queries are those of the judgments, in the
    order of their bytes; queries that only the run has are ignored. Means add up one query after
    another; counts are totals, and a mean over no query is NaN. With "zero" the total num_rel is
    that of all judgments above 0, whatever the level: so counts trec_eval -c. That of a query goes
    by the level.

    Args:
        qrels: the judgments: a path, what `read_qrels` returns, `{query: {document: relevance}}`,
            or a pandas or Arrow table with the columns query_id, doc_id and relevance.
        run: the scores of the retrieved documents, in the same shapes; its column is score.
        measures: names such as "ndcg@10"; see the card of ir_ranking.
        missing: a query of which the run has no document counts as "zero" (trec_eval -c), or
            "skip" leaves it out, the default of trec_eval 9.
        score_dtype: "float64" as trec_eval 10, or "float32" as trec_eval 9 and pytrec_eval.
        relevance_level: the least relevance that makes a document relevant (trec_eval -l).
        max_depth: look at so many documents of a query (trec_eval -M).
        judged_only: leave out documents without a judgment, or with a negative one (trec_eval -J).
        map_denominator: "relevant", "min_k" or "retrieved" documents; see the card of ir_ranking.
        per_query: whether the result holds the scores of each query.

    Raises:
        ValueError: a file, an input or an option is not what it may be.
        OSError: a file cannot be read.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
    >>> run = {"q1": {"a": 0.5, "b": 2.0, "x": 0.5}}
    >>> score_run(qrels, run, ["mrr", "recall@3"])["mean"]
    {'mrr': 0.16666666666666666, 'recall@3': 0.25}
    >>> score_run(qrels, run, ["mrr"], missing="skip")["per_query"]
    {'q1': {'mrr': 0.3333333333333333}}
    """
    check_choice("missing", missing, ("zero", "skip"))
    check_flag("per_query", per_query)
    asked = parse_measures(measures)
    reading = Reading(score_dtype, judged_only, max_depth)
    reading.check()
    scored = _rankings(qrels, run, reading)
    of_queries = scores(
        scored.ranked, asked, relevance_level=relevance_level, map_denominator=map_denominator
    )
    queries = scored.queries
    if missing == "skip":
        queries = [query for query, there in zip(queries, scored.there, strict=True) if there]
        of_queries = {name: values[scored.there] for name, values in of_queries.items()}
    means = {measure.name: _mean(measure, of_queries[measure.name]) for measure in asked}
    if missing == "zero":
        means |= _complete_means(asked, of_queries, scored, score_dtype)
    result: dict[str, Any] = {"mean": means}
    if per_query:
        columns = [_plain(measure, of_queries[measure.name]) for measure in asked]
        names = [measure.name for measure in asked]
        result["per_query"] = {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(queries, zip(*columns, strict=True), strict=True)
        }
    return result


def _mean(measure: Measure, values: Floats) -> float:
    if not values.size:
        return 0 if measure.kind.startswith("num_") else float("nan")
    return average(measure)(values)


def _complete_means(
    measures: Sequence[Measure],
    of_queries: Mapping[str, Floats],
    scored: "_Scored",
    score_dtype: ScoreType,
) -> dict[str, float]:
    """What trec_eval -c does not make of what it prints for each query.

    `num_rel` counts all judgments above 0. Version 9 adds to the logarithms of `gm_map` those of
    missing queries last, and all at once, which can move the last digits.
    """
    means: dict[str, float] = {}
    for measure in measures:
        if measure.kind == "num_rel":
            means[measure.name] = int(np.count_nonzero(scored.ranked.judgments.relevance > 0))
        if measure.kind == "gm_map" and score_dtype == "float32" and scored.there.any():
            logarithms = average(measure).before(of_queries[measure.name])
            there = logarithms[scored.there]
            total = float(np.add.accumulate(there)[-1])
            total += (logarithms.size - there.size) * math.log(LEAST_MAP)
            means[measure.name] = math.exp(total / logarithms.size)
    return means


def _plain(measure: Measure, values: Floats) -> list[float]:
    counts: bool = measure.kind.startswith("num_")
    plain: list[float] = (values.astype(np.int64) if counts else values).tolist()
    return plain


class _Scored(NamedTuple):
    """Rankings of the queries of some judgments, and which of them the run has."""

    queries: list[str]
    there: NDArray[np.bool_]
    ranked: Rankings


def _rankings(qrels: Any, run: Any, reading: Reading) -> _Scored:
    if isinstance(qrels, Mapping) and isinstance(run, Mapping):
        return _of_dicts(qrels, run, reading)
    judged, ranked = _as_rows("qrels", qrels, Qrels), _as_rows("run", run, Run)
    return _of_rows(judged, ranked, reading)


def _of_dicts(
    qrels: Mapping[str, Mapping[str, float]],
    run: Mapping[str, Mapping[str, float]],
    reading: Reading,
) -> _Scored:
    """Strings know their hash, so dicts are asked as they are."""
    queries, judged, _ = _checked("qrels", qrels, sorted(qrels, key=_encoded_name))
    order = [query for query in queries if query in run]
    _, found, score = _checked("run", run, order)
    ranked = dict(zip(order, found, strict=True))
    documents = [ranked.get(query, {}) for query in queries]
    there = np.fromiter(map(bool, documents), np.bool_, len(documents))
    return _Scored(queries, there, rank_ids(documents, score, judged, reading))


def _of_rows(qrels: Qrels, run: Run, reading: Reading) -> _Scored:
    relevance = _relevance(qrels, run)
    number = {query: each for each, query in enumerate(qrels.queries)}
    numbers = np.array([number.get(query, -1) for query in run.queries], dtype=np.int64)
    query, score, ids = numbers[run.query], run.values, run.ids
    if (numbers < 0).any():  # queries without judgments
        kept = np.flatnonzero(query >= 0)
        query, score, relevance, ids = query[kept], score[kept], relevance[kept], ids.take(kept)
    judgments = Judgments(len(qrels.queries), qrels.query, qrels.values)
    there = np.bincount(query, minlength=len(qrels.queries)) > 0
    return _Scored(
        qrels.queries, there, rank(query, score, relevance, judgments, ids.take, reading)
    )


def _relevance(qrels: Qrels, run: Run) -> Floats:
    """The relevance of each document of a run, `UNJUDGED` for those without a judgment."""
    suspects = _perhaps_among(run.keys, qrels.keys)
    keys = np.concatenate([run.keys[suspects], qrels.keys])
    order = np.argsort(keys)
    keys = keys[order]
    met = np.flatnonzero(keys[1:] == keys[:-1])
    one, other = order[met], order[met + 1]
    number, judgments = np.minimum(one, other), np.maximum(one, other) - len(suspects)
    if (number >= len(suspects)).any() or (judgments < 0).any():
        return _relevance_by_text(qrels, run)  # two that differ happen to have the same key
    rows = suspects[number]
    if not _same(run, rows, qrels, judgments):
        return _relevance_by_text(qrels, run)
    relevance = np.full(len(run), UNJUDGED)
    relevance[rows] = qrels.values[judgments]
    return relevance


def _perhaps_among(keys: Words, others: Words) -> Ints:
    """Where keys are that may be among others: all that are, and one in sixteen of the rest.

    The highest bits say where in a table the others leave a mark; most keys find none.
    """
    size = (16 * len(others)).bit_length()
    shift = np.uint64(64 - size)
    marked = np.zeros(1 << size, dtype=np.bool_)
    marked[others >> shift] = True
    return np.flatnonzero(marked[keys >> shift])


def _same(run: Run, rows: Ints, qrels: Qrels, judgments: Ints) -> bool:
    """Whether these rows are of the same query and document, each with its counterpart."""
    number = {query: each for each, query in enumerate(qrels.queries)}
    numbers = np.array([number.get(query, -1) for query in run.queries], dtype=np.int64)
    ids, others = run.ids.take(rows), qrels.ids.take(judgments)
    return (
        np.array_equal(numbers[run.query[rows]], qrels.query[judgments])
        and np.array_equal(ids.lengths, others.lengths)
        and all(np.array_equal(ids.words(at), others.words(at)) for at in range(0, ids.longest, 8))
    )


def _relevance_by_text(qrels: Qrels, run: Run) -> Floats:
    judged = qrels.to_dict()
    documents = zip((run.queries[q] for q in run.query.tolist()), _texts(run.ids), strict=True)
    known = (judged.get(query, {}).get(document, UNJUDGED) for query, document in documents)
    return np.fromiter(known, np.float64, len(run))


# What else may be scored


def _as_rows(side: str, value: Any, kind: type[_R]) -> _R:
    """The rows in whatever holds them."""
    if isinstance(value, kind):
        return value
    if isinstance(value, str | os.PathLike):
        return _read(value, kind)
    if isinstance(value, Mapping):
        queries, of_queries, values = _checked(side, value, sorted(value, key=_encoded_name))
        sizes = np.fromiter(map(len, of_queries), np.int64, len(of_queries))
        query = np.repeat(np.arange(len(sizes)), sizes)
        return kind(queries, query, Ids.of(list(chain.from_iterable(of_queries))), values)
    names = getattr(value, "column_names", None)  # of Arrow and of datasets
    names = list(getattr(value, "columns", ())) if names is None else names
    wanted = ("query_id", "doc_id", kind.value)
    if isinstance(value, Rows) or not set(wanted) <= set(map(str, names)):
        raise ValueError(
            f"{side} must be a path, a dict of dicts, what read_{side}() returns, or a table with "
            f"the columns {', '.join(wanted)}; got {type(value).__name__}"
        )
    return _of_table(side, {name: value[name] for name in wanted}, kind)


def _of_table(side: str, table: Mapping[str, Any], kind: type[_R]) -> _R:
    text = Scalar(str)
    layouts: list[Layout] = [
        {"query_id": text, "doc_id": text, kind.value: Scalar(number)} for number in (float, int)
    ]
    _, columns = read(
        {f"{side}.{name}": column for name, column in table.items()},
        [{f"{side}.{name}": shape for name, shape in layout.items()} for layout in layouts],
    )
    queries, documents, values = columns.values()
    codes: dict[str, int] = {}
    query = [codes.setdefault(name, len(codes)) for name in queries]
    rows = kind.made(
        list(codes), np.array(query, dtype=np.int64), Ids.of(list(documents)), flat([values])
    )
    repeated = rows.repeated()
    if repeated is not None:
        raise ValueError(
            f"{side}[{repeated}]: query {queries[repeated]!r} has document "
            f"{documents[repeated]!r} already"
        )
    return rows


def _encoded_name(query: Any) -> bytes:
    if not isinstance(query, str):
        raise ValueError(f"ids must be strings, got the query {query!r}")
    return encoded(query)


def _checked(
    side: str, rows: Mapping[str, Mapping[str, float]], queries: list[str]
) -> tuple[list[str], list[Mapping[str, float]], Floats]:
    """Some queries, their documents, and the numbers of these: strings, and numbers that are."""
    of_queries = [rows[query] for query in queries]
    for query, documents in zip(queries, of_queries, strict=True):
        if not isinstance(documents, Mapping):
            raise ValueError(f"{side}[{query!r}] must be a dict, got {type(documents).__name__}")
    if not set(map(type, chain.from_iterable(of_queries))) <= {str}:
        wrong = (d for documents in of_queries for d in documents if not isinstance(d, str))
        raise ValueError(f"ids must be strings, {side} has the document {next(wrong)!r}")
    values = list(chain.from_iterable(documents.values() for documents in of_queries))
    if Scalar(float).take(values) is None and not _exact_integers(values):
        places = (f"{side}[{q!r}][{d!r}]" for q in queries for d in rows[q])
        values = [_number(place, value) for place, value in zip(places, values, strict=True)]
    return queries, of_queries, np.array(values, dtype=np.float64)


def _exact_integers(values: list[Any]) -> bool:
    return Scalar(int).take(values) is not None and max(map(abs, values), default=0) <= _EXACT


def _number(place: str, value: Any) -> float:
    try:
        number: float = Scalar(float).plain(value, as_it_stands=False)
    except Mismatch as mismatch:
        raise ValueError(f"{place} {mismatch.problem}") from None
    return number


# Writing


def write_run(path: File, run: Any, tag: str = "metric-commons") -> None:
    """Write a run, whole or not at all, in the order in which trec_eval 10 ranks it.

    Args:
        path: the file, packed if it ends in .gz; folders above it are made.
        run: as `score_run` takes it.
        tag: what the run is called, in the last column.

    Raises:
        ValueError: an id that is empty, has blanks inside or would look like a comment, or a run
            that is not one.
        OSError: the file cannot be written.
    """
    rows = _as_rows("run", run, Run).to_dict()
    for text in chain([tag], rows, *rows.values()):
        if encoded(text).split() != [encoded(text)]:
            raise ValueError(f"{text!r} cannot stand in a run: it is empty or has blanks inside")
    for query in rows:
        if query.startswith(("#", "\ufeff")):
            raise ValueError(
                f"query {query!r} cannot stand in a run: it would be a comment or a byte order mark"
            )
    lines = map(encoded, _run_lines(rows, tag))
    packed = os.fspath(path).endswith(".gz")
    write_whole(os.fspath(path), [gzip.compress(b"".join(lines), mtime=0)] if packed else lines)


def _run_lines(rows: Mapping[str, Mapping[str, float]], tag: str) -> Iterator[str]:
    for query, documents in rows.items():
        order = sorted(documents, key=lambda d: (documents[d], encoded(d)), reverse=True)
        for place, document in enumerate(order, 1):
            yield f"{query} Q0 {document} {place} {documents[document]!r} {tag}\n"
