"""A page with leaderboards: sortable tables in a single file without external resources."""

import hashlib
import math
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluation.results.rendering import Table, as_html, counted, label
from ...module.catalog.usage import extra

if TYPE_CHECKING:
    from jinja2 import Template

    from ..plots.bar_plots import Panel

_FOLDER = Path(__file__).parent
_VALUES = ("value", "rating", "win_rate")  # what a picture shows, the first that records have
_MAX_ROWS = 200  # of a table
_MAX_PANELS, _MAX_LINES = 6, 15  # of a picture, which takes time


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


def leaderboard_page(
    table: Table, heading: Mapping[str, Any], records: Sequence[Mapping[str, Any]]
) -> str:
    """Return a page with a leaderboard and a picture of the intervals of its systems.

    Its only script sorts a table by the column whose header is clicked, and names the cells on
    narrow screens; the page's security policy allows only the SHA-256 of this script, so that no
    other script can run.

    Args:
        table: the leaderboard.
        heading: `by`, and perhaps `confidence_level`, `lower_is_better` and `signatures`.
        records: the data that the table shows.
    """
    page = template("leaderboard.html", label=lambda text: label(str(text)))
    from markupsafe import Markup

    script = (_FOLDER / "leaderboard.js").read_text("utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return page.render(
        heading={"confidence_level": None, **heading},
        picture=_picture(str(heading["by"]), records),
        table=table_html(table, heading["signatures"]),
        script=Markup(script),
        digest=digest,
        version=version("metric-commons"),
        today=f"{datetime.now(UTC):%Y-%m-%d}",
    )


def _picture(by: str, records: Sequence[Mapping[str, Any]]) -> Any:
    """Return the scores of two or more systems with their intervals."""
    from ..plots.bar_plots import ForestLine, draw_forest
    from ..plots.panels import LABEL_LENGTH, shortened

    name = next((n for n in _VALUES if all(_is_number(r.get(n)) for r in records)), "")
    if len(records) < 2 or not name:
        return ""
    ends = "" if name == "win_rate" else "confidence_interval"
    lines = [
        ForestLine(
            shortened(str(record["system"]), LABEL_LENGTH),
            record[name],
            record.get(ends),
            f"{record[name]:.4g}",
        )
        for record in records
    ]
    return picture_html(draw_forest, [(label(by).rpartition(".")[2], lines)])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
