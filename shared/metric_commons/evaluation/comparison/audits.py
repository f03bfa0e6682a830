"""Audits of printed scores: what can be concluded from digits and the number of rows alone.

Rows are assumed to be right or wrong, which gives means the largest variance: intervals of partial
scores, such as F1, are narrower. Two systems are assumed to err independently. On the same rows
they mostly err together, and then a comparison of rows would find smaller differences.
"""

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import takewhile
from typing import NamedTuple

from ...module.catalog.catalog import load_without_evaluate, names
from ..results.rendering import Table, counted, p_value

_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_CELL = re.compile(rf"({_NUMBER.pattern})\s*(?:[%±+[(].*)?")
_RULE = re.compile(r"[-|: ]*-[-|: ]*")  # below the header of a table
_ROWS = re.compile(r"\b[nN]\s*=\s*([1-9][\d,]*)")  # in a header
_MEANS = ("means", "rankings", "outcomes")  # kinds of modules whose scores are means of rows
_EQUAL = "≈"
_POWER = 0.8  # the probability with which `rows_needed` find a difference


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

    def sentences(self, rows: int, alpha: float) -> list[str]:
        """Return what these scores show, with the verdict last."""
        if not self.difference:
            return ["There is no difference."]
        least, independent = map(p_value, (self.p_least, self.p_independent))
        of_p = f"p may be as small as {least}, and is {independent} if systems err independently."
        if self.p_least >= alpha:
            of_p = (
                f"No outcome with these scores could have been significant: p is at least {least}."
            )
        needed = counted(self.rows_needed, "row") if self.rows_needed else "too many rows"
        of_rows = (
            f"To find this difference with power {_POWER:g} takes {needed} if they err "
            "independently, and fewer if they mostly err together."
        )
        verb = "can" if self.is_told_apart(alpha) else "cannot"
        verdict = f"On {counted(rows, 'row')} the scores {verb} be told apart at {alpha:g}."
        return [of_p, of_rows, verdict]


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


def audited_table(
    text: str, rows: int | None = None, alpha: float = 0.05
) -> tuple[Table, set[tuple[int, int]]]:
    """Audit the columns of the first table of a Markdown text.

    Args:
        text: the text; the numbers of rows are in the headers of columns ("NQ (n=500)").
        rows: the number of rows of columns whose header has none.
        alpha: the level of the tests of all pairs of one column together.

    Returns:
        The table, and the rows and columns of scores that cannot be told apart from the best one of
        their column; these are marked.

    Raises:
        ValueError: there is no table, a number of rows is missing, or a score is not a mean.
    """
    header, *body = _cells(text)
    marked: set[tuple[int, int]] = set()
    for column, name in enumerate(header[1:], start=1):
        scores = _scores(name, [row[column] for row in body])
        if not scores:  # a column of words
            continue
        size = _ROWS.search(name)
        number = int(size[1].replace(",", "")) if size else rows
        if number is None:
            raise ValueError(f"{name}: no number of rows; write 'n=500' in the header, or --rows")
        best = max(scores, key=lambda row: scores[row].value)
        level = alpha / max(math.comb(len(scores), 2), 1)
        for row, score in scores.items():
            difference = printed_difference(scores[best], score, number)
            if row != best and not difference.is_told_apart(level):
                marked.add((row, column))
                body[row][column] += f" {_EQUAL}"
    note = (
        f"{_EQUAL} cannot be told apart from the best beside it, at {alpha:g} for all pairs "
        "together, if rows are right or wrong and systems err independently."
    )
    return Table(header, body, 1, set(), note), marked


def _cells(text: str) -> list[list[str]]:
    """Return the header and the rows of the first table."""
    lines = [line.strip() for line in text.splitlines()]
    rule = next((n for n, line in enumerate(lines) if n and _RULE.fullmatch(line)), None)
    if rule is None:
        raise ValueError("there is no table of Markdown, such as | Model | NQ (n=500) |")
    rows = [lines[rule - 1], *takewhile(lambda line: "|" in line, lines[rule + 1 :])]
    bare = (re.sub(r"[*_`~$]", "", row).strip("|") for row in rows)
    table = [[cell.strip() for cell in re.split(r"\|", row)] for row in bare]
    for cells in table:
        if len(cells) != len(table[0]):
            raise ValueError(f"the row {cells[0]!r} has {len(cells)} cells, not {len(table[0])}")
    return table


def _scores(name: str, cells: list[str]) -> Mapping[int, PrintedScore]:
    """Return the scores of rows, which are means from 0 to 1, or percentages."""
    measure = name.split("(")[0].strip().lower()
    if measure in names() and load_without_evaluate(measure).score_kind not in _MEANS:
        raise ValueError(f"{name}: this is no mean of rows, which an audit is for")
    numbers = {row: match[1] for row, text in enumerate(cells) if (match := _CELL.fullmatch(text))}
    percent = any("%" in cell for cell in cells) or any(float(n) > 1 for n in numbers.values())
    return {row: PrintedScore.read(text, percent=percent) for row, text in numbers.items()}
