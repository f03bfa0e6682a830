"""Files of scored rows: Parquet, or JSON Lines for people.

There is a line for each row of each system, with the columns `system`, `id`, `group`, `clusters`,
`digest` and one for each module, a record of what it keeps of the row. The options and the version
that scored stand in the metadata of the schema, and in JSON Lines in the first line.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.files.access import open_file
from ...data.files.stored import DAMAGES, check_object, refuse_device, to_jsonable, write_whole
from ...data.files.streams import Stream, broken_compression
from ...module.catalog.catalog import is_known, load_without_evaluate
from ...module.declaration.declarations import names_of_functions
from ...statistics.arguments.checks import nearest
from .logged_scores import LOGGED, SCORES, LoggedScores
from .row_tables import RowTable, check_unique, kept_by
from .versions import DISTRIBUTION, version

if TYPE_CHECKING:
    import pyarrow as pa

Tables = Mapping[str, Mapping[str, RowTable]]  # by system and module

FORMAT = "metric-commons-rows/1"
_KEY = b"metric-commons"  # of the metadata
_ROWS = 1 << 16  # of a block that is written
_LABELS = ("system", "id", "group", "clusters", "digest")
_HEADER = {
    "format": str,
    "version": str,
    "runs": Mapping[str, Any],
    "provenance": Mapping[str, Any],
}
_RUN = {
    "options": Mapping[str, Any],
    "functions": Sequence[str],
    "conditions": Mapping[str, Any],
    "json": Sequence[str],
    "texts": Sequence[str],
    "columns": Sequence[str],
    "kept": str,
    "lower_is_better": Sequence[str],
}


@dataclass(frozen=True)
class RowFile:
    """The tables in a file, and where their rows come from."""

    tables: dict[str, dict[str, RowTable]]
    provenance: dict[str, Any] = field(default_factory=dict)


def is_json_lines(path: str | Path) -> bool:
    """Return whether a file of this name has JSON Lines, and not Parquet."""
    return Path(path).suffix in (".jsonl", ".json", ".ndjson")


def write_tables(
    path: str | Path, tables: Tables, provenance: Mapping[str, Any] | None = None
) -> str:
    """Write a file, whole or not at all, and return its SHA-256.

    Args:
        path: a name that ends in .jsonl for JSON Lines; any other is Parquet.
        tables: the rows of each system and module; those of a system are in the same order.
        provenance: the record of where they come from.

    Raises:
        ValueError: a row of a system occurs twice.
        OSError: the file cannot be written.
    """
    for modules in tables.values():
        for table in modules.values():
            check_unique(table.ids or ())
    digest = sha256()

    def digested(pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            digest.update(piece)
            yield piece

    write = _json_lines if is_json_lines(path) else _parquet
    write_whole(path, digested(write(tables, dict(provenance or {}))))
    return digest.hexdigest()


def table_bytes(tables: Tables) -> bytes:
    """Return the content of a Parquet file, to be sent to another process."""
    return b"".join(_parquet(tables, {}))


def tables_of_bytes(data: bytes) -> dict[str, dict[str, RowTable]]:
    """Return the inverse of `table_bytes`."""
    import pyarrow as pa

    return _read_parquet(pa.BufferReader(data)).tables


def read_tables(path: str | Path) -> RowFile:
    """Return the tables in a file that `write_tables` wrote.

    Raises:
        ValueError: the file is not one of rows, is damaged, or another version wrote it, whose
            scores may differ.
        OSError: it cannot be read.
    """
    refuse_device(path)
    damaged: tuple[type[Exception], ...] = (ValueError, *broken_compression())
    try:
        with Stream(Path(path)) as stream:
            if not stream.start().startswith(b"PAR1"):
                return _read_json_lines(stream.content)
        with open_file(path) as file:
            return _read_parquet(file)
    except damaged as error:
        raise ValueError(f"{path}: {error}") from error
    except DAMAGES as error:
        raise ValueError(f"{path}: not a complete {FORMAT}: {error}") from error


def has_parquet_header(path: Path) -> bool:
    """Return whether a Parquet file has scored rows; a damaged one has, and is refused later."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_file(path) as file:
            return _KEY in (pq.read_schema(file).metadata or {})
    except (pa.ArrowInvalid, OSError):
        return True


