"""`metric-commons leaderboard`: order saved results, if they are comparable."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ...data.files.stored import to_jsonable, write_whole
from ...evaluation.results.rendering import (
    Notation,
    message_line,
    spreadsheet_cell,
)
from ...evaluation.results.results import TABLE_FORMATS
from ...module.catalog.usage import UsageError
from ...reporting.report.leaderboard_page import Board, leaderboard_page
from ...statistics.arguments.domains import Count, Level
from ...statistics.intervals.methods import Assumption
from ..console.commands import command, one_field, refuse
from ..console.outputs import Presentation, check_written, say_written, show_tables

if TYPE_CHECKING:
    from ...evaluation.comparison.saved_results import SavedResult
    from ...reporting.leaderboards.leaderboards import Leaderboard


# Parts of the signature in which results with a common mean may differ.
_OF_ROWS = ("rows", "clusters", "task", "split")


@dataclass(frozen=True)
class OneTable(Presentation):
    """The options of how a leaderboard is printed, which is a single table."""

    table: None = field(default=None, init=False)


def leaderboard(
    results: list[Path] | None = None,
    *,
    by: str | None = None,
    votes: Path | None = None,
    options: dict[str, Any] | None = None,
    group: bool = False,
    mean: Literal["tasks", "borda"] | None = None,
    missing_tasks: Literal["out", "worst"] = "out",
    lower_is_better: bool = False,
    page: Path | None = None,
    best: bool = False,
    scores: list[str] | None = None,
    clusters: list[str] | None = None,
    confidence_level: Level = 0.95,
    assume: Assumption = "exchangeable",
    top: Count | None = None,
    presentation: OneTable,
) -> None:
    """Rank the systems of saved results, of a published table, or of votes.

    metric-commons leaderboard results/*.json --by qa_f1
    metric-commons leaderboard scores.csv --mean borda
    metric-commons leaderboard --votes votes.jsonl --cluster-by prompt

    A table is long (model, task, score) or wide (model, a column for each
    task), in CSV, TSV, JSON or Parquet; standard errors or rows are
    used where it has them. A folder has results of lm-eval, or logs.

    Saved results with different options, versions or rows are refused with the
    differences; --group prints a leaderboard for each group of comparable
    results. The rank is 1 plus the number of systems that are significantly
    better, in paired tests corrected for their number. Ranks need the scores of
    rows, which --rows writes; without them the leaderboard has only
    intervals. --format html prints a page with sortable columns.

    Args:
        results: Results written by --save, or tables and folders of scores.
        by: The score that orders systems; of a table its column.
        votes: Rate systems by the votes in a file, with model_a, model_b and winner.
        options: With --votes, an option of pairwise_ranking, such as ties=davidson; repeatable.
        group: Print a leaderboard for each group of comparable results.
        mean: Print one leaderboard over several tasks, by the mean score (tasks) or the number of
            systems beaten (borda). Of a table the default is tasks.
        best: Also print the interval of the best system, which allows for the choice, and how much
            worse its score is likely to be on new rows.
        missing_tasks: Leave systems that lack a task out (out), or count it as the worst there
            (worst).
        lower_is_better: The lowest scores of a table are the best.
        page: Write a page with sortable columns and pictures of intervals and ranks.
        scores: Test only these scores, besides --by.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        confidence_level: Level of confidence intervals.
        assume: What comparisons of means of rows assume.
        top: Show only the first systems.
    """
    presentation.check()
    paths, score, confidence = results, by, confidence_level
    check_written([page], [*(paths or []), *filter(None, [votes])])
    notation = presentation.notation
    if votes is not None:
        if paths:
            raise UsageError("RESULT is for saved results, not for --votes")
        of_results = ["by", "mean", "group", "scores", "missing_tasks", "lower_is_better", "best"]
        refuse(of_results, "is for saved results, not for --votes")
        section = _votes_section(
            votes,
            options or {},
            one_field(clusters, "--votes"),
            confidence,
            top,
            notation,
        )
        _show([section], presentation, page)
        return
    if options:
        raise UsageError("--set is for --votes; saved results have their options")
    from ...reporting.leaderboards import leaderboards, published_scores, score_tables
    from ...reporting.leaderboards.task_means import table_of_boards, task_means

    heading: dict[str, Any] = {"signatures": []}
    notes: list[str] = []
    if paths and not published_scores.are_saved(paths):
        of_results = ["group", "scores", "clusters", "assume", "best"]
        refuse(of_results, "is for saved results")
        published, notes = published_scores.read_scores(paths, score)
        table, notes_of_table = score_tables.score_table(published, lower=lower_is_better)
        notes += notes_of_table
    else:
        if not paths or score is None:
            raise UsageError("name saved results and --by SCORE, or a table, or --votes FILE")
        refuse(["lower_is_better"], "is for tables and folders of scores")
        saved = _read(paths, clusters, confidence)
        groups = leaderboards.comparable(leaderboards.entries(saved, score))
        if mean is None and not group and len(groups) > 1:
            raise ValueError(
                f"the results are not comparable: {leaderboards.differences(groups)}; "
                "use --group for separate leaderboards"
            )
        listed = [
            leaderboards.leaderboard(
                members, confidence_level=confidence, scores=scores, top=top, assume=assume
            )
            for members in groups
        ]
        if mean is None:
            refuse(["missing_tasks"], "needs --mean")
            _show([_section(member, notation, best=best) for member in listed], presentation, page)
            return
        refuse(["best"], "is for one score, not for --mean")
        scorings = {
            tuple((name, value) for name, value in group[0].parts.items() if name not in _OF_ROWS)
            for group in groups
        }
        if len(scorings) > 1:
            problem = leaderboards.differences(groups)
            raise ValueError(f"scores that are not comparable have no mean: {problem}")
        table = table_of_boards(listed)
        signatures = (line for member in listed for line in member.results.signatures())
        heading["signatures"] = list(dict.fromkeys(signatures))
    kind = mean or "tasks"
    means, lines = task_means(table, kind, gaps=missing_tasks, confidence_level=confidence)
    for line in [*notes, *lines]:
        click.echo(message_line(line), err=True)
    heading |= {
        "by": score or "score",
        "mean": kind,
        "confidence_level": confidence,
        "lower_is_better": means.is_lower_better,
        "sentence": means.sentence(),
        "tasks": list(means.table.tasks),
        "missing": table.gaps(),
    }
    records = list(means.records())
    section = Board(means.as_table(top, notation), heading, records[:top])
    _show([section], presentation, page)


def _read(
    paths: Sequence[Path], cluster_by: Sequence[str] | None, level: float
) -> "list[SavedResult]":
    """Return the saved results, with intervals of this level where their rows are known."""
    from ...evaluation.comparison.saved_results import (
        check_distinct,
        saved_result,
        with_intervals,
    )

    check_distinct(paths)
    saved = [saved_result(path, cluster_by or []) for path in paths]
    return [part._replace(results=with_intervals(part.results, level)) for part in saved]


def _votes_section(
    path: Path,
    settings: Mapping[str, Any],
    cluster_by: str | None,
    level: float,
    top: int | None,
    notation: Notation,
) -> Board:
    """Return the leaderboard of a file of votes."""
    from ...data.tables.tables import Source
    from ...reporting.leaderboards.vote_boards import FIELDS, vote_board

    fields = [*FIELDS, *([] if cluster_by is None else [cluster_by])]
    source = Source(path, fields, numbers=["winner"], filled=FIELDS, progress=True)
    board = vote_board(source, settings, confidence_level=level, clusters=cluster_by)
    heading = {
        "by": f"pairwise_ranking.{board.score}",
        "votes": board.votes,
        "confidence_level": level,
        "options": settings,
        "sentence": board.sentence(),
        "signatures": [board.signature()],
    }
    return Board(board.table(top, notation), heading, list(board.records())[:top])


def _section(content: "Leaderboard", notation: Notation, *, best: bool) -> Board:
    """Return a leaderboard, with the best system and its interval if these are asked for."""
    heading: dict[str, Any] = {
        "by": f"{content.module}.{content.score}",
        "task": content.task,
        "confidence_level": content.confidence_level,
        "lower_is_better": content.is_lower_better,
        "signatures": content.results.signatures(),
    }
    table = content.table(notation)
    if best:
        chosen = content.results.best(heading["by"], content.confidence_level)
        heading["best"] = {content.score: chosen.record()}
        note = f"{table.note} {chosen.sentence(content.confidence_level)}".strip()
        table = table._replace(note=note)
    return Board(table, heading, list(content.records()))


def _show(sections: Sequence[Board], presentation: Presentation, page: Path | None = None) -> None:
    """Print sections in a format, and write a page of them if it has a name."""
    if page is not None:
        write_whole(page, [leaderboard_page(sections)])
        say_written(page)
    format_name = presentation.format_name
    tables = presentation.captioned([section.table for section in sections])
    sections = [
        section._replace(table=table) for section, table in zip(sections, tables, strict=True)
    ]
    if format_name == "table":
        for number, section in enumerate(sections):
            if number:
                click.echo()
            show_tables([section.table], section.lines)
        return
    if format_name in _WRITERS:
        text = _WRITERS[format_name](sections)
    else:
        render = TABLE_FORMATS[format_name]
        text = "\n\n".join(render([section.table], section.lines) for section in sections)
    click.echo(text, nl=not text.endswith("\n"))


def _as_json(sections: Sequence[Board]) -> str:
    boards = [{**section.heading, "systems": section.records} for section in sections]
    content = to_jsonable({"format": "metric-commons-leaderboard/1", "boards": boards})
    return json.dumps(content, indent=2)


def _as_csv(sections: Sequence[Board]) -> str:
    """Return every number in full precision, one line per system.

    Leaderboards are numbered from 1.
    """
    text = io.StringIO()
    rows = [
        {"board": number, "by": section.heading["by"], **_flat(record)}
        for number, section in enumerate(sections, start=1)
        for record in section.records
    ]
    names = dict.fromkeys(name for row in rows for name in row)
    lines = csv.DictWriter(text, list(names), lineterminator="\n")
    lines.writeheader()
    lines.writerows({k: spreadsheet_cell(v) for k, v in row.items()} for row in rows)
    return text.getvalue()


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the ends of its intervals and the scores of tasks as separate fields."""
    flat: dict[str, Any] = {}
    ends = {
        "confidence_interval": ("low", "high"),
        "rank_interval": ("best_rank", "worst_rank"),
        "win_rate_interval": ("win_rate_low", "win_rate_high"),
    }
    for name, value in to_jsonable(record).items():
        if name in ends:
            flat |= dict(zip(ends[name], value or (None, None), strict=True))
        elif isinstance(value, dict):
            flat |= value
        else:
            flat[name] = value
    return flat


# The formats in which leaderboards differ from the tables of results.
_WRITERS = {"json": _as_json, "csv": _as_csv, "html": leaderboard_page}


COMMANDS = {"leaderboard": command(leaderboard)}
