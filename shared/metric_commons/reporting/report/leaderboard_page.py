"""A page with leaderboards: sortable tables in a single file without external resources."""

import hashlib
import math
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...evaluation.results.rendering import Table, as_html, label
from ...module.catalog.usage import extra
from .axes import Axis, fit_axis

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent
_VALUES = ("value", "rating", "win_rate")  # what a picture shows, the first that records have

_Picture = tuple[Axis, str, Sequence[Mapping[str, Any]]]  # an axis, the kind of ends, and lines


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
        from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= filters
    return environment.from_string((_FOLDER / name).read_text("utf-8"))


def table_html(table: Table | None, lines: Sequence[str] = ()) -> Any:
    """Return a table as HTML for a template, with an en dash in each range of ranks; "" if None.

    >>> "1–2" in table_html(Table(["system", "ranks"], [["gpt-4", "1-2"]], 1, set()))
    True
    """
    from markupsafe import Markup

    if table is None:
        return ""
    rows = [
        [text.replace("-", "–") if name == "ranks" else text for name, text in cells]
        for cells in (zip(table.header, row, strict=True) for row in table.rows)
    ]
    return Markup(as_html([table._replace(rows=rows)], lines))


def leaderboard_page(boards: Sequence[Board]) -> str:
    """Return a page with these leaderboards, each with a picture of the intervals of its systems.

    Its only script sorts a table by the column whose header is clicked, and names the cells on
    narrow screens; the page's security policy allows only the SHA-256 of this script, so that no
    other script can run.
    """
    page = template("leaderboard.html", label=lambda text: label(str(text)))
    from markupsafe import Markup

    script = (_FOLDER / "leaderboard.js").read_text("utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    shown = [
        {
            "heading": {"task": "", "confidence_level": None, **board.heading},
            # On a board over tasks, ranks are what matters.
            "of_ranks": _picture(board.records, "rank_interval") if "mean" in board.heading else (),
            "of_scores": _picture(board.records, "confidence_interval"),
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


def _picture(records: Sequence[Mapping[str, Any]], ends: str) -> _Picture | tuple[()]:
    """Return a line for each system, in the order of the board; none for one or without numbers."""
    is_ranks = ends == "rank_interval"
    name = next((n for n in _VALUES if all(_is_number(r.get(n)) for r in records)), None)
    is_drawn = all(r.get(ends) for r in records) if is_ranks else name is not None
    if len(records) < 2 or not is_drawn:
        return ()
    lines = []
    for record in records:
        interval = (record.get(ends) if name != "win_rate" or is_ranks else None) or ()
        lines.append(
            {
                "system": record["system"],
                "is_first": record.get("tier") == 1,
                "value": None if is_ranks or name is None else record[name],
                "ends": interval if all(map(math.isfinite, interval)) else (),
            }
        )
    numbers = [number for line in lines for number in (line["value"], *line["ends"])]
    axis = fit_axis([number for number in numbers if number is not None])
    return axis, "rank" if is_ranks else "interval", lines


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
