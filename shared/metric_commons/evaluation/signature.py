"""One line that says how a score came about, and the record of where and when it did."""

import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from ..files.stored import option_text
from .rendering import label

_DISTRIBUTIONS = ("metric-commons", "numpy", "evaluate", "datasets")


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
