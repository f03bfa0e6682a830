"""Logs of evaluation harnesses, and plain rows: the format of a file, and its records.

The files in this folder declare the formats in their `FORMATS`. Standard columns are values of a
record, the row in the log, which are computed only on request:

* `id` and `epoch` identify the sample of a row; rows with the same id form one unit;
* `prediction` and `references` are texts; `accepted_answers` are references that may be empty, for
  questions without an answer; `option_scores` and `truth` have a value for each option of a
  multiple-choice question; `predicted` and `label` are classes; `instructions` are IFEval's;
* `message` is the answer with its tool calls, or its text; `reference` is the one reference, a text
  or a value of JSON;
* `logged` is a dictionary of the scores in the log, NaN for samples without one;
* `error` tells whether the sample ended in an error.
"""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from pkgutil import iter_modules
from typing import IO, Any, Literal, NamedTuple, get_args

from ...statistics.arguments.checks import alternatives
from ..files.access import read_file
from ..files.arrow_rows import ArrowBatch, parquet_blocks
from ..files.delimited_rows import Cells, delimited_blocks
from ..files.field_paths import PathError, value_at
from ..files.json_rows import PLAIN, STRICT, Row, json_lines, rows_of_document, text_lines
from ..files.streams import STANDARD_INPUT, Stream, suffix

Format = Literal["jsonl", "json", "csv", "tsv", "parquet"]
PLAIN_ROWS = "rows"  # the format of rows that are not a log
TEXTS = ("lines", "kaldi", "trn")  # the formats with a text in each line
_TABLES = get_args(Format)
_MARKED = ("ctm", "stm", "srt", "vtt", "yaml", "yml")  # lines that are more than texts
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_LINES = 100  # of text, by which its format is detected
_BLANKS = b"\xef\xbb\xbf \t\r\n"  # before JSON, with a byte order mark
_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"

Record = Mapping[str, Any]
Column = Callable[[Record], Any]
Fields = Callable[[], Sequence[str]]  # the fields to read, known when the first row is requested


@dataclass(frozen=True)
class Content:
    """The content of a file whose format is not known yet."""

    path: Path
    # "lines" of JSON objects, a JSON "document", a "zip" archive, a "parquet" table, "text" lines.
    kind: Literal["lines", "document", "zip", "parquet", "text"]
    first: Any  # the first record, the names of members or columns, or the first texts
    rows: Iterator[Row]  # of lines, of a document that is a list, and of a table
    document: Any = None
    file: IO[bytes] | None = None  # of an archive

    def has(self, names: str) -> bool:
        """Return whether the first record has all these fields."""
        return isinstance(self.first, Mapping) and self.first.keys() >= {*names.split()}

    @property
    def names(self) -> list[str]:
        """Return the fields of the first row; none of a document that is one object."""
        is_row = isinstance(self.first, Mapping | list) and not isinstance(self.document, Mapping)
        return list(self.first) if is_row else []

    def beside(self, path: Path) -> bytes:
        """Return another file of the run; empty if it is missing."""
        return read_file(path) if path.is_file() else b""


class LoggedMeans(NamedTuple):
    """Mean scores of a task, from a file without scores of rows."""

    task: str
    scores: Mapping[str, float]
    errors: Mapping[str, float]  # standard errors, where the file has them
    rows: int  # 0 if unknown
    group: str | None  # of which the task is a part, if the group has a mean, too


@dataclass(frozen=True, kw_only=True)
class Log:
    """The rows of a file, with what its format defines about them."""

    rows: Iterator[Row]
    # An alternative to plain `rows` that is faster.
    blocks: Iterator[Cells] | Iterator[ArrowBatch] | None = None
    format_name: str = PLAIN_ROWS
    columns: Mapping[str, Column] = field(default_factory=dict)
    system: str | None = None
    task: str | None = None
    samples: int | None = None  # their number, according to the log
    problem: str | None = None  # why the log may be incomplete, such as a cancelled run
    # The kinds of rows that must not be mixed, such as splits: if there are several, one has to be
    # chosen with `--filter`, for the key "filter", or with `--where`.
    variants: Mapping[str, Column] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    options: Mapping[str, Any] = field(default_factory=dict)  # that modules need to read it
    repeated_ids_allowed: bool = True
    means: Sequence[LoggedMeans] = ()  # for a format without rows
    names: Sequence[str] = ()  # of the fields of the first row, where they are known
    has_cells: bool = False  # whether rows are of CSV or TSV, whose values are texts

    def getter(self, name: str, record: Record) -> Column:
        """Return the function that gets a field, or else a column, of records like this one."""
        if name in self.columns:
            try:
                value_at(record, name)
            except ValueError:
                return self.columns[name]
        return lambda record: value_at(record, name)


