"""Columns of files, with values unchanged: JSON Lines, JSON, CSV, TSV, Parquet, logs.

`datasets` reads these formats, too, but changes values. In JSON it turns strings like "2017-01-02"
into dates, large integers into floats, and the string "1" into a number if another row has [1]. In
CSV it turns "2017" and "007" into numbers, and "NA", "None" and "" into missing values. It refuses
single surrogates. So the standard library parses text here, which also knows the line of an error,
and pyarrow parses Parquet.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ...statistics.resampling.progress import shows_bars
from ..files.access import Limits
from ..files.delimited_rows import as_json_number, value_of_cell, values_of_cells
from ..files.field_paths import PathError, steps
from ..files.json_rows import LineNumbers, Row, fault_of, location, missing_field
from ..files.pieces import Piece, RowBlock
from ..files.streams import STANDARD_INPUT, Stream, broken_compression
from ..harness_logs.logs import PLAIN_ROWS, Column, Log, Record, log_in
from .selection import Selected, Selection

_EXAMPLES = 5  # additional bad rows in a message
# Bytes and rows that complete a block of a file that is read in pieces.
_SIZE, _ROWS = 1 << 19, 1 << 15

Columns = dict[str, list[Any]]


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
        limits: the maximum length of a line, and of the content of a compressed file.
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
        limits: Limits | None = None,
        progress: bool = False,
    ) -> None:
        self.path, self.fields, self.format_name, self.limit = path, fields, format_name, limit
        self.numbers, self.only_numbers, self.filled = numbers, only_numbers, filled
        self.selection, self.limits = selection or Selection(), limits
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

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of all rows.

        Raises:
            ValueError: the file is not in its format, is truncated or empty, or a row lacks a
                field.
            OSError: the file cannot be read.
        """
        (columns,) = self.blocks(None)
        return columns

    def blocks(self, size: int | None) -> Iterator[dict[str, list[Any]]]:
        """Yield the columns of at most `size` rows at a time; the errors are those of `columns`."""
        self.rows, self.lines = 0, LineNumbers()
        is_divisible, log = self.is_divisible, self._log_to_read()
        with self._named_errors():
            yield from (self._blocks_of_pieces if is_divisible else self._blocks)(log, size)
        self.end(self.rows)

    @property
    def is_divisible(self) -> bool:
        """Return whether pieces of the file can be read separately, in any process."""
        is_whole = self.limit is None and self.selection == Selection()
        return is_whole and self.log.pieces is not None

    def pieces(self, size: int) -> Iterator[tuple[int, Piece | Columns]]:
        """Yield the rows in pieces for other processes, each with a number for its first row.

        Numbers for rows ascend, and are those of rows unless there are blank lines. Pieces are
        columns of `size` rows if only this process can parse the file.

        Raises:
            ValueError: the file is not in its format, is truncated or empty.
            OSError: the file cannot be read.
        """
        if not self.is_divisible:
            for block in self.blocks(size):
                rows = len(next(iter(block.values())))
                yield self.rows - rows, block
            return
        self.rows = 0
        log = self._log_to_read()
        with self._named_errors():
            for piece in log.pieces or ():
                yield piece.start, piece
            self._note_provenance(log)
        self.close()

    def blocks_of(self, piece: Piece | Columns, start: int) -> Iterator[Columns]:
        """Yield the columns of a piece, in blocks; the first row has the number `start`.

        Raises:
            ValueError: a row is not valid.
        """
        if isinstance(piece, dict):
            yield piece
            return
        reader = _TableReader(self, self.log)
        self.lines = LineNumbers()
        for rows, columns in reader.blocks(piece, start):
            reader.faults.check(rows)
            yield columns

    def end(self, rows: int) -> None:
        """Note the number of rows that all processes have read, and close the file.

        Raises:
            ValueError: there were none.
        """
        self.rows = rows
        self.close()
        if not rows:
            problem = (
                "there is a header, but no rows" if self.log.has_cells else "there are no rows"
            )
            raise ValueError(f"{self.path}: {'the file is empty' if self._is_empty else problem}")

    def provenance(self) -> dict[str, Any]:
        """Return path, hash and number of rows for the provenance, once all rows are read."""
        return {"path": str(self.path), "sha256": self.sha256, "rows": self.rows} | self._provenance

    def location(self, row: int) -> str:
        """Return the location of a row: its number, and its line if the format has lines."""
        return location(row, self.lines.of(row))

    def close(self) -> None:
        """Close the file; its log remains available."""
        self._resources.close()

    def _log_to_read(self) -> Log:
        """Return the log at its start, so that a file can be read repeatedly."""
        if self._is_read:
            self.close()
            self._log = None
        log = self.log
        self._is_read = True
        return log

    def _opened(self) -> Log:
        path = file_of(self.path)
        self._stream = Stream(path, self.limits, self._bar(path))
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

    def _blocks(self, log: Log, size: int | None) -> Iterator[dict[str, list[Any]]]:
        selected, rows = None, log.rows
        if log.format_name != PLAIN_ROWS or self.selection != Selection():
            selected = Selected(log, self.selection)
            rows = iter(selected) if log.format_name == PLAIN_ROWS else _whole_rows(iter(selected))
        rows = islice(rows, self.limit)
        reader = _TableReader(self, log)
        while True:
            start = self.rows
            count, block = reader.read(islice(rows, size), start)
            self.rows += count
            if count and not reader.faults:
                typed = reader.typed(block, start) if log.has_cells else block
                if not reader.faults:
                    yield typed
            if size is None or count < size:
                break
        reader.faults.check(self.rows)
        self.excluded = selected.excluded if selected else Counter()
        self._note_provenance(log)

    def _blocks_of_pieces(self, log: Log, size: int | None) -> Iterator[Columns]:
        reader = _TableReader(self, log)
        start = 0  # of the next piece
        total: Columns = {field: [] for field in self.fields}
        pieces = log.pieces or ()
        for rows, columns in chain.from_iterable(reader.blocks(piece, start) for piece in pieces):
            start += rows
            if size is None:
                for field, values in columns.items():
                    total[field] += values
                continue
            for first in range(0, rows, size):
                self.rows += min(size, rows - first)
                if not reader.faults:
                    yield {field: values[first : first + size] for field, values in columns.items()}
        self.rows = start
        reader.faults.check(self.rows)
        self._note_provenance(log)
        if size is None and start:
            yield total

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
        self._getters: list[tuple[str, Column]] = []
        self._kinds: dict[str, Any] = {}  # types of the cells of fields, from the first block

    def blocks(self, piece: Piece, start: int) -> Iterator[tuple[int, Columns]]:
        """Yield the number of rows and the columns of each block of a piece.

        `start` is the number of rows before the piece. The size of blocks is limited, so that long
        texts do not fill the memory.
        """
        from ...statistics.arguments.arrays import no_collection  # imports numpy, so only on use

        blocks = self._log.pieces.parsed(piece, start) if self._log.pieces else iter(())
        while True:
            columns: Columns = {field: [] for field in self._source.fields}
            rows = size = 0
            is_end = True
            with no_collection():
                for block in blocks:
                    count, columns_of_block = self._columns_of_block(block, start + rows)
                    for field, values in columns_of_block.items():
                        columns[field] += values
                    rows, size = rows + count, size + block.size
                    if size >= _SIZE or rows >= _ROWS:
                        is_end = False
                        break
            if rows:
                yield rows, columns
            if is_end:
                return
            start += rows

    def _columns_of_block(self, block: RowBlock, start: int) -> tuple[int, Columns]:
        columns = {field: block.values(field) for field in self._source.fields}
        values = next(iter(columns.values()), None)
        if values is None or None in columns.values():
            return self.read(block.rows(), start)
        if block.lines is not None:
            self._source.lines.add(start, block.lines)
        return len(values), columns  # type: ignore[return-value] # none of them is None

    def read(self, rows: Iterable[Row], start: int) -> tuple[int, Columns]:
        """Return the number of rows, and their columns, read row by row after `start` rows."""
        source = self._source
        block: Columns = {field: [] for field in source.fields}
        columns: list[tuple[str, Column, Callable[[Any], None]]] = []
        lines: list[int] = []
        row = start - 1
        for row, (line, record) in enumerate(rows, start):
            if not columns:
                if not self._getters:
                    self._getters = [
                        (field, self._log.getter(field, record)) for field in source.fields
                    ]
                columns = [(field, get, block[field].append) for field, get in self._getters]
            for field, get, append in columns:
                try:
                    append(get(record))
                except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                    problem = self._problem(field, record, error)
                    self.faults.add(field, location(row, line), problem)
            if line is not None:
                lines.append(line)
        source.lines.add(start, lines)
        return row + 1 - start, block

    def _problem(self, field: str, record: Record, error: Exception) -> str:
        if isinstance(error, PathError):
            if steps(field)[0] not in record:
                return missing_field(field, record)
            return f"field {field!r} is missing; {error}"
        if isinstance(error, ValueError):
            return str(error)
        detail = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        return f"{field} does not conform to the format {self._log.format_name}: {detail}"

    def typed(self, block: dict[str, list[str]], start: int) -> dict[str, list[Any]]:
        """Return the values of the cells of CSV and TSV."""
        return {field: self._values(field, cells, start) for field, cells in block.items()}

    def _values(self, field: str, cells: list[str], start: int) -> list[Any]:
        source = self._source
        if field in source.filled:
            for row, cell in enumerate(cells, start=start):
                if not cell:
                    self.faults.add(field, source.location(row), f"field {field!r} is empty")
        if field in source.references and source.separator is not None:
            return [[part.strip() for part in cell.split(source.separator)] for cell in cells]
        if field in source.references:
            source.joined += sum("|" in cell.strip("|") for cell in cells)
        if field in source.references and (lists := sum(cell.startswith("[") for cell in cells)):
            source.lists += lists if lists < len(cells) or self._kinds.get(field) is str else 0
        if field not in self._kinds:
            kind, values = values_of_cells(cells, numbers_allowed=field in source.numbers)
            self._kinds[field] = kind
            if kind is not str or field not in source.only_numbers:
                return list(values)
            self._kinds[field] = int | float
        values = []
        for row, cell in enumerate(cells, start=start):
            try:
                number = as_json_number(cell) if field in source.only_numbers else cell
                values.append(value_of_cell(number, self._kinds[field]))
            except ValueError:
                expected = (
                    "a list, as earlier cells are" if self._kinds[field] is list else "a number"
                )
                problem = f"field {field!r} is {repr(cell)[:80]}, which is not {expected}"
                problem = problem if cell else f"field {field!r} is empty"
                self.faults.add(field, source.location(row), problem)
        return values


def file_of(path: Path) -> Path:
    """Return the file to read: for a folder of HELM, the file with the answers."""
    answers = path / "scenario_state.json"
    return answers if path.is_dir() and answers.is_file() else path
