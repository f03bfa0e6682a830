"""Columns of files, with values unchanged: JSON Lines, JSON, CSV, TSV, Parquet, logs.

`datasets` reads these formats, too, but changes values. In JSON it turns strings like "2017-01-02"
into dates, large integers into floats, and the string "1" into a number if another row has [1]. In
CSV it turns "2017" and "007" into numbers, and "NA", "None" and "" into missing values. It refuses
single surrogates. So the standard library parses text here, which also knows the line of an error,
and pyarrow parses Parquet.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from ...statistics.resampling.progress import shows_bars
from ..files.delimited_rows import as_json_number, value_of_cell, values_of_cells
from ..files.field_paths import PathError, steps
from ..files.json_rows import (
    Columns,
    LineNumbers,
    Lines,
    Row,
    fault_of,
    location,
    missing_field,
)
from ..files.streams import STANDARD_INPUT, Stream, broken_compression
from ..harness_logs.logs import PLAIN_ROWS, Column, Log, Record, log_in
from .selection import Selected, Selection

_EXAMPLES = 5  # additional bad rows in a message
_CHARACTERS = 1 << 19  # that complete a block, whatever its rows
_ROWS = 256  # to read before they become columns: few enough for the cache of a processor


class Source:
    """Columns of a file, and the lines of its rows.

    Values are those in the file. Cells of CSV and TSV are strings, with two exceptions: columns in
    which every cell is a JSON list become lists, and columns among `numbers` in which every cell is
    a JSON number become numbers. Files may be compressed with gzip, bzip2, xz or Zstandard.

    Args:
        path: a file, a folder of HELM, or `-` for standard input.
        fields: the columns: paths into a row, such as `answer.aliases[0]`, or standard columns of a
            log, such as `prediction`, if a row does not have such a field.
        format_name: such as "jsonl", "lm-eval", or "rows" for plain rows; by default the format is
            detected from the content and the suffix.
        limit: the number of rows to read; None for all.
        numbers: the fields of CSV and TSV to be read as numbers, if possible.
        only_numbers: the fields among them that must be numbers, also such as `.9` and `+2`.
        filled: fields of CSV and TSV whose cells must not be empty.
        selection: the rows to select.
        progress: show a progress bar on stderr if reading takes longer than a second and stderr is
            a terminal.
    """

    def __init__(
        self,
        path: Path,
        fields: Sequence[str],
        *,
        format_name: str | None = None,
        limit: int | None = None,
        numbers: Collection[str] = (),
        only_numbers: Collection[str] = (),
        filled: Collection[str] = (),
        selection: Selection | None = None,
        progress: bool = False,
    ) -> None:
        self.path, self.fields, self.format_name, self.limit = path, fields, format_name, limit
        self.numbers, self.only_numbers, self.filled = numbers, only_numbers, filled
        self.selection = selection or Selection()
        # The fields of references, and the text that separates several of them in a cell. Without
        # it, cells that seem to hold several are counted.
        self.references: Collection[str] = ()
        self.separator: str | None = None
        self.joined = 0
        self.lists = 0
        self.progress = progress and shows_bars()
        self.sha256 = ""
        self.rows = 0  # the number of rows read so far
        self.lines = LineNumbers()  # of rows, if the format has lines
        self.excluded: Counter[str] = Counter()  # rows that do not count, by reason
        self._resources = ExitStack()
        self._stream: Stream | None = None
        self._log: Log | None = None
        self._is_read = False
        self._is_empty = False
        self._provenance: dict[str, Any] = {}

    @property
    def log(self) -> Log:
        """Return the log in the file, opened but not read; plain rows are a log, too.

        Raises:
            ValueError: the file has no known format, or not the named one.
            OSError: the file cannot be read.
        """
        if self._log is None:
            with self._named_errors():
                self._log = self._opened()
        return self._log

    def columns(self) -> Columns:
        """Return the columns of all rows.

        Raises:
            ValueError: the file is not in its format, is truncated or empty, or a row lacks a
                field.
            OSError: the file cannot be read.
        """
        (columns,) = self.blocks(None)
        return columns

    def blocks(self, size: int | None) -> Iterator[Columns]:
        """Yield the columns of at most `size` rows at a time; the errors are those of `columns`.

        `rows` is the number of rows so far, those of the block included.
        """
        if self._is_read:
            self.close()
            self._log = None
        self.rows, self.lines = 0, LineNumbers()
        log, self._is_read = self.log, True
        reader = _TableReader(self, log)
        characters = 0  # about those of the rows that wait, as the first row of each part has them
        with self._named_errors():
            for columns in self._read(reader, log):
                for field, values in columns.items():
                    reader.columns[field] += values
                    characters += len(values) * len(str(values[0])) if values else 0
                least = 1 if characters >= _CHARACTERS else size
                while least and size and reader.rows - self.rows >= least and not reader.faults:
                    yield from self._next(reader, min(size, reader.rows - self.rows))
                    characters = 0
            reader.faults.check(reader.rows)
            self._note_provenance(log)
            if not reader.rows:
                problem = "there is a header, but no rows" if log.has_cells else "there are no rows"
                raise ValueError("the file is empty" if self._is_empty else problem)
            if reader.rows > self.rows:
                yield from self._next(reader, reader.rows - self.rows)
            reader.faults.check(reader.rows)
        self.close()

    def _next(self, reader: "_TableReader", rows: int) -> Iterator[Columns]:
        """Yield the columns of the next rows, unless a cell is refused."""
        part = {field: values[:rows] for field, values in reader.columns.items()}
        for values in reader.columns.values():
            del values[:rows]
        self.rows += rows
        typed = reader.typed(part, self.rows - rows)
        if not reader.faults:
            yield typed

    def provenance(self) -> dict[str, Any]:
        """Return path, hash and number of rows for the provenance, once all rows are read."""
        return {"path": str(self.path), "sha256": self.sha256, "rows": self.rows} | self._provenance

    def location(self, row: int) -> str:
        """Return the location of a row: its number, and its line if the format has lines."""
        return location(row, self.lines.of(row))

    def close(self) -> None:
        """Close the file; its log remains available."""
        self._resources.close()

    def _opened(self) -> Log:
        path = file_of(self.path)
        self._stream = Stream(path, self._bar(path))
        self._resources.enter_context(self._stream)
        self._is_empty = not self._stream.start()
        with _whole_log():
            return log_in(self._stream, self.format_name, lambda: self.fields)

    def _bar(self, path: Path) -> Callable[[int], object] | None:
        if not self.progress:
            return None
        from tqdm import tqdm

        size = None if path == STANDARD_INPUT else path.stat().st_size
        style = {"unit": "B", "unit_scale": True, "delay": 1, "leave": False}
        name = path.name if path.name.isprintable() else ascii(path.name)
        bar = tqdm(desc=f"reading {name}", total=size, **style)
        self._resources.enter_context(bar)
        update: Callable[[int], object] = bar.update
        return update

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Make errors name the file, and close it."""
        try:
            yield
        except BaseException as error:
            self.close()
            if isinstance(error, OSError) and error.errno is not None:
                reason = error.strerror or str(error)
                raise OSError(error.errno, reason, str(self.path)) from error
            if isinstance(error, (ValueError, RecursionError, OSError, *broken_compression())):
                raise ValueError(f"{self.path}: {fault_of(error)}") from error
            raise

    def _read(self, reader: "_TableReader", log: Log) -> Iterator[Columns]:
        """Yield columns of some rows at a time, as cells of CSV and TSV have them."""
        from ...statistics.arguments.arrays import no_collection  # imports numpy, so only on use

        if log.blocks is not None and self.limit is None and self.selection == Selection():
            for block in log.blocks:
                with no_collection():
                    found = block.columns(self.fields)
                if found is None:
                    yield from reader.read(block.rows(reader.rows))
                else:
                    yield reader.noted(*found)
            return
        rows, selected = log.rows, None
        if log.format_name != PLAIN_ROWS or self.selection != Selection():
            selected = Selected(log, self.selection)
            rows = iter(selected) if log.format_name == PLAIN_ROWS else _whole_rows(iter(selected))
        yield from reader.read(islice(rows, self.limit))
        if selected is not None:
            self.excluded = selected.excluded

    def _note_provenance(self, log: Log) -> None:
        """Note hash, format and other files, at the end of the file."""
        if self._stream is not None:
            self.sha256 = self._stream.sha256()
        if log.format_name != PLAIN_ROWS:
            self._provenance["format"] = log.format_name
        if log.sidecars:
            self._provenance["beside"] = dict(log.sidecars)


