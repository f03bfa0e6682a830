"""A page with leaderboards: sortable tables in a single file without external resources."""

import hashlib
import math
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...evaluation.results.rendering import Table, as_html, counted, label
from ...evaluation.results.result_tables import rank_range
from ...module.catalog.usage import extra

if TYPE_CHECKING:
    from jinja2 import Template

    from ..plots.bar_plots import Panel

_FOLDER = Path(__file__).parent
_VALUES = ("value", "rating", "win_rate")  # what a picture shows, the first that records have
_MAX_ROWS = 200  # of a table
_MAX_PANELS, _MAX_LINES = 6, 15  # of a picture, which takes time


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


def template(name: str, **filters: Callable[..., Any]) -> "Template":
    """Return a template of this folder, which escapes everything and refuses unknown names."""
    with extra("report"):
        import matplotlib.figure  # noqa: F401
        from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= filters
    return environment.from_string((_FOLDER / name).read_text("utf-8"))


def table_html(table: Table, lines: Sequence[str] = ()) -> Any:
    """Return the first rows of a table as HTML for a template, with en dashes in ranges of ranks.

    >>> "1–2" in table_html(Table(["system", "ranks"], [["gpt-4", "1-2"]], 1, set()))
    True
    """
    from markupsafe import Markup

    rows = [
        [text.replace("-", "–") if name == "ranks" else text for name, text in cells]
        for cells in (zip(table.header, row, strict=True) for row in table.rows[:_MAX_ROWS])
    ]
    note = table.note
    if len(table.rows) > _MAX_ROWS:
        note += f" {counted(len(table.rows) - _MAX_ROWS, 'row')} more are not on this page."
    return Markup(as_html([table._replace(rows=rows, note=note)], lines))


def picture_html(draw: Callable[..., None], panels: "Sequence[Panel]") -> Any:
    """Return a picture of the first panels and lines for a template; tables have all."""
    from markupsafe import Markup

    from ..plots.pictures import svg

    shown = [(title, lines[:_MAX_LINES]) for title, lines in panels[:_MAX_PANELS]]
    return Markup(svg(partial(draw, panels=shown))) if panels else ""


def leaderboard_page(boards: Sequence[Board]) -> str:
    """Return a page with these leaderboards, each with a picture of the intervals of its systems.

    Its only script sorts a table by the column whose header is clicked, and names the cells on
    narrow screens; the page's security policy allows only the SHA-256 of this script, so that no
    other script can run.
    """
    page = template("leaderboard.html", label=lambda text: label(str(text)))
    from markupsafe import Markup

    from ..plots.bar_plots import draw_forest

    script = (_FOLDER / "leaderboard.js").read_text("utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    shown = [
        {
            "heading": {"task": "", "confidence_level": None, **board.heading},
            "picture": picture_html(draw_forest, _panels(board)),
            "table": table_html(board.table, board.lines),
        }
        for board in boards
    ]
    return page.render(
        boards=shown,
        script=Markup(script),
        digest=digest,
        version=version("metric-commons"),
        today=f"{datetime.now(UTC):%Y-%m-%d}",
    )


def _panels(board: Board) -> "list[Panel]":
    """Return the scores of systems, and of a board over tasks their ranks; none for one system."""
    from ..plots.bar_plots import ForestLine
    from ..plots.panels import LABEL_LENGTH, shortened

    records = board.records if len(board.records) > 1 else []
    name = next((n for n in _VALUES if all(_is_number(r.get(n)) for r in records)), "")
    ends = "" if name == "win_rate" else "confidence_interval"
    names = [shortened(str(record["system"]), LABEL_LENGTH) for record in records]
    panels: list[Panel] = []
    if records and name:
        lines = [
            ForestLine(system, record[name], record.get(ends), f"{record[name]:.4g}")
            for system, record in zip(names, records, strict=True)
        ]
        panels.append((label(str(board.heading["by"]).rpartition(".")[2]), lines))
    if records and "mean" in board.heading and all(r.get("rank_interval") for r in records):
        ranks = [record["rank_interval"] for record in records]
        lines = [
            ForestLine(system, None, interval, rank_range(interval))
            for system, interval in zip(names, ranks, strict=True)
        ]
        panels.append(("Ranks that the comparisons allow", lines))
    return panels


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
