"""The output of results: files and the screen."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import click

from ...data.files.access import check_name
from ...data.files.stored import OPEN_FILES, to_jsonable
from ...evaluation.results.rendering import KINDS, Notation, Table, label, message_line
from ...evaluation.results.results import FORMATS, TABLE_FORMATS, Results
from ...evaluation.results.standings import Comparison
from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import OneOf, Range
from ...statistics.resampling.progress import is_quiet

if TYPE_CHECKING:
    from rich.table import Table as Grid

_GAP = 2  # between columns: one space of padding, one drawn by SIMPLE_HEAD


@dataclass(frozen=True)
class Presentation:
    """The options of how results are printed.

    Args:
        format_name: Format of the printed output.
        digits: Decimals in tables; by default no more than the intervals support, and at most four.
        percent: Show proportions in percent.
        table: Which table to print. By default all, and in LaTeX the main one.
        caption: Caption of the table, with --format latex.
        label: Label of the table, such as tab:nq, with --format latex.
        explain: Also print how scores were computed: the signature of each, to be cited.
    """

    main: ClassVar[str] = "scores"  # the main table

    format_name: Annotated[str, OneOf(FORMATS)] = "table"
    digits: Annotated[int, Range(0, 15)] | None = None
    percent: bool = False
    table: Annotated[str, OneOf([*KINDS, "all"])] | None = None
    caption: str = ""
    label: str = ""
    explain: bool = False

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
            ("--label", self.label, is_latex),
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
        if (self.caption or self.label) and len(tables) > 1:
            raise UsageError("--caption and --label are for one table; choose it with --table")
        return [table._replace(caption=self.caption, label=self.label) for table in tables]


_EXPLAINED_ROWS = 20  # of a system, on the terminal


class Outputs(NamedTuple):
    """The presentation and order of the printed output, and the files to write."""

    presentation: Presentation = Presentation()
    save: Path | None = None
    rows: Path | None = None  # the file of scored rows
    sort: str | None = None  # the score by which systems are ordered

    def check(self, inputs: Sequence[Path]) -> None:
        """Check that files do not replace an input or each other, and can be created."""
        self.presentation.check()
        check_written([self.save, self.rows], inputs)

    def write(self, results: Results, top: int | None = None) -> None:
        """Write all results, and print them or the first `top` systems."""
        if self.sort is not None:
            results = results.sort(self.sort)
        if self.rows:
            results = results.save_rows(self.rows)
        if self.save:
            results.save(self.save)
        show(replace(results, top=top), self.presentation)
        if self.presentation.format_name == "table":
            _show_explanations(results)
        say_written(self.rows, self.save)


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
                click.echo(message_line(line))


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
            click.echo(label(f"new folder {folder}"), err=True)


def say_written(*paths: Path | None) -> None:
    """Report on stderr the files that were written, with links to pages, unless --quiet is set."""
    if is_quiet():
        return
    for path in filter(None, paths):
        if str(path).startswith(OPEN_FILES):
            continue
        link = f"; open {path.resolve().as_uri()}" if path.suffix in (".html", ".htm") else ""
        click.echo(message_line(f"wrote {path}{link}"), err=True)


def show(results: Results, presentation: Presentation) -> None:
    """Print results in a format; in tables, the best tier of each score is in bold."""
    format_name = presentation.format_name
    for problem in () if is_quiet() else results.provenance.get("not_compared", ()):
        click.echo(message_line(f"note: {problem}"), err=True)
    if format_name == "table":
        if results.comparisons:
            click.echo(f"{message_line(verdict(results))}\n")
        tables = presentation.tables(results)
        if presentation.explain:
            show_tables(tables, results.signatures())
        else:
            show_tables([table._replace(explanation="") for table in tables])
        return
    if format_name in TABLE_FORMATS:
        text = TABLE_FORMATS[format_name](presentation.tables(results), results.signatures())
    else:
        text = FORMATS[format_name](results)
    click.echo(text, nl=not text.endswith("\n"))


def verdict(results: Results) -> str:
    """Return what comparisons show, in a sentence: who is better, and by how much."""
    compared = results.comparisons
    won = [each for each in compared if each["significant"]]
    if not won:
        is_pair = len({each[side] for each in compared for side in "ab"}) == 2
        return f"No difference is significant{': ' * is_pair}{_difference(compared[0]) * is_pair}."
    for score, ranks in results.ranks.items():
        best, *others = (system for system, rank in ranks.items() if rank["tier"] == 1)
        if len(ranks) > 2 and others:
            return (
                f"{best} is best by {score}, but not significantly better than {_listed(others)}."
            )
        if len(ranks) > 2:
            return f"{best} is significantly better than all others by {score}."
    better, worse = ("a", "b") if _is_first_better(results, won[0]) else ("b", "a")
    told = [each for each in won if _is_first_better(results, each) == (better == "a")]
    differences = ", ".join(_difference(each, 1 if better == "a" else -1) for each in told)
    return f"{won[0][better]} is better than {won[0][worse]}: {differences}."


def _is_first_better(results: Results, comparison: Comparison) -> bool:
    return bool((comparison["diff"] > 0) != results.standings.is_lower_better(comparison))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _difference(comparison: Comparison, sign: int = 1) -> str:
    """Return a difference with its interval and p-value; the sign is -1 for B - A."""
    ends = (comparison.get("confidence_interval") or ())[::sign]
    interval = ", ".join("..." if end is None else f"{sign * end:+.2g}" for end in ends)
    p = comparison.get("p_adjusted", comparison["p_value"])
    shown = f"{comparison['score']} {sign * comparison['diff']:+.2g}"
    return f"{shown}{f' [{interval}]' if ends else ''}, p {p:.2g}"


def show_json(content: object) -> None:
    """Print an object as JSON."""
    click.echo(json.dumps(to_jsonable(content), indent=2))


def show_tables(tables: Sequence[Table], lines: Sequence[str] = ()) -> None:
    """Print tables with their notes, fitted to the width of the screen, then the lines."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    blocks: list[Text | Grid] = []
    for table in tables:
        if table.sentence:
            blocks.append(Text(table.sentence, style="bold"))
        blocks += [_grid(table, columns) for columns in _pages(table, console.width)]
        if table.small_print:
            blocks.append(Text(table.small_print, style="dim"))
    for number, block in enumerate(blocks):
        if number:
            console.print()
        console.print(block)
    if lines:
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
