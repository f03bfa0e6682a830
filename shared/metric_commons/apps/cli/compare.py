"""`metric-commons compare`: which systems are better by more than chance."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import click

from ...evaluation.comparison.saved_results import is_saved, read_results
from ...module.catalog.request import Missing
from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Count, Level, Parsed
from ...statistics.resampling.progress import is_quiet
from ..console.commands import command, refuse
from ..console.outputs import Outputs, Presentation


def _two_numbers(bounds: Any) -> None:
    try:
        low, high = bounds
        if not low < high:
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(f"must be two numbers LOW,HIGH, such as 0,1, got {bounds!r}") from None


Bounds = Annotated[tuple[float, float], Parsed(_two_numbers, "two numbers")]


@dataclass(frozen=True)
class DifferencesFirst(Presentation):
    """The options of how comparisons are printed."""

    main: ClassVar[str] = "differences"


@dataclass(frozen=True)
class Testing:
    """The options of comparisons, with the names of their arguments.

    Args:
        test: permutation (sign flips), t, wilcoxon, or mcnemar for scores 0 and 1.
        alternative: Alternative hypothesis about A - B: two-sided, greater or less.
        alpha: Significance level, for corrected p-values.
    """

    test: Literal["permutation", "t", "wilcoxon", "mcnemar"] = "permutation"
    alternative: Literal["two-sided", "greater", "less"] = "two-sided"
    alpha: Level = 0.05


# Options for tables of scores only.
_TABLE_OPTIONS = ("system", "ids", "score", "lower_is_better", "missing")


def compare(
    results: list[Path],
    *,
    clusters: list[str] | None = None,
    confidence_level: Level = 0.95,
    system: str | None = None,
    ids: str | None = None,
    score: str | None = None,
    lower_is_better: bool = False,
    missing: Missing = "refuse",
    bounds: Bounds | None = None,
    testing: Testing,
    sort: str | None = None,
    top: Count | None = None,
    save: Path | None = None,
    presentation: DifferencesFirst,
    **further: Any,
) -> None:
    """Compare systems row by row: those of a table of scores, or of saved results.

    metric-commons compare scores.csv

    metric-commons compare new.json old.json

    A table of scores is wide (a column for each system) or long (columns such as
    model, id and score); a line on stderr says what was taken for systems. Runs of
    retrieval are compared by metric-commons trec QRELS RUN RUN --compare.

    Results need their scored rows, which --rows writes. Systems
    with the same name in two results are compared with each other; otherwise
    all pairs are compared. For three or more systems the table has their possible
    ranks. The best tier and significant differences are in bold.

    The p-value is the probability of a difference at least this large if both
    systems were equally good. A difference that is not significant does not
    show that they are equal. A row that one system lacks is excluded for both.
    With --cluster-by tests count clusters of rows, by a field that rows were scored
    with.

    Args:
        results: A table of scores; or results written by --save, or rows by --rows.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        confidence_level: Level of the intervals of differences.
        system: Of a table: the column that names the systems, or the columns of systems, as A,B.
        ids: Of a table: the column of the ids.
        score: Of a table: the column of the scores.
        lower_is_better: Of a table: the lowest scores are the best.
        missing: Of a table: what becomes of a row whose score a system lacks.
        bounds: The lowest and the highest possible score, such as 0,1.
        sort: Sort systems by this score, best first.
        top: Show only the first systems.
        save: Write the result as JSON.
    """
    from ...evaluation.comparison.combined_results import compare as compare_results

    outputs = Outputs(presentation, save, sort=sort)
    outputs.check(results)
    for path in results:
        path.stat()  # report a missing file before anything else
    asked = {**further, **vars(testing), "bounds": bounds, "confidence_level": confidence_level}
    if is_saved(results[0]):
        refuse(_TABLE_OPTIONS, "is for a table of scores")
        saved = [read_results(path, clusters or []) for path in results]
        outputs.write(compare_results(*saved, **asked), top)
        return
    if len(results) > 1:
        raise UsageError(
            "compare needs saved results, or one table of scores; rows need a module: "
            f"metric-commons score MODULE {results[0]} -p FIELD -p FIELD -r FIELD --compare; runs: "
            "metric-commons trec QRELS RUN RUN --compare"
        )
    named = system and system.split(",")
    compared = compare_results(
        results[0],
        system=named[0] if named and len(named) == 1 else named,
        id=ids,
        score=score,
        lower_is_better=lower_is_better,
        clusters=clusters or (),
        missing=missing,
        **asked,
    )
    if not is_quiet():
        click.echo(f"note: the systems are {', '.join(compared.systems)}", err=True)
    outputs.write(compared, top)


_FURTHER = ("scores", "correction", "assume")
COMMANDS = {"compare": command(compare, like=_FURTHER)}
