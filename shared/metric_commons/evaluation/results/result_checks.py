"""Validation of results files: keys, types and ranges.

A checksum detects damage, but other programs can write wrong values with a right checksum. With
these checks no command ends in a traceback because of such a file.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from ...data.files.stored import check_object
from ...module.catalog.catalog import score_ranges
from ...statistics.arguments.domains import (
    Count,
    Level,
    NonNegative,
    Parsed,
    Positive,
    Proportion,
    Range,
    Seed,
    check_option,
    check_score,
)
from ...statistics.intervals.methods import Assumption, Correction, ScoreBounds

_Values, _Names = Mapping[str, Any], Sequence[str]
_Natural = Annotated[int, Range(0)]
_Number = Annotated[float, Range(-math.inf)] | None  # None stands for NaN and infinities


def _matching(pattern: str, noun: str) -> Any:
    """Return the annotation of texts that match a pattern."""

    def check(text: Any) -> None:
        if not isinstance(text, str) or not re.fullmatch(pattern, text):
            raise ValueError(f"is {text!r}, which is not {noun}")

    return Annotated[str, Parsed(check, noun)]


def _time(text: Any) -> None:
    if not isinstance(text, str):
        raise ValueError(f"is {text!r}, which is not a time")
    datetime.fromisoformat(text)


_Name = _matching("[a-z0-9_]+", "the name of a method")
_Digest = _matching("[0-9a-f]{16}|[0-9a-f]{64}", "a digest")
_Time = Annotated[str, Parsed(_time, "a time in ISO 8601 format")]

_CONTENT = {
    "format": str,
    "runs": _Values,
    "records": Sequence[Mapping[str, Any]],
    "comparisons": Sequence[Any],
    "provenance": _Values,
}
_RUN = {
    "options": _Values,
    "rows": _Natural,  # 0 for means that others reported without rows
    "signature": str,
    "conditions": _Values,
    "program": str,
    "lower_is_better": _Names,
    "aggregation": _Values,
    "main_score": str | None,
    "left_out": _Values,
}
_RECORD = {
    **dict.fromkeys(("system", "module", "score"), str),
    "group": str | None,
    **dict.fromkeys(("value", "low", "high"), _Number),
    "level": Level | None,
    "method": _Name | None,
    **dict.fromkeys(("standard_error", "effective_n", "design_effect"), NonNegative | None),
    "n": _Natural,
    "n_clusters": Count | None,
}


def _ends(value: Any) -> None:
    """Check that this is an interval: a lower and an upper end, which may be unknown."""
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"is {value!r}, not two ends")
    for end in value:
        check_option("an end", end, _Number)
    if None not in value and value[0] > value[1]:
        raise ValueError(f"is {value}, not two ends: the first is above the second")


_Interval = Annotated[Sequence[float], Parsed(_ends, "two ends")]
_COMPARISON = {
    **dict.fromkeys(("a", "b", "score"), str),
    **dict.fromkeys(("A_mean", "B_mean", "diff"), _Number),
    **dict.fromkeys(("p_value", "p_adjusted"), Proportion | None),
    "rows": Count,
    "significant": bool,
    "confidence_interval": _Interval,
}
_OPTIONAL_OF_COMPARISON = {
    **dict.fromkeys(("p_equivalent", "p_non_inferior", "p_inferior"), Proportion | None),
    **dict.fromkeys(("module", "signature"), str),
    **dict.fromkeys(("test", "interval"), _Name),
    **dict.fromkeys(("mde", "standard_error"), NonNegative | None),
    "n_clusters": Count,
    "missing_rows": _Natural,
    "statistic": _Number,
    **dict.fromkeys(("simultaneous", "influences"), bool),
    "options": _Values,
}
_OPTIONS_OF_COMPARISON = {
    **dict.fromkeys(("test", "interval"), _Name),
    "alternative": Literal["two-sided", "greater", "less"],
    "assume": Assumption,
    "bounds": ScoreBounds,
    "correction": Correction,
    **dict.fromkeys(("n_resamples", "tests"), Count),
    "seed": Seed,
    **dict.fromkeys(("alpha", "confidence_level"), Level),
    "margin": Positive | None,
    "power": Level | None,
}
_INPUT = {"path": str, "sha256": _Digest, "rows": _Natural | None, "format": str, "beside": _Values}
_COLUMN = {"path": str, "format": str | None, "field": str}
_RANK = {"rank_interval": Sequence[Count], "tier": Count, "letters": str}
_PROVENANCE = {
    "inputs": Sequence[Mapping[str, Any]],
    "versions": _Values,
    "created": _Time,
    "digests": _Values,
    "columns": _Values,
    "logs": _Values,
    "agreement": Sequence[Mapping[str, Any]],
    "preset": str | None,
    "rows": _Values,
    "task": str,
    "config": _Values,
}


def check_content(content: Mapping[str, Any]) -> None:
    """Check the content of a results file.

    Raises:
        ValueError: it is not valid.
    """
    check_object("a result", content, _CONTENT, {"ranks": _Values})
    runs = content["runs"]
    if not runs or not all(runs.values()):
        raise ValueError("a result needs at least one system, and a system at least one module")
    for system, modules in runs.items():
        check_option(f"system {system!r}", modules, _Values)
        for module, run in modules.items():
            check_object(f"module {module!r}", run, _RUN, {"values": _Values})
            level = run["options"].get("confidence_level")
            check_option("confidence_level", level, Level | None)
            if not run["signature"].isprintable():
                raise ValueError(f"the signature of {module!r} is {run['signature']!r}")
    scores = set()
    for record in content["records"]:
        _check_record(record, runs)
        scores |= {(record["system"], record["score"])}
    for comparison in content["comparisons"]:
        _check_comparison(comparison, scores)
    for score, ranks in content.get("ranks", {}).items():
        check_option(f"ranks by {score!r}", ranks, _Values)
        for system, rank in ranks.items():
            check_object(f"the rank of {system!r}", rank, _RANK)
    _check_provenance(content["provenance"])


def _check_record(record: Mapping[str, Any], runs: Mapping[str, Any]) -> None:
    """Check the score of a system and module."""
    check_object("a record", record, _RECORD)
    module, score = record["module"], record["score"]
    if module not in runs.get(record["system"], {}):
        raise ValueError(f"a record names {module!r} of {record['system']!r}, which is no run")
    ranges = score_ranges(module)
    ends = [record["low"], record["high"]]
    check_option(f"the interval of {score!r}", ends, _Interval)
    for value in (record["value"], *ends):
        check_score(score, value, ranges)


def _check_comparison(comparison: Any, scores: Collection[tuple[str, str]]) -> None:
    check_object("a comparison", comparison, _COMPARISON, _OPTIONAL_OF_COMPARISON)
    for system in (comparison["a"], comparison["b"]):
        if (system, comparison["score"]) not in scores:
            raise ValueError(
                f"a comparison by {comparison['score']!r} names {system!r}, which does not have it"
            )
    if not comparison.get("signature", "").isprintable():
        raise ValueError(f"the signature of a comparison is {comparison['signature']!r}")
    options = comparison.get("options", {})
    check_object("the options of a comparison", options, {}, _OPTIONS_OF_COMPARISON)


def _check_provenance(provenance: Any) -> None:
    check_object("provenance", provenance, {}, _PROVENANCE)
    for source in provenance.get("inputs", []):
        typed = {key: value for key, value in source.items() if key in _INPUT}
        check_object("an input", typed, {"path": str}, _INPUT)
    if "rows" in provenance:
        check_object("rows", provenance["rows"], {"path": str, "sha256": _Digest})
    for system, digests in provenance.get("digests", {}).items():
        optional = {"references": _Digest, "ids": _Digest}
        check_object(f"the digests of {system!r}", digests, {}, optional)
    for distribution, number in provenance.get("versions", {}).items():
        check_option(f"the version of {distribution!r}", number, str)
    for system, columns in provenance.get("columns", {}).items():
        check_option(f"columns of {system!r}", columns, _Values)
        for column in columns.values():
            check_object("a column", column, {"path": str, "field": str}, _COLUMN)
