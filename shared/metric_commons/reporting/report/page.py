"""The page: axes with a dot for each system, pair and group, tables and examples, as HTML."""

import json
import math
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ...data.files.stored import to_jsonable
from ...evaluation.results.breakdowns import breakdown_tables
from ...evaluation.results.comparison_tables import (
    formats_of_differences,
    scored_by,
    statement,
    winner_first,
)
from ...evaluation.results.records import ScoreRecord
from ...evaluation.results.rendering import (
    PLAIN,
    Cell,
    breakable,
    interval_of_difference,
    label,
    p_value,
)
from ...evaluation.results.result_tables import format_of, legend, rank_table, shown_records
from ...evaluation.results.results import Results
from .axes import Axis, fit_axis
from .examples import Examples
from .leaderboard_page import table_html, template

_START_LENGTH = 280  # characters of a text that are visible before it is expanded
_MAX_LENGTH = 20_000  # characters of a text that are included in the page at all
_DIGITS = 8  # of a SHA-256 in the heading
_JOINERS = "\u200c\u200d"  # invisible, but required by some scripts and emoji
_NAME_LENGTH = 22  # characters that fit next to an axis; longer names are above it
_MAX_GROUPS = 60  # groups per table
_MAX_OPEN_LINES = 12  # lines of a panel that are visible before it is expanded
_MAX_PAIRED = 12  # up to this many systems, all pairs have lines; beyond, only those with the best


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

    template_of_page = template(
        "page.html",
        visible=visible,
        short=shortened,
        fold=fold,
        number=lambda value: f"{value:,}" if isinstance(value, int) else f"{value:.4g}",
        breakable=lambda line: Markup(breakable(line)),
        time=_format_time,
    )
    # The best system first, by the first score that is compared or a number.
    standings, provenance = results.standings, results.provenance
    keys = [*standings.ranks, *(record.key for record in results.records())]
    if keys:
        results = results.sort(".".join(keys[0]))
        standings = results.standings
    scored = [result for modules in results.systems.values() for result in modules.values()]
    ranks = rank_table(standings, results.visible_systems())
    inputs = [
        {name: str(source.get(name, "")) for name in ("path", "sha256")}
        | {"rows": source.get("rows", "")}
        for source in provenance.get("inputs", [])
    ]
    significant = sum(comparison["significant"] for comparison in results.comparisons)
    page = template_of_page.render(
        results=results,
        data_names=_data_names(results),
        files=[f"{file['path']} ({file['sha256'][:_DIGITS]})" for file in inputs if file["path"]],
        level=_level(r.options.get("confidence_level") for r in scored if r.confidence_interval),
        main_scores={  # of the first system, where several have a module
            module: next(iter(result.scores), "")
            for modules in reversed(results.systems.values())
            for module, result in modules.items()
        },
        systems=list(results.systems),
        sentences=results.sentences(),
        rows=sorted({result.rows for result in scored}),
        has_long_names=max(map(len, results.systems), default=0) > _NAME_LENGTH,
        score_table=table_html(next(iter(results.tables()), None)),
        legend=legend(standings),
        rank_count=len(ranks.rows) if ranks else 0,
        rank_table=table_html(ranks),
        panels=_score_panels(results),
        differences=_difference_panels(results),
        difference_level=_level(
            comparison.get("options", {}).get("confidence_level")
            for comparison in results.comparisons
        ),
        statement=f"{significant} of {len(results.comparisons):,} "
        f"{'is' if significant == 1 else 'are'} significant. {statement(results.comparisons)}",
        groups=_group_tables(results),
        breakdowns=[
            (table.title, table_html(table._replace(title="")))
            for table in breakdown_tables(results.systems)
        ],
        examples=examples,
        signatures=results.signatures(),
        inputs=inputs,
        versions=provenance.get("versions", {}),
        created=provenance.get("created", ""),
        options=_options(results),
        config=_json(provenance["config"]) if "config" in provenance else "",
    )
    return page.lstrip()


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


def _level(levels: Iterable[float | None]) -> str:
    """Return the level that all intervals have; "" if they differ."""
    distinct = set(levels)
    level = distinct.pop() if len(distinct) == 1 else None
    return f"{100 * level:g} %" if level else ""


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


def _json(value: Any) -> str:
    return json.dumps(to_jsonable(value), ensure_ascii=False, indent=2)


# ---- panels -------------------------------------------------------------------------------------


class Dot(NamedTuple):
    """A number and its interval, as texts, and as positions if they are finite."""

    value: float
    text: str
    interval: str = ""
    ends: Sequence[float] = ()

    @classmethod
    def of(cls, value: float, text: str, ends: Sequence[float] | None, interval: str) -> "Dot":
        """Return a dot, without an interval that is not finite."""
        if ends is None or not all(map(math.isfinite, ends)):
            return cls(value, text)
        return cls(value, text, interval, ends)

    @property
    def is_finite(self) -> bool:
        """Return whether the number has a position."""
        return math.isfinite(self.value)


