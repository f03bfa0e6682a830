"""`metric-commons report`: a saved result as an HTML page."""

from pathlib import Path

import click

from ...data.files.stored import write_whole
from ...evaluation.comparison.saved_results import check_distinct, named, saved_result
from ...evaluation.results.rendering import label
from ...module.catalog.usage import extra
from ...statistics.resampling.progress import is_quiet
from ..console.commands import command
from ..console.outputs import check_written, say_written


def report(
    results: list[Path],
    *,
    save: Path,
    scores: list[str] | None = None,
    show: list[str] | None = None,
    data: list[Path] | None = None,
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
        results: Results written by --save, or rows by --rows, for one page.
        save: The page to write.
        scores: Show only these scores; repeatable.
        show: Additional field to show in examples, such as the question; repeatable.
        data: An input that was moved; it is recognized by its SHA-256. Repeatable.
    """
    check_distinct(results)
    check_written([save], [*results, *(data or [])])
    with extra("report"):
        import jinja2  # noqa: F401

        from ...reporting.report.examples import find_examples
        from ...reporting.report.page import render
    from ...evaluation.comparison.combined_results import collected

    saved = [saved_result(path) for path in results]
    together, problem = collected(named(saved))
    chosen = together.choose(scores)
    row_examples = find_examples(chosen, fields=show or [], copies=data or [])
    write_whole(save, [render(chosen, row_examples)])
    notes = [*(part.problem for part in saved), problem, *row_examples.notes]
    for note in () if is_quiet() else dict.fromkeys(filter(None, notes)):
        click.echo(label(f"note: {note}"), err=True)
    say_written(save)


COMMANDS = {"report": command(report)}
