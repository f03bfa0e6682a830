"""What a printed score says by itself: the digits and the number of rows, without the rows.

Rows are taken as right or wrong, which spreads means the most: intervals of partial scores, such as
those of F1, are narrower. Two systems are taken to err independently of each other. On the same
rows they mostly err together, and then rows would show smaller differences.
"""

import csv
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from ...module.catalog.catalog import load_without_evaluate, names
from ...module.catalog.field_names import USES, suggestion
from ..results.rendering import Table, counted, p_value

_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_CELL = re.compile(rf"({_NUMBER.pattern})\s*(?:[%±+[(].*)?")
_BORDER = re.compile(r"\|")
_ROWS = re.compile(r"\b[nN]\s*=\s*([\d,]+)")  # in a header
_ROW_LABELS = ("n", "rows", "questions", "examples", "samples", "size", "# rows")
_SYSTEMS, _TASKS = ("model", "system", "name", "method"), ("task", "dataset", "benchmark")
_MEANS = ("means", "rankings", "outcomes")  # kinds of modules whose scores are means of rows
_EQUAL = "≈"

_Place = tuple[int, int]  # row and column of a cell


class PrintedScore(NamedTuple):
    """A mean of rows as it was printed: its value, taken as exact, and its decimals."""

    value: Fraction
    decimals: int = 2  # to show its interval with

    @classmethod
    def read(cls, text: str, *, percent: bool = False) -> "PrintedScore":
        """Return the score in a text such as 0.82 or 82.0%.

        Raises:
            ValueError: it is not a number between 0 and 1, or a percentage.

        >>> PrintedScore.read("82.05%")
        PrintedScore(value=Fraction(1641, 2000), decimals=4)
        """
        plain = text.strip().removesuffix("%").strip()
        percent = percent or text.strip().endswith("%")
        number = Fraction(plain) if _NUMBER.fullmatch(plain) else Fraction(-1)
        value = number / (100 if percent else 1)
        if not 0 <= value <= 1:
            hint = f"; a percentage is {plain}%" if 1 < number <= 100 else ""
            raise ValueError(f"must be a mean of rows between 0 and 1, got {text!r}{hint}")
        return cls(value, max(len(plain.partition(".")[2]) + 2 * percent, 2))

    def right_rows(self, rows: int) -> float:
        """Return the number of right rows: a whole one, if one is printed like this.

        >>> PrintedScore.read("0.67").right_rows(3), PrintedScore.read("0.82").right_rows(7)
        (2.0, 5.74)
        """
        whole = round(self.value * rows)
        if round(Fraction(whole, rows), self.decimals) == self.value:
            return float(whole)
        return float(self.value * rows)

    def interval(self, rows: int, level: float) -> tuple[float, float]:
        """Return the Clopper-Pearson interval.

        >>> [round(end, 2) for end in PrintedScore.read("1.0").interval(10, 0.95)]
        [0.69, 1.0]
        """
        from ...statistics.intervals.proportions import clopper_pearson  # imports numpy

        return clopper_pearson(self.right_rows(rows), rows, level)


class PrintedDifference(NamedTuple):
    """The information in two printed scores of the same rows about their difference."""

    difference: float
    p_least: float  # of all outcomes with these scores, if only the rows of the difference differ
    p_independent: float  # if the systems err independently
    required_rows: int | None  # to find the difference, if they do; None if no number suffices

    def is_told_apart(self, alpha: float) -> bool:
        """Return whether systems that err independently differ significantly."""
        return self.p_independent < alpha


