"""The page: the values for the template, and the rendered template."""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ...data.files.stored import to_jsonable
from ...evaluation.results.breakdowns import breakdown_tables, breakdowns
from ...evaluation.results.comparisons import CORRECTED_BY, NOT_EQUAL, laws
from ...evaluation.results.rendering import Table, as_html, breakable, label
from ...evaluation.results.result_tables import RANKS_NOTE
from ...evaluation.results.results import Results
from .examples import Examples
from .leaderboard_page import with_dashes
from .panels import (
    NAME_LENGTH,
    comparison_options,
    difference_panels,
    difference_table,
    group_tables,
    score_panels,
)

_TEMPLATE = Path(__file__).with_name("page.html")
_START_LENGTH = 280  # characters of a text that are visible before it is expanded
_MAX_LENGTH = 20_000  # characters of a text that are included in the page at all
_MAX_REFERENCES = 12  # references that are visible before the others are expanded
_MAX_PARTS = 400  # parts of an alignment
_DIGITS = 8  # of a SHA-256 in the heading
_MAX_ANSWERS = 12  # answers to a question that are included in the page
_MAX_RANKS = 36  # lines of the table of ranks that are visible before it is expanded
_JOINERS = "\u200c\u200d"  # invisible, but required by some scripts and emoji


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
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "visible": visible,
        "short": shortened,
        "fold": fold,
        "number": _format_number,
        "breakable": breakable,
        "time": _format_time,
    }
    template = environment.from_string(_TEMPLATE.read_text("utf-8"))
    results = _sorted(results)
    rows = {result.rows for modules in results.systems.values() for result in modules.values()}
    tables = results.tables()
    rank_table = _rank_table(results)
    provenance = results.provenance
    inputs = list(map(_input_row, provenance.get("inputs", [])))
    level = _level(results)
    page = template.render(
        results=results,
        data_names=_data_names(results),
        files=[f"{file['path']} ({file['sha256'][:_DIGITS]})" for file in inputs if file["path"]],
        level=f"{100 * level:g} %" if level else "",
        main_scores={module: next(iter(scores), "") for module, scores in _modules(results)},
        systems=list(results.systems),
        sentences=results.sentences(),
        rows=sorted(rows),
        has_long_names=max(map(len, results.systems), default=0) > NAME_LENGTH,
        score_table=Markup(as_html(tables[:1], [])),
        difference_table=Markup(difference_table(results)),
        letters=results.standings.letters,
        legend=results.standings.legend(),
        rank_count=len(rank_table.rows) if rank_table else 0,
        max_ranks=_MAX_RANKS,
        max_answers=_MAX_ANSWERS,
        rank_table=Markup(as_html([rank_table], [])) if rank_table else "",
        panels=score_panels(results),
        differences=difference_panels(results),
        comparison_options=comparison_options(results.comparisons),
        corrected_by=CORRECTED_BY,
        not_equal=NOT_EQUAL,
        laws=" ".join(laws(results.comparisons)),
        groups=group_tables(results),
        breakdowns=[
            (table.title, Markup(as_html([table._replace(title="")], [])))
            for table in breakdown_tables(breakdowns(results.systems))
        ],
        examples=examples,
        signatures=results.signatures(),
        inputs=inputs,
        versions=provenance.get("versions", {}),
        created=provenance.get("created", ""),
        options=_options(results),
        config=_json(provenance["config"]) if "config" in provenance else "",
        max_references=_MAX_REFERENCES,
        max_parts=_MAX_PARTS,
    )
    return page.lstrip()


