"""What a file of results may hold: which keys, of which types, and which numbers are possible.

A checksum notices what somebody changed by hand. These checks hold for files of any format, and for
what was changed on purpose: no score is outside of its range, no interval is upside down, and the
signature says what the options say.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from ..catalog.catalog import score_ranges
from ..files.stored import check_object
from ..numbers.checks import RowError
from ..numbers.domains import (
    Count,
    Finite,
    Level,
    NonNegative,
    Parsed,
    Positive,
    Proportion,
    Range,
    Seed,
    check_option,
)
from ..numbers.score_ranges import Ranges, check_score, score_range
from .signature import settings, signature

_ALL_NUMBERS = (-math.inf, math.inf)
_Values, _Names = Mapping[str, Any], Sequence[str]
_Natural = Annotated[int, Range(0)]
_Power = Annotated[int, Range(-2200, 2200)]  # of two: twice the exponent of the least float
_Number = Annotated[float, Range(-math.inf)] | None  # None stands for NaN and infinities


def _word(text: Any) -> None:
    if not isinstance(text, str) or not re.fullmatch("[a-z0-9_]+", text):
        raise ValueError(f"is {text!r}, which names no method")


def _hexadecimal(text: Any) -> None:
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]{16}|[0-9a-f]{64}", text):
        raise ValueError(f"is {text!r}, which is no digest")


def _time(text: Any) -> None:
    if not isinstance(text, str):
        raise ValueError(f"is {text!r}, which is no time")
    datetime.fromisoformat(text)


_Name = Annotated[str, Parsed(_word, "a name")]
_Digest = Annotated[str, Parsed(_hexadecimal, "a digest")]
_Time = Annotated[str, Parsed(_time, "a time in the form of ISO 8601")]

_CONTENT = {"format": str, "systems": _Values, "comparisons": Sequence[Any], "provenance": _Values}
_MODULE = {
    "options": _Values,
    "rows": _Natural,  # 0 where others state means without rows
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
_OF_MODULE = {
    **dict.fromkeys(_EXTRAS, _Values),
    **dict.fromkeys(("aggregation", "value_counts", "cluster_counts", "left_out"), _Values),
    "infinite": Sequence[Sequence[Any]],
    "conditions": _Values,
    "program": str,
    "n_clusters": Count | None,
    "lower_is_better": _Names,
    "main_score": str | None,
}


def _ends(value: Any) -> None:
    """Nothing, if this is an interval: two ends in their order, of which each may be unknown."""
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"is {value!r}, not two ends")
    for end in value:
        check_option("an end", end, _Number)
    if None not in value and value[0] > value[1]:
        raise ValueError(f"is {value}, not two ends: the first is the greater one")


_Interval = Annotated[Sequence[float], Parsed(_ends, "two ends")]
_COMPARISON = {
    **dict.fromkeys(("a", "b", "score"), str),
    **dict.fromkeys(("A_mean", "B_mean", "diff"), _Number),
    "p_value": Proportion | None,
    "significant": bool,
    "confidence_interval": _Interval,
}
_OF_COMPARISON = {
    **dict.fromkeys(
        ("p_adjusted", "p_equivalent", "p_non_inferior", "p_inferior"), Proportion | None
    ),
    **dict.fromkeys(("module", "signature"), str),
    **dict.fromkeys(("test", "interval"), _Name),
    **dict.fromkeys(("mde", "standard_error"), NonNegative | None),
    **dict.fromkeys(("rows", "n_clusters"), Count),
    "statistic": _Number,
    "simultaneous": bool,
    "options": _Values,
}
_OPTIONS_OF_COMPARISON = {
    **dict.fromkeys(("test", "interval"), _Name),
    "alternative": Literal["two-sided", "greater", "less"],
    "correction": Literal["holm", "max_t", "benjamini_hochberg", "none"],
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
    """Nothing, if a file may have this content.

    Raises:
        ValueError: it may not.
    """
    check_object("a result", content, _CONTENT, {"ranks": _Values})
    for system, modules in content["systems"].items():
        check_option(f"system {system!r}", modules, _Values)
        for module, values in modules.items():
            check_module(module, values)
    for comparison in content["comparisons"]:
        _check_comparison(comparison, content["systems"])
    for score, ranks in content.get("ranks", {}).items():
        check_option(f"ranks by {score!r}", ranks, _Values)
        for system, rank in ranks.items():
            check_object(f"the rank of {system!r}", rank, _RANK)
    _check_provenance(content["provenance"])


def check_module(module: str, values: Mapping[str, Any]) -> None:
    """Nothing, if a file may have these values of a module.

    Args:
        module: its name; of one that is not ours scores may be any numbers.
        values: what `ModuleResult.to_dict` returned.

    Raises:
        ValueError: it may not.
    """
    check_object(f"module {module!r}", values, _MODULE, _OF_MODULE)
    scores, ranges = values["scores"], score_ranges(module)
    if not scores:
        raise ValueError(f"module {module!r} lacks scores")
    for name, value in scores.items():
        check_score(name, value, ranges)
    _check_intervals(values, scores, ranges)
    for name, value in values.get("left_out", {}).items():
        check_option(f"left_out of {name!r}", value, _Natural)
    _check_known("lower_is_better", values.get("lower_is_better", []), scores)
    _check_groups(values["groups"], scores, ranges)
    for name, counts in values.get("value_counts", {}).items():
        check_option("value_counts", [name], Sequence[str])
        _check_counts(name, counts, scores, values["rows"], ranges)
    for name, counts in values.get("cluster_counts", {}).items():
        _check_cluster_counts(name, counts, values)
    _check_signature(module, values)


def check_rows(module: str, columns: Mapping[str, Sequence[float]]) -> None:
    """Nothing, if the rows of a module may have these scores.

    Raises:
        RowError: one may not; says which row.
    """
    ranges = score_ranges(module)
    for name, values in columns.items():
        for row, value in enumerate(values):
            try:
                check_score(name, value, ranges)
            except ValueError as error:
                raise RowError(name, row, f"is {value!r}: {error}") from error


def check_inputs(inputs: Sequence[Mapping[str, Any]]) -> None:
    """Nothing, if rows may be from these files.

    Raises:
        ValueError: they may not.
    """
    for source in inputs:
        typed = {key: value for key, value in source.items() if key in _INPUT}
        check_object("an input", typed, {"path": str}, _INPUT)


def _check_known(key: str, names: Iterable[str], scores: Mapping[str, Any]) -> None:
    for name in names:
        if name not in scores:
            raise ValueError(f"{key} names {name!r}, which is no score")


def _check_intervals(values: Mapping[str, Any], scores: Mapping[str, Any], ranges: Ranges) -> None:
    """What stands beside scores is about scores, and possible."""
    intervals = values.get("confidence_interval", {})
    _check_known("confidence_interval", intervals, scores)
    for name, interval in intervals.items():
        for ends in _of_labels(interval, scores[name]):
            check_option(f"confidence_interval of {name!r}", ends, _Interval)
            for end in ends:
                check_score(name, end, ranges)
    for key, annotation in _EXTRAS.items():
        about = values.get(key, {})
        _check_known(key, about, scores)
        for name, value in about.items():
            for single in _of_labels(value, scores[name]):
                check_option(f"{key} of {name!r}", single, annotation)
                low, high = score_range(name, ranges) or _ALL_NUMBERS
                if key == "standard_error" and single is not None and single > high - low:
                    raise ValueError(f"{key} of {name!r} is {single}, wider than all its values")


def _of_labels(value: Any, score: Any) -> list[Any]:
    """What stands beside a score; beside one that is a list, as of each label, a list of them."""
    return value if isinstance(value, list) and isinstance(score, list) else [value]


def _check_groups(groups: Mapping[str, Any], scores: Mapping[str, Any], ranges: Ranges) -> None:
    extra_keys = {"confidence_interval", *_EXTRAS} - scores.keys()  # win_rate has a standard_error
    for group, values in groups.items():
        check_option(f"group {group!r}", values, _Values)
        check_option(f"n of group {group!r}", values.get("n"), _Natural)
        for key in extra_keys & values.keys():
            check_option(f"{key} of group {group!r}", values[key], _Values)
        of_group = {k: v for k, v in values.items() if k not in {*extra_keys, "n", "n_clusters"}}
        _check_known(f"group {group!r}", of_group, scores)
        for name, value in of_group.items():
            check_score(name, value, ranges)
            if isinstance(value, list | dict) and not isinstance(scores[name], type(value)):
                raise ValueError(f"{name} of group {group!r} is {type(value).__name__}")
        _check_intervals({key: values[key] for key in extra_keys & values.keys()}, of_group, ranges)


def _check_counts(
    name: str, counts: Any, scores: Mapping[str, Any], rows: int, ranges: Ranges
) -> None:
    """How often each value occurs adds up to the rows, or less, and to the score."""
    if name not in scores or not isinstance(counts, list) or len(counts) not in (2, 3):
        raise ValueError(f"value_counts of {name!r} are no counts of a score")
    check_option(f"the values of {name!r}", counts[0], Sequence[_Number])
    check_option(f"the counts of {name!r}", counts[1], Sequence[Count])
    values, numbers = counts[0], counts[1]
    if len(values) != len(numbers) or not 1 <= sum(numbers) <= rows:
        raise ValueError(f"value_counts of {name!r} are not those of {rows} rows")
    for value in values:
        check_score(name, value, ranges)
    score = scores[name]
    if None in values:  # an infinite one
        return
    check_option(name, score, Finite)
    mean = math.fsum(v * n for v, n in zip(values, numbers, strict=True)) / sum(numbers)
    if not math.isclose(mean, score, rel_tol=1e-9, abs_tol=1e-12):
        raise ValueError(f"{name} is {score}, but its value_counts have the mean {mean}")


def _check_cluster_counts(name: str, counts: Any, values: Mapping[str, Any]) -> None:
    """The clusters of a score have the rows that are counted, and no more kinds than rows."""
    if name not in values.get("value_counts", {}) or not isinstance(counts, list):
        raise ValueError(f"cluster_counts of {name!r} are not of counted values")
    if len(counts) != 2 or not isinstance(counts[1], list):
        raise ValueError(f"cluster_counts of {name!r} are no counts of clusters")
    check_option(f"the unit of cluster_counts of {name!r}", counts[0], _Power)
    rows = 0
    for kind in counts[1]:
        check_option(f"cluster_counts of {name!r}", kind, Sequence[int])
        if len(kind) != 3 or kind[0] < 1 or kind[2] < 1:
            raise ValueError(f"cluster_counts of {name!r} have {kind}, not rows, sum and number")
        rows += kind[0] * kind[2]
    if rows != sum(values["value_counts"][name][1]):
        raise ValueError(f"cluster_counts of {name!r} have {rows} rows, its value_counts others")


def _check_signature(module: str, values: Mapping[str, Any]) -> None:
    """The signature is the one that follows from the options, where a result holds all of them."""
    line = values["signature"]
    is_own = bool(score_ranges(module))
    if not line.isprintable() or (is_own and line != module and not line.startswith(f"{module}|")):
        raise ValueError(f"the signature of {module!r} is {line!r}")
    if "conditions" in values:
        listed = settings(values["options"], values["conditions"])
        expected = signature(module, listed, values["rows"] or None, values.get("program"))
        if line != expected:
            raise ValueError(f"the signature is {line!r}, but the options make it {expected!r}")


def _check_comparison(values: Any, systems: Mapping[str, Any]) -> None:
    check_object("a comparison", values, _COMPARISON, _OF_COMPARISON)
    for system in (values["a"], values["b"]):
        modules = systems.get(system, {})
        named = [values["module"]] if "module" in values else [*modules]
        if not any(values["score"] in modules.get(name, {}).get("scores", {}) for name in named):
            raise ValueError(f"a comparison by {values['score']!r} names {system!r}, without it")
    if not values.get("signature", "").isprintable():
        raise ValueError(f"the signature of a comparison is {values['signature']!r}")
    low, high = score_range(values["score"], score_ranges(values.get("module", ""))) or _ALL_NUMBERS
    for end in values["confidence_interval"]:
        if end is not None and abs(end) > (high - low) * (1 + 1e-9):
            raise ValueError(f"an end of a difference of {values['score']} is {end}")
    a, b, difference = values["A_mean"], values["B_mean"], values["diff"]
    if None not in (a, b):
        check_option("diff", difference, Finite)
        if abs(a - b - difference) > 1e-9 * max(abs(a), abs(b), 1.0):
            raise ValueError(f"a comparison has the difference {difference} of {a} and {b}")
    options = values.get("options", {})
    check_object("the options of a comparison", options, {}, _OPTIONS_OF_COMPARISON)
    p, alpha = values.get("p_adjusted"), options.get("alpha")
    if None not in (p, alpha) and values["significant"] != (p < alpha):
        raise ValueError(f"significant is {values['significant']}, but p_adjusted is {p}")


def _check_provenance(values: Mapping[str, Any]) -> None:
    check_object("provenance", values, {}, _PROVENANCE)
    check_inputs(values.get("inputs", []))
    if "per_example" in values:
        check_object("per_example", values["per_example"], {"path": str, "sha256": _Digest})
    for distribution, number in values.get("versions", {}).items():
        check_option(f"the version of {distribution!r}", number, str)
    for system, digests in values.get("rows", {}).items():
        check_option(f"rows of {system!r}", digests, _Values)
        for name, digest in digests.items():
            check_option(f"the digest of {name!r}", digest, _Digest)
    for system, columns in values.get("columns", {}).items():
        check_option(f"columns of {system!r}", columns, _Values)
        for column in columns.values():
            check_object("a column", column, {"path": str, "field": str}, _COLUMN)
