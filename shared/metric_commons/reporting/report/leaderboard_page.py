"""A page with leaderboards: sortable tables in a single file without external resources."""

import hashlib
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from ...evaluation.results.rendering import Table, as_html, label
from .axes import fit_axis

_FOLDER = Path(__file__).parent
_VALUES = ("value", "rating", "win_rate")  # what a picture shows, the first that records have


class Board(NamedTuple):
    """A leaderboard: its table, its subject, and the data that the table shows."""

    table: Table
    heading: Mapping[str, Any]  # `by`, and perhaps `task`, `confidence_level`, `lower_is_better`
    records: Sequence[Mapping[str, Any]]

    @property
    def lines(self) -> Sequence[str]:
        """Return the lines below the table: how its scores were computed."""
        signatures: Sequence[str] = self.heading["signatures"]
        return signatures


def with_dashes(table: Table) -> Table:
    """Return the table with an en dash in each range of ranks.

    >>> with_dashes(Table(["system", "ranks"], [["gpt-4", "1-2"]], 1, set())).rows
    [['gpt-4', '1–2']]
    """
    if "ranks" not in table.header:
        return table
    column = table.header.index("ranks")
    rows = [
        [*row[:column], row[column].replace("-", "–"), *row[column + 1 :]] for row in table.rows
    ]
    return table._replace(rows=rows)


def leaderboard_page(boards: Sequence[Board]) -> str:
    """Return a page with these leaderboards, each with a picture of the intervals of its systems.

    Its only script sorts a table by the column whose header is clicked, and names the cells on
    narrow screens; the page's security policy allows only the SHA-256 of this script, so that no
    other script can run.
    """
    script = (_FOLDER / "leaderboard.js").read_text("utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    template = (_FOLDER / "leaderboard.html").read_text("utf-8")
    cards = "\n".join(map(_card, boards))
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    made_by = escape(f"Made by metric-commons {version('metric-commons')} on {today}.")
    for name, text in {
        "DIGEST": digest,
        "TABLES": cards,
        "SCRIPT": script,
        "MADE_BY": made_by,
    }.items():
        template = template.replace(f"{{{{{name}}}}}", text)
    return template


def _card(board: Board) -> str:
    heading = board.heading
    title = label(str(heading.get("task") or ""))
    score = label(str(heading["by"]).rpartition(".")[2])
    parts = [f"by {score}"]
    if "lower_is_better" in heading:
        parts.append("↓ lower is better" if heading["lower_is_better"] else "↑ higher is better")
    if heading.get("confidence_level"):
        parts.append(f"{100 * heading['confidence_level']:g} % intervals")
    caption = escape(" · ".join(parts))
    head = f"<h2>{escape(title)}</h2>" if title else ""
    # On a board over tasks, ranks are what matters.
    picture = _picture_of_ranks(board.records) if "mean" in heading else ""
    picture += _picture(board.records)
    table = as_html([with_dashes(board.table)], board.lines)
    table = f'<div class="table">{table}</div>'
    return f'<section class="card">{head}<p class="about">{caption}</p>{picture}{table}</section>'


def _picture(records: Sequence[Mapping[str, Any]]) -> str:
    """Return a line for each system with its score and interval, in the order of the board."""
    name = next((n for n in _VALUES if all(_is_number(r.get(n)) for r in records)), None)
    if name is None:
        return ""
    values = [float(record[name]) for record in records]
    return _lines(records, values, "" if name == "win_rate" else "confidence_interval")


def _picture_of_ranks(records: Sequence[Mapping[str, Any]]) -> str:
    """Return a line for each system with the ranks that it may have; empty if they are unknown."""
    if not all(record.get("rank_interval") for record in records):
        return ""
    lines = _lines(records, None, "rank_interval")
    return lines and f'<p class="about">Ranks that the comparisons allow</p>{lines}'


def _lines(records: Sequence[Mapping[str, Any]], values: Sequence[float] | None, name: str) -> str:
    """Return a line for each system with its interval of this name, and with its value if known."""
    if len({record.get("system") for record in records}) < 2:
        return ""
    ends = [record.get(name) or () for record in records]
    axis = fit_axis([*(values or ()), *(end for pair in ends for end in pair)])
    lines = []
    for number, (record, interval) in enumerate(zip(records, ends, strict=True)):
        marks = ""
        if len(interval) == 2 and all(map(math.isfinite, interval)):
            low, high = (axis.percent(end) for end in interval)
            kind = "interval" if values else "rank"
            marks = f'<line class="{kind}" x1="{low}%" x2="{high}%" y1="50%" y2="50%"/>'
            if not values:
                ranks = "–".join(str(end) for end in dict.fromkeys(interval))
                marks += f'<text x="{high}%" dx="10" y="50%" dy=".35em">{ranks}</text>'
        if values:
            marks += f'<circle class="dot" cx="{axis.percent(values[number])}%" cy="50%" r="5"/>'
        system = escape(label(str(record["system"])))
        is_first = record.get("tier") == 1
        lines.append(
            f'<div class="line{" first" if is_first else ""}"><bdi>{system}</bdi>'
            f'<svg width="100%" height="22">{marks}</svg></div>'
        )
    labels = "".join(
        f'<text x="{position}%" y="12" text-anchor="middle">{text}</text>'
        for position, text in axis.spaced_labels()
    )
    scale = (
        f'<div class="line scale"><span></span><svg width="100%" height="16">{labels}</svg></div>'
    )
    steps = len(axis.ticks) - 1
    return (
        f'<div class="picture" aria-hidden="true" style="--n:{steps}">{"".join(lines)}{scale}</div>'
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