@dataclass(frozen=True, kw_only=True)
class LogFormat:
    """A format of logs: the marks by which it is detected, all of which must hold, and its columns.

    A column is the path of a value; paths of which the first one that exists counts, such as
    `a or b`; a path to a list of texts, or to one of them, such as `target[]`; a path that a file
    may be without, such as `sample?`; or a function of a record, if the value must be computed.
    """

    name: str
    kinds: Sequence[str] = ("lines", "document")
    suffixes: Sequence[str] = ()  # alternatives
    marks: Sequence[str] = ()  # fields of the first record; alternative sets of them
    further: Callable[[Content], bool] | None = None
    columns: Mapping[str, str | Column] = field(default_factory=dict)
    system: str | None = None  # paths in the first record
    task: str | None = None
    variants: Sequence[str] = ()  # columns or fields whose values must not be mixed
    # The fields of `Log` that follow from the content; columns are added to those above.
    computed: Callable[[Content], Mapping[str, Any]] | None = None

    def holds(self, content: Content) -> bool:
        """Return whether the content has the marks."""
        return (
            content.kind in self.kinds
            and (not self.suffixes or content.path.suffix in self.suffixes)
            and (not self.marks or any(map(content.has, self.marks)))
            and (self.further is None or self.further(content))
        )

    def read(self, content: Content) -> Log:
        """Return the log."""
        computed = dict(self.computed(content)) if self.computed else {}
        columns = {
            name: column(path)
            for name, path in {**self.columns, **computed.pop("columns", {})}.items()
            if not _is_absent(path, content.first)
        }
        declared: dict[str, Any] = {
            "rows": content.rows,
            "system": _value_or_none(content.first, self.system),
            "task": _value_or_none(content.first, self.task),
            "variants": {name: columns.get(name) or _text_of(name) for name in self.variants},
        }
        return Log(
            **declared | computed, columns=columns, format_name=self.name, names=content.names
        )


def column(path: str | Column) -> Column:
    """Return the function that gets the value of a column.

    >>> column("a.b or c[]")({"c": 1}), column("a?")({"a": None})
    (['1'], None)
    """
    if not isinstance(path, str):
        return path
    *others, last = path.rstrip("?").removesuffix("[]").split(" or ")

    def value(record: Record) -> Any:
        for name in others:
            with suppress(PathError):
                return value_at(record, name)
        return value_at(record, last)

    return (lambda record: [*map(str, listed(value(record)))]) if path.endswith("[]") else value


def _is_absent(path: str | Column, first: Any) -> bool:
    is_optional = isinstance(path, str) and path.endswith("?")
    return is_optional and _value_or_none(first, column(path)) is None


def _value_or_none(first: Any, path: str | Column | None) -> Any:
    with suppress(PathError):
        return path and column(path)(first)


def _text_of(name: str) -> Column:
    return lambda record: str(record.get(name))


def format_names() -> list[str]:
    """Return the values of `--from`: the formats of logs and tables, and `rows` for plain rows."""
    return [PLAIN_ROWS, *formats(), *_TABLES]


def log_in(stream: Stream, format_name: str | None, fields: Fields) -> Log:
    """Return the log in a file, or its plain rows.

    Args:
        stream: the file.
        format_name: its format, or None to detect it by the content and the suffix.
        fields: returns the fields to read, once they are known.

    Raises:
        ValueError: the content has no known format, or not this one.
    """
    kind = suffix(stream.path)
    if format_name in _TABLES:
        kind, format_name = str(format_name), PLAIN_ROWS
    start = stream.start()
    if format_name != PLAIN_ROWS:
        if _is_text(kind, format_name):
            return _texts(stream, format_name)
        if start.startswith(_ZIP):
            file = stream.seekable()
            names = zipfile.ZipFile(file).namelist()
            log = _log(Content(stream.path, "zip", names, iter(()), file=file), format_name)
            if log is None:
                raise ValueError(
                    "an archive that is no log; of a spreadsheet, save a sheet as .csv"
                )
            return log
    if kind == "parquet" or start.startswith(_PARQUET):
        names, whole_rows, batches = parquet_blocks(stream.seekable(), fields)
        content = Content(stream.path, "parquet", names, _rows_of(whole_rows))
        plain = Log(rows=_rows_of(batches), blocks=batches, names=names)
        return _log(content, format_name) or plain
    if kind in _DELIMITERS:
        names, cells = delimited_blocks(stream.content, _DELIMITERS[kind], fields)
        return Log(rows=_rows_of(cells), blocks=cells, names=names, has_cells=True)
    is_json = start.lstrip(_BLANKS).startswith((b"{", b"["))
    if start and kind not in ("json", "jsonl") and not is_json:
        has_marks = start.lstrip(_BLANKS).startswith(b"<") or kind in _MARKED
        if format_name is None and stream.path != STANDARD_INPUT and not has_marks:
            return _texts(stream, None)  # texts may end in .en, .hyp and the like
        raise ValueError("not JSON; for other content say --from csv, tsv, lines or conll")
    return _json(stream, kind, format_name)


