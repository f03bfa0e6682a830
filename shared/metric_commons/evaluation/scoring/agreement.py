"""Whether recomputed scores equal those of a log, or differ from them only by rounding."""

from collections.abc import Iterator, Mapping

import numpy as np

from ...data.tables.tables import Source
from ...statistics.arguments.arrays import Floats
from ..rows.logged_scores import LOGGED
from ..rows.row_tables import RowTable
from ..rows.rows import Values

_TOLERANCE = 1e-9
_EXAMPLES = 3  # rows in a message


def agreements(system: str, tables: Mapping[str, RowTable], source: Source) -> Iterator[Values]:
    """Yield every score of a module compared with the score of the log that should be the same.

    Args:
        system: the name of the system.
        tables: its scored rows, by module.
        source: the log.
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
        table, logged = tables[name], logged_scores[metric]
        values = table.row_scores[score]
        differ = np.flatnonzero(~(np.abs(logged - values) <= _TOLERANCE)).tolist()
        text, reason = f"{system}: {score} is {metric} of the log in all {len(table):,} rows.", ""
        if differ:
            reason = _rounding(logged, values)
            if not reason:
                is_whole = len(table) == source.rows
                shown = ", ".join(
                    f"{source.location(row) if is_whole else f'row {row}'} has {logged[row]:.4g} "
                    f"in the log and {values[row]:.4g} here"
                    for row in differ[:_EXAMPLES]
                )
                reason = f"reason unknown; {shown}"
            text = (
                f"{system}: {score} differs from {metric} of the log in {len(differ):,} of "
                f"{len(table):,} rows: {reason}."
            )
        yield {
            "system": system,
            "metric": metric,
            "module": name,
            "score": score,
            "rows": len(table),
            "differing": len(differ),
            "reason": reason,
            "text": text,
        }


def _rounding(logged: Floats, values: Floats) -> str:
    """Return the digits to which the log rounded the values, in words; "" if others differ.

    >>> _rounding(np.array([0.67, 1.0]), np.array([2 / 3, 1.0]))
    'the log rounds it to 2 digits'
    """
    for digits in (4, 3, 2, 1):
        is_near = np.abs(values - logged) <= 0.5 * 10.0**-digits + _TOLERANCE
        if is_near.all() and (np.abs(np.round(logged, digits) - logged) <= _TOLERANCE).all():
            return f"the log rounds it to {digits} digits"
    return ""
