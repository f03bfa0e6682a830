"""Objects with long columns: JSON for people, and a compact binary form of the same content.

The binary form is a line with the format and the SHA-256 of everything after it, followed by an
Arrow IPC stream with one row: a list for each long column. The JSON of all other values is in the
metadata of its schema, with `{"$column": 0}` in the place of the first column. Nothing in it is
compressed or executable. The same content always has the same bytes.

    with open("1.part", "rb") as file:
        file.readline()
        columns = pyarrow.ipc.open_stream(file).read_next_batch()

Integers have the width of the largest of them; values that occur often are stored once, with a code
for each row; and runs of equal values are stored with their length.
"""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .access import check_parsed, default_limits, open_file, read_at_most
from .stored import CHANGED, DAMAGES, Stored, refuse_device, write_whole

if TYPE_CHECKING:
    import pyarrow as pa

_START = b"metric-commons-"  # of the binary form
_SHORT = 32  # values up to which a column stays in the JSON
_SAMPLE = 1 << 16  # values in which repetitions are counted
_CONTENT = b"content"
_COLUMN, _LIST = "$column", "$list"  # placeholders in the JSON for columns, and for lists
_INTEGERS = 1 << 63
_DAMAGES = (*DAMAGES, OSError)
# When a file is read, codes and runs are expanded to values. Their size is limited to this multiple
# of the file's bytes plus this allowance, so that a small file cannot fill the memory; columns that
# would exceed the limit are written without codes and runs.
_GROWTH, _ALLOWANCE = 1000, 1 << 24


class StoredColumns(Stored):
    """An object that is stored as JSON, or in the binary form that this file describes.

    The value of `content` may contain columns: numpy arrays of numbers, and Arrow arrays of texts
    in UTF-8. `from_dict` takes these or lists of the same values.
    """

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """Return the format and the content, with columns."""

    def to_dict(self) -> dict[str, Any]:
        """Return the content as values for JSON."""
        listed: dict[str, Any] = _listed(self.content())
        return listed

    def to_bytes(self) -> bytes:
        """Return the binary form.

        Raises:
            ValueError: a number is not finite.
        """
        body = _packed(self.content())
        return _first_line(self.FORMAT, body) + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the inverse of `to_bytes`.

        Raises:
            ValueError: the data have another format, or were changed.
        """
        line, end, body = data.partition(b"\n")
        stored = line.partition(b" ")[0].decode("ascii", "replace")
        if not end or stored != cls.FORMAT:
            raise cls._refusal(stored)
        if line + end != _first_line(cls.FORMAT, body):
            raise ValueError(CHANGED)
        content = _unpacked(body)
        if not isinstance(content, dict) or content.get("format") != cls.FORMAT:
            raise cls._refusal(None)
        return cls._checked(content)

    def save(self, path: str | Path) -> None:
        """Write a file atomically, as JSON if its name ends in .json, else in the binary form."""
        if Path(path).suffix == ".json":
            super().save(path)
        else:
            write_whole(path, [self.to_bytes()])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the object in a file that `save` wrote, in either form.

        Raises:
            ValueError: the file has another format.
            OSError: it cannot be read.
        """
        refuse_device(path)
        limits = default_limits()
        with BufferedReader(open_file(path)) as file:
            start = file.read(len(_START))
            if start == _START:
                data = start + file.read()
            else:
                data = read_at_most(file, limits.whole, str(path), start)
        try:
            if start == _START:
                return cls.from_bytes(data)
            check_parsed(data, limits)
            return cls.from_json(data.decode())
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


def texts_of(column: Any) -> list[str]:
    r"""Return the texts of a column, which is a list or an Arrow array.

    >>> texts_of(text_column(["a", "\ud800"])) == ["a", "\ud800"]
    True
    """
    if isinstance(column, list):
        if not all(isinstance(text, str) for text in column):
            raise ValueError("a column of texts has other values")
        return column
    import pyarrow as pa

    try:
        texts: list[str] = column.cast(pa.large_string()).to_pylist()
    except pa.ArrowInvalid:
        texts = [text.decode("utf-8", "surrogatepass") for text in column.to_pylist()]
    return texts


def text_column(texts: Any) -> "pa.Array[Any]":
    """Return an Arrow array of these texts in UTF-8, which may contain half of a surrogate pair.

    A text may be None. If the argument is such an array already, it is returned unchanged.

    Raises:
        ValueError: there are values other than texts.
    """
    import pyarrow as pa

    if isinstance(texts, pa.Array) and pa.types.is_large_binary(texts.type):
        return texts
    try:
        return pa.array(texts, pa.large_string()).cast(pa.large_binary())
    except UnicodeEncodeError:
        encoded = [
            None if text is None else text.encode("utf-8", "surrogatepass") for text in texts
        ]
        return pa.array(encoded, pa.large_binary())
    except pa.ArrowException as error:
        raise ValueError(f"a column of texts has other values: {error}") from error


def _first_line(name: str, body: bytes) -> bytes:
    return f"{name} {hashlib.sha256(body).hexdigest()}\n".encode()


