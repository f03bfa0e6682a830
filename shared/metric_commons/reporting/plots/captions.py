"""Names and scores as texts that fit into a plot."""

from collections.abc import Iterable, Sequence
from textwrap import fill

from ...evaluation.results.rendering import label

TITLE_LENGTH = 40  # characters above a panel
LABEL_LENGTH = 24  # characters of a label beside an axis


def shortened(name: str, length: int) -> str:
    """`name` on one line; a long name keeps both ends, since either may distinguish it.

    >>> shortened("a system with a long name, run 12", 12)
    'a syst…un 12'
    """
    name = label(name)
    if len(name) <= length:
        return name
    return f"{name[: length // 2]}…{name[len(name) - (length - 1) // 2 :]}"


def score_with_interval(value: float, interval: Sequence[float] | None) -> str:
    """Return a score, and its interval if there is one, with a suitable number of digits.

    >>> score_with_interval(0.91234, [0.9, 0.92]), score_with_interval(83.456, None)
    ('0.912 [0.900, 0.920]', '83.46')
    """
    if interval is None:
        return _digits(value)
    low, high = map(_digits, interval)
    return f"{_digits(value)} [{low}, {high}]"


def wrapped(scores: Iterable[str]) -> str:
    """Scores on lines as wide as a title, without line breaks inside a score.

    >>> print(wrapped(["MAE 63.75 [47.50, 81.08]", "RMSE 76.35 [57.95, 92.98]", "R² 0.924"]))
    MAE 63.75 [47.50, 81.08]
    RMSE 76.35 [57.95, 92.98]  R² 0.924
    """
    text = "  ".join(score.replace(" ", "\N{NO-BREAK SPACE}") for score in scores)
    return fill(text, TITLE_LENGTH).replace("\N{NO-BREAK SPACE}", " ")


def count(rows: float) -> str:
    """Return a number of rows, or the sum of their weights.

    >>> count(12345), count(12345.678)
    ('12,345', '1.235e+04')
    """
    return f"{rows:,}" if isinstance(rows, int) else f"{rows:.4g}"


def percent(proportion: float) -> str:
    """Return a proportion in whole percent, which is 0 or 100 only if the proportion is 0 or 1.

    >>> percent(0.5), percent(0.999), percent(0.001)
    ('50%', '>99%', '<1%')
    """
    if 0 < proportion < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= proportion < 1 else f"{proportion:.0%}"


def _digits(value: float) -> str:
    if 0.001 <= abs(value) <= 1 or value == 0:
        return f"{value:.3f}"
    return f"{value:#.4g}".rstrip(".")
