"""The records of a results file, and the check of a file that another program may have written.

A checksum detects damage, but other programs can write wrong values with a right checksum. With
these checks no command ends in a traceback because of such a file.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypedDict, get_args, get_origin

from ...statistics.arguments.domains import (
    Count,
    Level,
    NonNegative,
    Parsed,
    Proportion,
    Range,
    check_option,
)


def _line(text: Any) -> None:
    if not isinstance(text, str) or not re.fullmatch("[^\x00-\x1f\x7f-\x9f]*", text):
        raise ValueError(f"is {text!r}, which is not one printable line")


def _ends(value: Any) -> None:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"is {value!r}, not two ends")
    for end in value:
        check_option("an end", end, Number)
    if None not in value and value[0] > value[1]:
        raise ValueError(f"is {value}, not two ends: the first is above the second")


Number = Annotated[float, Range(-math.inf)] | None  # None stands for NaN and infinities
Natural = Annotated[int, Range(0)]
_Line = Annotated[str, Parsed(_line, "one printable line")]
_Interval = Annotated[Sequence[float], Parsed(_ends, "two ends")]
_Values = Mapping[str, Any]


class ScoreRecord(NamedTuple):
    """A score of a system, of all rows or of a group, and its interval: a line of a table."""

    system: str
    module: str
    score: str
    group: str | None
    value: Number
    low: Number
    high: Number
    level: Level | None
    method: _Line | None
    standard_error: NonNegative | None
    effective_n: NonNegative | None
    design_effect: NonNegative | None
    n: Natural
    n_clusters: Count | None

    @property
    def key(self) -> tuple[str, str]:
        """Return the module and the score."""
        return self.module, self.score

    @property
    def number(self) -> float:
        """Return the value; NaN if it is undefined."""
        return math.nan if self.value is None else self.value

    @property
    def interval(self) -> list[float] | None:
        """Return both ends; None without an interval, or if one is infinite."""
        return None if self.low is None or self.high is None else [self.low, self.high]


class RunHeader(TypedDict):
    """What a file has of a system and module beside its records and values."""

    options: _Values
    rows: Natural  # 0 for means that others reported without rows
    signature: _Line
    conditions: _Values
    program: str
    lower_is_better: Sequence[str]
    aggregation: dict[str, str]
    main_score: str | None
    left_out: dict[str, Natural]


class _StoredRun(RunHeader, total=False):
    values: _Values  # that are not numbers


class _Options(TypedDict, total=False):
    test: _Line
    alternative: _Line
    correction: _Line
    tests: Count
    alpha: Level
    confidence_level: Level


class _Compared(TypedDict):
    a: str
    b: str
    module: str
    score: str
    A_mean: Number
    B_mean: Number
    diff: Number
    p_value: Proportion | None
    p_adjusted: Proportion | None
    rows: Count
    significant: bool
    confidence_interval: _Interval


class _StoredComparison(_Compared, total=False):
    signature: _Line
    test: _Line
    n_clusters: Count
    missing_rows: Natural
    options: _Options


class _Provenance(TypedDict, total=False):
    inputs: list[_Values]
    versions: dict[str, str]
    created: str
    digests: dict[str, dict[str, str]]
    sources: dict[str, _Values]
    agreement: list[_Values]
    rows: dict[str, str]


class _Content(TypedDict):
    runs: dict[str, dict[str, _StoredRun]]
    records: list[ScoreRecord]
    comparisons: list[_StoredComparison]
    provenance: _Provenance


def check_content(content: Mapping[str, Any]) -> None:
    """Check the content of a results file.

    Raises:
        ValueError: it is not valid; the message says where.
    """
    _check("result", content, _Content)
    runs = content["runs"]
    if not runs or not all(runs.values()):
        raise ValueError("a result needs at least one system, and a system at least one module")
    for modules in runs.values():
        for run in modules.values():
            level = run["options"].get("confidence_level")
            check_option("confidence_level", level, Level | None)
    for record in content["records"]:
        module, score, ends = record["module"], record["score"], [record["low"], record["high"]]
        if module not in runs.get(record["system"], {}):
            raise ValueError(f"a record names {module!r} of {record['system']!r}, which is no run")
        check_option(f"the interval of {score!r}", ends, _Interval)
    scores = {(record["system"], record["score"]) for record in content["records"]}
    for comparison in content["comparisons"]:
        for system in (comparison["a"], comparison["b"]):
            if (system, comparison["score"]) not in scores:
                raise ValueError(
                    f"a comparison by {comparison['score']!r} names {system!r}, which does not "
                    "have it"
                )


def _check(path: str, value: Any, kind: Any) -> None:
    """Check a value of JSON, and all that is in it, against a declared type."""
    fields = getattr(kind, "__annotations__", None)
    if isinstance(kind, type) and fields:
        check_option(path, value, _Values)
        required = getattr(kind, "__required_keys__", fields)
        for name in fields:
            if name in required and name not in value:
                raise ValueError(f"{path} lacks {name!r}")
        for name in value.keys() & fields.keys():
            _check(f"{path}.{name}", value[name], fields[name])
    elif get_origin(kind) in (dict, list):
        is_list = get_origin(kind) is list
        check_option(path, value, Sequence[Any] if is_list else _Values)
        for key, item in enumerate(value) if is_list else value.items():
            _check(f"{path}[{key!r}]", item, get_args(kind)[-1])
    else:
        check_option(path, value, kind)
