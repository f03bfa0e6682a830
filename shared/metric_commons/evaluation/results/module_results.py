"""The result of one module for one system, its signature, and the record of where and when."""

import math
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ...data.files.stored import from_jsonable, option_texts, to_jsonable
from ...module.catalog.catalog import lower_scores
from ..rows.versions import DISTRIBUTION, version
from .records import RunHeader, ScoreRecord
from .rendering import label

if TYPE_CHECKING:
    from ..rows.row_tables import RowTable

_DISTRIBUTIONS = (DISTRIBUTION, "numpy", "evaluate", "datasets")
# The names in a result of what a record says about the interval of its score.
_IN_RECORD = {
    "method": "interval",
    "standard_error": "standard_error",
    "effective_n": "effective_n",
    "design_effect": "design_effect",
}
_BY_SCORE = ("confidence_interval", "score_bounds", *_IN_RECORD.values())
_COUNTS = ("n_clusters", "missing_rows")
_INFINITE = (math.inf, -math.inf)
# What a file has of a run beside its records and the values that are not numbers.
_HEADER = tuple(RunHeader.__annotations__)


def program() -> str:
    """Return the name and version of this program, as recorded in results and signatures."""
    return f"{DISTRIBUTION} {version(DISTRIBUTION)}"


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


@dataclass(frozen=True, kw_only=True)
class ModuleResult:
    """What a module returned for a system, and what it depends on.

    Args:
        values: what `compute` returns.
        rows: their number; 0 for means that others reported without rows.
        options: those of the module, and those of the intervals if there are any.
        conditions: whatever else changes the scores and is in the signature: the preset,
            conventions derived from the rows, such as the positive label, the selection of rows.
        signature: the line to cite.
        program: name and version of the program that scored.
        lower_is_better: names of scores.
        aggregation: of scores that are not means of rows: "sum", "geometric_mean" or "sums".
        main_score: by which systems are compared; None for the first.
        left_out: how many rows do not count, by reason.
    """

    values: dict[str, Any]
    rows: int
    options: dict[str, Any] = field(default_factory=dict)
    conditions: dict[str, Any] = field(default_factory=dict)
    signature: str = ""
    program: str = ""
    lower_is_better: list[str] = field(default_factory=list)
    aggregation: dict[str, str] = field(default_factory=dict)
    main_score: str | None = None
    left_out: dict[str, int] = field(default_factory=dict)

    @cached_property
    def scores(self) -> dict[str, Any]:
        """Return the scores, without what is about them, such as their intervals."""
        return {n: value for n, value in self.values.items() if not _is_about_scores(n, value)}

    @property
    def confidence_interval(self) -> dict[str, list[float]]:
        """Return the ends by score."""
        return self.values.get("confidence_interval") or {}

    @property
    def standard_error(self) -> dict[str, float]:
        """Return the standard errors by score."""
        errors = self.values.get("standard_error")
        return errors if isinstance(errors, dict) else {}

    @property
    def groups(self) -> dict[str, dict[str, Any]]:
        """Return the scores of groups with their number of rows `n`, and what is about them."""
        groups = self.values.get("groups")
        parts = groups if isinstance(groups, dict) else {}
        return {name: part for name, part in parts.items() if isinstance(part, dict)}

    def records(self, system: str, module: str) -> Iterator[ScoreRecord]:
        """Yield the lines of a table: each score that is a number, of all rows and of groups."""
        for group, values in [(None, self.values), *self.groups.items()]:
            for score, value in values.items():
                is_count = score in _COUNTS or (group is not None and score == "n")
                if is_count or not _is_number(value):
                    continue
                ends = _detail(values, "confidence_interval", score)
                level = self.options.get("confidence_level") if ends else None
                details = (_detail(values, key, score) for key in _IN_RECORD.values())
                rows = self.rows if group is None else values["n"]
                clusters = values.get("n_clusters")
                uncertain = *(ends or (None, None)), level, *details, rows, clusters
                yield ScoreRecord(system, module, score, group, value, *uncertain)

    def run(self) -> dict[str, Any]:
        """Return all that a file has of a run beside its records: curves, lists, infinities ..."""
        values = _without(self.values, _values_of(self.records("", "")))
        header = {name: getattr(self, name) for name in _HEADER}
        return header | ({"values": values} if values else {})

    @classmethod
    def from_records(cls, run: Mapping[str, Any], records: Iterable[ScoreRecord]) -> Self:
        """Return the inverse of `run` and `records`."""
        values = _values_of(records)
        _add(values, from_jsonable(run.get("values", {})))
        return cls(values=values, **{name: run[name] for name in _HEADER})

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

    def signed(self, module: str) -> Self:
        """Return this result with the signature made from its options."""
        line = signature(module, self.settings(), self.rows or None, self.program)
        return replace(self, signature=line)

    def only(self, scores: Collection[str]) -> Self:
        """Return this result with only these scores, and what is about them."""
        hidden = self.scores.keys() - set(scores)

        def shown(values: Mapping[str, Any]) -> dict[str, Any]:
            return {
                key: {name: of for name, of in value.items() if name not in hidden}
                if key in _BY_SCORE and isinstance(value, dict)
                else value
                for key, value in values.items()
                if key not in hidden
            }

        values = shown(self.values)
        if self.groups:
            values["groups"] = {group: shown(part) for group, part in self.groups.items()}
        return replace(
            self,
            values=values,
            lower_is_better=[name for name in self.lower_is_better if name not in hidden],
            aggregation={n: kind for n, kind in self.aggregation.items() if n not in hidden},
            main_score=None if self.main_score in hidden else self.main_score,
        )


