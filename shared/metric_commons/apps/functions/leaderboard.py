"""`leaderboard`: order saved results, if they are comparable, published scores, or votes."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...data.files.stored import to_jsonable
from ...data.tables.tables import Source
from ...evaluation.comparison.saved_results import check_distinct, with_intervals
from ...evaluation.results.rendering import PLAIN, Notation, Table, spreadsheet_cell
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError, note
from ...reporting.leaderboards import leaderboards, published_scores, score_tables
from ...reporting.leaderboards.task_means import task_means
from ...reporting.leaderboards.vote_boards import FIELDS, vote_board
from ...reporting.report.leaderboard_page import leaderboard_page
from ...statistics.arguments.domains import Level
from ...statistics.intervals.methods import Assumption
from .findings import Saved, one_field, refuse, with_origin


@dataclass(frozen=True, kw_only=True, repr=False)
class RankedSystems(Results):
    """A leaderboard, which is shown, printed and saved as results are."""

    ranked: Callable[[int | None, Notation], Table]  # of the first systems
    heading: Mapping[str, Any]  # its subject
    members: Sequence[Mapping[str, Any]]  # its systems, best first

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the leaderboard, as values that JSON can hold."""
        content = {**self.heading, "systems": self.members[: self.top]}
        return dict(to_jsonable({"format": "metric-commons-leaderboard/1", **content}))

    def tables(self, notation: Notation = PLAIN) -> list[Table]:
        """Return the table of the leaderboard."""
        return [self.ranked(self.top, notation)]

    def signatures(self) -> list[str]:
        """Return how the scores were computed."""
        return list(self.heading["signatures"])

    def to_csv(self) -> str:
        """Return every number in full precision, one line per system."""
        rows = [{"by": self.heading["by"], **_flat(r)} for r in self.members[: self.top]]
        text = io.StringIO()
        names = dict.fromkeys(name for row in rows for name in row)
        lines = csv.DictWriter(text, list(names), lineterminator="\n")
        lines.writeheader()
        lines.writerows({k: spreadsheet_cell(v) for k, v in row.items()} for row in rows)
        return text.getvalue()

    def to_page(self, tables: Sequence[Table]) -> str:
        """Return a page of the table, with sortable columns and a picture of intervals."""
        return leaderboard_page(tables[0], self.heading, self.members[: self.top])


def leaderboard(
    *results: Saved,
    by: str | None = None,
    votes: Path | None = None,
    options: Mapping[str, Any] | None = None,
    mean: Literal["tasks", "borda"] | None = None,
    missing_tasks: Literal["out", "worst"] | None = None,
    lower_is_better: bool = False,
    clusters: str | Sequence[str] | None = None,
    confidence_level: Level = 0.95,
    assume: Assumption = "exchangeable",
) -> RankedSystems:
    """Rank the systems of saved results, of a published table, or of votes.

    metric-commons leaderboard results/*.json --by qa_f1
    metric-commons leaderboard scores.csv --mean borda
    metric-commons leaderboard --votes votes.jsonl --cluster-by prompt

    A table is long (model, task, score) or wide (model, a column for each task), in CSV, TSV, JSON
    or Parquet; standard errors or rows are used where it has them. A folder has results of lm-eval.

    Saved results with different options, versions or rows are refused with the differences. The
    rank is 1 plus the number of systems that are significantly better, in paired tests corrected
    for their number. Ranks need the scores of rows, which --rows writes; without them the
    leaderboard has only intervals. --format html prints a page with sortable columns.

    Args:
        *results: Results, or the paths of what --save wrote, or of tables and folders of scores.
        by: The score that orders systems; of a table its column.
        votes: Rate systems by the votes in a file, with model_a, model_b and winner.
        options: With --votes, an option of pairwise_ranking, such as ties=davidson; repeatable.
        mean: Of a table: rank by the mean score over its tasks (tasks, the default), or by the
            number of systems beaten (borda).
        missing_tasks: Leave systems that lack a task out (out, the default), or count it as the
            worst there (worst).
        lower_is_better: The lowest scores of a table are the best.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        confidence_level: Level of confidence intervals.
        assume: What comparisons of means of rows assume.

    Returns:
        The leaderboard.

    Raises:
        ValueError: results are not comparable, or a file is not valid.
    """
    paths = [Path(part) for part in results if isinstance(part, str | Path)]
    of_tables = {"mean": mean, "missing_tasks": missing_tasks, "lower_is_better": lower_is_better}
    if votes is not None:
        if results:
            raise UsageError("RESULT is for saved results, not for --votes")
        refuse({"by": by, **of_tables}, "is for results, not for --votes")
        return _of_votes(votes, options or {}, one_field(clusters), confidence_level)
    if options:
        raise UsageError("--set is for --votes; saved results have their options")
    if paths and len(paths) == len(results) and not published_scores.are_saved(paths):
        of_saved = {"clusters": clusters, "assume": assume != "exchangeable"}
        refuse(of_saved, "is for saved results")
        published = published_scores.read_scores(paths, by)
        table = score_tables.score_table(published, lower=lower_is_better)
        return _of_tasks(table, by, mean or "tasks", missing_tasks or "out", confidence_level)
    if not results or by is None:
        raise UsageError("name saved results and --by SCORE, or a table, or --votes FILE")
    refuse(of_tables, "is for tables and folders of scores")
    check_distinct(paths)
    saved = [with_origin(part, clusters) for part in results]
    saved = [
        part._replace(results=with_intervals(part.results, confidence_level)) for part in saved
    ]
    groups = leaderboards.comparable(leaderboards.entries(saved, by))
    if len(groups) > 1:
        raise ValueError(f"the results are not comparable: {leaderboards.differences(groups)}")
    return _of_results(
        leaderboards.leaderboard(groups[0], confidence_level=confidence_level, assume=assume)
    )


def _of_votes(
    path: Path, settings: Mapping[str, Any], clusters: str | None, level: float
) -> RankedSystems:
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
    return RankedSystems(
        systems={},
        ranked=board.table,
        heading=heading,
        members=list(board.records()),
    )


def _of_results(content: leaderboards.Leaderboard) -> RankedSystems:
    """Return the leaderboard of comparable results."""
    heading = {
        "by": f"{content.module}.{content.score}",
        "confidence_level": content.confidence_level,
        "lower_is_better": content.is_lower_better,
        "signatures": content.results.signatures(),
    }
    members = list(content.records())
    return RankedSystems(systems={}, ranked=content.table, heading=heading, members=members)


def _of_tasks(
    table: score_tables.ScoreTable,
    by: str | None,
    mean: Literal["tasks", "borda"],
    missing: Literal["out", "worst"],
    level: float,
) -> RankedSystems:
    """Return the leaderboard of means over tasks."""
    means, lines = task_means(table, mean, gaps=missing, confidence_level=level)
    for line in lines:
        note(line)
    heading = {
        "signatures": [],
        "by": by or "score",
        "mean": mean,
        "confidence_level": level,
        "lower_is_better": means.is_lower_better,
        "sentence": means.sentence(),
        "tasks": list(means.scored.tasks),
        "missing": table.gaps(),
    }
    return RankedSystems(
        systems={},
        ranked=means.table,
        heading=heading,
        members=list(means.records()),
    )


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
