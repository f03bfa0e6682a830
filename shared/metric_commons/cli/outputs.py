"""Where results go."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from ..evaluation.results import Results
from ..evaluation.usage import check_outputs, extra
from ..files.stored import write_whole

Kind = Literal["table", "json", "markdown", "latex", "csv", "html"]
Form = Annotated[Kind, typer.Option("--format", help="What to print.")]


class Outputs(NamedTuple):
    """What is printed, and which files are written."""

    form: Kind = "table"
    save: Path | None = None
    per_example: Path | None = None
    html: Path | None = None  # a page, as `report` makes it

    def check(self, inputs: Sequence[Path]) -> None:
        """Refuse files that would replace an input, or each other, or cannot be made."""
        check_outputs([self.save, self.per_example, self.html], inputs)
        if self.html:
            check_report()

    def write(self, results: Results) -> None:
        """Write and print the results."""
        if self.per_example:
            results.save_per_example(self.per_example)
        if self.save:
            results.save(self.save)
        if self.html:
            from ..report import find_examples, render

            write_whole(self.html, [render(results, find_examples(results))])
        show(results, self.form)


def check_report() -> None:
    """The library is there that pages are made with. Said before a large file is read."""
    with extra("report"):
        import jinja2  # noqa: F401


def show(results: Results, form: str) -> None:
    """Print results in one of the forms."""
    match form:
        case "json":
            typer.echo(results.to_json())
        case "markdown":
            typer.echo(results.to_markdown())
        case "latex":
            typer.echo(results.to_latex())
        case "csv":
            typer.echo(results.to_csv(), nl=False)
        case "html":
            typer.echo(results.to_html())
        case _:
            from . import tables

            tables.show(results)
