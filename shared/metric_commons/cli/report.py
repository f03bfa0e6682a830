"""`metric-commons report`: a saved result as a page to look at."""

from pathlib import Path
from typing import Annotated

import typer

from ..evaluation.results import Results
from ..evaluation.usage import check_outputs
from ..files.stored import write_whole
from .options import Scores
from .outputs import check_report


def report(
    path: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="What --save of another command wrote.")
    ],
    html: Annotated[Path, typer.Option(metavar="FILE", help="The page to write.")],
    per_example: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="What --per-example wrote. Without it no examples are chosen."
        ),
    ] = None,
    scores: Scores = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Another field of the rows to show with examples, such as the question; may be "
            "given several times.",
        ),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="An input that is no longer where it was; it is known by its SHA-256. May be "
            "given several times.",
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(min=0, metavar="COUNT", help="How many examples of each kind.")
    ] = 10,
) -> None:
    """Write a page about results: one file, to be opened in any browser.

    metric-commons report results.json --html report.html --per-example rows.jsonl

    It shows scores with their intervals, differences of systems, groups, and
    the rows that are answered worst and most differently. These come from the
    inputs, if they are unchanged. The page needs no network and has no script.
    """
    check_outputs([html], [path, *filter(None, [per_example]), *(data or [])])
    check_report()
    from ..report import find_examples, render

    results = Results.read(path, per_example).choose(scores)
    row_examples = find_examples(results, fields=show or [], copies=data or [], count=examples)
    write_whole(html, [render(results, row_examples)])
