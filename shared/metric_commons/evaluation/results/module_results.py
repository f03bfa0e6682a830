"""The result of one module for one system, its signature, and the record of where and when.

It is built from the return value of `compute`; a signature is a line that records how.
"""

import math
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Self

from ...data.files.stored import from_jsonable, option_texts, to_jsonable
from ...module.catalog import catalog
from ...module.catalog.catalog import lower_scores
from ...module.declaration.declarations import (
    REPORTING,
)
from ..rows.versions import DISTRIBUTION, version
from .records import ScoreRecord, StoredRun
from .rendering import label

if TYPE_CHECKING:
    from ..rows.row_tables import RowTable

_DISTRIBUTIONS = (DISTRIBUTION, "numpy", "evaluate", "datasets")


def program() -> str:
    """Return the name and version of this program, as recorded in results and signatures."""
    return f"{_DISTRIBUTIONS[0]} {version(_DISTRIBUTIONS[0])}"


def signature(
    module: str, options: Mapping[str, Any], rows: int | None, made_by: str | None = None
) -> str:
    """Return one line that records how a score was computed, to be cited with it.

    It is for people and not parsed, since values may contain the separators; results have the same
    options as values.

    Args:
        module: its name.
        options: those that change the score.
        rows: their number; None if it is unknown.
        made_by: the program that scored; None for this one.

    >>> signature("qa_em", {"normalizer": str.lower, "k": (1, 10)}, 3610)  # doctest: +ELLIPSIS
    'qa_em|normalizer=str.lower|k=1,10|rows=3610|metric-commons ...'
    """
    described = option_texts(options if rows is None else {**options, "rows": rows})
    return label("|".join([module, *described, made_by or program()]))


