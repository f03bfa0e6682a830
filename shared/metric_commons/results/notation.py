"""How the numbers of tables are written: their decimals, and proportions as percentages."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from ..catalog.catalog import names, score_ranges
from ..numbers.domains import Range
from ..numbers.score_ranges import score_range

Digits = Annotated[int, Range(0, 15)]

_DECIMALS = 4  # where no interval supports fewer
_STEPS = 20  # units of the last digit in the narrowest interval: the error has about two digits
_ABOVE_ONE = ("wer", "cer")  # proportions that may exceed 1


class NumberFormat(NamedTuple):
    """The factor and the decimals of the numbers of one column."""

    factor: int = 1  # 100 for percentages
    decimals: int = _DECIMALS

    def number(self, value: float, *, signed: bool = False) -> str:
        """A number with these decimals; integers are counts and stay as they are.

        >>> NumberFormat(100, 1).number(0.4778), NumberFormat().number(-0.5, signed=True)
        ('47.8', '-0.5000')
        """
        if isinstance(value, int):
            return str(value)
        return f"{self.factor * value:{'+' if signed else ''}.{self.decimals}f}"

    def interval(self, ends: Sequence[float] | None) -> str:
        """An interval with these decimals; empty if there is none.

        >>> NumberFormat(1, 2).interval([0.25, 0.75]), NumberFormat().interval(None)
        ('[0.25, 0.75]', '')
        """
        return "" if ends is None else f"[{', '.join(map(self.number, map(float, ends)))}]"

    def heading(self, name: str) -> str:
        """The name of a score with its unit."""
        return f"{name} (%)" if self.factor == 100 else name


class Notation(NamedTuple):
    """How numbers are written in tables."""

    digits: int | None = None  # decimals; None for no more than the intervals support
    percent: bool = False  # whether proportions are multiplied by 100

    def format_of(
        self, intervals: Iterable[Sequence[float] | None] = (), *, is_proportion: bool = False
    ) -> NumberFormat:
        """The format of a column of numbers with these intervals.

        Without `digits`, the last digit is at least a twentieth of the narrowest interval, and
        there are four decimals where there are no intervals, two of percentages.

        >>> Notation().format_of([[0.46, 0.49]])
        NumberFormat(factor=1, decimals=3)
        >>> Notation(percent=True).format_of([[0.46, 0.49]], is_proportion=True)
        NumberFormat(factor=100, decimals=1)
        >>> Notation(digits=2).format_of()
        NumberFormat(factor=1, decimals=2)
        """
        factor = 100 if self.percent and is_proportion else 1
        if self.digits is not None:
            return NumberFormat(factor, self.digits)
        decimals = _DECIMALS - (2 if factor == 100 else 0)
        widths = [factor * (ends[1] - ends[0]) for ends in intervals if ends is not None]
        finite = [width for width in widths if 0 < width < math.inf]
        if not finite:
            return NumberFormat(factor, decimals)
        supported = math.ceil(-math.log10(min(finite) / _STEPS) - 1e-9)
        return NumberFormat(factor, min(max(supported, 0), decimals))


PLAIN = Notation()
PLAIN_NUMBERS = NumberFormat()


def is_proportion(module: str, score: str, values: Iterable[float]) -> bool:
    """Whether a score is a proportion, by its range; scores of logs by their values.

    >>> is_proportion("qa_f1", "qa_f1", [0.5]), is_proportion("bleu", "bleu", [0.5])
    (True, False)
    >>> is_proportion("logged", "acc", [0.5, 0.7]), is_proportion("logged", "ppl", [0.5, 9.0])
    (True, False)
    """
    if module not in names():
        return all(0 <= value <= 1 for value in values)
    if module == "error_rate" and score in _ABOVE_ONE:
        return True
    ends = score_range(score, score_ranges(module))
    return ends is not None and ends[0] >= -1 and ends[1] <= 1


def scored_by(comparison: Mapping[str, Any]) -> tuple[str, str]:
    """The module, "" if it is not recorded, and the score of a comparison."""
    return comparison.get("module", ""), comparison["score"]


def formats_of_differences(
    comparisons: Sequence[Mapping[str, Any]], notation: Notation
) -> dict[tuple[str, str], NumberFormat]:
    """The format of the numbers of each score; all have the most decimals that one supports."""
    by_score: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for comparison in comparisons:
        by_score.setdefault(scored_by(comparison), []).append(comparison)
    formats = {}
    for score, members in by_score.items():
        means = [member[name] for member in members for name in ("A_mean", "B_mean")]
        scaled = notation.percent and is_proportion(*score, means)
        intervals = [member["confidence_interval"] for member in members]
        formats[score] = notation.format_of(intervals, is_proportion=scaled)
    decimals = max(number_format.decimals for number_format in formats.values())
    return {
        score: number_format._replace(decimals=decimals) for score, number_format in formats.items()
    }
