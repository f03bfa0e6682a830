"""Audits of printed scores: what can be concluded from digits and the number of rows alone.

Rows are assumed to be right or wrong, which gives means the largest variance: intervals of partial
scores, such as F1, are narrower. Two systems are assumed to err independently. On the same rows
they mostly err together, and then a comparison of rows would find smaller differences.
"""

import csv
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import takewhile
from typing import NamedTuple

from ...module.catalog.catalog import load_without_evaluate, names
from ...module.catalog.field_names import USES, Use
from ..results.rendering import Table, counted, p_value

_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_CELL = re.compile(rf"({_NUMBER.pattern})\s*(?:[%±+[(].*)?")
_RULE = re.compile(r"[-|: ]*-[-|: ]*")  # below the header of a table
_ROWS = re.compile(r"\b[nN]\s*=\s*([\d,]+)")  # in a header
_ROW_LABELS = ("n", "rows", "questions", "examples", "samples", "size", "# rows")
_SYSTEMS, _TASKS = ("model", "system", "name", "method"), ("task", "dataset", "benchmark")
_MEANS = ("means", "rankings", "outcomes")  # kinds of modules whose scores are means of rows
_EQUAL = "≈"
_POWER = 0.8  # the probability with which `rows_needed` find a difference

_Cell = tuple[int, int]  # its row and column


class PrintedScore(NamedTuple):
    """A mean of rows as printed: its value, taken as exact, and its decimals."""

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
        """Return the number of right rows: an integer, if some integer has this printed mean.

        >>> PrintedScore.read("0.67").right_rows(3), PrintedScore.read("0.82").right_rows(7)
        (2.0, 5.74)
        """
        nearest = round(self.value * rows)
        if round(Fraction(nearest, rows), self.decimals) == self.value:
            return float(nearest)
        return float(self.value * rows)

    def interval(self, rows: int, level: float) -> tuple[float, float]:
        """Return the Clopper-Pearson interval.

        >>> [round(end, 2) for end in PrintedScore.read("1.0").interval(10, 0.95)]
        [0.69, 1.0]
        """
        from ...statistics.intervals.proportions import clopper_pearson  # imports numpy

        return clopper_pearson(self.right_rows(rows), rows, level)


class PrintedDifference(NamedTuple):
    """The difference of two printed scores of the same rows, as far as these show it."""

    difference: float
    p_least: float  # the smallest p-value that is possible with these scores
    p_independent: float  # if the systems err independently
    rows_needed: int | None  # to find the difference, if they do; None if no number suffices

    def is_told_apart(self, alpha: float) -> bool:
        """Return whether systems that err independently differ significantly."""
        return self.p_independent < alpha


def printed_difference(
    a: PrintedScore, b: PrintedScore, rows: int, alpha: float = 0.05
) -> PrintedDifference:
    """Return what two printed scores show about their difference, by McNemar's exact test.

    Args:
        a: the score of the first system.
        b: the score of the second system, on the same rows.
        rows: the number of rows.
        alpha: the level of the test.

    >>> result = printed_difference(PrintedScore.read("1.00"), PrintedScore.read("0.70"), 10)
    >>> result.p_least, result.is_told_apart(0.05)
    (0.25, False)
    """
    from ...statistics.tests.laws import mcnemar_tail
    from ...statistics.tests.power import rows_needed

    right = sorted(score.right_rows(rows) for score in (a, b))
    more = int(right[1] - right[0])
    are_whole = all(map(float.is_integer, right))
    low, high = sorted((float(a.value), float(b.value)))
    losses = math.ceil(round(rows * low * (1 - high), 6))
    deviation = math.sqrt(low * (1 - low) + high * (1 - high))
    return PrintedDifference(
        float(a.value - b.value),
        min(2 * mcnemar_tail(more if are_whole else rows, 0), 1.0),  # partial: of every row
        min(2 * mcnemar_tail(losses + more, losses), 1.0),
        rows_needed(high - low, deviation, alpha, _POWER) if low < high else None,
    )


def difference_sentences(difference: PrintedDifference, rows: int, alpha: float) -> list[str]:
    """Return sentences about a difference, with the verdict last."""
    if not difference.difference:
        return ["There is no difference."]
    least, independent = map(p_value, (difference.p_least, difference.p_independent))
    of_p = f"p may be as small as {least}, and is {independent} if systems err independently."
    if difference.p_least >= alpha:
        of_p = f"No outcome with these scores could have been significant: p is at least {least}."
    needed = difference.rows_needed
    of_rows = (
        f"To find this difference with power {_POWER:g} takes "
        f"{counted(needed, 'row') if needed else 'too many rows'} if they err independently, and "
        "fewer if they mostly err together."
    )
    verb = "can" if difference.is_told_apart(alpha) else "cannot"
    verdict = f"On {counted(rows, 'row')} the scores {verb} be told apart at {alpha:g}."
    return [of_p, of_rows, verdict]


class AuditedTable(NamedTuple):
    """A table in which scores that cannot be told apart from the best one are marked."""

    table: Table
    marked: int
    audited: int