def provenance(inputs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the record of the input files, the versions of programs and the time."""
    versions = {name: version(name) for name in _DISTRIBUTIONS}
    return {
        "inputs": [dict(source) for source in inputs],
        "versions": versions | {"python": platform.python_version()},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def row_digests(tables: "Mapping[str, Mapping[str, RowTable]]") -> dict[str, Any]:
    """Return the record of which rows were scored: digests of references and ids by system."""
    from ...statistics.arguments.arrays import digest_text, row_codes

    record: dict[str, dict[str, str]] = {}
    for system, modules in tables.items():
        table = next(iter(modules.values()))
        if table.digests is not None:
            record.setdefault(system, {})["references"] = digest_text(table.digests)
        if table.ids is not None:
            record.setdefault(system, {})["ids"] = digest_text(row_codes(table.ids))
    return {"digests": record} if record else {}


DETAILS = ("interval", "standard_error", "effective_n", "design_effect")  # of intervals, by score
COUNTS = ("n_clusters", "missing_rows")
_BESIDE_INTERVALS = (*DETAILS, "score_bounds", *COUNTS)
# The fields with one value per score.
_BY_SCORE = ("scores", "confidence_interval", *DETAILS, "score_bounds", "aggregation")
# The fields of a run in a file, beside its records and the values that are not numbers.
_OF_RUN = tuple(name for name in StoredRun.__annotations__ if name != "values")
# The names that intervals and their details have in a record.
_IN_RECORD = {
    "interval": "method",
    "standard_error": "standard_error",
    "effective_n": "effective_n",
    "design_effect": "design_effect",
}


@dataclass(frozen=True, kw_only=True)
class ModuleResult:
    """The result of one module for one system."""

    options: dict[str, Any]
    rows: int
    scores: dict[str, Any]
    confidence_interval: dict[str, list[float]]
    # Details of the intervals, by score, and the number of clusters.
    interval: dict[str, str] = field(default_factory=dict)
    standard_error: dict[str, float] = field(default_factory=dict)
    effective_n: dict[str, float] = field(default_factory=dict)
    n_clusters: int | None = None
    design_effect: dict[str, float] = field(default_factory=dict)
    # The scores if all rows that are missing had the worst score, or the best, and their number.
    score_bounds: dict[str, list[float]] = field(default_factory=dict)
    missing_rows: int | None = None
    groups: dict[str, dict[str, Any]]
    signature: str
    # Whatever else changes the scores and is in the signature: the preset, conventions derived from
    # the rows, such as the positive label, and the selection of rows from a log.
    conditions: dict[str, Any] = field(default_factory=dict)
    program: str = ""  # name and version of the program that scored
    lower_is_better: list[str] = field(default_factory=list)  # names of scores
    # Scores that are not means of rows, and their kinds: "sum", "geometric_mean" or "sums".
    aggregation: dict[str, str] = field(default_factory=dict)
    main_score: str | None = None  # by which systems are compared; None for the first
    left_out: dict[str, int] = field(default_factory=dict)  # rows that do not count, by reason

    @property
    def values(self) -> dict[str, Any]:
        """Return what `compute` returns."""
        fields: dict[str, Any] = {"confidence_interval": self.confidence_interval}
        fields |= {name: getattr(self, name) for name in _BESIDE_INTERVALS}
        fields["groups"] = self.groups
        return self.scores | {n: v for n, v in fields.items() if v not in ({}, None)}

    def records(self, system: str, module: str) -> Iterator[ScoreRecord]:
        """Yield the lines of a table: each score that is a number, of all rows and of groups."""
        for group, values in [(None, self.values), *self.groups.items()]:
            for score, value in values.items():
                if isinstance(value, bool) or not isinstance(value, int | float):
                    continue
                if score in COUNTS or (group is not None and score == "n"):
                    continue
                low, high = _of_score(values, "confidence_interval", score) or (None, None)
                details = {to: _of_score(values, name, score) for name, to in _IN_RECORD.items()}
                yield ScoreRecord(
                    system=system,
                    module=module,
                    score=score,
                    group=group,
                    value=value,
                    low=low,
                    high=high,
                    level=None if low is None else self.options.get("confidence_level"),
                    n=self.rows if group is None else values["n"],
                    n_clusters=values.get("n_clusters"),
                    **details,
                )

    def run(self) -> dict[str, Any]:
        """Return all that a file has of a run beside its records."""
        fields = {name: getattr(self, name) for name in _OF_RUN}
        values = _without_records(self.values)
        return fields | ({"values": values} if values else {})

    @classmethod
    def from_records(cls, run: Mapping[str, Any], records: Iterable[ScoreRecord]) -> Self:
        """Return the inverse of `run` and `records`."""
        values: dict[str, Any] = {}
        for record in records:
            part = values
            if record.group is not None:
                part = values.setdefault("groups", {}).setdefault(record.group, {})
                part["n"] = record.n
            _set_record(part, record)
        _set_values(values, from_jsonable(run.get("values", {})))
        fields = {name: run[name] for name in _OF_RUN}
        for name in ("groups", "confidence_interval"):
            fields[name] = values.pop(name, {})
        for name in _BESIDE_INTERVALS:
            # or else a score of this name
            if name in values and (name in COUNTS or isinstance(values[name], dict)):
                fields[name] = values.pop(name)
        return cls(scores=values, **fields)

    def settings(self) -> dict[str, Any]:
        """Return the options and conditions that are not None, the preset first, as in signatures.

        Thoughts that are kept are no option either: texts are as they were.

        >>> from ..scoring.scoring import score
        >>> results = score("qa_em", predictions=["a"], references=["a"])
        >>> results.systems["predictions"]["qa_em"].settings()["normalizer"]
        'squad'
        """
        values = {"preset": self.conditions.get("preset"), **self.options, **self.conditions}
        return {
            name: value
            for name, value in values.items()
            if value is not None and (name, value) != ("thoughts", "keep")
        }

    def scoring_options(self) -> dict[str, Any]:
        """Return the options without those for reporting."""
        return {name: value for name, value in self.options.items() if name not in REPORTING}

    def signed(self, module: str) -> Self:
        """Return this result with the signature made from its options.

        Args:
            module: the name of the module.
        """
        line = signature(module, self.settings(), self.rows or None, self.program)
        return replace(self, signature=line)

    def only(self, scores: Collection[str]) -> Self:
        """Return this result with only these scores."""

        def selection(values: Mapping[str, Any]) -> dict[str, Any]:
            """Return the values of these scores, and others, such as the number of rows."""
            return {
                key: selection(value) if key in _BY_SCORE and isinstance(value, Mapping) else value
                for key, value in values.items()
                if key in scores or key not in self.scores
            }

        is_main = self.main_score is None or self.main_score in scores
        fields: dict[str, Any] = {name: selection(getattr(self, name)) for name in _BY_SCORE} | {
            "groups": {group: selection(values) for group, values in self.groups.items()},
            "lower_is_better": [name for name in self.lower_is_better if name in scores],
            "main_score": self.main_score if is_main else None,
        }
        return replace(self, **fields)


def _of_score(values: Mapping[str, Any], name: str, score: str) -> Any:
    """Return a detail of the interval of a score; None if it has none."""
    details = values.get(name)
    detail = details.get(score) if isinstance(details, Mapping) else None
    return None if isinstance(detail, float) and math.isnan(detail) else detail


def _without_records(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is in no record: curves, lists, and the like."""
    left: dict[str, Any] = {}
    for name, value in values.items():
        if name == "groups":
            groups = {group: _without_records(part) for group, part in value.items()}
            left |= {name: groups} if any(groups.values()) else {}
        elif name in (*_IN_RECORD, "confidence_interval") and isinstance(value, Mapping):
            details = {
                score: detail
                for score, detail in value.items()
                if not isinstance(values.get(score), int | float)
            }
            left |= {name: details} if details else {}
        elif name == "missing_rows" or (
            name != "n_clusters" and (isinstance(value, bool) or not isinstance(value, int | float))
        ):
            left[name] = value
    return left


def _set_record(values: dict[str, Any], record: ScoreRecord) -> None:
    """Put the score of a record into a result."""
    score = record.score
    values[score] = record.number
    if {record.method, record.low, record.high} != {None}:
        ends = [math.nan if end is None else end for end in (record.low, record.high)]
        values.setdefault("confidence_interval", {})[score] = ends
    for name, source in _IN_RECORD.items():
        detail = getattr(record, source)
        if detail is not None:
            values.setdefault(name, {})[score] = detail
    if record.n_clusters is not None:
        values["n_clusters"] = record.n_clusters


def _set_values(values: dict[str, Any], others: Mapping[str, Any]) -> None:
    """Add what is in no record to a result."""
    for name, value in others.items():
        if isinstance(value, dict) and isinstance(values.get(name), dict):
            _set_values(values[name], value)
        else:
            values[name] = value


Systems = Mapping[str, Mapping[str, ModuleResult]]  # results by system and module


def module_result(table: "RowTable", reporting: Mapping[str, Any]) -> ModuleResult:
    """Return the result of scored rows, with all that is needed to reproduce it.

    Args:
        table: the rows of a system and module.
        reporting: the options of intervals, for modules that have them.

    Raises:
        ValueError: the scores are undefined, or the module cannot report this.

    >>> from ...module.catalog.catalog import load_without_evaluate
    >>> from ..rows.row_tables import scored
    >>> from ..rows.rows import Rows
    >>> rows = Rows(columns={"predictions": ["a", "b"], "references": ["a", "a"]})
    >>> module_result(scored(load_without_evaluate("qa_em"), rows), {}).scores
    {'qa_em': 0.5}
    """
    from ..rows.row_tables import result  # imports numpy, so only on use
    from ..rows.samples import BOUNDS, bounded_result

    metric = table.metric
    reported = {name: v for name, v in reporting.items() if name in metric.options}
    if reported.get("confidence_level") is None and not reported.get("standard_error"):
        table = replace(table, clusters={})  # which may have fields that are not crossed
    labels = table.labels()
    is_bounded = BOUNDS in table.conditions.get("missing", {})
    found = (bounded_result if is_bounded else result)(table, **reported)
    scores = {key: value for key, value in found.items() if key not in metric.reports}
    conventions = getattr(found, "conventions", {})  # derived from rows, such as the positive label
    intervals, groups = (scores.pop(key, {}) for key in ("confidence_interval", "groups"))
    for key in ("per_example", *metric.row_texts):
        scores.pop(key, None)
    if isinstance(intervals, list):  # of a comparison, which has one difference
        intervals = {metric.main_score: intervals}
    details = {
        key: scores.pop(key)
        for key in _BESIDE_INTERVALS
        if isinstance(scores.get(key), dict) or (key in COUNTS and key in scores)
    }
    scoring = {name: v for name, v in table.options.items() if name not in table.columns}
    if scoring.get("sample_size") is not None:  # the score depends on the rows drawn
        scoring["seed"] = reported.get("seed", metric.options["seed"])
    if intervals:
        scoring |= interval_options({**reported, "clusters": labels["clusters"]}, details)
    conditions = dict(table.conditions)
    if "reduce" in conditions:
        scoring["reduce"] = conditions.pop("reduce")
    conditions = conventions | {
        name: [f"{reason}:{count}" for reason, count in value.items()]
        if isinstance(value, Mapping)
        else value
        for name, value in conditions.items()
    }
    result_of_module = ModuleResult(
        options=scoring,
        rows=len(table),
        scores=scores,
        signature="",
        conditions={k: v for k, v in to_jsonable(conditions).items() if v is not None},
        program=program(),
        left_out=dict(table.conditions.get("left_out", {})),
        lower_is_better=lower_scores(scores, metric.lower_is_better),
        aggregation=aggregation_of(scores, metric.aggregation),
        main_score=metric.main_score,
        confidence_interval=intervals,
        groups=groups,
        **details,
    )
    return result_of_module.signed(table.module)


def interval_options(reported: Mapping[str, Any], extras: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that determine intervals, with the number of clusters or their fields.

    >>> interval_options(
    ...     {"confidence_level": 0.9, "interval": "auto", "n_resamples": 100, "seed": 0},
    ...     {"interval": {"qa_em": "clopper_pearson"}, "n_clusters": 7},
    ... )
    {'confidence_level': 0.9, 'interval': 'auto', 'clusters': 7}
    """
    names = ["confidence_level", "interval"]
    if "bootstrap" in extras.get("interval", {}).values():
        names += ["n_resamples", "seed"]
    options = {name: reported[name] for name in names if name in reported}
    if extras.get("n_clusters") is not None:
        clusters = reported.get("clusters")
        options["clusters"] = [*clusters] if isinstance(clusters, Mapping) else extras["n_clusters"]
    return options


def aggregation_of(scores: Iterable[str], patterns: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds of those scores that are not means of rows, by patterns of their names.

    >>> aggregation_of(["map", "num_rel"], {"num_*": "sum"})
    {'num_rel': 'sum'}
    """
    return {
        score: kind
        for score in scores
        for pattern, kind in patterns.items()
        if fnmatchcase(score.lower(), pattern)
    }


def check_averages(systems: Systems) -> None:
    """Check that scores of one name have one average over labels, since they share a table.

    Raises:
        ValueError: those of two systems have different ones.
    """
    first: dict[str, tuple[str, Any]] = {}
    for system, modules in systems.items():
        for module, result in modules.items():
            average = result.settings().get("average")
            name, other = first.setdefault(module, (system, average))
            if average != other:
                raise ValueError(
                    f"{module} averages over labels in two ways: {name!r} has average={other!r}, "
                    f"and {system!r} has {average!r}, since their labels differ; name an average, "
                    "or for two labels pos_label"
                )


def sentence_of(module: str, result: ModuleResult) -> str | None:
    """Return the sentence about a result that its module offers for quotation; None without one."""
    cls = catalog.known_class(module)
    if cls is None or cls.sentence is None:
        return None
    try:
        return cls.sentence({**result.scores, "confidence_interval": result.confidence_interval})
    except KeyError:  # of scores that were not chosen
        return None
