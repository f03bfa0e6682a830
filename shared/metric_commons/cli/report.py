"""`metric-commons report`: a saved result as an HTML page."""

from pathlib import Path
from typing import Annotated

import typer

from ..console.options import Quiet, Scores
from ..console.outputs import check_report, check_written, say_written
from ..files.stored import write_whole
from ..results.results import Results


def report(
    path: Annotated[Path, typer.Argument(metavar="RESULTS", help="A result written by --save.")],
    save: Annotated[Path, typer.Option("--save", "-o", metavar="FILE", help="The page to write.")],
    per_example: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The rows written by --per-example. Without them there are no examples.",
        ),
    ] = None,
    scores: Scores = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Additional field to show in examples, such as the question; repeatable.",
        ),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="An input that was moved; it is recognized by its SHA-256. Repeatable.",
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(min=0, metavar="COUNT", help="Number of examples of each kind.")
    ] = 10,
    quiet: Quiet = False,
) -> None:
    """Write a page about a result: one HTML file for the browser.

    metric-commons report results.json -o report.html --per-example rows.jsonl

    The page shows scores with intervals, differences of systems, groups, and
    examples: the rows with the lowest scores, and the rows on which systems differ
    most. Texts of examples are read from the inputs, which must be unchanged.
    The page needs no network and contains no script.
    """
    check_written([save], [path, *filter(None, [per_example]), *(data or [])])
    check_report()
    from ..report import find_examples, render

    results = Results.read(path, per_example).choose(scores)
    row_examples = find_examples(results, fields=show or [], copies=data or [], count=examples)
    write_whole(save, [render(results, row_examples)])
    say_written(save)
