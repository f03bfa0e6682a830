"""`leaderboard`: order saved results, if they are comparable, published scores, or votes."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ...data.files.stored import to_jsonable, write_whole
from ...data.tables.tables import Source
from ...evaluation.comparison.saved_results import check_distinct, with_intervals
from ...evaluation.results.rendering import PLAIN, Notation, Table, spreadsheet_cell
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError, note
from ...reporting.leaderboards import leaderboards, published_scores, score_tables
from ...reporting.leaderboards.task_means import table_of_boards, task_means
from ...reporting.leaderboards.vote_boards import FIELDS, vote_board
from ...reporting.report.leaderboard_page import Board, leaderboard_page
from ...statistics.arguments.domains import Level
from ...statistics.intervals.methods import Assumption
from .findings import Saved, one_field, refuse, with_origin

# Parts of the signature in which results with a common mean may differ.
_OF_ROWS = ("rows", "clusters", "task", "split")
_OF_RESULTS = "is for saved results"


class Listing(NamedTuple):
    """A leaderboard: its table for a notation and a number of systems, its subject, its data."""

    table: Callable[[int | None, Notation], Table]
    heading: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True, repr=False)
class Boards(Results):
    """Leaderboards, which are shown, printed and saved as results are."""

    boards: tuple[Listing, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of all leaderboards, as values that JSON can hold."""
        boards = [{**each.heading, "systems": each.records[: self.top]} for each in self.boards]
        return dict(to_jsonable({"format": "metric-commons-leaderboard/1", "boards": boards}))

    def tables(self, notation: Notation = PLAIN) -> list[Table]:
        """Return the table of each leaderboard."""
        return [each.table(self.top, notation) for each in self.boards]

    def signatures(self) -> list[str]:
        """Return how the scores were computed."""
        listed = (line for each in self.boards for line in each.heading["signatures"])
        return list(dict.fromkeys(listed))

    def to_csv(self) -> str:
        """Return every number in full precision, one line per system.

        Leaderboards are numbered from 1.
        """
        rows = [
            {"board": number, "by": each.heading["by"], **_flat(record)}
            for number, each in enumerate(self.boards, start=1)
            for record in each.records[: self.top]
        ]
        text = io.StringIO()
        names = dict.fromkeys(name for row in rows for name in row)
        lines = csv.DictWriter(text, list(names), lineterminator="\n")
        lines.writeheader()
        lines.writerows({k: spreadsheet_cell(v) for k, v in row.items()} for row in rows)
        return text.getvalue()

    def to_page(self, tables: Sequence[Table]) -> str:
        """Return a page of these tables, with sortable columns and pictures of intervals."""
        pairs = zip(tables, self.boards, strict=True)
        boards = [Board(table, each.heading, each.records[: self.top]) for table, each in pairs]
        return leaderboard_page(boards)


def leaderboard(
    *results: Saved,
    by: str | None = None,
    votes: Path | None = None,
    options: Mapping[str, Any] | None = None,
    group: bool = False,
    mean: Literal["tasks", "borda"] | None = None,
    missing_tasks: Literal["out", "worst"] | None = None,
    lower_is_better: bool = False,
    page: Path | None = None,
    best: bool = False,
    clusters: str | Sequence[str] | None = None,
    confidence_level: Level = 0.95,
    assume: Assumption = "exchangeable",
) -> Boards:
    """Rank the systems of saved results, of a published table, or of votes.

    metric-commons leaderboard results/*.json --by qa_f1
    metric-commons leaderboard scores.csv --mean borda
    metric-commons leaderboard --votes votes.jsonl --cluster-by prompt

    A table is long (model, task, score) or wide (model, a column for each task), in CSV, TSV, JSON
    or Parquet; standard errors or rows are used where it has them. A folder has results of lm-eval.

    Saved results with different options, versions or rows are refused with the differences; --group
    prints a leaderboard for each group of comparable results. The rank is 1 plus the number of
    systems that are significantly better, in paired tests corrected for their number. Ranks need
    the scores of rows, which --rows writes; without them the leaderboard has only intervals.
    --format html prints a page with sortable columns.

    Args:
        *results: Results, or the paths of what --save wrote, or of tables and folders of scores.
        by: The score that orders systems; of a table its column.
        votes: Rate systems by the votes in a file, with model_a, model_b and winner.
        options: With --votes, an option of pairwise_ranking, such as ties=davidson; repeatable.
        group: Print a leaderboard for each group of comparable results.
        mean: Print one leaderboard over several tasks, by the mean score (tasks) or the number of
            systems beaten (borda). Of a table the default is tasks.
        missing_tasks: Leave systems that lack a task out (out, the default), or count it as the
            worst there (worst).
        lower_is_better: The lowest scores of a table are the best.
        page: Write a page with sortable columns and pictures of intervals and ranks.
        best: Also print the interval of the best system, which allows for the choice, and how much
            worse its score is likely to be on new rows.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        confidence_level: Level of confidence intervals.
        assume: What comparisons of means of rows assume.

    Returns:
        The leaderboards.

    Raises:
        ValueError: results are not comparable, or a file is not valid.
    """
    paths = [Path(part) for part in results if isinstance(part, str | Path)]
    of_means = {"mean": mean, "missing_tasks": missing_tasks, "lower_is_better": lower_is_better}
    of_saved = {"group": group, "best": best}
    if votes is not None:
        if results:
            raise UsageError("RESULT is for saved results, not for --votes")
        refuse({"by": by, **of_means, **of_saved}, f"{_OF_RESULTS}, not for --votes")
        field = one_field(clusters)
        listed = [_of_votes(votes, options or {}, field, confidence_level)]
    elif options:
        raise UsageError("--set is for --votes; saved results have their options")
    elif paths and len(paths) == len(results) and not published_scores.are_saved(paths):
        refuse({**of_saved, "clusters": clusters}, _OF_RESULTS)
        refuse({"assume": assume != "exchangeable"}, _OF_RESULTS)
        published = published_scores.read_scores(paths, by)
        table = score_tables.score_table(published, lower=lower_is_better)
        listed = [_of_tasks(table, by, mean, missing_tasks, confidence_level)]
    else:
        if not results or by is None:
            raise UsageError("name saved results and --by SCORE, or a table, or --votes FILE")
        refuse({"lower_is_better": lower_is_better}, "is for tables and folders of scores")
        check_distinct(paths)
        saved = [with_origin(part, clusters) for part in results]
        saved = [
            part._replace(results=with_intervals(part.results, confidence_level)) for part in saved
        ]
        groups = leaderboards.comparable(leaderboards.entries(saved, by))
        if mean is None and not group and len(groups) > 1:
            raise ValueError(
                f"the results are not comparable: {leaderboards.differences(groups)}; "
                "use --group for separate leaderboards"
            )
        asked: dict[str, Any] = {"confidence_level": confidence_level, "assume": assume}
        ranked = [leaderboards.leaderboard(each, **asked) for each in groups]
        if mean is None:
            refuse({"missing_tasks": missing_tasks}, "needs --mean")
            listed = [_of_results(each, best=best) for each in ranked]
        else:
            refuse({"best": best}, "is for one score, not for --mean")
            _check_one_scoring(groups)
            table = table_of_boards(ranked)
            means = _of_tasks(table, by, mean, missing_tasks, confidence_level)
            lines = (line for each in ranked for line in each.results.signatures())
            listed = [means._replace(heading={**means.heading, "signatures": [*lines]})]
    boards = Boards(systems={}, boards=tuple(listed))
    if page is not None:
        write_whole(page, [boards.to_page(boards.tables())])
    return boards