def _is_text(kind: str, format_name: str | None) -> bool:
    """Return whether the named format, or that of the suffix, consists of lines of text.

    >>> _is_text("bio", None), _is_text("csv", "lines"), _is_text("txt.json", None)
    (True, True, False)
    """
    if format_name is None and kind in _TABLES:  # known without importing all formats
        return False
    of_texts = [form for form in formats().values() if tuple(form.kinds) == ("text",)]
    return any(form.name == format_name or f".{kind}" in form.suffixes for form in of_texts)


def _texts(stream: Stream, format_name: str | None) -> Log:
    texts = enumerate(text_lines(stream.content), start=1)
    rows: Iterator[Row] = (
        (line, {"text": text.removesuffix("\n").removesuffix("\r")}) for line, text in texts
    )
    start = list(islice(rows, _LINES))
    first = tuple(record["text"] for _, record in start)
    content = Content(stream.path, "text", first, chain(start, rows))
    return _log(content, format_name) or format_named("lines").read(content)


def _json(stream: Stream, kind: str, format_name: str | None) -> Log:
    """Return the log or the plain rows in JSON Lines or a JSON document, whatever the suffix."""
    # Files named .json may hold lines, such as the files of BFCL, unless the user names the format.
    head: list[bytes] = []
    filled: list[bytes] = []
    while len(filled) < 2 and (line := stream.content.readline()):
        head.append(line)
        filled += [line] if line.strip(_BLANKS) else []
    first: Any = None
    with suppress(ValueError, RecursionError):
        first = PLAIN.decode(next(text_lines(filled), ""))
    is_list = bool(filled) and filled[0].lstrip(_BLANKS).startswith(b"[")
    is_document = bool(filled) and (first is None or len(filled) == 1) and kind != "jsonl"
    lines = chain(head, stream.content)
    if is_list or is_document or (kind == "json" and format_name == PLAIN_ROWS):
        del first  # large documents should not be in memory twice
        return _document("".join(text_lines(lines)), stream.path, format_name)
    content = Content(stream.path, "lines", first, json_lines(lines, is_log=True))
    return _log(content, format_name) or Log(rows=json_lines(lines), names=content.names)


def _document(text: str, path: Path, format_name: str | None) -> Log:
    document: Any = STRICT.decode(text)
    first = (document or [None])[0] if isinstance(document, list) else document
    content = Content(path, "document", first, rows_of_document(document), document=document)
    log = _log(content, format_name)
    if log is not None:
        return log
    rows = list(rows_of_document(document))
    return Log(rows=iter(rows), names=list(rows[0][1]) if rows else ())


def _log(content: Content, format_name: str | None) -> Log | None:
    """Return the log, in this format or in the one detected by its marks; None for plain rows."""
    if format_name == PLAIN_ROWS:
        return None
    form = recognized(content) if format_name is None else format_named(format_name)
    if form is None:
        return None
    try:
        return form.read(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not in the format {form.name}: {error}") from error


def _rows_of(blocks: Iterator[Cells] | Iterator[ArrowBatch]) -> Iterator[Row]:
    row = 0
    for block in blocks:
        for values in block.rows(row):
            yield values
            row += 1


@cache
def formats() -> dict[str, LogFormat]:
    """Return the formats by name."""
    stems = sorted(
        {module.name for module in iter_modules([str(Path(__file__).parent)])} - {"logs"}
    )
    modules = [import_module(f".{stem}", __package__) for stem in stems]
    return {form.name: form for module in modules for form in module.FORMATS}


def format_named(name: str) -> LogFormat:
    """Return the format of this name.

    >>> format_named("lm_eval")
    Traceback (most recent call last):
    ValueError: there is no format 'lm_eval'; did you mean 'lm-eval'?
    """
    known = formats()
    if name not in known:
        raise ValueError(f"there is no format {name!r}{alternatives(name, known)}")
    return known[name]


def recognized(content: Content) -> LogFormat | None:
    """Return the format whose marks the content has; None if there is none.

    Raises:
        ValueError: the content has the marks of several formats.
    """
    candidates = [form for form in formats().values() if form.holds(content)]
    if len(candidates) > 1:
        names = " or ".join(form.name for form in candidates)
        raise ValueError(f"this may be {names}; choose one with --from")
    return candidates[0] if candidates else None


def numbers_alone(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores that are numbers.

    >>> numbers_alone({"acc": True, "f1": [1, 0], "note": "x"})
    {'acc': 1.0}
    """
    return {name: float(value) for name, value in scores.items() if isinstance(value, int | float)}


def argmax(values: Sequence[float]) -> int:
    """Return the index of the largest value, the first in a tie, as in numpy.argmax.

    >>> argmax([0.1, 0.7, 0.7])
    1
    """
    return max(range(len(values)), key=lambda position: (values[position], -position))


def listed(value: Any) -> list[Any]:
    """Return the value in a list, unless it is a list already.

    >>> listed("a"), listed(["a", "b"])
    (['a'], ['a', 'b'])
    """
    return value if isinstance(value, list) else [value]
