"""Runs and judgments in other formats than that of TREC: dictionaries, tables and BEIR's lines."""

import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

from ..files.json_rows import STRICT

Triple = tuple[str, str, Any]  # query, document and number

_PARQUET, _LZ4 = b"PAR1", b"\x04\x22\x4d\x18"
_COLUMNS = ("q_id", "doc_id", "score")
_HEADERS = (b"query-id\tcorpus-id\tscore", b"query_id\tcorpus_id\tscore")


def has_triples(start: bytes) -> bool:
    """Return whether a file with this start is for `triples_in`, and has no lines as TREC's.

    >>> has_triples(b'{"q": {"d": 1}}'), has_triples(b"q 0 d 1")
    (True, False)
    """
    return start.startswith((_LZ4, _PARQUET)) or start.lstrip().startswith(b"{")


def triples_in(data: bytes) -> Iterable[Triple]:
    """Return query, document and number of each row of a dictionary or a table.

    Raises:
        ValueError: the content is damaged, or in a format that is not supported.
    """
    if data.startswith(_LZ4):
        raise ValueError(
            "ranx writes CBOR to .lz4, which is not supported; save as .json or .parquet"
        )
    return _rows_of_table(data) if data.startswith(_PARQUET) else _rows_of_dictionary(data)


def with_comment(data: bytes) -> bytes:
    """Return the lines; a BEIR header becomes a comment, so that line numbers do not change."""
    is_header = data.partition(b"\n")[0].rstrip(b"\r").lower() in _HEADERS
    return b"#" + data if is_header else data


def has_three_columns(data: bytes) -> bool:
    r"""Return whether the first line after comments has query, document and number, with tabs.

    >>> has_three_columns(b"#query-id\tcorpus-id\tscore\nq\td\t1\n")
    True
    """
    line = next((line for line in BytesIO(data) if not line.startswith(b"#")), b"")
    return line.count(b"\t") == 2 and len(line.split()) == 3


def _rows_of_dictionary(data: bytes) -> Iterable[Triple]:
    try:
        content = STRICT.decode(data.decode("utf-8", "surrogatepass"))
    except json.JSONDecodeError as error:
        problem = f"not a JSON object with the documents of each query: {error}"
        raise ValueError(problem) from error
    rows: list[Triple] = []
    for query, documents in content.items():
        if not isinstance(documents, Mapping):
            raise ValueError(f"query {query!r} has no documents with numbers, but {documents!r}")
        rows += ((query, document, number) for document, number in documents.items())
    return rows


def _rows_of_table(data: bytes) -> Iterable[Triple]:
    from pyarrow import parquet

    table: Any = parquet.read_table(BytesIO(data))
    missing = [name for name in _COLUMNS if name not in table.column_names]
    if missing:
        listed = ", ".join(table.column_names)
        raise ValueError(f"column {missing[0]!r} is missing; the columns are {listed}")
    queries, documents, numbers = (table[name].to_pylist() for name in _COLUMNS)
    return zip(map(str, queries), map(str, documents), numbers, strict=True)
