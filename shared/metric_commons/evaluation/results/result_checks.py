"""Validation of results files: keys, types and ranges.

A checksum detects damage, but other programs can write wrong values with a right checksum. With
these checks no command ends in a traceback because of such a file.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from ...data.files.stored import check_object
from ...module.catalog.catalog import score_ranges
from ...statistics.arguments.checks import RowError
from ...statistics.arguments.domains import (
    Count,
    Level,
    NonNegative,
    Parsed,
    Positive,
    Proportion,
    Range,
    Ranges,
    Seed,
    check_option,
    check_score,
)
from ...statistics.intervals.methods import Assumption, Correction, DifferenceBounds

_Values, _Names = Mapping[str, Any], Sequence[str]
_Natural = Annotated[int, Range(0)]
_Power = Annotated[int, Range(-2200, 2200)]  # of two: twice the exponent of the least float
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

_CONTENT = {"format": str, "systems": _Values, "comparisons": Sequence[Any], "provenance": _Values}
_MODULE = {
    "options": _Values,
    "rows": _Natural,  # 0 for means that others reported without rows
    "scores": _Values,
    "confidence_interval": _Values,
    "groups": _Values,
    "signature": str,
}
_EXTRAS = {
    "interval": _Name,
    "standard_error": NonNegative | None,
    "effective_n": NonNegative | None,
    "design_effect": NonNegative | None,
}
_OPTIONAL_OF_MODULE = {
    **dict.fromkeys(_EXTRAS, _Values),
    **dict.fromkeys(("aggregation", "value_counts", "cluster_counts", "left_out"), _Values),
    "score_bounds": _Values,
    "missing_rows": Count | None,
    "infinite": Sequence[Sequence[Any]],
    "conditions": _Values,
    "program": str,
    "n_clusters": Count | None,
    "lower_is_better": _Names,
    "main_score": str | None,
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
    **dict.fromkeys(("simultaneous", "pseudovalues"), bool),
    "options": _Values,
}
_OPTIONS_OF_COMPARISON = {
    **dict.fromkeys(("test", "interval"), _Name),
    "alternative": Literal["two-sided", "greater", "less"],
    "assume": Assumption,
    "bounds": DifferenceBounds,
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
    "rows": _Values,
    "columns": _Values,
    "logs": _Values,
    "agreement": Sequence[Mapping[str, Any]],
    "preset": str | None,
    "per_example": _Values,
    "task": str,
    "config": _Values,
}


def check_content(content: Mapping[str, Any]) -> None:
    """Check the content of a results file.

    Raises:
        ValueError: it is not valid.
    """
    check_object("a result", content, _CONTENT, {"ranks": _Values})
    for system, modules in content["systems"].items():
        check_option(f"system {system!r}", modules, _Values)
        for module, values in modules.items():
            check_module(module, values)
    if not content["systems"] or not all(content["systems"].values()):
        raise ValueError("a result needs at least one system, and a system at least one module")
    for comparison in content["comparisons"]:
        check_object("a comparison", comparison, _COMPARISON, _OPTIONAL_OF_COMPARISON)
        score = comparison["score"]
        for system in (comparison["a"], comparison["b"]):
            modules = content["systems"].get(system, {})
            named = [comparison["module"]] if "module" in comparison else [*modules]
            if not any(score in modules.get(name, {}).get("scores", {}) for name in named):
                raise ValueError(
                    f"a comparison by {score!r} names {system!r}, which does not have it"
                )
        if not comparison.get("signature", "").isprintable():
            raise ValueError(f"the signature of a comparison is {comparison['signature']!r}")
        options = comparison.get("options", {})
        check_object("the options of a comparison", options, {}, _OPTIONS_OF_COMPARISON)
    for score, ranks in content.get("ranks", {}).items():
        check_option(f"ranks by {score!r}", ranks, _Values)
        for system, rank in ranks.items():
            check_object(f"the rank of {system!r}", rank, _RANK)
    provenance = content["provenance"]
    check_object("provenance", provenance, {}, _PROVENANCE)
    check_inputs(provenance.get("inputs", []))
    if "per_example" in provenance:
        check_object("per_example", provenance["per_example"], {"path": str, "sha256": _Digest})
    for distribution, number in provenance.get("versions", {}).items():
        check_option(f"the version of {distribution!r}", number, str)
    for system, digests in provenance.get("rows", {}).items():
        check_option(f"rows of {system!r}", digests, _Values)
        for name, digest in digests.items():
            check_option(f"the digest of {name!r}", digest, _Digest)
    for system, columns in provenance.get("columns", {}).items():
        check_option(f"columns of {system!r}", columns, _Values)
        for column in columns.values():
            check_object("a column", column, {"path": str, "field": str}, _COLUMN)


def check_module(module: str, values: Mapping[str, Any]) -> None:
    """Check the values of a module in a results file.

    Args:
        module: its name; scores of modules outside this package may be any numbers.
        values: as returned by `ModuleResult.to_dict`.

    Raises:
        ValueError: they are not valid.
    """
    check_object(f"module {module!r}", values, _MODULE, _OPTIONAL_OF_MODULE)
    scores, ranges = values["scores"], score_ranges(module)
    if not scores:
        raise ValueError(f"module {module!r} lacks scores")
    level = values["options"].get("confidence_level")
    check_option("confidence_level", level, Level | None)
    for name, value in scores.items():
        check_score(name, value, ranges)
    _check_intervals(values, scores, ranges)
    for name, value in values.get("left_out", {}).items():
        check_option(f"left_out of {name!r}", value, _Natural)
    _check_known("lower_is_better", values.get("lower_is_better", []), scores)
    _check_known("main_score", filter(None, [values.get("main_score")]), scores)
    _check_groups(values["groups"], scores, ranges)
    _check_counts(values, scores, ranges)
    if not values["signature"].isprintable():
        raise ValueError(f"the signature of {module!r} is {values['signature']!r}")


def check_rows(module: str, columns: Mapping[str, Sequence[float]]) -> None:
    """Check that scores of single rows lie in the ranges of a module's scores.

    Raises:
        RowError: one does not; the message names its row.
    """
    ranges = score_ranges(module)
    for name, values in columns.items():
        for value in _extremes(values):
            try:
                check_score(name, value, ranges)
            except ValueError as error:
                raise RowError(name, values.index(value), f"is {value!r}: {error}") from error


def _extremes(values: Iterable[float | None]) -> list[float]:
    """Return the least and the greatest number; none if there are no numbers."""
    numbers = [value for value in values if value is not None and not math.isnan(value)]
    return [min(numbers), max(numbers)] if numbers else []


def check_inputs(inputs: Sequence[Mapping[str, Any]]) -> None:
    """Check the records of input files.

    Raises:
        ValueError: one is not valid.
    """
    for source in inputs:
        typed = {key: value for key, value in source.items() if key in _INPUT}
        check_object("an input", typed, {"path": str}, _INPUT)


def _check_known(key: str, names: Iterable[str], scores: Mapping[str, Any]) -> None:
    for name in names:
        if name not in scores:
            raise ValueError(f"{key} names {name!r}, which is not a score")


def _check_intervals(values: Mapping[str, Any], scores: Mapping[str, Any], ranges: Ranges) -> None:
    """Check the intervals and standard errors of scores."""
    for key in ("confidence_interval", "score_bounds"):
        intervals = values.get(key, {})
        _check_known(key, intervals, scores)
        for name, interval in intervals.items():
            for ends in _as_list(interval, scores[name]):
                check_option(f"{key} of {name!r}", ends, _Interval)
                for end in ends:
                    check_score(name, end, ranges)
    for key, annotation in _EXTRAS.items():
        extras = values.get(key, {})
        _check_known(key, extras, scores)
        for name, value in extras.items():
            for single in _as_list(value, scores[name]):
                check_option(f"{key} of {name!r}", single, annotation)


def _as_list(value: Any, score: Any) -> list[Any]:
    """Return the details of a score as a list.

    Several if the score is a list, such as one per label.
    """
    return value if isinstance(value, list) and isinstance(score, list) else [value]


def _check_groups(groups: Mapping[str, Any], scores: Mapping[str, Any], ranges: Ranges) -> None:
    extra_keys = {
        "confidence_interval",
        "score_bounds",
        *_EXTRAS,
    } - scores.keys()  # win_rate has a standard_error
    for group, values in groups.items():
        check_option(f"group {group!r}", values, _Values)
        check_option(f"n of group {group!r}", values.get("n"), _Natural)
        for key in extra_keys & values.keys():
            check_option(f"{key} of group {group!r}", values[key], _Values)
        group_scores = {
            key: value
            for key, value in values.items()
            if key not in {*extra_keys, "n", "n_clusters", "missing_rows"}
        }
        _check_known(f"group {group!r}", group_scores, scores)
        for name, value in group_scores.items():
            check_score(name, value, ranges)
            if isinstance(value, list | dict) and not isinstance(scores[name], type(value)):
                raise ValueError(f"{name} of group {group!r} is {type(value).__name__}")
        extras = {key: values[key] for key in extra_keys & values.keys()}
        _check_intervals(extras, group_scores, ranges)


def _check_counts(values: Mapping[str, Any], scores: Mapping[str, Any], ranges: Ranges) -> None:
    """Check the counts of values of scores, and those of clusters."""
    counted = values.get("value_counts", {})
    for name, counts in counted.items():
        if name not in scores or not isinstance(counts, list) or len(counts) not in (2, 3):
            raise ValueError(f"value_counts of {name!r} are not the counts of a score")
        check_option(name, scores[name], _Number)
        check_option(f"the values of {name!r}", counts[0], Sequence[_Number])
        check_option(f"the counts of {name!r}", counts[1], Sequence[Count])
        if len(counts[0]) != len(counts[1]):
            raise ValueError(f"value_counts of {name!r} have not one count per value")
        for value in _extremes(counts[0]):
            check_score(name, value, ranges)
    for name, counts in values.get("cluster_counts", {}).items():
        if name not in counted or not isinstance(counts, list):
            raise ValueError(f"cluster_counts of {name!r} are not of counted values")
        if len(counts) != 2 or not isinstance(counts[1], list):
            raise ValueError(f"cluster_counts of {name!r} are not counts of clusters")
        check_option(f"the unit of cluster_counts of {name!r}", counts[0], _Power)
        for kind in counts[1]:
            check_option(f"cluster_counts of {name!r}", kind, Sequence[int])
            if len(kind) != 3 or kind[0] < 1 or kind[2] < 1:
                problem = f"have {kind}, not rows, sum and number"
                raise ValueError(f"cluster_counts of {name!r} {problem}")