def _check_one_scoring(groups: Sequence[Sequence[leaderboards.Entry]]) -> None:
    scorings = {
        tuple((name, value) for name, value in group[0].parts.items() if name not in _OF_ROWS)
        for group in groups
    }
    if len(scorings) > 1:
        problem = leaderboards.differences(groups)
        raise ValueError(f"scores that are not comparable have no mean: {problem}")


def _of_votes(
    path: Path, settings: Mapping[str, Any], clusters: str | None, level: float
) -> Listing:
    """Return the leaderboard of a file of votes."""
    fields = [*FIELDS, *([] if clusters is None else [clusters])]
    source = Source(path, fields, numbers=["winner"], filled=FIELDS, progress=True)
    board = vote_board(source, settings, confidence_level=level, clusters=clusters)
    heading = {
        "by": f"pairwise_ranking.{board.score}",
        "votes": board.votes,
        "confidence_level": level,
        "options": settings,
        "sentence": board.sentence(),
        "signatures": [board.signature()],
    }
    return Listing(board.table, heading, list(board.records()))


def _of_results(content: leaderboards.Leaderboard, *, best: bool) -> Listing:
    """Return a leaderboard, with the best system and its interval if these are asked for."""
    heading: dict[str, Any] = {
        "by": f"{content.module}.{content.score}",
        "task": content.task,
        "confidence_level": content.confidence_level,
        "lower_is_better": content.is_lower_better,
        "signatures": content.results.signatures(),
    }
    said = ""
    if best:
        chosen = content.results.best(heading["by"], content.confidence_level)
        heading["best"] = {content.score: chosen.record()}
        said = chosen.sentence(content.confidence_level)

    def table(top: int | None, notation: Notation) -> Table:
        shown = content.table(top, notation)
        return shown._replace(note=f"{shown.note} {said}".strip())

    return Listing(table, heading, list(content.records()))


def _of_tasks(
    table: score_tables.ScoreTable,
    by: str | None,
    mean: Literal["tasks", "borda"] | None,
    missing: Literal["out", "worst"] | None,
    level: float,
) -> Listing:
    """Return the leaderboard of means over tasks."""
    kind = mean or "tasks"
    means, lines = task_means(table, kind, gaps=missing or "out", confidence_level=level)
    for line in lines:
        note(line)
    heading = {
        "signatures": [],
        "by": by or "score",
        "mean": kind,
        "confidence_level": level,
        "lower_is_better": means.is_lower_better,
        "sentence": means.sentence(),
        "tasks": list(means.scored.tasks),
        "missing": table.gaps(),
    }
    return Listing(means.table, heading, list(means.records()))


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the ends of its intervals and the scores of tasks as separate fields."""
    flat: dict[str, Any] = {}
    ends = {
        "confidence_interval": ("low", "high"),
        "rank_interval": ("best_rank", "worst_rank"),
    }
    for name, value in to_jsonable(record).items():
        if name in ends:
            flat |= dict(zip(ends[name], value or (None, None), strict=True))
        elif isinstance(value, dict):
            flat |= value
        else:
            flat[name] = value
    return flat
