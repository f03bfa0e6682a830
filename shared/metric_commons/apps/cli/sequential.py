"""Looking again while rows are scored: `--sequential` and `--follow` of `compare` and `gate`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...module.catalog.usage import UsageError
from ..console.options import one_field, statistics_option

if TYPE_CHECKING:
    from ...statistics.tests.confidence_sequences import SequentialComparison


@dataclass(frozen=True)
class Looking:
    """The options of looking again.

    Args:
        sequential: Decide by an interval that holds however often you look; rows may be added
            between looks. Their order must be random, and the same at each look, which the file
            NEW.looks.json checks. For means of rows in a known range.
        total: With --sequential, the number of rows (or clusters) of the whole benchmark. The
            target is then the score of all of them.
        follow: With --sequential, NEW is a JSON Lines file of row scores that is still being
            written, as by --per-example; ends with the decision, or when all rows are there.
    """

    sequential: Annotated[bool, statistics_option("--sequential")] = False
    total: Annotated[int | None, statistics_option(metavar="N", min=1)] = None
    follow: Annotated[bool, statistics_option("--follow")] = False

    def check(self) -> None:
        """Check that no option is without effect."""
        for flag, is_set in (("--total", self.total is not None), ("--follow", self.follow)):
            if is_set and not self.sequential:
                raise UsageError(f"{flag} is for --sequential")


def looked(
    new: Path,
    baseline: Path,
    looking: Looking,
    *,
    score: str | None,
    margin: float,
    level: float,
    verdict_of: Callable[["SequentialComparison"], str],
    undecided: str,
    rows: Sequence[Path] | None,
    cluster_by: Sequence[str] | None,
    bounds: Sequence[float] | None = None,
    system: str | None = None,
    shows: bool = False,
) -> "tuple[SequentialComparison, str, str]":
    """Return the comparison after all rows so far, its score and the sentence about it.

    Args:
        new: a saved result, or the rows of one that is being scored.
        baseline: a saved result, whose rows may be complete.
        looking: the options of looking again.
        score: the score; None for the main one.
        margin: a difference that does not matter.
        level: the level of the intervals of all looks together.
        verdict_of: returns the verdict of the command.
        undecided: the verdict with which looking continues.
        rows: files of the scores of rows.
        cluster_by: fields of the inputs whose labels are clusters; only one.
        bounds: the bounds of a difference; -1 and 1 by default.
        system: the system, if a result has several.
        shows: whether to print a line while rows are followed.
    """
    from ...evaluation.comparison import looks  # imports numpy
    from ...evaluation.comparison.saved_rows import read_with_rows
    from ...statistics.tests.confidence_sequences import SequentialComparison

    one_field(cluster_by, "--sequential")
    low, high = bounds or (-1.0, 1.0)
    comparison = SequentialComparison(margin, level, (float(low), float(high)), looking.total)
    paths = [baseline] if looking.follow else [new, baseline]
    *results, old = read_with_rows(paths, rows or [], cluster_by=cluster_by or [])
    base = looks.BaselineRows.of(old, score, system)

    def sentence() -> str:
        verdict = verdict_of(comparison)
        return looks.sentence(base.score, comparison, verdict, is_lower_better=base.is_lower_better)

    def show() -> None:
        if shows:
            typer.echo(f"\r{sentence()}", nl=False)

    if looking.follow:

        def is_decided() -> bool:
            return verdict_of(comparison) != undecided

        looks.followed(new, base, comparison, is_decided, system=system, show=show)
        if shows:
            typer.echo()
    else:
        differences = looks.saved_look(results[0], base, comparison, system)
        path = new.with_name(f"{new.name}.looks.json")
        looks.check_looks(path, f"{base.score} {baseline}", differences)
    return comparison, base.score, sentence()
