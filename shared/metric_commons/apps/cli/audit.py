"""`metric-commons audit`: intervals and differences of printed scores, without their rows."""

from pathlib import Path
from typing import Any, Literal

import click

from ...data.files.access import read_file
from ...evaluation.comparison.audits import (
    PrintedScore,
    audited_table,
    difference_sentences,
    printed_difference,
)
from ...evaluation.results.rendering import counted
from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Count, Level
from ..console.commands import command
from ..console.outputs import show_json, show_tables

UNDECIDED = 3  # the exit status


def audit(
    table: Path | None = None,
    *,
    score: str | None = None,
    rows: Count | None = None,
    baseline: str | None = None,
    alpha: Level = 0.05,
    format_name: Literal["table", "json"] = "table",
) -> int:
    """Check what printed scores show, from their digits and the number of rows alone.

    metric-commons audit --score 0.82 --rows 500 --baseline 0.80

    It prints the interval of such a score, whether any outcome on these rows could
    be significant, and how many rows the difference needs. It assumes that rows are
    right or wrong, and that systems err independently.

    metric-commons audit table.md

    marks the scores of a table in Markdown or CSV that cannot be told apart from
    the best of their column. The numbers of rows are in headers, as in NQ (n=500),
    or in a row or column n. Exit status: 0 scores can be told apart, 3 they
    cannot, or nothing can be said without rows.

    Args:
        table: A file with a table in Markdown, or CSV.
        score: The score, such as 0.82 or 82%.
        rows: The number of rows behind each score.
        baseline: The score to compare it with, on the same rows.
        alpha: Significance level of the tests.
        format_name: Format of the printed output.
    """
    if (table is None) == (score is None):
        raise UsageError("name a file with a table, or --score and --rows")
    if table is not None:
        if baseline is not None:
            raise UsageError("--baseline is not for a table")
        try:
            audited = audited_table(read_file(table).decode(), rows, alpha)
        except ValueError as error:
            raise ValueError(f"{table}: {error}") from None
        if format_name == "json":
            names = audited.table.header
            listed = [dict(zip(names, row, strict=True)) for row in audited.table.rows]
            show_json({"rows": listed, "note": audited.table.note, "marked": audited.marked})
        else:
            show_tables([audited.table])
        return 0 if audited.audited and not audited.marked else UNDECIDED
    if rows is None:
        raise UsageError("--score needs --rows: how many rows it is the mean of")
    record: dict[str, Any] = {"rows": rows}
    lines, is_told_apart = [], True
    texts = {"score": score, "baseline": baseline}
    for name, text in texts.items():
        if text is None:
            continue
        printed = _checked(f"--{name}", PrintedScore.read, text)
        low, high = printed.interval(rows, 1 - alpha)
        low_text, high_text = (f"{end:.{printed.decimals}f}" for end in (low, high))
        interval = f"{100 * (1 - alpha):g}% interval [{low_text}, {high_text}]"
        lines.append(f"{name} {text} of {counted(rows, 'row')}: {interval}")
        record[name] = {"value": float(printed.value), "confidence_interval": [low, high]}
    if baseline is not None:
        scores = PrintedScore.read(score or ""), PrintedScore.read(baseline)
        difference = printed_difference(*scores, rows, alpha)
        is_told_apart = difference.is_told_apart(alpha)
        record |= difference._asdict() | {"told_apart": is_told_apart}
        lines += difference_sentences(difference, rows, alpha)
    if format_name == "json":
        show_json(record)
    else:
        click.echo("\n".join(lines))
    return 0 if is_told_apart else UNDECIDED


def _checked(flag: str, function: Any, value: Any) -> Any:
    try:
        return function(value)
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None


COMMANDS = {"audit": command(audit)}
