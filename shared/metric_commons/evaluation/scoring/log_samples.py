"""Samples of a log: which count, their scores, and how samples with the same id become one unit."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...data.harness_logs.logs import PLAIN_ROWS
from ...data.tables.tables import Source
from ...module.catalog.request import Missing, Reduce
from ...statistics.arguments.checks import alternatives
from ..rows.joins import check_unique
from ..rows.logged_scores import OUTCOMES
from ..rows.rows import Rows, taken
from ..rows.samples import BOUNDS, Samples, numbered

_REASONS = {
    "error": "ended in an error",
    "unscored": "have no score",
    "unanswered": "have no answer",
}


@dataclass(frozen=True)
class LogRows:
    """The rows of one system, as they are in the files."""

    source: Source
    numbers: Sequence[int]  # of the rows in the file
    rows: Mapping[str, Rows]  # by module; all have the same labels
    errors: Sequence[bool]
    # Modules whose predictions are the scores of the log: LOGGED or OUTCOMES.
    scored_by_log: Mapping[str, str]

    @property
    def ids(self) -> Sequence[Any] | None:
        """Return the ids of the rows."""
        return next(iter(self.rows.values())).ids

    def take(self, rows: Sequence[int]) -> "LogRows":
        """Return the samples at these positions, in this order."""
        return replace(
            self,
            numbers=taken(self.numbers, rows),
            rows={module: of_module.take(rows) for module, of_module in self.rows.items()},
            errors=taken(self.errors, rows),
        )


class RowsToScore(NamedTuple):
    """The rows of one system that each module scores, and the samples that they belong to."""

    rows: Mapping[str, Rows]  # by module
    samples: Mapping[str, Samples]  # by module, if rows are not samples
    conditions: Mapping[str, Any]


def rows_to_score(
    samples: LogRows,
    missing: Missing = "refuse",
    reduce: Reduce | None = None,
    metric: str | None = None,
) -> RowsToScore:
    """Return the rows for modules to score, and how they were selected.

    Args:
        samples: the samples of one system.
        missing: whether samples without a score or an answer are an error, are excluded, score
            zero, or count as the worst and as the best.
        reduce: how rows with the same id become one; None for their mean.
        metric: which score of the log to use; None for all.

    Raises:
        ValueError: samples have no score and `missing` is "refuse"; no sample has one; or rows with
            the same id have different labels.
    """
    excluded = Counter(samples.source.excluded)
    choices = _choices(samples.source, metric)
    if samples.scored_by_log:
        samples, pairs = _with_scores(samples, metric)
        excluded |= pairs
    absent = _absent(samples, missing)
    reasons = {row: reason for rows in absent.values() for row, reason in rows.items()}
    counts = Counter(reasons.values())
    if counts and missing == "refuse":
        listed = ", ".join(f"{count} {_REASONS[reason]}" for reason, count in counts.items())
        raise ValueError(
            f"{samples.source.path}: of {len(samples.numbers)} samples, {listed}; exclude them "
            "with --missing skip, count them as 0 with --missing zero, or as worst and best with "
            "--missing bounds"
        )
    if counts and missing == "skip":
        samples = samples.take([row for row in range(len(samples.numbers)) if row not in reasons])
        absent = {module: {} for module in absent}
        excluded |= counts
    elif counts:
        choices["missing"] = {missing: counts.total()}
    if not samples.numbers:
        raise ValueError(f"{samples.source.path}: no samples remain to be scored")
    ids = range(len(samples.numbers)) if samples.ids is None else samples.ids
    positions, names = numbered(ids)
    has_repeats = len(names) < len(ids)
    if has_repeats and not samples.source.log.repeated_ids_allowed:
        check_unique(ids, str(samples.source.path))
    if has_repeats:
        choices["reduce"] = reduce or "mean"
    if excluded:
        choices["left_out"] = dict(excluded)
    labels = _labels(samples, positions)
    rows_of_modules, samples_of_modules = {}, {}
    for module, rows in samples.rows.items():
        gaps = [positions[row] for row in absent[module]]
        is_bounded = missing == BOUNDS and bool(gaps)
        incomplete = set(gaps) if is_bounded else set()
        kept = [
            row
            for row, position in enumerate(positions)
            if row not in absent[module] and position not in incomplete
        ]
        part, places = rows.take(kept), taken(positions, kept)
        has_samples = has_repeats or bool(gaps)
        if samples.scored_by_log.get(module) == OUTCOMES:
            outcomes: list[list[int]] = [[] for _ in names]
            for position, scores in zip(places, part.columns["predictions"], strict=True):
                outcomes[position].append(outcome(scores))
            for position in () if is_bounded else gaps:
                outcomes[position].append(0)
            places = [place for place, values in enumerate(outcomes) if values]
            part = replace(labels, columns={"predictions": taken(outcomes, places)})
            has_samples = is_bounded
        rows_of_modules[module] = part
        if has_samples:
            samples_of_modules[module] = Samples(
                places, labels, len(names), reduce or "mean", gaps, is_bounded
            )
    return RowsToScore(rows_of_modules, samples_of_modules, choices)


def _labels(samples: LogRows, positions: Sequence[int]) -> Rows:
    """Return the labels of the units; all rows of a unit must have the same."""
    first_rows: dict[int, int] = {}
    for row, position in enumerate(positions):
        first_rows.setdefault(position, row)
    rows = next(iter(samples.rows.values()))
    clusters: Any = rows.clusters or {}
    for name, column in [("groups", rows.groups), *(("clusters", c) for c in clusters.values())]:
        for row, position in enumerate(positions if column is not None else ()):
            label, earlier = column[row], column[first_rows[position]]
            if earlier is not label and earlier != label:
                location = samples.source.location(samples.numbers[row])
                raise ValueError(
                    f"{samples.source.path}: {location}: {label!r} in {name} differs from the "
                    f"label of an earlier row with the same id, {earlier!r}"
                )
    judged = (of.columns for of in samples.rows.values() if "references" in of.columns)
    columns = {name: c for name, c in next(judged, {}).items() if name == "references"}
    return replace(rows, columns=columns, place=None).take([*first_rows.values()])


def _choices(source: Source, metric: str | None) -> dict[str, Any]:
    """Return the requested selections that change scores, for the signature."""
    selection = source.selection
    conditions = [f"{name}={text}" for name, text in selection.conditions.items()]
    choices = {"filter": selection.filter, "where": conditions, "metric": metric}
    return {name: value for name, value in choices.items() if value}


def _with_scores(samples: LogRows, metric: str | None) -> tuple[LogRows, Counter[str]]:
    """Return the samples with scores that are numbers or None, and counts of other values."""
    rows = dict(samples.rows)
    module = next(iter(samples.scored_by_log))
    try:
        scores, pairs = scores_of_rows(rows[module].columns["predictions"], metric)
    except ValueError as error:
        raise ValueError(f"{samples.source.path}: {error}") from error
    for module in samples.scored_by_log:
        columns = {**rows[module].columns, "predictions": scores}
        rows[module] = replace(rows[module], columns=columns)
    return replace(samples, rows=rows), pairs


def _absent(samples: LogRows, missing: Missing) -> dict[str, dict[int, str]]:
    """Return the rows that each module cannot score, with the reasons."""
    # In plain rows, a missing value that is refused is an invalid one: the error names its row.
    counts = samples.source.log.format_name != PLAIN_ROWS or missing != "refuse"
    absent: dict[str, dict[int, str]] = {}
    for module, rows in samples.rows.items():
        reason = "unscored" if module in samples.scored_by_log else "unanswered"
        predictions = rows.columns["predictions"]
        absent[module] = {
            row: "error" if is_error else reason
            for row, (value, is_error) in enumerate(zip(predictions, samples.errors, strict=True))
            if is_error or (value is None and counts)
        }
    return absent


def scores_of_rows(
    rows: Sequence[Mapping[str, Any]], metric: str | None
) -> tuple[list[dict[str, float] | None], Counter[str]]:
    """Return the scores of each row, None if one is missing, and counts of other values.

    Args:
        rows: the values in the log, by the names of its metrics.
        metric: one of these names, or a scorer whose scores are `scorer.key`; None for all.

    Raises:
        ValueError: there are no scores, or none that is one number per row.

    >>> scores_of_rows([{"acc": 1, "f1": [1, 0]}, {"acc": float("nan"), "f1": [0, 0]}], None)
    ([{'acc': 1.0}, None], Counter({'f1': 2}))
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise ValueError("the log has no scores; its samples were not scored")
    if metric is not None:
        selection = [name for name in names if name == metric or name.startswith(f"{metric}.")]
        if not selection:
            raise ValueError(f"the log has no metric {metric!r}{alternatives(metric, names)}")
        names = selection
    pairs = Counter(
        name
        for row in rows
        for name in names
        if name in row and not isinstance(row[name], int | float)
    )
    numbers = [name for name in names if name not in pairs]
    if not numbers or (metric is not None and pairs):
        raise ValueError(
            f"{', '.join(pairs)}: the log has no number per row, but the input of a measure of all "
            "rows, such as pairs of reference and prediction, which has no mean; score the answers "
            "with a module"
        )
    return [_numbers(row, numbers) for row in rows], pairs


def _numbers(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, float] | None:
    values = {name: float(row[name]) for name in names if name in row}
    is_complete = len(values) == len(names) and not any(map(math.isnan, values.values()))
    return values if is_complete else None


def outcome(scores: Mapping[str, float]) -> int:
    """Return whether a sample passed, 1 or 0, by its only score.

    >>> outcome({"match": 1.0})
    1

    Raises:
        ValueError: there are several scores, or the score is neither.
    """
    if len(scores) > 1:
        raise ValueError(f"which score shows that a sample passed? --metric {' or '.join(scores)}")
    (value,) = scores.values()
    if value not in (0, 1):
        raise ValueError(f"a sample either passed or failed, 1 or 0, but its score is {value}")
    return int(value)
