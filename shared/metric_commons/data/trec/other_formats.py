"""Runs and judgments in other formats than that of TREC: dictionaries, tables and BEIR's lines."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from ..files.json_rows import STRICT

_PARQUET = b"PAR1"
_HEADERS = (b"query-id\tcorpus-id\tscore", b"query_id\tcorpus_id\tscore")


def is_dictionary(start: bytes) -> bool:
    """Return whether a file with this start is for `read_dictionary`: no lines as TREC's.

    >>> is_dictionary(b'{"q": {"d": 1}}'), is_dictionary(b"q 0 d 1")
    (True, False)
    """
    return start.startswith(_PARQUET) or start.lstrip().startswith(b"{")


def read_dictionary(data: bytes) -> Mapping[str, Mapping[str, Any]]:
    """Return the numbers of the documents of each query, from JSON or from a table of ranx.

    Raises:
        ValueError: the content is damaged, or has another structure.
        RecursionError: it is nested too deeply.
    """
    if data.startswith(_PARQUET):
        return _table(data)
    content: dict[str, Any] = STRICT.decode(data.decode("utf-8", "surrogatepass"))
    for query, documents in content.items():
        if not isinstance(documents, Mapping):
            raise ValueError(f"query {query!r} has no documents with numbers, but {documents!r}")
    return content


def _table(data: bytes) -> Mapping[str, Mapping[str, Any]]:
    """Return the rows of Parquet, which ranx writes with a column each of these."""
    from pyarrow import parquet

    columns = parquet.read_table(BytesIO(data)).to_pydict()
    content: dict[str, dict[str, Any]] = {}
    try:
        rows = zip(columns["q_id"], columns["doc_id"], columns["score"], strict=True)
    except KeyError as error:
        raise ValueError(f"there is no column {error}") from None
    for query, document, number in rows:
        documents = content.setdefault(str(query), {})
        if document in documents:
            raise ValueError(f"query {str(query)!r} has document {document!r} twice")
        documents[document] = number
    return content


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
