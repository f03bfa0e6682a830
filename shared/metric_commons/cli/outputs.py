"""Where results go."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from metric_commons.results import Results, write_whole

Kind = Literal["table", "json", "markdown", "latex", "csv", "html"]
Form = Annotated[Kind, typer.Option("--format", help="What to print.")]


class Misuse(typer.TyperException):
    """A command line that makes no sense."""

    exit_code = 2


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
            from metric_commons.report import find_examples, render

            write_whole(self.html, [render(results, find_examples(results))])
        show(results, self.form)


def check_report() -> None:
    """The library is there that pages are made with. Said before a large file is read."""
    with extra("report"):
        import jinja2  # noqa: F401


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports of what an extra brings; of one that is missing, how to install it is said."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error}; it comes with: pip install 'metric-commons[{name}]'"
        raise typer.TyperException(message) from error


def check_outputs(outputs: Sequence[Path | None], inputs: Sequence[Path]) -> None:
    """No output would replace an input, or another output."""
    taken = {path.resolve() for path in inputs}
    for path in filter(None, outputs):
        if path.resolve() in taken:
            raise Misuse(f"{path} would be overwritten")
        taken.add(path.resolve())


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