def audited_table(text: str, rows: int | None = None, alpha: float = 0.05) -> AuditedTable:
    """Audit the first table of a Markdown text, or the table of a CSV file.

    Args:
        text: the text; the numbers of rows are in headers ("NQ (n=500)"), or in a row or a column
            called n or rows.
        rows: the number of rows of all scores, if it is not in the table.
        alpha: the level of the tests of all pairs of one column together.

    Raises:
        ValueError: there is no table, a number of rows is missing, or it is not clear which scores
            belong together.
    """
    header, *body = _cells(text)
    marked, audited, left_out = set(), 0, []
    for name, cells, size in _groups(header, body, rows):
        scores = _scores(name, {(row, column): body[row][column] for row, column in cells})
        if scores is None:
            left_out.append(name)
            continue
        if size is None:
            raise ValueError(f"{name}: no number of rows; write 'n=500' in the header, or --rows")
        audited += 1
        best = (min if "↓" in name else max)(scores, key=lambda cell: scores[cell].value)
        level = alpha / max(math.comb(len(scores), 2), 1)
        marked |= {
            cell
            for cell, score in scores.items()
            if cell != best
            and not printed_difference(scores[best], score, size).is_told_apart(level)
        }
    for i, j in marked:
        body[i][j] += f" {_EQUAL}"
    note = (
        f"{_EQUAL} cannot be told apart from the best beside it, at {alpha:g} for all pairs "
        "together, if rows are right or wrong and systems err independently."
    )
    if left_out:
        note += f" Not audited, since they are not means of rows: {', '.join(left_out)}."
    return AuditedTable(Table(header, body, 1, set(), note), len(marked), audited)


def _groups(
    header: list[str], body: list[list[str]], rows: int | None
) -> Iterator[tuple[str, list[_Cell], int | None]]:
    """Yield the groups of scores that are compared: name, cells, and number of rows.

    A row with numbers of rows is removed from the body.
    """
    found = [_ROWS.search(cell) for cell in header]
    sizes = [_count(size[1]) if size else rows for size in found]
    for row in [row for row in body if row[0].lower() in _ROW_LABELS]:
        sizes = [_count(cell) if j and cell else sizes[j] for j, cell in enumerate(row)]
        body.remove(row)
    counts = [j for j, name in enumerate(header) if name.lower() in _ROW_LABELS][:1]
    columns = [j for j in range(1, len(header)) if j not in counts]
    first = header[0].lower()
    if counts and first in _TASKS:
        for i, row in enumerate(body):
            yield row[0], [(i, j) for j in columns], _count(row[counts[0]])
        return
    if counts and first not in _SYSTEMS and len(columns) > 1:
        raise ValueError(f"call the first column system or task, not {header[0]!r}")
    of_systems = {_count(row[j]) for row in body for j in counts}
    if len(of_systems) > 1:
        raise ValueError("systems on different numbers of rows cannot be compared by means")
    for j in columns:
        yield header[j], [(i, j) for i in range(len(body))], next(iter(of_systems), sizes[j])


def _cells(text: str) -> list[list[str]]:
    """Return the header and the rows of the first table."""
    lines = [line.strip() for line in text.splitlines()]
    rules = [n for n, line in enumerate(lines) if n and _RULE.fullmatch(line)]
    if rules:
        start = rules[0]
        rows = [lines[start - 1], *takewhile(lambda line: "|" in line, lines[start + 1 :])]
        bare = (row.strip("|") for row in rows)
        table = list(csv.reader(bare, delimiter="|", quoting=csv.QUOTE_NONE))
    else:
        table = [row for row in csv.reader(lines) if row]
        if len(table) < 2 or len(table[0]) < 2:
            raise ValueError(
                "there is no table of Markdown, such as | Model | NQ (n=500) |, or CSV"
            )
    table = [[re.sub(r"[*_`~$]", "", cell).strip() for cell in row] for row in table]
    for cells in table:
        if len(cells) != len(table[0]):
            raise ValueError(f"the row {cells[0]!r} has {len(cells)} cells, not {len(table[0])}")
    return table


def _count(text: str) -> int:
    number = text.replace(",", "").strip()
    if not number.isdecimal() or not int(number):
        raise ValueError(f"the number of rows must be a whole number above 0, got {text!r}")
    return int(number)


def _scores(name: str, cells: dict[_Cell, str]) -> dict[_Cell, PrintedScore] | None:
    """Return the scores of cells; None if they are not means from 0 to 1, or percentages."""
    measure = name.split("(")[0].strip(" ↑↓").lower().replace("-", "_").partition("@")[0]
    uses = USES.get(measure, [])[:1] if measure not in names() else [Use(measure)]
    kinds = [load_without_evaluate(u.module).score_kind for u in uses if u.score != "accuracy"]
    numbers = {cell: match[1] for cell, text in cells.items() if (match := _CELL.fullmatch(text))}
    largest = max(map(Fraction, numbers.values()), default=Fraction(101))
    if largest > 100 or any(kind not in _MEANS for kind in kinds):
        return None
    percent = largest > 1 or any("%" in cell for cell in [name, *cells.values()])
    return {cell: PrintedScore.read(text, percent=percent) for cell, text in numbers.items()}
