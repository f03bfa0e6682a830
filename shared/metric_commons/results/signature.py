"""The line that records how a score was computed, and the record of where and when."""

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
    """The installed version of a distribution, cached because a look-up takes milliseconds."""
    from importlib import metadata

    return metadata.version(distribution)


def program() -> str:
    """The name and version of this program, as recorded in results and signatures."""
    return f"{_DISTRIBUTIONS[0]} {version(_DISTRIBUTIONS[0])}"


def signature(
    module: str, options: Mapping[str, Any], rows: int | None, made_by: str | None = None
) -> str:
    """One line that records how a score was computed, to be cited with it.

    It is for people. Values may contain the separators, so no code parses it: results hold the same
    options as values.

    Args:
        module: its name.
        options: those that change the score.
        rows: their number; None if it is unknown.
        made_by: the program that scored; None for this one.

    >>> signature("qa_em", {"normalizer": str.lower, "k": (1, 10)}, 3610)  # doctest: +ELLIPSIS
    'qa_em|normalizer=str.lower|k=1,10|rows=3610|metric-commons ...'
    """
    option_texts = [f"{option}={option_text(value)}" for option, value in options.items()]
    rows_text = [] if rows is None else [f"rows={rows}"]
    return label("|".join([module, *option_texts, *rows_text, made_by or program()]))


def settings(options: Mapping[str, Any], conditions: Mapping[str, Any]) -> dict[str, Any]:
    """The options and conditions that are not None, in the order of a signature: the preset first.

    >>> settings({"normalizer": "squad", "extract": None}, {"preset": "squad"})
    {'preset': 'squad', 'normalizer': 'squad'}
    """
    values = {"preset": conditions.get("preset"), **options, **conditions}
    return {name: value for name, value in values.items() if value is not None}


def provenance(inputs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The record of the input files, the versions of programs and the time."""
    versions = {name: version(name) for name in _DISTRIBUTIONS}
    return {
        "inputs": [dict(source) for source in inputs],
        "versions": versions | {"python": platform.python_version()},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def row_digests(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The record of which rows were scored: digests of the references and ids of each system.

    Args:
        columns: these columns by system and name; None and iterators have no digest.

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
    """A digest as stored in results."""
    return f"{digest:016x}"
