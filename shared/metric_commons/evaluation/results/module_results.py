"""The result of one module for one system, its signature, and the record of where and when.

It is built from the return value of `compute`; a signature is a line that records how.
"""

import math
import platform
from collections.abc import Collection, Iterable, Mapping, Sized
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any, Self, cast

from ...data.files.stored import (
    from_jsonable,
    infinities,
    option_texts,
    set_infinities,
    to_jsonable,
)
from ...module.catalog import catalog
from ...module.catalog.catalog import lower_scores
from ...module.declaration.declarations import (
    OF_UNSEEN_ROWS,
    REPORTING,
    Module,
)
from .rendering import label

if TYPE_CHECKING:
    from ...statistics.intervals.proportions import Interval
    from ...statistics.intervals.sums import RowSums

_DISTRIBUTIONS = ("metric-commons", "numpy", "evaluate", "datasets")


@cache
def version(distribution: str) -> str:
    """Return the installed version of a distribution, cached since a look-up takes milliseconds."""
    from importlib import metadata

    return metadata.version(distribution)


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


def row_digests(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the record of which rows were scored.

    Digests of the references and ids of each system.

    Args:
        columns: these columns by system and name; None and iterators have no digest.

    >>> row_digests({"bot": {"references": ["a", "b"], "ids": None}})
    {'rows': {'bot': {'references': '80c76f71880aae4e'}}}
    """
    from ...statistics.arguments.arrays import row_digest

    digests: dict[int, str] = {}  # systems usually have one column in common
    record: dict[str, dict[str, str]] = {}
    for system, columns_of_system in columns.items():
        for name, column in columns_of_system.items():
            if isinstance(column, Sized):
                if id(column) not in digests:
                    digests[id(column)] = digest_text(row_digest(cast("Any", column)))
                record.setdefault(system, {})[name] = digests[id(column)]
    return {"rows": record} if record else {}


def digest_text(digest: int) -> str:
    """Return a digest as stored in results."""
    return f"{digest:016x}"


DETAILS = ("interval", "standard_error", "effective_n", "design_effect")  # of intervals, by score
COUNTS = ("n_clusters", "missing_rows")
_BESIDE_INTERVALS = (*DETAILS, "score_bounds", *COUNTS)
_INFINITE = ("scores", "confidence_interval", "groups")  # where numbers may be infinite
_OF_ROWS = ("per_example", "row_texts", "row_sums", "row_inputs")  # in a separate file
# The fields that a file has even if they are empty.
_ALWAYS = (
    *("options", "rows", "scores", "confidence_interval", "groups", "signature"),
    "conditions",
)
# The fields with one value per score.
_BY_SCORE = (
    *("scores", "confidence_interval", *DETAILS, "score_bounds", "aggregation"),
    *("per_example", "value_counts", "cluster_counts"),
)


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
    # Of scores with few distinct values: these, their counts and, unless they are 0 and 1, the ends
    # of the range; and a power of two with the kinds of clusters: rows, sum in its units, number.
    value_counts: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    cluster_counts: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    left_out: dict[str, int] = field(default_factory=dict)  # rows that do not count, by reason
    per_example: dict[str, list[float]] = field(default_factory=dict, repr=False)
    # Texts about rows, such as the reason why a row is undecided; None for a row without one.
    row_texts: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    # What each row adds to the sums from which scores that are not means are computed.
    row_sums: "RowSums | None" = field(default=None, repr=False, compare=False)
    # The inputs themselves, if scores follow neither from those of rows nor from sums.
    row_inputs: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but scores and texts of single rows, which have a separate file."""
        stored = {
            key: value
            for key, value in vars(self).items()
            if key not in _OF_ROWS and (value or (key in _ALWAYS and value is not None))
        }
        signs = infinities({key: getattr(self, key) for key in _INFINITE})
        return dict(to_jsonable(stored)) | ({"infinite": signs} if signs else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the inverse of `to_dict`, which restores NaN and infinities.

        Raises:
            ValueError: a path under `infinite` does not lead to an undefined number.
        """
        numbers = {*_INFINITE, "value_counts", *_BESIDE_INTERVALS}
        fields = {
            key: from_jsonable(value) if key in numbers else value
            for key, value in values.items()
            if key != "infinite"
        }
        set_infinities(fields, values.get("infinite", []))
        return cls(**fields)

    def without_rows(self) -> Self:
        """Return this result without the scores, texts and inputs of rows."""
        return replace(self, per_example={}, row_texts={}, row_sums=None, row_inputs={})

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
        """Return this result with the signature made from its options.

        Args:
            module: the name of the module.
        """
        line = signature(module, self.settings(), self.rows or None, self.program)
        return replace(self, signature=line)

    def counted_interval(self, score: str, confidence_level: float) -> "Interval | None":
        """Return the interval of the mean of a score, from the counts of its values.

        None without counts.

        >>> from ..scoring.scoring import score
        >>> rows = {"predictions": ["a", "b", "a"], "references": ["a", "a", "a"]}
        >>> result = score("qa_em", **rows).systems["predictions"]["qa_em"]
        >>> result.counted_interval("qa_em", 0.95).method
        'clopper_pearson'
        >>> results = score("qa_em", **rows, clusters=["c", "c", "d"])
        >>> results.systems["predictions"]["qa_em"].counted_interval("qa_em", 0.95).n_clusters
        2
        """
        if score not in self.value_counts:
            return None
        from ...statistics.arithmetic.exact_sums import Multiset  # imports numpy, so only on use
        from ...statistics.intervals.cluster_sums import ClusterSums
        from ...statistics.intervals.intervals import interval

        values, counts, *ends = self.value_counts[score]
        low, high = ends[0] if ends else (0.0, 1.0)
        # A file stores infinite ends as null, since JSON has no infinity.
        bounds = (-math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high)
        sums = None
        if score in self.cluster_counts:
            power, kinds = self.cluster_counts[score]
            pairs = [(rows, units) for rows, units, number in kinds for _ in range(number)]
            sums = ClusterSums.reduced({str(n): pair for n, pair in enumerate(pairs)}, power)
        return interval(
            Multiset.from_jsonable([values, counts]),
            confidence_level=confidence_level,
            bounds=bounds,
            clusters=sums,
        )

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


Systems = Mapping[str, Mapping[str, ModuleResult]]  # results by system and module


def module_result(
    name: str,
    metric: Module,
    result: dict[str, Any],
    *,
    rows: int,
    options: Mapping[str, Any],
    reported: Mapping[str, Any],
    counts: Any = None,
    row_sums: "RowSums | None" = None,
    row_inputs: Mapping[str, list[Any]] | None = None,
    choices: Mapping[str, Any] | None = None,
    excluded: Mapping[str, int] | None = None,
) -> ModuleResult:
    """Return the return value of `metric.compute`, with what is needed to reproduce it.

    Args:
        name: the module.
        metric: its instance.
        result: the return value.
        rows: their number.
        options: those of the call.
        reported: the options for intervals.
        counts: the `CountedScores` of the rows; None if intervals do not follow from them.
        row_sums: what rows add to the sums behind scores that are not means.
        row_inputs: the inputs, if scores follow from neither.
        choices: how rows were selected from a log; part of the signature.
        excluded: the numbers of excluded rows by reason; part of the signature.

    >>> from ...module.catalog.catalog import load
    >>> metric = load("qa_em")
    >>> module_result("qa_em", metric, {"qa_em": 0.5}, rows=2, options={}, reported={}).scores
    {'qa_em': 0.5}
    """
    scores = {key: value for key, value in result.items() if key not in metric.reports}
    conventions = scores.pop("conventions", {})  # derived from rows, such as the positive label
    intervals, groups, of_rows = (
        scores.pop(key, {}) for key in ("confidence_interval", "groups", "per_example")
    )
    texts = {key: scores.pop(key) for key in metric.row_texts & scores.keys()}
    if isinstance(intervals, list):  # of a comparison, which has one difference
        intervals = {metric.main_score: intervals}
    details = {
        key: scores.pop(key)
        for key in _BESIDE_INTERVALS
        if isinstance(scores.get(key), dict) or (key in COUNTS and key in scores)
    }
    scoring = {
        option: options.get(option, default)
        for option, default in metric.options.items()
        if option not in REPORTING
    }
    if scoring.get("sample_size") is not None:  # the score depends on the rows drawn
        scoring["seed"] = reported.get("seed", metric.options["seed"])
    if intervals:
        scoring |= interval_options(reported, details)
    aggregation = aggregation_of(scores, metric.aggregation)
    values, clusters = {}, {}
    if counts is not None:
        values, clusters = counts.value_counts(metric, excluded=aggregation.keys())
    selection = dict(choices or {})
    if excluded:
        selection["left_out"] = [f"{reason}:{count}" for reason, count in excluded.items()]
    conditions = to_jsonable(conventions | {k: v for k, v in selection.items() if k != "reduce"})
    result_of_module = ModuleResult(
        options=scoring | ({"reduce": selection["reduce"]} if "reduce" in selection else {}),
        rows=rows,
        scores=scores,
        signature="",
        conditions={key: value for key, value in conditions.items() if value is not None},
        program=program(),
        left_out=dict(excluded or {}),
        lower_is_better=lower_scores(scores, metric.lower_is_better),
        aggregation=aggregation,
        main_score=metric.main_score,
        value_counts=values,
        cluster_counts=clusters,
        confidence_interval=intervals,
        groups=groups,
        per_example=of_rows,
        row_texts=texts,
        row_sums=row_sums,
        row_inputs=dict(row_inputs or {}),
        **details,
    )
    return result_of_module.signed(name)


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
    options |= {n: reported[n] for n in OF_UNSEEN_ROWS if reported.get(n) is not None}
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


def functions_of_sums(result: ModuleResult) -> list[str]:
    """Return the scores computed from sums over rows, if the terms of each row are known."""
    if result.row_sums is None:
        return []
    return [
        name
        for name, score in result.scores.items()
        if isinstance(score, float) and result.aggregation.get(name) == "sums"
    ]


def means_of_rows(result: ModuleResult) -> dict[str, list[float]]:
    """Return the scores of single rows, of each score that is their mean."""
    return {
        name: values
        for name, values in result.per_example.items()
        if name not in result.aggregation
    }


def functions_of_rows(result: ModuleResult) -> list[str]:
    """Return the scores that can only be computed from all rows, if these are known."""
    if not result.row_inputs:
        return []
    return [
        name
        for name, score in result.scores.items()
        if isinstance(score, float) and name not in (*result.per_example, "standard_error")
    ]


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