def printed_difference(
    a: PrintedScore, b: PrintedScore, rows: int, alpha: float = 0.05, power: float = 0.8
) -> PrintedDifference:
    """Return what two printed scores say about the difference, by McNemar's exact test.

    Args:
        a: the score of the first system.
        b: that of the second, on the same rows.
        rows: the number of rows.
        alpha: the level of the test.
        power: the probability with which `required_rows` find the difference.

    >>> found = printed_difference(PrintedScore.read("1.00"), PrintedScore.read("0.70"), 10)
    >>> found.p_least, found.is_told_apart(0.05)
    (0.25, False)
    """
    from ...statistics.tests.paired_tests import mcnemar_p_value
    from ...statistics.tests.power import required_rows

    right = sorted(score.right_rows(rows) for score in (a, b))
    more = int(right[1] - right[0])
    are_whole = all(map(float.is_integer, right))
    low, high = sorted((float(a.value), float(b.value)))
    losses = math.ceil(round(rows * low * (1 - high), 6))
    deviation = math.sqrt(low * (1 - low) + high * (1 - high))
    return PrintedDifference(
        float(a.value - b.value),
        mcnemar_p_value(more if are_whole else rows, 0),  # partial scores may differ in every row
        mcnemar_p_value(losses + more, losses),
        required_rows(high - low, deviation, alpha, power) if low < high else None,
    )


def difference_sentences(
    found: PrintedDifference, rows: int, alpha: float, power: float
) -> list[str]:
    """Return the difference in words, the verdict last."""
    if not found.difference:
        return ["There is no difference."]
    needed = counted(found.required_rows, "row") if found.required_rows else "too many rows"
    lines = [
        f"No outcome with these scores could have been significant: p is at least "
        f"{p_value(found.p_least)}."
        if found.p_least >= alpha
        else f"p is {p_value(found.p_least)} at least, and {p_value(found.p_independent)} "
        "if the systems err independently."
    ]
    lines.append(
        f"To find this difference with power {power:g} takes {needed} "
        "if they err independently, and fewer if they mostly err together."
    )
    verb = "can" if found.is_told_apart(alpha) else "cannot"
    lines.append(f"On {counted(rows, 'row')} the scores {verb} be told apart at {alpha:g}.")
    return lines


def unspoken(measure: str) -> str:
    """Return why the mean of a measure says nothing by itself; "" if it is a mean of rows.

    Raises:
        ValueError: the measure is unknown.

    >>> unspoken("qa_em"), unspoken("accuracy")
    ('', '')
    >>> unspoken("wer")
    'wer is no mean of rows: without the rows nothing can be said about its error'
    """
    key = measure.strip().lower().replace("-", "_").partition("@")[0]
    modules = names()
    uses = USES.get(key, [])
    if key not in modules and not uses:
        raise ValueError(f"unknown measure {measure!r}{suggestion(measure, modules)}")
    module = key if key in modules else uses[0].module
    kind = load_without_evaluate(module).score_kind
    if kind in _MEANS or (uses and uses[0].score == "accuracy"):
        return ""
    return f"{measure} is no mean of rows: without the rows nothing can be said about its error"


class AuditedTable(NamedTuple):
    """A table with a mark at each score that cannot be told apart from the best beside it."""

    table: Table
    marked: int
    audited: int


def audited_table(text: str, rows: int | None = None, alpha: float = 0.05) -> AuditedTable:
    """Audit the first table of a Markdown text, or that of a CSV file.

    Args:
        text: the text; the numbers of rows are in headers ("NQ (n=500)"), or in a row or a column
            that is called n or rows.
        rows: the number of rows of all scores, if the table does not say it.
        alpha: the level of the tests of all pairs of one column together.

    Raises:
        ValueError: there is no table, a number of rows is missing, or it is not clear which scores
            belong together.
    """
    header, *body = _cells(text)
    marked, audited, left_out = set(), 0, []
    for name, places, size in _groups(header, body, rows):
        scores = _scores(name, {place: body[place[0]][place[1]] for place in places})
        if scores is None:
            left_out.append(name)
            continue
        if size is None:
            raise ValueError(f"{name}: no number of rows; write 'n=500' in the header, or --rows")
        audited += 1
        best = (min if "↓" in name else max)(scores, key=lambda place: scores[place].value)
        level = alpha / max(math.comb(len(scores), 2), 1)
        for place in scores:
            found = printed_difference(scores[best], scores[place], size)
            if place != best and not found.is_told_apart(level):
                marked.add(place)
    shown = [
        [f"{cell} {_EQUAL}" if (i, j) in marked else cell for j, cell in enumerate(row)]
        for i, row in enumerate(body)
    ]
    note = (
        f"{_EQUAL} cannot be told apart from the best beside it, at {alpha:g} for all pairs "
        "together, if rows are right or wrong and systems err independently."
    )
    if left_out:
        note += f" Not audited, since they are no means of rows: {', '.join(left_out)}."
    return AuditedTable(Table(header, shown, 1, set(), note), len(marked), audited)


