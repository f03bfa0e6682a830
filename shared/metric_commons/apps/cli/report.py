"""`metric-commons report`: a saved result as an HTML page."""

from pathlib import Path
from typing import Annotated

import typer

from ...data.files.stored import write_whole
from ...evaluation.comparison.saved_results import check_distinct, named, saved_result
from ...evaluation.results.rendering import label
from ...statistics.resampling.progress import is_quiet
from ..console.options import Scores, save_option
from ..console.outputs import check_report, check_written, say_written


def report(
    paths: Annotated[list[Path], typer.Argument(metavar="RESULT")],
    save: Annotated[Path, save_option(metavar="FILE")],
    scores: Scores = None,
    show: Annotated[list[str] | None, typer.Option(metavar="FIELD")] = None,
    data: Annotated[list[Path] | None, typer.Option(metavar="FILE")] = None,
) -> None:
    """Write a page about results: one HTML file for the browser.

    metric-commons report results.json -o report.html
    metric-commons report new.json old.json -o report.html --show question

    The page shows scores with intervals, differences of systems, groups, and
    examples: the rows with the lowest scores, and the rows on which systems differ
    most. Rows come from the file that --rows wrote, texts of examples from the
    inputs, which must be unchanged. The systems of several results are compared.
    The page needs no network and contains no script. A line on stderr says what it
    cannot show.

    Args:
        paths: Results written by --save, or rows by --rows, for one page.
        save: The page to write.
        show: Additional field to show in examples, such as the question; repeatable.
        data: An input that was moved; it is recognized by its SHA-256. Repeatable.
    """
    check_distinct(paths)
    check_written([save], [*paths, *(data or [])])
    check_report()
    from ...evaluation.comparison.combined_results import collected
    from ...reporting.report.examples import find_examples
    from ...reporting.report.page import render

    saved = [saved_result(path) for path in paths]
    problems = [result.problem for result in saved if result.problem]
    together, problem = collected(named(saved))
    chosen = together.choose(scores)
    row_examples = find_examples(chosen, fields=show or [], copies=data or [])
    write_whole(save, [render(chosen, row_examples)])
    notes = [*problems, *filter(None, [problem]), *row_examples.notes]
    for note in () if is_quiet() else dict.fromkeys(notes):
        typer.echo(label(f"note: {note}"), err=True)
    say_written(save)
