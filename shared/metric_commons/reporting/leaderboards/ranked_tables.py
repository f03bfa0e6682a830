"""Tables of systems in an order: their columns, and the ranks in them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from typing import Any

from ...evaluation.results.rendering import (
    Table,
)

Column = tuple[str, Sequence[str]]  # a heading, and a cell for each row


def column(
    records: Sequence[Mapping[str, Any]],
    name: str,
    text_of: Callable[[Any], str] = str,
    heading: str = "",
) -> Column:
    """Return a value of each record as text, empty where it is None; the heading is its name.

    >>> column([{"rank_interval": [1, 1]}, {"rank_interval": [2, 3]}], "rank_interval", rank_range)
    ('rank_interval', ['1', '2-3'])
    """
    values = [record[name] for record in records]
    return heading or name, ["" if value is None else text_of(value) for value in values]


def columns(
    records: Sequence[Mapping[str, Any]], *chosen: tuple[str, Callable[[Any], str], str]
) -> list[Column]:
    """Return columns of these names, texts and headings, without those that no record has.

    >>> columns([{"rank": 1, "tier": None}], ("rank", str, "rank"), ("tier", str, "tier"))
    [('rank', ['1'])]
    """
    return [
        column(records, *choice)
        for choice in chosen
        if any(record.get(choice[0]) is not None for record in records)
    ]


def rank_range(ends: Sequence[int]) -> str:
    """Return the best and the worst possible rank."""
    low, high = ends
    return str(low) if low == high else f"{low}-{high}"


def level_heading(confidence_level: float) -> str:
    """Return the heading of a column of intervals."""
    return f"{100 * confidence_level:g}% interval"


def ranked_table(
    labels: Sequence[Column],
    columns: Sequence[Column],
    best: Collection[int],
    note: str,
    title: str,
    sentence: str = "",
) -> Table:
    """Return a table of these columns.

    Args:
        labels: the columns that name a row.
        columns: the others; the first orders the rows.
        best: the rows whose number in this first column is in bold.
        note: a line below the table.
        title: of the table.
        sentence: above the table.
    """
    headings, cells = zip(*labels, *columns, strict=True)
    rows = [list(row) for row in zip(*cells, strict=True)]
    bold = {(row, len(labels)) for row in best}
    return Table(list(headings), rows, len(labels), bold, note, title, sentence)


def ascending(ranks: Sequence[int]) -> list[int]:
    """Return the ranks of systems, best first, none less than the rank of a better system.

    With unequal errors a system may be significantly worse than the best, and the next not.

    >>> ascending([1, 2, 1])
    [1, 2, 2]
    """
    return list(accumulate(ranks, max))
