"""The output of results: files and the screen."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

import typer

from ...data.files.access import check_name
from ...data.files.stored import OPEN_FILES, to_jsonable, write_whole
from ...evaluation.results.rendering import KINDS, Notation, Table, label, message_line
from ...evaluation.results.results import FORMATS, TABLE_FORMATS, Results
from ...module.catalog.usage import UsageError, extra
from ...statistics.resampling.progress import is_quiet
from .options import one_of, output_option

if TYPE_CHECKING:
    from rich.table import Table as Grid

_GAP = 2  # between columns: one space of padding, one drawn by SIMPLE_HEAD


@dataclass(frozen=True)
class Presentation:
    """The options of how results are printed.

    Args:
        digits: Decimals in tables; by default no more than the intervals support, and at most four.
        percent: Show proportions in percent.
        caption: Caption of the table, with --format latex.
        latex_label: Label of the table, such as tab:nq, with --format latex.
    """

    main: ClassVar[str] = "scores"  # the main table

    format_name: Annotated[
        str,
        output_option(
            "--format",
            metavar="FORMAT",
            callback=one_of("--format", lambda: [*FORMATS]),
            help=f"Format of the printed output: {', '.join(FORMATS)}.",
        ),
    ] = "table"
    digits: Annotated[int | None, output_option(min=0, max=15, metavar="COUNT")] = None
    percent: Annotated[bool, output_option("--percent")] = False
    table: Annotated[
        Literal["scores", "groups", "parts", "ranks", "differences", "all"] | None,
        output_option(
            metavar="KIND",
            help=f"Which table to print: {', '.join(KINDS)} or all. By default all, and in LaTeX "
            "the main one.",
        ),
    ] = None
    caption: Annotated[str, output_option(metavar="TEXT", show_default=False)] = ""
    latex_label: Annotated[str, output_option("--label", metavar="NAME", show_default=False)] = ""

    @property
    def notation(self) -> Notation:
        """Return how numbers are written."""
        return Notation(self.digits, self.percent)

    def check(self) -> None:
        """Check that the format can show the requested options.

        Raises:
            UsageError: it does not.
        """
        is_table = self.format_name not in FORMATS.keys() - TABLE_FORMATS.keys()
        is_latex = self.format_name == "latex"
        for option, value, fits in (
            ("--digits", self.digits is not None, is_table),
            ("--percent", self.percent, is_table),
            ("--table", self.table, is_table),
            ("--caption", self.caption, is_latex),
            ("--label", self.latex_label, is_latex),
        ):
            if value and not fits:
                reason = "only for latex" if is_table else "which has all numbers in full"
                raise UsageError(f"{option} is not for --format {self.format_name}, {reason}")

    def tables(self, results: Results) -> list[Table]:
        """Return the tables to print."""
        kind: str | None = self.table
        if kind is None and self.format_name == "latex":
            kind = self.main
        chosen = results.chosen_tables(None if kind == "all" else kind, self.digits, self.percent)
        return self.captioned(chosen)

    def captioned(self, tables: Sequence[Table]) -> list[Table]:
        """Return the tables with the caption and the label.

        Raises:
            UsageError: there are several.
        """
        if (self.caption or self.latex_label) and len(tables) > 1:
            raise UsageError("--caption and --label are for one table; choose it with --table")
        return [table._replace(caption=self.caption, label=self.latex_label) for table in tables]


_EXPLAINED_ROWS = 20  # of a system, on the terminal


class Outputs(NamedTuple):
    """The presentation and order of the printed output, and the files to write."""

    presentation: Presentation = Presentation()
    save: Path | None = None
    rows: Path | None = None  # the file of scored rows
    html: Path | None = None  # a page, as from `report`
    sort: str | None = None  # the score by which systems are ordered

    def check(self, inputs: Sequence[Path]) -> None:
        """Check that files do not replace an input or each other, and can be created."""
        self.presentation.check()
        check_written([self.save, self.rows, self.html], inputs)
        if self.html:
            check_report()

    def write(self, results: Results, top: int | None = None) -> None:
        """Write all results, and print them or the first `top` systems."""
        if self.sort is not None:
            results = results.sort(self.sort)
        if self.rows:
            results = results.save_rows(self.rows)
        if self.save:
            results.save(self.save)
        if self.html:
            from ...reporting.report.examples import find_examples
            from ...reporting.report.page import render

            write_whole(self.html, [render(results, find_examples(results))])
        show(replace(results, top=top), self.presentation)
        if self.presentation.format_name == "table":
            _show_explanations(results)
        say_written(self.rows, self.save, self.html)


def _show_explanations(results: Results) -> None:
    """Print the readings of the first rows that a module explains and that are not equal."""
    for system, modules in results.rows.items():
        for table in modules.values():
            rows = [
                f"row {row} of {system}: {reading['prediction_reading']} beside "
                f"{reading['reference_reading']}: {reading['reason']}"
                for row, reading in enumerate(table.texts.get("explanations", ()))
                if not reading["verdict"]
            ]
            for line in rows[:_EXPLAINED_ROWS]:
                typer.echo(message_line(line))


def check_written(outputs: Sequence[Path | None], inputs: Sequence[Path]) -> None:
    """Check the names of outputs, and report new folders on stderr.

    Raises:
        UsageError: a name is not printable, or an output would replace an input or another output.
    """
    paths_in_use = {os.path.realpath(path) for path in inputs}  # even for circular links
    for path in filter(None, outputs):
        try:
            check_name(path)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if os.path.realpath(path) in paths_in_use:
            raise UsageError(f"{path} would be overwritten")
        paths_in_use.add(os.path.realpath(path))
    missing = {path.parent: None for path in outputs if path and not path.parent.exists()}
    if not is_quiet():
        for folder in missing:
            typer.echo(label(f"new folder {folder}"), err=True)


def check_report() -> None:
    """Check that the library for pages is installed, before a large file is read."""
    with extra("report"):
        import jinja2  # noqa: F401


def say_written(*paths: Path | None) -> None:
    """Report on stderr the files that were written, with links to pages, unless --quiet is set."""
    if is_quiet():
        return
    for path in filter(None, paths):
        if str(path).startswith(OPEN_FILES):
            continue
        link = f"; open {path.resolve().as_uri()}" if path.suffix in (".html", ".htm") else ""
        typer.echo(message_line(f"wrote {path}{link}"), err=True)


def show(results: Results, presentation: Presentation) -> None:
    """Print results in a format; in tables, the best tier of each score is in bold."""
    format_name = presentation.format_name
    if format_name == "table":
        show_tables(presentation.tables(results), results.signatures())
        return
    if format_name in TABLE_FORMATS:
        text = TABLE_FORMATS[format_name](presentation.tables(results), results.signatures())
    else:
        text = FORMATS[format_name](results)
    typer.echo(text, nl=not text.endswith("\n"))


def show_json(content: object) -> None:
    """Print an object as JSON."""
    typer.echo(json.dumps(to_jsonable(content), indent=2))


def show_tables(tables: Sequence[Table], lines: Sequence[str] = ()) -> None:
    """Print tables with their notes, fitted to the width of the screen, then the lines."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for table in tables:
        if table.sentence:
            console.print(Text(table.sentence, style="bold"))
            console.print()
        for columns in _pages(table, console.width):
            console.print(_grid(table, columns))
            console.print()
        if table.note:
            console.print(Text(table.note, style="dim"))
            console.print()
    for line in lines:  # unbroken, to be copied
        console.print(Text(line, style="dim"), soft_wrap=True)


def _pages(table: Table, width: int) -> Iterator[list[int]]:
    """Yield the columns of scores of each page of a table that is wider than the screen."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, cells)) for cells in zip(table.header, *table.rows, strict=True)]
    room = width - sum(widths[: table.labels]) - _GAP * (table.labels - 1)
    page: list[int] = []
    for column in range(table.labels, len(widths)):
        if page and sum(widths[j] + _GAP for j in [*page, column]) > room:
            yield page
            page = []
        page.append(column)
    yield page


def _grid(table: Table, columns: list[int]) -> "Grid":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    column_numbers = [*range(table.labels), *columns]
    for column in column_numbers:
        grid.add_column(
            Text(table.header[column]),
            justify="left" if column < table.labels else "right",
            overflow="fold",
        )
    for i, row in enumerate(table.rows):
        grid.add_row(
            *(Text(row[j], "bold" if (i, j) in table.best else "") for j in column_numbers)
        )
    return grid