# ---- the header ---------------------------------------------------------------------------------


def _header(tables: Tables, provenance: dict[str, Any], json_columns: Mapping[Any, Any]) -> str:
    runs = {
        system: {
            module: {
                "options": to_jsonable(table.options),
                "functions": names_of_functions(table.options),
                "conditions": to_jsonable(dict(table.conditions)),
                "json": json_columns.get((system, module), []),
                "texts": [*table.texts],
                "columns": [*table.columns],
                "kept": table.kept,
                "lower_is_better": sorted(table.metric.lower_is_better),
            }
            for module, table in modules.items()
        }
        for system, modules in tables.items()
    }
    header = {"format": FORMAT, "version": version(DISTRIBUTION), "runs": runs}
    return json.dumps(header | {"provenance": to_jsonable(provenance)})


def _checked_header(text: str | bytes | None) -> dict[str, Any]:
    """Return the header, if it is one that this version wrote."""
    refused = ValueError(
        f"not in the format {FORMAT}: `metric-commons score --rows FILE` writes it"
    )
    try:
        header = json.loads(text or "null")
    except (ValueError, RecursionError):
        raise refused from None
    if not isinstance(header, dict) or not str(header.get("format")).startswith(FORMAT[:-1]):
        raise refused
    if header["format"] != FORMAT or header.get("version") != version(DISTRIBUTION):
        raise ValueError(
            f"rows of {DISTRIBUTION} {header.get('version')} in {header['format']}, but this is "
            f"{version(DISTRIBUTION)}; scores may have changed between them: score again"
        )
    check_object("the first line", header, _HEADER)
    for modules in header["runs"].values():
        for module, run in modules.items():
            check_object(f"module {module!r}", run, _RUN)
    return header


def _metric(module: str, run: Mapping[str, Any]) -> Any:
    """Return the module with the options that rows were scored with.

    The scores of rows need no module, so that of somebody else may be unknown here.
    """
    lower = frozenset(run["lower_is_better"])
    if module in (LOGGED, SCORES):
        return LoggedScores(lower, module)
    if run["functions"]:
        raise ValueError(
            f"{module} was scored with a function as {run['functions'][0]}, and no file holds one"
        )
    if run["kept"] == "scores" and not is_known(module):
        return LoggedScores(lower, module, scoring=run["options"])
    defaults = load_without_evaluate(module).options
    changed = {
        name: value
        for name, value in run["options"].items()
        if name not in defaults or to_jsonable(defaults[name]) != value
    }
    return load_without_evaluate(module, **changed)


def _table(
    metric: Any, run: Mapping[str, Any], columns: Mapping[str, Any], labels: Mapping[str, Any]
) -> RowTable:
    """Return a table from the columns and labels of a file."""
    return RowTable(
        metric=metric,
        columns=metric.with_nan({name: columns[name] for name in run["columns"]}),
        texts={name: columns[name] for name in run["texts"]},
        conditions=run["conditions"],
        ids=labels["id"],
        groups=labels["group"],
        clusters=labels["clusters"],
        digests=labels["digest"],
    )


# ---- Parquet ------------------------------------------------------------------------------------


