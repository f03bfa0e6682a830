"""`report`: results as an HTML page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...data.files.stored import write_whole
from ...evaluation.comparison.combined_results import collected
from ...evaluation.comparison.saved_results import check_distinct, named
from ...module.catalog.usage import extra, note
from .findings import Saved, with_origin


def report(
    results: Saved | Sequence[Saved],
    *,
    save: Path | None = None,
    scores: Sequence[str] | None = None,
    show: Sequence[str] | None = None,
    data: Sequence[Path] | None = None,
) -> str:
    """Write a page about results: one HTML file for the browser.

    metric-commons report results.json -o report.html

    metric-commons report new.json old.json -o report.html --show question

    The page shows scores with intervals, differences of systems, groups, and examples: the rows
    with the lowest scores, and the rows on which systems differ most. Rows come from the file that
    --rows wrote, texts of examples from the inputs, which must be unchanged. The systems of several
    results are compared. The page needs no network and contains no script. A line on stderr says
    what it cannot show.

    Args:
        results: Results, or the paths of what --save or --rows wrote, for one page.
        save: The page to write.
        scores: Show only these scores; repeatable.
        show: Additional field to show in examples, such as the question; repeatable.
        data: An input that was moved; it is recognized by its SHA-256. Repeatable.

    Returns:
        The page.

    Raises:
        ValueError: a file is not valid, or there is no such score.
    """
    with extra("report"):
        import jinja2  # noqa: F401

        from ...reporting.report.examples import find_examples
        from ...reporting.report.page import render

    listed: list[Any] = [*results] if isinstance(results, list | tuple) else [results]
    check_distinct([Path(part) for part in listed if isinstance(part, str | Path)])
    saved = [with_origin(part) for part in listed]
    together, problem = collected(named(saved))
    chosen = together.choose(scores)
    examples = find_examples(chosen, fields=show or [], copies=data or [])
    page = render(chosen, examples)
    if save is not None:
        write_whole(save, [page])
    for text in filter(None, [*(part.problem for part in saved), problem, *examples.notes]):
        note(text)
    return page