def _modules(results: Results) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the modules with their scores, those of the first system last, whose order counts."""
    for modules in reversed(results.systems.values()):
        for module, result in modules.items():
            yield module, result.scores


def _level(results: Results) -> float | None:
    """Return the level of all intervals; None if there are none, or several levels."""
    levels = {
        result.options.get("confidence_level")
        for modules in results.systems.values()
        for result in modules.values()
        if result.confidence_interval
    }
    return levels.pop() if len(levels) == 1 else None


def _data_names(results: Results) -> list[str]:
    """Return the names of the data: the tasks of logs, or the files of references without suffix.

    Of runs, the first input has the judgments.
    """
    provenance = results.provenance
    names = {
        str(log["task"]): None for log in provenance.get("logs", {}).values() if log.get("task")
    }
    columns = [columns for columns in provenance.get("columns", {}).values() if columns]
    files = [column.get("references") or next(iter(column.values())) for column in columns]
    paths = [file["path"] for file in files]
    if not names and not paths and all("ir_ranking" in r for r in results.systems.values()):
        paths = [source["path"] for source in provenance.get("inputs", [])[:1] if "path" in source]
    names |= {Path(path).name.partition(".")[0]: None for path in paths}
    return list(names)


def _sorted(results: Results) -> Results:
    """Return the results, best system first, by the first score that is compared or a number."""
    for module, score in results.standings.ranks:
        return results.sort(f"{module}.{score}")
    for entry in results.entries():
        return results.sort(f"{entry.module}.{entry.score}")
    return results


def _rank_table(results: Results) -> Table | None:
    """Return the ranks, without pairwise signs, for which the page has a matrix."""
    table = results.standings.rank_table(results.visible_systems())
    if table is None:
        return None
    table = with_dashes(table)
    if table.header[-1] != "pairs":
        return table
    rows = [row[:-1] for row in table.rows]
    return table._replace(header=table.header[:-1], rows=rows, note=RANKS_NOTE)


def shortened(name: str) -> str:
    """Return a long name reduced to both ends, since systems of one family may differ in either.

    >>> shortened("organisation/model-7b-instruct"), shortened("bot")
    ('organisat…7b-instruct', 'bot')
    """
    half = NAME_LENGTH // 2
    return name if len(name) <= NAME_LENGTH else f"{name[: half - 2]}…{name[-half:]}"


def _options(results: Results) -> dict[str, str]:
    """Return the options of each module, listed once for systems that share them."""
    systems: dict[tuple[str, str], list[str]] = {}
    for system, modules in results.systems.items():
        for module, result in modules.items():
            systems.setdefault((module, _json(result.options)), []).append(system)
    modules_of_options = [module for module, _ in systems]
    return {
        module
        if modules_of_options.count(module) == 1
        else f"{module} · {', '.join(names)}": options
        for (module, options), names in systems.items()
    }


def visible(text: str) -> str:
    r"""Return the text with invisible characters spelled out, as Python writes them.

    >>> visible("a\u202eb\x00\ud800 é 🙂\n")
    'a\\u202eb\\x00\\ud800 é 🙂\n'
    """
    if text.isprintable():
        return text
    return "".join(map(_spell_out, text))


def fold(value: Any) -> Text:
    """Return a value of the data as a text, of which only the start is visible at first.

    >>> text = fold("word " * 100)
    >>> text.start[-6:], len(text.folded), fold(["é"]).start
    ('word …', 220, '["é"]')
    """
    text = visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    start, folded = text[:_START_LENGTH], text[_START_LENGTH:_MAX_LENGTH]
    return Text(start + "…" if folded else start, folded, max(0, len(text) - _MAX_LENGTH))


def _spell_out(character: str) -> str:
    """Spaces, line breaks and joiners unchanged; other unprintable characters in ASCII."""
    is_kept = character in f"\n\t{_JOINERS}" or unicodedata.category(character) == "Zs"
    return character if is_kept else label(character)


def _format_number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _format_time(text: str) -> str:
    """Return a time in readable form; other texts unchanged."""
    try:
        time = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return text
    return f"{time:%Y-%m-%d %H:%M} UTC"


def _json(value: Any) -> str:
    return json.dumps(to_jsonable(value), ensure_ascii=False, indent=2)


def _input_row(source: Mapping[str, Any]) -> dict[str, str]:
    """Path, SHA-256 and rows of an input; empty if the result does not record them."""
    rows = source.get("rows")
    return {
        "path": str(source.get("path", "")),
        "sha256": str(source.get("sha256", "")),
        "rows": f"{rows:,}" if isinstance(rows, int) else "",
    }