def _dots(records: Sequence[ScoreRecord], *marks: float) -> tuple[Axis, list[Dot]]:
    """Return an axis that covers these numbers with their intervals, and a dot for each."""
    ends = (end for record in records for end in record.interval or ())
    form = format_of(records, PLAIN)
    return fit_axis([*marks, *(record.number for record in records), *ends]), [
        Dot.of(r.number, form.number(r.number), r.interval, form.interval(r.interval))
        for r in records
    ]


def _by_score(results: Results, *, grouped: bool) -> dict[tuple[str, str], list[ScoreRecord]]:
    """Return the numbers of each module and score, of groups or of all rows."""
    scores: dict[tuple[str, str], list[ScoreRecord]] = {}
    for record in shown_records(results.systems, with_counts=results.shows_counts):
        if (record.group is not None) == grouped:
            scores.setdefault(record.key, []).append(record)
    return scores


def _heading(results: Results, record: ScoreRecord) -> dict[str, Any]:
    """Return the module, the score and its direction."""
    lower = record.score in results.systems[record.system][record.module].lower_is_better
    return {"module": record.module, "score": record.score, "is_lower_better": lower}


def _score_panels(results: Results) -> list[dict[str, Any]]:
    """Return a panel for each score, with a line for each system."""
    standings = results.standings
    panels = []
    for key, records in _by_score(results, grouped=False).items():
        best = standings.first_tier(key)
        axis, dots = _dots(records)
        is_untested = bool(results.comparisons) and key not in standings.families
        lines = [
            {
                "system": record.system,
                "dot": dot,
                "is_best": record.system in best,
                "letters": Cell("", standings.letters(record.system, key)),
            }
            for record, dot in zip(records, dots, strict=True)
        ]
        panel = _heading(results, records[0])
        panels.append(panel | {"axis": axis, "lines": lines, "is_untested": is_untested})
    return panels


def _difference_panels(results: Results) -> list[dict[str, Any]]:
    """Return a panel for each score, with a line for each pair of systems; the axis includes zero.

    If there are many systems, only pairs with the best one have lines.
    """
    panels: list[dict[str, Any]] = []
    formats = formats_of_differences(results.comparisons, PLAIN) if results.comparisons else {}
    for (module, score), pairs in results.standings.families.items():
        ranks = list(results.standings.ranks.get((module, score), {}))
        is_partial = len(ranks) > _MAX_PAIRED
        lower = results.standings.is_lower_better(pairs[0])
        lines = []
        for pair in (winner_first(pair, lower) for pair in pairs):
            if is_partial and ranks[0] not in (pair["a"], pair["b"]):
                continue
            form, difference = formats[scored_by(pair)], pair["diff"]
            text = form.number(difference, signed=True)
            ends, interval = pair["confidence_interval"], interval_of_difference(pair, form)
            is_first = (difference > 0) != lower
            lines.append(
                {
                    "a": pair["a"],
                    "b": pair["b"],
                    "dot": Dot.of(difference, text, ends, interval),
                    "p": p_value(pair["p_adjusted"]),
                    "is_significant": pair["significant"],
                    # "b" after a one-sided test, and neither if they are equal
                    "better": ("a" if is_first else "b") if difference else "",
                }
            )
        values = [0.0]
        for line in lines:
            values += [line["dot"].value, *line["dot"].ends]
        panels.append(
            {
                "module": module,
                "score": score,
                "is_lower_better": lower,
                "axis": fit_axis(values if any(values) else [-0.5, 0.5]),
                "lines": lines,
                "is_open": len(lines) <= _MAX_OPEN_LINES,
                "is_partial": is_partial,  # only pairs with the best system have lines
            }
        )
    return panels


def _group_tables(results: Results) -> list[dict[str, Any]]:
    """Return a table for each score, with the first of each module expanded; at most 60 groups."""
    tables: list[dict[str, Any]] = []
    for (module, _), records in _by_score(results, grouped=True).items():
        systems = list(dict.fromkeys(record.system for record in records))
        sizes: dict[str, int] = {}  # of each group, in the system where it is largest
        for record in records:
            group = str(record.group)
            sizes[group] = max(sizes.get(group, 0), record.n)
        largest = sorted(sizes, key=lambda group: -sizes[group])[:_MAX_GROUPS]
        axis, dots = _dots(records, 0.0)
        cells = {(r.group, r.system): dot for r, dot in zip(records, dots, strict=True)}
        tables.append(
            _heading(results, records[0])
            | {
                "systems": systems,
                "axis": axis,
                "rows": [
                    (group, size, [cells.get((group, system)) for system in systems])
                    for group, size in sizes.items()
                    if group in largest
                ],
                "omitted": len(sizes) - len(largest),  # smaller groups
                "is_open": all(table["module"] != module for table in tables),
            }
        )
    return tables


# ---- texts --------------------------------------------------------------------------------------


def shortened(name: str) -> str:
    """Return a long name reduced to both ends, since systems of one family may differ in either.

    >>> shortened("organisation/model-7b-instruct"), shortened("bot")
    ('organisat…7b-instruct', 'bot')
    """
    half = _NAME_LENGTH // 2
    return name if len(name) <= _NAME_LENGTH else f"{name[: half - 2]}…{name[-half:]}"


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