def _listed(value: Any) -> Any:
    """Return a JSON value with its columns as lists."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return texts_of(value) if hasattr(value, "to_pylist") else value


def _packed(content: Mapping[str, Any]) -> bytes:
    """Return the content as an Arrow IPC stream with one row of columns of any lengths."""
    import pyarrow as pa

    columns: list[pa.Array[Any]] = []
    text = json.dumps(_without_columns(content, columns), allow_nan=False)
    short = list(map(_compact, columns))
    if sum(map(_size_when_read, short)) > _max_size(sum(column.nbytes for column in short)):
        short = columns
    lists = [
        pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column)
        for column in short
    ]
    schema = pa.schema(
        [(str(number), column.type) for number, column in enumerate(lists)],
        {_CONTENT: text.encode()},
    )
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(allow_64bit=True)
    with pa.ipc.new_stream(sink, schema, options=options) as stream:
        if lists:
            stream.write_batch(pa.RecordBatch.from_arrays(lists, schema=schema))
    return bytes(sink.getvalue())


def _without_columns(value: Any, columns: "list[pa.Array[Any]]") -> Any:
    """Return a value for JSON, with placeholders for columns and for long lists."""
    import pyarrow as pa

    def placeholder(key: str, column: "pa.Array[Any]") -> dict[str, int]:
        columns.append(column)
        return {key: len(columns) - 1}

    if isinstance(value, dict):
        return {key: _without_columns(item, columns) for key, item in value.items()}
    if isinstance(value, list | tuple):
        kinds = {*map(type, value)} if len(value) > _SHORT else {None}
        if kinds == {str}:
            return placeholder(_LIST, text_column(value))
        if kinds == {float} or (
            kinds == {int} and -_INTEGERS <= min(value) <= max(value) < _INTEGERS
        ):
            return placeholder(_LIST, pa.array(value))
        return [_without_columns(item, columns) for item in value]
    is_column = isinstance(value, np.ndarray | pa.Array)
    if is_column and len(value) > _SHORT:
        return placeholder(_COLUMN, pa.array(value))
    return _listed(value)


def _compact(column: "pa.Array[Any]") -> "pa.Array[Any]":
    """Return the values in fewer bytes.

    Narrow integers, codes for few distinct values, runs of numbers.

    Raises:
        ValueError: a number is not finite.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    is_text = pa.types.is_large_binary(column.type)
    if pa.types.is_floating(column.type) and not pc.all(pc.is_finite(column)).as_py():
        raise ValueError("a number is not finite")
    if is_text and column.nbytes < 1 << 31:
        column = column.cast(pa.binary())
    encodings = [_narrow(column)]
    if not is_text:
        encodings.append(pc.run_end_encode(encodings[0]))
    if len(pc.unique(column[:_SAMPLE])) * 2 < min(len(column), _SAMPLE):
        coded = pc.dictionary_encode(column)
        encodings.append(pa.DictionaryArray.from_arrays(_narrow(coded.indices), coded.dictionary))
    return min(encodings, key=lambda encoding: int(encoding.nbytes))


def _narrow(column: "pa.Array[Any]") -> "pa.Array[Any]":
    """Return integers in the narrowest type that holds them; other columns unchanged."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(column.type):
        ends = pc.min_max(column).as_py()
        for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
            limits = np.iinfo(kind)
            if limits.min <= ends["min"] and ends["max"] <= limits.max:
                return column.cast(pa.from_numpy_dtype(kind))
    return column


def _unpacked(body: bytes) -> Any:
    """Return the inverse of `_packed`.

    Raises:
        ValueError: it is not such a stream, or its columns would take too much memory.
    """
    import pyarrow as pa

    try:
        with pa.ipc.open_stream(body) as stream:
            text = stream.schema.metadata[_CONTENT]
            batches = list(stream)
        for batch in batches:
            batch.validate(full=True)
        columns = [batch.column(i).values for batch in batches for i in range(batch.num_columns)]
        if sum(map(_size_when_read, columns)) > _max_size(len(body)):
            raise ValueError("its columns would take too much memory")
        restore = partial(_with_column, columns=list(map(_decoded, columns)))
        return json.loads(text, object_hook=restore)
    except _DAMAGES as error:
        raise ValueError(f"the columns are damaged: {error}") from error


def _max_size(size: int) -> int:
    return _GROWTH * size + _ALLOWANCE


def _size_when_read(column: "pa.Array[Any]") -> int:
    """Return the bytes of a column after codes and runs are expanded."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        values = column.dictionary
        if pa.types.is_binary(values.type):
            sizes = pc.binary_length(values).take(column.indices)
            return 8 * len(column) + int(pc.sum(sizes).as_py())
    elif pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return 8 * len(column) + int(column.nbytes)
    return 8 * len(column)


def _decoded(column: "pa.Array[Any]") -> Any:
    """Return the inverse of `_compact`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        raise ValueError("a column has missing values")
    kind, codes = column.type, None
    if pa.types.is_dictionary(kind):
        column, codes = column.dictionary, column.indices
    elif pa.types.is_run_end_encoded(kind):
        column = pc.run_end_decode(column)
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return (column if codes is None else column.take(codes)).cast(pa.large_binary())
    numbers = column.to_numpy(zero_copy_only=False)
    if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        raise ValueError("a number is not finite")
    if numbers.dtype not in (np.float64, np.bool_, np.uint64):
        numbers = numbers.astype(np.int64)
    return numbers if codes is None else numbers[codes.to_numpy()]


def _with_column(value: dict[str, Any], columns: list[Any]) -> Any:
    """Return the inverse of `_without_columns` for a JSON object, called after its values."""
    for key, number in value.items() if len(value) == 1 else ():
        if isinstance(number, int) and key in (_COLUMN, _LIST):
            return columns[number] if key == _COLUMN else _listed(columns[number])
    return value
