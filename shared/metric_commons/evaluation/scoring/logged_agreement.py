"""Whether recomputed scores equal those of the log, and if not, why.

The reason is found by trials, not guessed: the same module with other options, or with rounding,
reproduces the score of the log in every row. If nothing does, the message states the convention of
the harness, if it is known, and the first rows that differ.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Any, NamedTuple

import numpy as np

from ...module.declaration.declarations import REPORTING, Module
from ...statistics.arguments.arrays import Floats
from ..rows.logged_scores import LOGGED
from ..rows.row_tables import RowTable
from ..rows.rows import taken
from .log_samples import LogRows, RowsToScore

_TOLERANCE = 1e-9
_TRIALS = 300  # combinations of options to try
_ROWS = 200  # for a trial: this many that differ, and this many that do not
_DIGITS = (4, 3, 2, 1)
_EXAMPLES = 3  # rows in a message


class Agreement(NamedTuple):
    """A recomputed score compared with the score in the log."""

    system: str
    metric: str  # of the log
    module: str
    score: str
    rows: int
    differing: int
    reason: str  # why scores differ; "" if none does

    def __str__(self) -> str:
        """Return the comparison in one sentence."""
        if not self.differing:
            agreement = f"is {self.metric} of the log in all {self.rows:,} rows"
            return f"{self.system}: {self.score} {agreement}."
        differing = f"{self.differing:,} of {self.rows:,} rows"
        return (
            f"{self.system}: {self.score} differs from {self.metric} of the log in {differing}: "
            f"{self.reason}."
        )


def agreements(
    system: str, tables: Mapping[str, RowTable], samples: LogRows, scored: RowsToScore
) -> Iterator[Agreement]:
    """Yield every score of a module compared with the score of the log that should be the same.

    Args:
        system: the name of the system.
        tables: its scored rows, by module.
        samples: the rows as they are in the log.
        scored: the rows as the modules scored them.
    """
    logged_scores = tables[LOGGED].row_scores
    pairs = [
        (name, metric, score)
        for name, table in tables.items()
        if name != LOGGED
        for score, *names in table.metric.logged_names
        if score in table.row_scores
        for metric in logged_scores
        if metric.rpartition(".")[2].lower() in names
    ]
    for name, metric, score in pairs:
        module = tables[name].metric
        logged, values = logged_scores[metric], tables[name].row_scores[score]
        differ = ~(np.abs(logged - values) <= _TOLERANCE)
        reason = ""
        if differ.any():
            columns = None if name in scored.samples else scored.rows[name].columns
            reason = _reason(logged, values, differ, module, score, columns, tables[name].options)
            if not reason:
                convention = samples.source.log.conventions.get(metric.rpartition(".")[2])
                examples = _examples(samples, tables[name], logged, values, differ)
                reason = f"{convention or 'reason unknown'}; {examples}"
        yield Agreement(system, metric, name, score, len(values), int(differ.sum()), reason)


def _reason(
    logged: Floats,
    values: Floats,
    differ: Any,
    module: Module,
    score: str,
    columns: Mapping[str, Sequence[Any]] | None,
    options: Mapping[str, Any],
) -> str:
    """Return the change of options or digits that makes all rows equal; "" if none is found."""
    if digits := _rounding(logged, values):
        return f"the log rounds it to {digits} digits"
    if columns is None:
        return ""  # options cannot be tried on rows that were reduced
    some_rows = np.concatenate([np.flatnonzero(rows)[:_ROWS] for rows in (differ, ~differ)])
    for changes in islice(_variants(module, options), _TRIALS):
        for rows in (np.sort(some_rows), np.arange(len(logged))):
            try:
                arguments = {**taken(columns, rows.tolist()), **options, **changes}
                scores = module.compute(**arguments, per_example=True)["per_example"][score]
            except (ValueError, TypeError):  # the options are incompatible
                break
            rounding = _rounding(logged[rows], np.array(scores, np.float64))
            if rounding is None:
                break
        else:
            setting = ", ".join(f"{name}={value}" for name, value in changes.items())
            rounded = f", rounded to {rounding} digits" if rounding else ""
            return f"with {setting} it is equal in all rows{rounded}"
    return ""


def _rounding(logged: Floats, values: Floats) -> int | None:
    """Return the digits to which the log rounded the values, 0 if it did not.

    None if others differ.

    >>> import numpy as np
    >>> _rounding(np.array([0.67, 1.0]), np.array([2 / 3, 1.0]))
    2
    """
    distances = np.abs(logged - values)
    if (distances <= _TOLERANCE).all():
        return 0
    for digits in _DIGITS:
        is_near = distances <= 0.5 * 10.0**-digits + _TOLERANCE
        if is_near.all() and (np.abs(logged - np.round(logged, digits)) <= _TOLERANCE).all():
            return digits
    return None


def _variants(module: Module, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield changes of these options, those with the fewest changes first."""
    alternatives = {
        name: [value for value in _values(option.schema) if value != options.get(name)]
        for name, option in module.declared_options.items()
        if name not in REPORTING and name in options
    }
    names = [name for name, values in alternatives.items() if values]
    for size in range(1, len(names) + 1):
        for group in combinations(names, size):
            for values in product(*(alternatives[name] for name in group)):
                yield dict(zip(group, values, strict=True))


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """Return the valid values of an option, if they can be listed; for a range, its ends."""
    if "anyOf" in schema:
        return [value for part in schema["anyOf"] for value in _values(part)]
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [True, False]
    if schema.get("type") == "number" and {"minimum", "maximum"} <= schema.keys():
        return [float(schema["minimum"]), float(schema["maximum"])]
    return []


def _examples(
    samples: LogRows, table: RowTable, logged: Floats, values: Floats, differ: Any
) -> str:
    """Return the first rows that differ, by their locations in the file or their ids."""
    first = differ.nonzero()[0].tolist()[:_EXAMPLES]
    has_locations = len(samples.numbers) == len(values) and "left_out" not in table.conditions

    def location(row: int) -> str:
        if has_locations:
            return samples.source.location(samples.numbers[row])
        return f"row {row}" if table.ids is None else f"id {table.ids[row]!r}"

    return ", ".join(
        f"{location(row)} has {_number(logged[row])} in the log and {_number(values[row])} here"
        for row in first
    )


def _number(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:.4g}"
