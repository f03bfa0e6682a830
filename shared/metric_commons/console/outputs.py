"""Where results go."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from ..catalog.usage import UsageError, check_outputs, extra
from ..files.stored import OPEN_FILES, write_whole
from ..numbers.checks import OptionError, check_choice
from ..results.rendering import Table, label
from ..results.results import FORMATS, Results
from .options import OUTPUT


def check_form(form: str | None) -> str | None:
    """The form, if results can be printed so.

    Raises:
        UsageError: they cannot.
    """
    if form is not None:
        try:
            check_choice("--format", form, FORMATS)
        except OptionError as error:
            raise UsageError(str(error)) from error
    return form


Form = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        callback=check_form,
        help=f"Format of what is printed: {', '.join(FORMATS)}.",
        rich_help_panel=OUTPUT,
    ),
]
OptionalForm = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        callback=check_form,
        help=f"Format of what is printed, instead of the file's: {', '.join(FORMATS)}.",
    ),
]


class Outputs(NamedTuple):
    """What is printed, and which files are written."""

    form: str = "table"
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
            results = results.save_per_example(self.per_example)
        if self.save:
            results.save(self.save)
        if self.html:
            from ..report import find_examples, render

            write_whole(self.html, [render(results, find_examples(results))])
        show(results, self.form)
        say_written(self.per_example, self.save, self.html)


def check_report() -> None:
    """The library is there that pages are made with. Said before a large file is read."""
    with extra("report"):
        import jinja2  # noqa: F401


def say_written(*paths: Path | None) -> None:
    """Say on stderr which files were written, and where a browser finds those that are pages."""
    for path in filter(None, paths):
        if str(path).startswith(OPEN_FILES):
            continue
        link = f"; open {path.resolve().as_uri()}" if path.suffix in (".html", ".htm") else ""
        typer.echo(label(f"wrote {path}{link}"), err=True)


def show_tables(printed: Sequence[Table], lines: Sequence[str] = ()) -> None:
    """Print tables that are no results, as wide as the screen allows, then the lines."""
    from . import tables

    tables.show_tables(printed, lines)


def show(results: Results, form: str) -> None:
    """Print results in one of the forms; tables as wide as the screen allows."""
    if form == "table":
        from . import tables

        tables.show(results)
    else:
        text = FORMATS[form](results)
        typer.echo(text, nl=not text.endswith("\n"))
