"""Samples of a log: which samples count, and how samples with the same id become one unit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...data.harness_logs.logs import PLAIN_ROWS
from ...data.tables.tables import Source
from ..scoring.row_samples import Reduce, RowSamples, numbered
from ..scoring.system_rows import SystemRows
from .joins import check_unique
from .logged_values import outcome, scores_of_rows

Missing = Literal["refuse", "skip", "zero"]
LOGGED, OUTCOMES = "logged", "outcomes"  # columns with the scores of samples
_REASONS = {
    "error": "ended in an error",
    "unscored": "have no score",
    "unanswered": "have no answer",
}


@dataclass(frozen=True)
class Samples:
    """The rows of one system, as they are in the files."""

    source: Source
    rows: Sequence[int]  # their numbers in the file
    inputs: Mapping[str, Mapping[str, Sequence[Any]]]  # columns by module and name
    labels: Mapping[str, Sequence[Any]]  # "id", "groups", "clusters" and "error", if there are any
    # Modules whose predictions are the scores of the log: LOGGED or OUTCOMES.
    scored_by_log: Mapping[str, str]

    def take(self, rows: Sequence[int]) -> "Samples":
        """Return the samples at these positions, in this order."""
        return replace(
            self,
            rows=_taken(self.rows, rows),
            inputs={
                module: {name: _taken(column, rows) for name, column in columns.items()}
                for module, columns in self.inputs.items()
            },
            labels={name: _taken(column, rows) for name, column in self.labels.items()},
        )


def system_rows(
    samples: Samples, *, missing: Missing = "refuse", reduce: Reduce | None, metric: str | None
) -> SystemRows:
    """Return the rows for modules to score, and the counts of excluded rows by reason.

    Args:
        samples: the samples of one system.
        missing: whether samples without a score or an answer are an error, are excluded, or score
            zero.
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
    absent = _absent(samples)
    reasons = {row: reason for rows in absent.values() for row, reason in rows.items()}
    counts = Counter(reasons.values())
    if counts and missing == "refuse":
        listed = ", ".join(f"{count} {_REASONS[reason]}" for reason, count in counts.items())
        raise ValueError(
            f"{samples.source.path}: of {len(samples.rows)} samples, {listed}; exclude them with "
            "--missing skip, or count them as 0 with --missing zero"
        )
    if counts and missing == "skip":
        samples = samples.take([row for row in range(len(samples.rows)) if row not in reasons])
        absent = {module: {} for module in absent}
        excluded |= counts
    elif counts:
        choices["missing"] = [f"zero:{counts.total()}"]
    if not samples.rows:
        raise ValueError(f"{samples.source.path}: no samples remain to be scored")
    return _united(samples, absent, reduce, excluded, choices)


def _taken(column: Sequence[Any], rows: Sequence[int]) -> list[Any]:
    return [column[row] for row in rows]


def _choices(source: Source, metric: str | None) -> dict[str, Any]:
    """Return the requested selections that change scores, for the signature."""
    selection = source.selection
    conditions = [f"{name}={text}" for name, text in selection.conditions.items()]
    choices = {"filter": selection.filter, "where": conditions, "metric": metric}
    return {name: value for name, value in choices.items() if value}


def _with_scores(samples: Samples, metric: str | None) -> tuple[Samples, Counter[str]]:
    """The samples with the scores that are numbers, or None, and counts of the other values."""
    module = next(iter(samples.scored_by_log))
    try:
        scores, pairs = scores_of_rows(samples.inputs[module]["predictions"], metric)
    except ValueError as error:
        raise ValueError(f"{samples.source.path}: {error}") from error
    inputs = {
        module: {**columns, "predictions": scores} if module in samples.scored_by_log else columns
        for module, columns in samples.inputs.items()
    }
    return replace(samples, inputs=inputs), pairs


def _absent(samples: Samples) -> dict[str, dict[int, str]]:
    """Return the rows that each module cannot score, with the reasons."""
    errors = samples.labels.get("error") or [False] * len(samples.rows)
    is_log = samples.source.log.format_name != PLAIN_ROWS
    absent: dict[str, dict[int, str]] = {}
    for module, columns in samples.inputs.items():
        reason = "unscored" if module in samples.scored_by_log else "unanswered"
        absent[module] = {
            row: "error" if is_error else reason
            for row, (value, is_error) in enumerate(
                zip(columns["predictions"], errors, strict=True)
            )
            if is_error or (value is None and is_log)
        }
    return absent


def _united(
    samples: Samples,
    absent: Mapping[str, Mapping[int, str]],
    reduce: Reduce | None,
    excluded: Mapping[str, int],
    choices: dict[str, Any],
) -> SystemRows:
    """Return the rows of each module, where rows with the same id form one sample."""
    ids = samples.labels.get("id") or range(len(samples.rows))
    positions, names = numbered(ids)
    has_repeats = len(names) < len(ids)
    if has_repeats and not samples.source.log.repeated_ids_allowed:
        check_unique(ids, str(samples.source.path))
    if has_repeats:
        choices["reduce"] = reduce or "mean"
    inputs, samples_of_rows = {}, {}
    for module, columns in samples.inputs.items():
        rows = [row for row in range(len(ids)) if row not in absent[module]]
        inputs[module] = {name: _taken(column, rows) for name, column in columns.items()}
        zeros = [positions[row] for row in absent[module]]
        sample_positions = _taken(positions, rows)
        if samples.scored_by_log.get(module) == OUTCOMES:
            outcomes = [outcome(scores) for scores in inputs[module]["predictions"]]
            groups: list[list[int]] = [[] for _ in names]
            for position, value in zip(sample_positions, outcomes, strict=True):
                groups[position].append(value)
            for position in zeros:
                groups[position].append(0)
            inputs[module]["predictions"] = groups
        elif has_repeats or zeros:
            samples_of_rows[module] = RowSamples(
                sample_positions, len(names), reduce or "mean", zeros
            )
    return SystemRows(
        inputs=inputs,
        groups=_labels("groups", samples, positions, len(names)),
        clusters=_labels("clusters", samples, positions, len(names)),
        ids=names if "id" in samples.labels else None,
        samples=samples_of_rows,
        excluded=excluded,
        choices=choices,
    )


def _labels(name: str, samples: Samples, positions: Sequence[int], size: int) -> list[Any] | None:
    """Return one label per unit; all of its rows must have the same label."""
    column = samples.labels.get(name)
    if column is None:
        return None
    labels: dict[int, Any] = {}
    for row, (position, label) in enumerate(zip(positions, column, strict=True)):
        earlier = labels.setdefault(position, label)
        if earlier is not label and earlier != label:
            location = samples.source.location(samples.rows[row])
            raise ValueError(
                f"{samples.source.path}: {location}: {label!r} in {name} differs from the label of "
                f"an earlier row with the same id, {earlier!r}"
            )
    return [labels[position] for position in range(size)]
