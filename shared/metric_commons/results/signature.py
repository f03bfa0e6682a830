"""One line that says how a score came about, and the record of where and when it did."""

import platform
from collections.abc import Iterable, Mapping, Sized
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast

from ..files.stored import option_text
from .rendering import label

_DISTRIBUTIONS = ("metric-commons", "numpy", "evaluate", "datasets")


@cache
def version(distribution: str) -> str:
    """The version of what is installed, looked up once; a look-up takes milliseconds."""
    from importlib import metadata

    return metadata.version(distribution)


def signature(module: str, options: Mapping[str, Any], rows: int) -> str:
    """One line that says how a score came about, for the text beside it.

    >>> signature("qa_em", {"normalizer": str.lower, "k": (1, 10)}, 3610)  # doctest: +ELLIPSIS
    'qa_em|normalizer=str.lower|k=1,10|rows=3610|metric-commons ...'
    """
    option_texts = [f"{option}={option_text(value)}" for option, value in options.items()]
    program = f"{_DISTRIBUTIONS[0]} {version(_DISTRIBUTIONS[0])}"
    return label("|".join([module, *option_texts, f"rows={rows}", program]))


def provenance(inputs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Where the rows came from, which versions scored them, and when."""
    versions = {name: version(name) for name in _DISTRIBUTIONS}
    return {
        "inputs": [dict(source) for source in inputs],
        "versions": versions | {"python": platform.python_version()},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def row_digests(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The record of what rows there are: of each system a digest of its references and its ids.

    Args:
        columns: of each system these columns by name; None, and what can be read only once, has no
            digest.

    >>> row_digests({"bot": {"references": ["a", "b"], "ids": None}})
    {'rows': {'bot': {'references': '80c76f71880aae4e'}}}
    """
    from ..numbers.row_digests import row_digest

    digests: dict[int, str] = {}  # systems usually have one column in common
    record: dict[str, dict[str, str]] = {}
    for system, columns_of_system in columns.items():
        for name, column in columns_of_system.items():
            if isinstance(column, Sized):
                if id(column) not in digests:
                    digests[id(column)] = digest_text(row_digest(cast(Any, column)))
                record.setdefault(system, {})[name] = digests[id(column)]
    return {"rows": record} if record else {}


def digest_text(digest: int) -> str:
    """A digest as results hold it."""
    return f"{digest:016x}"