@contextmanager
def _whole_log() -> Iterator[None]:
    """Turn errors about missing parts of a log into a ValueError that quotes nothing from it."""
    try:
        yield
    except (AttributeError, LookupError, TypeError) as error:
        name = type(error).__name__
        problem = f"a part of the log is missing or has the wrong type for its format ({name})"
        raise ValueError(problem) from error


def _whole_rows(rows: Iterator[Row]) -> Iterator[Row]:
    with _whole_log():
        yield from rows


class Faults:
    """The rows with errors, by column: the first message, and the number of others."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._rows: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._first)

    def add(self, field: str, position: str, problem: str) -> None:
        """Note a problem with a field in the row at a position."""
        self._first.setdefault(field, f"{position}: {problem}")
        self._counts[field] += 1
        rows = self._rows.setdefault(field, [])
        if 1 < self._counts[field] <= _EXAMPLES + 1:
            rows.append(position)

    def check(self, rows: int) -> None:
        """Check that none were noted in this number of rows.

        Raises:
            ValueError: there are faults; the message has the first one of a field and lists more.
        """
        for field, message in self._first.items():
            if self._counts[field] == rows > 1:
                raise ValueError(f"{message} (in all {rows:,} rows)")
            positions = self._rows[field]
            hidden = self._counts[field] - 1 - len(positions)
            ending = f", and {hidden} more" if hidden else ""
            raise ValueError(
                f"{message}; also {', '.join(positions)}{ending}" if positions else message
            )


class _TableReader:
    """Builds columns from the rows of a source."""

    def __init__(self, source: Source, log: Log) -> None:
        self._source, self._log, self.faults = source, log, Faults()
        self.rows = 0  # that have been read
        self.columns: Columns = {field: [] for field in source.fields}  # that wait
        self._getters: list[tuple[str, Column]] = []
        self._kinds: dict[str, Any] = {}  # types of the cells of fields, from the first block

    def noted(self, columns: Columns, lines: Lines) -> Columns:
        """Return columns that were read, after noting their rows and lines."""
        self._source.lines.add(self.rows, lines)
        self.rows += len(next(iter(columns.values())))
        return columns

    def read(self, rows: Iterator[Row]) -> Iterator[Columns]:
        """Yield columns of rows that are read one by one."""
        while block := list(islice(rows, _ROWS)):
            columns = self._columns_of(block)
            self.rows += len(block)
            yield columns

    def _columns_of(self, rows: Sequence[Row]) -> Columns:
        source, start = self._source, self.rows
        source.lines.add(start, [line for line, _ in rows if line is not None])
        if self._log.format_name == PLAIN_ROWS:
            with suppress(KeyError):
                return {name: [record[name] for _, record in rows] for name in source.fields}
        if not self._getters:
            self._getters = [
                (field, self._log.getter(field, rows[0][1])) for field in source.fields
            ]
        columns: Columns = {field: [] for field in source.fields}
        for row, (line, record) in enumerate(rows, start):
            for field, get in self._getters:
                try:
                    columns[field].append(get(record))
                except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                    problem = self._problem(field, record, error)
                    self.faults.add(field, location(row, line), problem)
        return columns

    def _problem(self, field: str, record: Record, error: Exception) -> str:
        if isinstance(error, PathError):
            if steps(field)[0] not in record:
                return missing_field(field, record)
            return f"field {field!r} is missing; {error}"
        if isinstance(error, ValueError):
            return str(error)
        detail = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        return f"{field} does not conform to the format {self._log.format_name}: {detail}"

    def typed(self, block: Columns, start: int) -> Columns:
        """Return the values of the cells, if they are of CSV or TSV, after `start` rows."""
        if not self._log.has_cells:
            return block
        return {field: self._values(field, cells, start) for field, cells in block.items()}

    def _values(self, field: str, cells: list[str], start: int) -> list[Any]:
        source = self._source
        if field in source.filled:
            for row, cell in enumerate(cells, start=start):
                if not cell:
                    self.faults.add(field, source.location(row), f"field {field!r} is empty")
        if field in source.references:
            if source.separator is not None:
                return [[part.strip() for part in cell.split(source.separator)] for cell in cells]
            if "|" in (text := "\n".join(cells)):
                source.joined += sum("|" in cell.strip("|") for cell in cells)
            if "[" in text and (lists := sum(cell.startswith("[") for cell in cells)):
                is_text = self._kinds.get(field) is str
                source.lists += lists if is_text or lists < len(cells) else 0
        if field not in self._kinds:
            kind, values = values_of_cells(cells, numbers_allowed=field in source.numbers)
            is_number = kind is str and field in source.only_numbers
            self._kinds[field] = int | float if is_number else kind
            if not is_number:
                return list(values)
        kind = self._kinds[field]
        return cells if kind is str else self._numbers_or_lists(field, cells, start, kind)

    def _numbers_or_lists(self, field: str, cells: list[str], start: int, kind: Any) -> list[Any]:
        values = []
        for row, cell in enumerate(cells, start=start):
            try:
                number = as_json_number(cell) if field in self._source.only_numbers else cell
                values.append(value_of_cell(number, kind))
            except ValueError:
                expected = "a list, as earlier cells are" if kind is list else "a number"
                problem = f"field {field!r} is {repr(cell)[:80]}, which is not {expected}"
                problem = problem if cell else f"field {field!r} is empty"
                self.faults.add(field, self._source.location(row), problem)
        return values


def file_of(path: Path) -> Path:
    """Return the file to read: for a folder of HELM, the file with the answers."""
    answers = path / "scenario_state.json"
    return answers if path.is_dir() and answers.is_file() else path
