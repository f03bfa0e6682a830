"""Results on the screen."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from ..results.rendering import Table
from ..results.results import Results

_GAP = 2  # between columns: one blank of padding, one that SIMPLE_HEAD draws


def show(results: Results) -> None:
    """Print the tables, the best of each score in bold, and the signatures."""
    show_tables(results.tables(), results.signatures())


def show_tables(tables: Sequence[Table], lines: Sequence[str]) -> None:
    """Print tables with their notes, then the lines."""
    console = Console(highlight=False)
    for table in tables:
        for columns in _pages(table, console.width):
            console.print(_grid(table, columns))
            console.print()
        if table.note:
            console.print(Text(table.note, style="dim"))
            console.print()
    for line in lines:  # unbroken, to be copied
        console.print(Text(line, style="dim"), soft_wrap=True)


def _pages(table: Table, width: int) -> Iterator[list[int]]:
    """The columns of scores in each part of a table that is too wide for the screen."""
    widths = [max(map(cell_len, cells)) for cells in zip(table.header, *table.rows, strict=True)]
    room = width - sum(widths[: table.labels]) - _GAP * (table.labels - 1)
    page: list[int] = []
    for column in range(table.labels, len(widths)):
        if page and sum(widths[j] + _GAP for j in [*page, column]) > room:
            yield page
            page = []
        page.append(column)
    yield page


def _grid(table: Table, columns: list[int]) -> Grid:
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
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