def _groups(
    header: list[str], body: list[list[str]], rows: int | None
) -> Iterator[tuple[str, list[_Place], int | None]]:
    """Yield what is compared: a name, the places of scores, and their number of rows.

    A row with the numbers of rows is removed from the body.
    """
    sizes: dict[int, int | None] = dict.fromkeys(range(len(header)), rows)
    sizes |= {j: _count(size[1]) for j, cell in enumerate(header) if (size := _ROWS.search(cell))}
    for row in [row for row in body if row[0].lower() in _ROW_LABELS]:
        sizes |= {j: _count(cell) for j, cell in enumerate(row) if j and cell}
        body.remove(row)
    column = next((j for j, cell in enumerate(header) if cell.lower() in _ROW_LABELS), None)
    columns = [j for j in range(1, len(header)) if j != column]
    first = header[0].lower()
    if column is not None and first not in _SYSTEMS + _TASKS and len(columns) > 1:
        raise ValueError(f"call the first column system or task, not {header[0]!r}")
    if column is not None and first in _TASKS:
        for i, row in enumerate(body):
            yield row[0], [(i, j) for j in columns], _count(row[column])
        return
    if column is not None:
        counts = {_count(row[column]) for row in body}
        if len(counts) > 1:
            raise ValueError("systems on different numbers of rows cannot be compared by means")
        sizes = dict.fromkeys(columns, *counts)
    for j in columns:
        yield header[j], [(i, j) for i in range(len(body))], sizes[j]


def _cells(text: str) -> list[list[str]]:
    """Return the header and the rows of the first table."""
    lines = [line.strip() for line in text.splitlines()]
    rules = [
        number
        for number, line in enumerate(lines[1:], start=1)
        if "-" in line and "|" in lines[number - 1] and not line.strip("|:- ")
    ]
    if rules:
        rows = [lines[rules[0] - 1], *takewhile(lambda line: "|" in line, lines[rules[0] + 1 :])]
        cells_of_rows = [_BORDER.split(row.strip("|")) for row in rows]
    else:
        cells_of_rows = [row for row in csv.reader(lines) if row]
        if len(cells_of_rows) < 2 or len(cells_of_rows[0]) < 2:
            raise ValueError(
                "there is no table of Markdown, such as | Model | NQ (n=500) |, or CSV"
            )
    strip = partial(re.sub, r"[*_`~$]", "")
    table = [[strip(cell).strip() for cell in row] for row in cells_of_rows]
    for cells in table[1:]:
        if len(cells) != len(table[0]):
            raise ValueError(f"the row {cells[0]!r} has {len(cells)} cells, not {len(table[0])}")
    return table


def _count(text: str) -> int:
    number = text.replace(",", "").strip()
    if not number.isdecimal() or not int(number):
        raise ValueError(f"the number of rows must be a whole number above 0, got {text!r}")
    return int(number)


def _scores(
    name: str, cells: dict[tuple[int, int], str]
) -> dict[tuple[int, int], PrintedScore] | None:
    """Return the scores of cells; None if they are no means of rows from 0 to 1, or percentages."""
    word = name.split("(")[0].strip(" ↑↓")
    try:
        if unspoken(word):
            return None
    except ValueError:
        pass  # such as the name of a task
    found = {place: match[1] for place, cell in cells.items() if (match := _CELL.fullmatch(cell))}
    largest = max(map(Fraction, found.values()), default=Fraction(101))
    if largest > 100:
        return None
    percent = largest > 1 or any("%" in cell for cell in [name, *cells.values()])
    return {place: PrintedScore.read(text, percent=percent) for place, text in found.items()}
