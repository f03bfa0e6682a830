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


def program() -> str:
    """The name and the version of this program, as results and signatures have it."""
    return f"{_DISTRIBUTIONS[0]} {version(_DISTRIBUTIONS[0])}"


def signature(
    module: str, options: Mapping[str, Any], rows: int | None, made_by: str | None = None
) -> str:
    """One line that says how a score came about, for the text beside it.

    It is for people. Values may contain the signs that separate them, so no code reads it: results
    hold the same options as values.

    Args:
        module: its name.
        options: what moves the score.
        rows: their number; None if it is not known.
        made_by: the program that scored; None for this one.

    >>> signature("qa_em", {"normalizer": str.lower, "k": (1, 10)}, 3610)  # doctest: +ELLIPSIS
    'qa_em|normalizer=str.lower|k=1,10|rows=3610|metric-commons ...'
    """
    option_texts = [f"{option}={option_text(value)}" for option, value in options.items()]
    rows_text = [] if rows is None else [f"rows={rows}"]
    return label("|".join([module, *option_texts, *rows_text, made_by or program()]))


def settings(options: Mapping[str, Any], conditions: Mapping[str, Any]) -> dict[str, Any]:
    """Options and conditions that are not None, the preset first: what a signature lists.

    >>> settings({"normalizer": "squad", "extract": None}, {"preset": "squad"})
    {'preset': 'squad', 'normalizer': 'squad'}
    """
    values = {"preset": conditions.get("preset"), **options, **conditions}
    return {name: value for name, value in values.items() if value is not None}


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
