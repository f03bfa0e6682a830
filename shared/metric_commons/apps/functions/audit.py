"""`audit`: intervals and differences of printed scores, without their rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...data.files.access import read_file
from ...evaluation.comparison.audits import (
    PrintedScore,
    audited_table,
    printed_difference,
)
from ...evaluation.results.rendering import counted
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Count, Level
from .findings import Finding

UNDECIDED = 3  # the exit status


def audit(
    table: Path | str | None = None,
    *,
    score: str | None = None,
    rows: Count | None = None,
    baseline: str | None = None,
    alpha: Level = 0.05,
) -> Finding:
    """Check what printed scores show, from their digits and the number of rows alone.

    metric-commons audit --score 0.82 --rows 500 --baseline 0.80

    It prints the interval of such a score, whether any outcome on these rows could be significant,
    and how many rows the difference needs. It assumes that rows are right or wrong, and that
    systems err independently.

    metric-commons audit table.md

    marks the scores of a table in Markdown that cannot be told apart from the best of their column.
    The numbers of rows are in headers, as in NQ (n=500). Exit status: 0 scores can be told apart,
    3 they cannot, or nothing can be said without rows.

    Args:
        table: A file with a table in Markdown.
        score: The score, such as 0.82 or 82%.
        rows: The number of rows behind each score.
        baseline: The score to compare it with, on the same rows.
        alpha: Significance level of the tests.

    Returns:
        What can be said, with the exit status.

    >>> print(audit(score="0.82", rows=500, baseline="0.80")["told_apart"])
    False
    """
    if (table is None) == (score is None):
        raise UsageError("name a file with a table, or --score and --rows")
    if table is not None:
        if baseline is not None:
            raise OptionError("baseline", "is not for a table")
        try:
            found, marked = audited_table(read_file(table).decode(), rows, alpha)
        except ValueError as error:
            raise ValueError(f"{table}: {error}") from None
        listed = [dict(zip(found.header, row, strict=True)) for row in found.rows]
        record = {"rows": listed, "note": found.note, "marked": len(marked)}
        return Finding(record, tables=[found], status=UNDECIDED if marked else 0)
    if rows is None:
        raise OptionError("score", "needs --rows: how many rows it is the mean of")
    record = {"rows": rows}
    lines, scores = [], []
    for name, text in {"score": score, "baseline": baseline}.items():
        if text is not None:
            printed = _checked(name, PrintedScore.read, str(text))
            scores.append(printed)
            low, high = printed.interval(rows, 1 - alpha)
            ends = ", ".join(f"{end:.{printed.decimals}f}" for end in (low, high))
            interval = f"{100 * (1 - alpha):g}% interval [{ends}]"
            lines.append(f"{name} {text} of {counted(rows, 'row')}: {interval}")
            record[name] = {"value": float(printed.value), "confidence_interval": [low, high]}
    if baseline is None:
        return Finding(record, lines)
    difference = printed_difference(scores[0], scores[1], rows, alpha)
    record |= difference._asdict() | {"told_apart": difference.is_told_apart(alpha)}
    lines += difference.sentences(rows, alpha)
    return Finding(record, lines, status=0 if record["told_apart"] else UNDECIDED)


def _checked(name: str, function: Callable[[str], Any], text: str) -> Any:
    try:
        return function(text)
    except ValueError as error:
        raise OptionError(name, f": {error}") from None