Systems = Mapping[str, Mapping[str, ModuleResult]]  # results by system and module


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_about_scores(name: str, value: Any) -> bool:
    """Return whether an entry of a result is about scores; others may have scores of its name."""
    return name in (*_COUNTS, "groups") or (name in _BY_SCORE and isinstance(value, dict))


def _detail(values: Mapping[str, Any], name: str, score: str) -> Any:
    """Return what a result says about a score; None if it says nothing."""
    details = values.get(name)
    detail = details.get(score) if isinstance(details, dict) else None
    return None if isinstance(detail, float) and math.isnan(detail) else detail


def _values_of(records: Iterable[ScoreRecord]) -> dict[str, Any]:
    """Return what records say of a result."""
    values: dict[str, Any] = {}
    for record in records:
        part = values
        if record.group is not None:
            part = values.setdefault("groups", {}).setdefault(record.group, {})
            part["n"] = record.n
        part[record.score] = record.number
        details = {key: getattr(record, name) for name, key in _IN_RECORD.items()}
        if record.level is not None:
            ends = (math.nan if end is None else end for end in (record.low, record.high))
            details["confidence_interval"] = [*ends]
        for key, detail in details.items():
            if detail is not None:
                part.setdefault(key, {})[record.score] = detail
        if record.n_clusters is not None:
            part["n_clusters"] = record.n_clusters
    return values


def _without(values: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    left: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict) and name in known:
            left |= {name: part} if (part := _without(value, known[name])) else {}
        elif value in _INFINITE:  # for which a record has null, as for NaN
            left[name] = str(value)
        elif name not in known:
            left[name] = value
    return left


def _add(values: dict[str, Any], others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if isinstance(value, dict) and isinstance(values.get(name), dict):
            _add(values[name], value)
        else:
            values[name] = float(value) if value in map(str, _INFINITE) else value


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
    is_bounded = BOUNDS in table.conditions.get("missing", {})
    found = (bounded_result if is_bounded else result)(table, **reported)
    hidden = {"per_example", *metric.reports, *metric.row_texts}
    values = {key: value for key, value in found.items() if key not in hidden}
    if isinstance(values.get("confidence_interval"), list):  # of the one difference
        values["confidence_interval"] = {metric.main_score: values["confidence_interval"]}
    options = {name: v for name, v in table.options.items() if name not in table.columns}
    if options.get("sample_size") is not None:  # the score depends on the rows drawn
        options["seed"] = reported.get("seed", metric.options["seed"])
    if values.get("confidence_interval"):
        options |= interval_options(reported | {"clusters": table.labels()["clusters"]}, values)
    conditions = getattr(found, "conventions", {}) | {  # such as the positive label
        name: [f"{reason}:{count}" for reason, count in value.items()]
        if isinstance(value, Mapping)
        else value
        for name, value in table.conditions.items()
    }
    if "reduce" in conditions:
        options["reduce"] = conditions.pop("reduce")
    made = ModuleResult(
        values=values,
        rows=len(table),
        options=options,
        conditions={k: v for k, v in to_jsonable(conditions).items() if v is not None},
        program=program(),
        main_score=metric.main_score,
        left_out=dict(table.conditions.get("left_out", {})),
    )
    return replace(
        made,
        lower_is_better=lower_scores(made.scores, metric.lower_is_better),
        aggregation=aggregation_of(made.scores, metric.aggregation),
    ).signed(table.module)


def interval_options(reported: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that determine intervals, with the number of clusters or their fields.

    >>> interval_options(
    ...     {"confidence_level": 0.9, "interval": "auto", "n_resamples": 100, "seed": 0},
    ...     {"interval": {"qa_em": "clopper_pearson"}, "n_clusters": 7},
    ... )
    {'confidence_level': 0.9, 'interval': 'auto', 'clusters': 7}
    """
    names = ["confidence_level", "interval"]
    methods = values.get("interval")
    if isinstance(methods, dict) and "bootstrap" in methods.values():
        names += ["n_resamples", "seed"]
    options = {name: reported[name] for name in names if name in reported}
    if values.get("n_clusters") is not None:
        clusters = reported.get("clusters")
        options["clusters"] = [*clusters] if isinstance(clusters, Mapping) else values["n_clusters"]
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
