"""Files of scored rows: Parquet, or JSON Lines for people.

There is a line for each row of each system, with the columns `system`, `id`, `group`, `clusters`,
`digest` and one for each module, a record of what it keeps of the row. The options and the version
that scored stand in the metadata of the schema, and in JSON Lines in the first line.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.files.access import open_file
from ...data.files.stored import DAMAGES, refuse_device, to_jsonable, write_whole
from ...data.files.streams import Stream, broken_compression
from ...module.catalog.catalog import is_known, load_without_evaluate
from .blocks import Tables
from .joins import check_unique
from .logged_scores import LOGGED, SCORES, LoggedScores
from .row_tables import RowTable, kept_by
from .rows import Named, Values
from .versions import DISTRIBUTION, version

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "metric-commons-rows/1"
_KEY = b"metric-commons"  # of the metadata
_ROWS = 1 << 16  # of a block that is written


@dataclass(frozen=True)
class RowFile:
    """The tables in a file, and where their rows come from."""

    tables: Tables
    provenance: Values = field(default_factory=dict)


def is_json_lines(path: str | Path) -> bool:
    """Return whether a file of this name has JSON Lines, and not Parquet."""
    return Path(path).suffix in (".jsonl", ".json", ".ndjson")


def write_tables(
    path: str | Path,
    tables: Mapping[str, Mapping[str, RowTable]],
    provenance: Named | None = None,
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
    import pyarrow as pa

    header: Values = {"format": FORMAT, "version": version(DISTRIBUTION), "runs": {}}
    header["provenance"] = to_jsonable(dict(provenance or {}))
    parts = []
    for system, modules in tables.items():
        for table in modules.values():
            check_unique(table.ids)
        part, header["runs"][system] = _arrow(system, modules)
        parts.append(part)
    whole = pa.concat_tables(parts, promote_options="permissive")
    digest = sha256()

    def pieces() -> Iterator[bytes]:
        lines = is_json_lines(path)
        for piece in _json_lines(whole, header) if lines else [_parquet(whole, header)]:
            digest.update(piece)
            yield piece

    write_whole(path, pieces())
    return digest.hexdigest()


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


def _arrow(system: str, modules: Mapping[str, RowTable]) -> "tuple[pa.Table, Values]":
    """Return the rows of a system as a table of Arrow, and what a header says of them."""
    import pyarrow as pa

    def struct(columns: Named) -> "pa.StructArray":
        return pa.StructArray.from_arrays([*columns.values()], [*columns])

    first = next(iter(modules.values()))
    columns: Values = {"system": pa.array([system] * len(first), pa.string()).dictionary_encode()}
    for name, labels in (("id", first.ids), ("group", first.groups)):
        if labels is not None:
            columns[name] = pa.array(labels, pa.string())
    if first.clusters:
        columns["clusters"] = struct(
            {n: pa.array(c, pa.string()) for n, c in first.clusters.items()}
        )
    if first.digests is not None:
        columns["digest"] = pa.array(first.digests)
    runs = {}
    for module, table in modules.items():
        kept = {**table.columns, **table.texts}
        arrays = {name: _array(column) for name, column in kept.items()}
        of_json = [name for name, array in arrays.items() if array is None]
        for name in of_json:
            arrays[name] = pa.array([json.dumps(to_jsonable(value)) for value in kept[name]])
        if arrays:
            columns[module] = struct(arrays)
        runs[module] = {
            "options": to_jsonable(table.options),
            "conditions": to_jsonable(dict(table.conditions)),
            "columns": [*table.columns],
            "texts": [*table.texts],
            "json": of_json,
            "kept": table.kept,
            "labels": [name for name in ("id", "group", "digest") if name in columns],
            "clusters": [*first.clusters],
            "lower_is_better": sorted(table.metric.lower_is_better),
        }
    return pa.table(columns), runs


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


def _parquet(whole: "pa.Table", header: Named) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    marked = whole.replace_schema_metadata({_KEY: json.dumps(header).encode()})
    pq.write_table(marked, sink, compression="zstd", row_group_size=_ROWS)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _json_lines(whole: "pa.Table", header: Named) -> Iterator[bytes]:
    yield f"{json.dumps(header)}\n".encode()
    for batch in whole.to_batches(_ROWS):
        for row in batch.to_pylist():
            record = {name: _for_json(v) for name, v in row.items() if v is not None}
            yield f"{json.dumps(record)}\n".encode()


def _for_json(value: Any) -> Any:
    """Return a value for JSON, which has no infinities: they are written as texts."""
    if isinstance(value, dict):
        return {name: _for_json(item) for name, item in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return to_jsonable(value)


def _read_parquet(file: Any) -> RowFile:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        content = pq.ParquetFile(file)
        header = _checked((content.schema_arrow.metadata or {}).get(_KEY))
        whole = content.read(use_threads=False)
    except (pa.ArrowInvalid, OSError, EOFError) as error:
        raise ValueError(f"a damaged Parquet file: {str(error).splitlines()[0]}") from error

    def column(rows: "pa.Table", name: str, *keys: str) -> Any:
        array = rows.column(name).combine_chunks()
        for key in keys:
            array = array.field(key)
        is_number = pa.types.is_floating(array.type) or pa.types.is_integer(array.type)
        return array.to_numpy(zero_copy_only=False) if is_number else array.to_pylist()

    tables = {}
    for name, modules in header["runs"].items():
        rows = whole.filter(pc.equal(whole.column("system"), name))
        tables[name] = _tables(modules, partial(column, rows))
    return RowFile(tables, header["provenance"])


def _read_json_lines(file: Any) -> RowFile:
    header = _checked(file.readline())
    runs = header["runs"]
    rows: dict[str, list[Values]] = {system: [] for system in runs}
    for number, line in enumerate(file, start=2):
        try:
            record = json.loads(line)
            rows[record["system"]].append(record)
        except (KeyError, ValueError, TypeError, RecursionError) as error:
            unknown = " is unknown or missing" if isinstance(error, KeyError) else ""
            raise ValueError(f"line {number}: {error}{unknown}") from None

    def column(system: str, *keys: str) -> list[Any]:
        values: list[Any] = rows[system]
        for key in keys:
            values = [value[key] for value in values]
        return values

    tables = {name: _tables(modules, partial(column, name)) for name, modules in runs.items()}
    return RowFile(tables, header["provenance"])


def _checked(text: str | bytes | None) -> Values:
    """Return the header, if it is one that this version wrote."""
    header = None
    with suppress(ValueError, RecursionError):
        header = json.loads(text or "null")
    if not isinstance(header, dict) or not str(header.get("format")).startswith(FORMAT[:-1]):
        advice = "`metric-commons score --rows FILE` writes it"
        raise ValueError(f"not in the format {FORMAT}: {advice}")
    if header["format"] != FORMAT or header.get("version") != version(DISTRIBUTION):
        raise ValueError(
            f"rows of {DISTRIBUTION} {header.get('version')} in {header['format']}, but this is "
            f"{version(DISTRIBUTION)}; scores may have changed between them: score again"
        )
    return header


def _tables(modules: Named, column: Callable[..., Any]) -> dict[str, RowTable]:
    """Return the tables of a system.

    Args:
        modules: what the header says of them.
        column: from a name, or those of a module and a column, the values.
    """
    tables = {}
    for module, run in modules.items():
        metric = _metric(module, run)
        kept = {str(name): column(module, name) for name in (*run["columns"], *run["texts"])}
        kept |= {name: [*map(json.loads, kept[name])] for name in run["json"]}
        texts = {name: kept.pop(name) for name in run["texts"]}
        if kept_by(metric) != "inputs":
            kept = {name: _numbers(values) for name, values in kept.items()}
        labels = {name: column(name) for name in run["labels"]}
        digests = labels.get("digest")
        tables[module] = RowTable(
            metric=metric,
            columns=metric.with_nan(kept),
            texts=texts,
            conditions=run["conditions"],
            ids=labels.get("id"),
            groups=labels.get("group"),
            clusters={name: column("clusters", name) for name in run["clusters"]},
            digests=None if digests is None else np.array(digests, np.uint64),
        )
    return tables


def _numbers(values: Any) -> Any:
    """Return a column of scores or sums, in which null stands for NaN."""
    if isinstance(values, np.ndarray):
        return values
    if set(map(type, values)) == {int}:
        return np.array(values, np.int64)
    return np.array([math.nan if value is None else float(value) for value in values], np.float64)


def _metric(module: str, run: Named) -> Any:
    """Return the module with the options that rows were scored with.

    The scores of rows need no module, so that of somebody else may be unknown here.
    """
    lower = frozenset(run["lower_is_better"])
    if module in (LOGGED, SCORES):
        return LoggedScores(lower, module)
    if run["kept"] == "scores" and not is_known(module):
        return LoggedScores(lower, module, scoring=run["options"])
    return load_without_evaluate(module, **run["options"])
