"""Columns of files, with values unchanged: JSON Lines, JSON, CSV, TSV, Parquet, logs.

`datasets` reads these formats, too, but changes values. In JSON it turns strings like "2017-01-02"
into dates, large integers into floats, and the string "1" into a number if another row has [1]. In
CSV it turns "2017" and "007" into numbers, and "NA", "None" and "" into missing values. It refuses
single surrogates. So the standard library parses text here, which also knows the line of an error,
and pyarrow parses Parquet.
"""

import math
from array import array
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
    Row,
    fault_of,
    location,
    missing_field,
)
from ..files.streams import STANDARD_INPUT, Stream, broken_compression
from ..harness_logs.logs import PLAIN_ROWS, Column, Log, Record, log_in
from .selection import Selected, Selection

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
        self.holes: Collection[str] = ()  # fields of numbers in which empty cells are NaN
        # The fields of references, and the text that separates several of them in a cell.
        self.references: Collection[str] = ()
        self.separator: str | None = None
        self.progress = progress and shows_bars()
        self.sha256 = ""
        self.rows = 0  # the number of rows so far, those of the last block included
        self.lines = array("q")  # of rows, if the format has lines
        self.excluded: Counter[str] = Counter()  # rows that do not count, by reason
        self._resources = ExitStack()
        self._stream: Stream | None = None
        self._log: Log | None = None
        self._is_read = False
        self._is_empty = False
        self._read = 0  # the number of rows read, of which some wait for a block
        self._faults: dict[str, str] = {}  # the first one of each field
        self._faulty: Counter[str] = Counter()  # rows, by field
        self._getters: list[tuple[str, Column]] = []
        self._kinds: dict[str, Any] = {}  # types of the cells of fields, from the first block

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
        """Yield the columns of at most `size` rows at a time; the errors are those of `columns`."""
        if self._is_read:
            self.close()
            self._log = None
        self.rows = self._read = 0
        self.lines, self._faults, self._getters, self._kinds = array("q"), {}, [], {}
        self._faulty.clear()
        log, self._is_read = self.log, True
        with self._named_errors():
            waiting: Columns = {field: [] for field in self.fields}
            characters = 0  # about those that wait, if all rows of a part are like its first
            for columns in self._parts(log):
                for field, values in columns.items():
                    waiting[field] += values
                    characters += len(values) * len(str(values[0])) if values else 0
                if size and (self._read - self.rows >= size or characters >= _CHARACTERS):
                    yield from self._typed(waiting, size)
                    waiting, characters = {field: [] for field in self.fields}, 0
            self._check_faults()
            if self._stream is not None:
                self.sha256 = self._stream.sha256()
            if not self._read:
                problem = "there is a header, but no rows" if log.has_cells else "there are no rows"
                raise ValueError("the file is empty" if self._is_empty else problem)
            if self._read > self.rows:
                yield from self._typed(waiting, size or self._read)
            self._check_faults()
        self.close()

    def _typed(self, columns: Columns, size: int) -> Iterator[Columns]:
        """Yield rows with the values of their cells, unless a row is refused."""
        end = self._read
        while self.rows < end:
            part = {field: values[:size] for field, values in columns.items()}
            columns = {field: values[size:] for field, values in columns.items()}
            start, self.rows = self.rows, min(self.rows + size, end)
            if self.log.has_cells:
                part = {field: self._values(field, cells, start) for field, cells in part.items()}
            if not self._faults:
                yield part

    def provenance(self) -> dict[str, Any]:
        """Return path, hash and number of rows for the provenance, once all rows are read."""
        record: dict[str, Any] = {"path": str(self.path), "sha256": self.sha256, "rows": self.rows}
        if self.log.format_name != PLAIN_ROWS:
            record["format"] = self.log.format_name
        return record

    def location(self, row: int) -> str:
        """Return the location of a row: its number, and its line if the format has lines."""
        return location(row, self.lines[row] if row < len(self.lines) else None)

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
        bar = self._resources.enter_context(tqdm(desc="reading", total=size, **style))
        return lambda size: bar.update(size)

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

    def _parts(self, log: Log) -> Iterator[Columns]:
        """Yield columns of some rows at a time, as cells of CSV and TSV have them."""
        from ...statistics.arguments.arrays import no_collection  # imports numpy, so only on use

        if log.blocks is None or self.limit is not None or self.selection != Selection():
            selected = Selected(log, self.selection)
            with _whole_log():
                yield from self._by_rows(islice(selected, self.limit))
            self.excluded = selected.excluded
            return
        for block in log.blocks:
            with no_collection():
                found = block.columns(self.fields)
            if found is None:
                yield from self._by_rows(block.rows(self._read))
                continue
            columns, lines = found
            self.lines.extend(lines)
            self._read += len(next(iter(columns.values())))
            yield columns

    def _by_rows(self, rows: Iterator[Row]) -> Iterator[Columns]:
        """Yield columns of rows that are read one by one, without the values that are refused."""
        while block := list(islice(rows, _ROWS)):
            start = self._read
            self._read += len(block)
            self.lines.extend(line for line, _ in block if line is not None)
            if self.log.format_name == PLAIN_ROWS:
                with suppress(KeyError):
                    yield {name: [record[name] for _, record in block] for name in self.fields}
                    continue
            if not self._getters:
                first = block[0][1]
                self._getters = [(name, self.log.getter(name, first)) for name in self.fields]
            columns: Columns = {name: [] for name in self.fields}
            for row, (_, record) in enumerate(block, start):
                for name, get in self._getters:
                    try:
                        columns[name].append(get(record))
                    except (ValueError, LookupError, TypeError, AttributeError) as error:
                        self._refuse(name, row, self._problem(name, record, error))
            yield columns

    def _problem(self, field: str, record: Record, error: Exception) -> str:
        is_path = isinstance(error, PathError)
        if isinstance(error, ValueError) and not is_path:
            return str(error)
        if is_path and field not in self.log.columns:
            if steps(field)[0] not in record:
                return missing_field(field, record)
            return f"field {field!r} is missing; {error}"
        return f"{field} does not conform to the format {self.log.format_name}: {error}"

    def _values(self, field: str, cells: list[str], start: int) -> list[Any]:
        """Return the values of cells of CSV or TSV, after `start` rows."""
        if field in self.filled and "" in cells:
            for row, cell in enumerate(cells, start):
                if not cell:
                    self._refuse_cell(field, row, cell)
        if field in self.references and self.separator is not None:
            return [[part.strip() for part in cell.split(self.separator)] for cell in cells]
        if field not in self._kinds:
            kind, values = values_of_cells(cells, numbers_allowed=field in self.numbers)
            is_number = kind is str and field in self.only_numbers
            self._kinds[field] = int | float if is_number else kind
            if not is_number:
                return list(values)
        if self._kinds[field] is str:
            return cells
        values = []
        for row, cell in enumerate(cells, start):
            if not cell and field in self.holes:
                values.append(math.nan)
                continue
            try:
                number = as_json_number(cell) if field in self.only_numbers else cell
                values.append(value_of_cell(number, self._kinds[field]))
            except ValueError:
                self._refuse_cell(field, row, cell)
        return values

    def _refuse_cell(self, field: str, row: int, cell: str) -> None:
        expected = "a list, as earlier cells are" if self._kinds.get(field) is list else "a number"
        is_what = f"{repr(cell)[:80]}, which is not {expected}" if cell else "empty"
        self._refuse(field, row, f"field {field!r} is {is_what}")

    def _refuse(self, field: str, row: int, problem: str) -> None:
        """Note a problem with a field in a row; the message has the first one of a field."""
        self._faults.setdefault(field, f"{self.location(row)}: {problem}")
        self._faulty[field] += 1

    def _check_faults(self) -> None:
        for field, message in self._faults.items():
            others = self._faulty[field] - 1
            raise ValueError(message + (f"; and {others:,} more" if others else ""))


@contextmanager
def _whole_log() -> Iterator[None]:
    """Turn errors about missing parts of a log into a ValueError that quotes nothing from it."""
    try:
        yield
    except (AttributeError, LookupError, TypeError) as error:
        name = type(error).__name__
        problem = f"a part of the log is missing or has the wrong type for its format ({name})"
        raise ValueError(problem) from error


def file_of(path: Path) -> Path:
    """Return the file to read: for a folder of HELM, the file with the answers."""
    answers = path / "scenario_state.json"
    return answers if path.is_dir() and answers.is_file() else path