class _Sink:
    """A file that collects what is written, until it is taken."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        """Take some bytes."""
        self._pieces.append(bytes(data))
        self._size += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        """Return the number of bytes so far."""
        return self._size

    def flush(self) -> None:
        """Do nothing: nothing is kept back."""

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data


def _parquet(tables: Tables, provenance: dict[str, Any]) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    json_columns: dict[Any, list[str]] = {}
    parts = [_arrow(system, modules, json_columns) for system, modules in tables.items()]
    whole = pa.concat_tables(parts, promote_options="permissive")
    metadata = {_KEY: _header(tables, provenance, json_columns).encode()}
    whole = whole.replace_schema_metadata(metadata)
    sink = _Sink()
    with pq.ParquetWriter(
        pa.PythonFile(sink, mode="w"), whole.schema, compression="zstd"
    ) as writer:
        for start in range(0, whole.num_rows, _ROWS):
            writer.write_table(whole.slice(start, _ROWS))
            yield sink.taken()
    yield sink.taken()


def _arrow(
    system: str, modules: Mapping[str, RowTable], json_columns: dict[Any, list[str]]
) -> "pa.Table":
    """Return the rows of a system as a table of Arrow; note columns that are stored as JSON."""
    import pyarrow as pa

    first = next(iter(modules.values()))
    number = len(first)
    columns: dict[str, Any] = {
        "system": pa.array([system] * number, pa.string()).dictionary_encode()
    }
    if first.ids is not None:
        columns["id"] = pa.array(first.ids, pa.string())
    if first.groups is not None:
        columns["group"] = pa.array(first.groups, pa.string())
    if first.clusters:
        fields = [pa.array(labels, pa.string()) for labels in first.clusters.values()]
        columns["clusters"] = pa.StructArray.from_arrays(fields, [*first.clusters])
    if first.digests is not None:
        columns["digest"] = pa.array(first.digests)
    for module, table in modules.items():
        arrays = {}
        for name, column in {**table.columns, **table.texts}.items():
            array = _array(column)
            if array is None:
                array = pa.array([json.dumps(to_jsonable(value)) for value in column], pa.string())
                json_columns.setdefault((system, module), []).append(name)
            arrays[name] = array
        if arrays:
            columns[module] = pa.StructArray.from_arrays([*arrays.values()], [*arrays])
    return pa.table(columns)


def _array(column: Any) -> Any:
    """Return numbers, texts or lists of one of them as Arrow has them; None for anything else.

    >>> _array([1, "a"]), _array([["a"], []]).to_pylist()
    (None, [['a'], []])
    """
    import pyarrow as pa

    if isinstance(column, np.ndarray):
        if column.ndim == 1 and column.dtype.kind in "biuf":
            return pa.array(column)
        column = column.tolist()
    kinds = set(map(type, column))
    if kinds == {list}:
        kinds = set(map(type, chain.from_iterable(column)))
    if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
        return None
    try:
        return pa.array(column)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        return None


def _read_parquet(file: Any) -> RowFile:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        content = pq.ParquetFile(file)
        header = _checked_header((content.schema_arrow.metadata or {}).get(_KEY))
        whole = content.read(use_threads=False)
    except (pa.ArrowInvalid, OSError, EOFError) as error:
        raise ValueError(f"a damaged Parquet file: {str(error).splitlines()[0]}") from error
    systems = whole.column("system")
    tables: dict[str, dict[str, RowTable]] = {}
    for system, modules in header["runs"].items():
        of_system = whole.filter(pc.equal(systems, system)) if len(header["runs"]) > 1 else whole
        labels = _labels_of_arrow(of_system)
        tables[system] = {}
        for module, run in modules.items():
            names = [*run["columns"], *run["texts"]]
            record = of_system.column(module).combine_chunks() if names else None
            columns = {
                name: _restored(pc.struct_field(record, name), name in run["json"])
                for name in names
            }
            tables[system][module] = _table(_metric(module, run), run, columns, labels)
    return RowFile(tables, header["provenance"])


def _labels_of_arrow(table: "pa.Table") -> dict[str, Any]:
    labels: dict[str, Any] = dict.fromkeys(("id", "group", "digest"))
    for name in ("id", "group"):
        if name in table.column_names and not table.column(name).null_count:
            labels[name] = table.column(name).to_pylist()
    if "digest" in table.column_names and not table.column("digest").null_count:
        labels["digest"] = table.column("digest").to_numpy()
    clusters: dict[str, list[str]] = {}
    if "clusters" in table.column_names and not table.column("clusters").null_count:
        for label_field in table.schema.field("clusters").type:
            column = table.column("clusters").combine_chunks().field(label_field.name)
            if not column.null_count:
                clusters[label_field.name] = column.to_pylist()
    return labels | {"clusters": clusters}


def _restored(column: Any, is_json: bool) -> Any:
    import pyarrow as pa

    if is_json:
        return [json.loads(text) for text in column.to_pylist()]
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return column.to_numpy(zero_copy_only=False)
    return column.to_pylist()


# ---- JSON Lines ---------------------------------------------------------------------------------


def _json_lines(tables: Tables, provenance: dict[str, Any]) -> Iterator[bytes]:
    yield f"{_header(tables, provenance, {})}\n".encode()
    for system, modules in tables.items():
        first = next(iter(modules.values()))
        listed = {
            module: {
                name: column.tolist() if isinstance(column, np.ndarray) else column
                for name, column in {**table.columns, **table.texts}.items()
            }
            for module, table in modules.items()
        }
        for row in range(len(first)):
            record: dict[str, Any] = {"system": system}
            if first.ids is not None:
                record["id"] = first.ids[row]
            if first.groups is not None:
                record["group"] = first.groups[row]
            if first.clusters:
                record["clusters"] = {name: c[row] for name, c in first.clusters.items()}
            if first.digests is not None:
                record["digest"] = int(first.digests[row])
            for module, columns in listed.items():
                record[module] = {name: _for_json(c[row]) for name, c in columns.items()}
            yield f"{json.dumps(record, allow_nan=False)}\n".encode()


def _for_json(value: Any) -> Any:
    """Return a value for JSON, which has no infinities: they are written as texts."""
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return to_jsonable(value)


def _read_json_lines(file: Any) -> RowFile:
    header = _checked_header(file.readline())
    runs = header["runs"]
    rows: dict[str, list[dict[str, Any]]] = {system: [] for system in runs}
    for number, line in enumerate(file, start=2):
        try:
            record = json.loads(line)
            rows[record["system"]].append(record)
        except KeyError as error:
            hint = nearest(str(error.args[0]), runs)
            raise ValueError(f"line {number}: {error} is unknown or missing{hint}") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"line {number}: {error}") from None
    tables = {system: _tables_of_records(modules, rows[system]) for system, modules in runs.items()}
    return RowFile(tables, header["provenance"])


def _tables_of_records(
    modules: Mapping[str, Any], records: Sequence[Mapping[str, Any]]
) -> dict[str, RowTable]:
    """Return the tables of a system from its lines."""

    def column(name: str, *keys: str) -> list[Any]:
        """Return the values that these keys lead to."""
        values: Any = records
        try:
            for key in keys:
                values = [value[key] for value in values]
        except (KeyError, TypeError):
            raise ValueError(f"a row lacks {name}") from None
        return list(values)

    first = records[0] if records else {}
    labels: dict[str, Any] = {
        name: column(name, name) if name in first else None for name in ("id", "group", "digest")
    }
    if labels["digest"] is not None:
        labels["digest"] = np.array(labels["digest"], np.uint64)
    labels["clusters"] = {
        name: column(name, "clusters", name) for name in first.get("clusters", ())
    }
    tables = {}
    for module, run in modules.items():
        metric = _metric(module, run)
        columns: dict[str, Any] = {
            name: column(f"{name} of {module}", module, name)
            for name in [*run["columns"], *run["texts"]]
        }
        if kept_by(metric) != "inputs":
            columns |= {name: _numbers(name, columns[name]) for name in run["columns"]}
        tables[module] = _table(metric, run, columns, labels)
    return tables


def _numbers(name: str, values: Sequence[Any]) -> Any:
    """Return a column of scores or sums, in which null stands for NaN."""
    if set(map(type, values)) <= {int}:
        return np.array(values, np.int64)
    try:
        return np.array([math.nan if v is None else float(v) for v in values], np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is not a column of numbers") from None
