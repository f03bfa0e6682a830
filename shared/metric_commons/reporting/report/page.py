"""The page about results: pictures, tables and examples in one file of HTML."""

import json
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...data.files.stored import to_jsonable
from ...evaluation.results.rendering import breakable, label
from ...evaluation.results.results import Results
from ..plots.bar_plots import difference_panels, draw_forest, score_panels
from .examples import Examples
from .leaderboard_page import picture_html, table_html, template

_START_LENGTH = 280  # characters of a text that are visible before it is expanded
_MAX_LENGTH = 20_000  # characters of a text that are included in the page at all
_DIGITS = 8  # of a SHA-256 in the heading
_JOINERS = "\u200c\u200d"  # invisible, but required by some scripts and emoji
_SECTIONS = {
    "scores": "Scores",
    "ranks": "Ranks",
    "differences": "Differences",
    "groups": "Groups",
    "parts": "Parts",
}


class Text(NamedTuple):
    """A text of the data: its visible start, the collapsed rest, and the length left out."""

    start: str
    folded: str
    omitted: int  # characters


def render(results: Results, examples: Examples) -> str:
    """Return the page as a single file, without scripts and external resources.

    Everything from the data is escaped. Characters that are invisible, that change the direction of
    the following text, or that UTF-8 cannot encode, are spelled out.
    """
    from markupsafe import Markup

    page = template(
        "page.html",
        visible=visible,
        fold=fold,
        number=lambda value: f"{value:,}" if isinstance(value, int) else f"{value:.4g}",
        breakable=lambda line: Markup(breakable(line)),
        time=_format_time,
    )
    # The best system first, by the first score that is compared or a number.
    keys = [*results.standings.ranks, *(record.key for record in results.records())]
    if keys:
        results = results.sort(".".join(keys[0]))
    tables, provenance = results.tables(), results.provenance
    pictures = {
        "scores": picture_html(draw_forest, score_panels(results)),
        "differences": picture_html(
            partial(draw_forest, is_difference=True), difference_panels(results)
        ),
    }
    sections = [
        {
            "id": kind,
            "title": title,
            "picture": pictures.get(kind, ""),
            "tables": [table_html(table) for table in tables if table.kind == kind],
        }
        for kind, title in _SECTIONS.items()
    ]
    scored = [result for modules in results.systems.values() for result in modules.values()]
    inputs = [
        {name: str(source.get(name, "")) for name in ("path", "sha256")}
        | {"rows": source.get("rows", "")}
        for source in provenance.get("inputs", [])
    ]
    return page.render(
        data_names=_data_names(results),
        files=[f"{file['path']} ({file['sha256'][:_DIGITS]})" for file in inputs if file["path"]],
        level=_level(r.options.get("confidence_level") for r in scored if r.confidence_interval),
        systems=list(results.systems),
        rows=sorted({result.rows for result in scored}),
        sections=[each for each in sections if each["picture"] or each["tables"]],
        examples=examples,
        signatures=results.signatures(),
        inputs=inputs,
        versions=provenance.get("versions", {}),
        created=provenance.get("created", ""),
        config=_json(provenance["config"]) if "config" in provenance else "",
    ).lstrip()


def _data_names(results: Results) -> list[str]:
    """Return the names of the data: the tasks of logs, and the files of references."""
    names: dict[str, None] = {}
    for source in results.provenance.get("sources", {}).values():
        path = source.get("answers", source)["path"]
        names[str(source.get("task") or Path(path).name.partition(".")[0])] = None
    return list(names)


def _level(levels: Iterable[float | None]) -> str:
    """Return the level that all intervals have; "" if they differ."""
    distinct = set(levels)
    level = distinct.pop() if len(distinct) == 1 else None
    return f"{100 * level:g} %" if level else ""


def _json(value: Any) -> str:
    return json.dumps(to_jsonable(value), ensure_ascii=False, indent=2)


# ---- texts --------------------------------------------------------------------------------------


def visible(text: str) -> str:
    r"""Return the text with invisible characters spelled out, as Python writes them.

    >>> visible("a\u202eb\x00\ud800 é 🙂\n")
    'a\\u202eb\\x00\\ud800 é 🙂\n'
    """
    if text.isprintable():
        return text
    permitted = f"\n\t{_JOINERS}"
    return "".join(
        character
        if character in permitted or unicodedata.category(character) == "Zs"
        else label(character)
        for character in text
    )


def fold(value: Any) -> Text:
    """Return a value of the data as a text of which the start is visible, and the rest folded.

    >>> text = fold("word " * 100)
    >>> text.start[-6:], len(text.folded), fold(["é"]).start
    ('word …', 220, '["é"]')
    """
    text = visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    start, folded = text[:_START_LENGTH], text[_START_LENGTH:_MAX_LENGTH]
    return Text(start + "…" if folded else start, folded, max(0, len(text) - _MAX_LENGTH))


def _format_time(text: str) -> str:
    """Return a time in readable form; other texts unchanged."""
    try:
        time = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return text
    return f"{time:%Y-%m-%d %H:%M} UTC"
