"""Tables as one value, how text, Markdown and HTML show them, and how numbers are written in them.

Names of systems and groups come from data and may contain anything. Here each becomes one printable
line, and characters with a meaning in the output format are escaped.
"""

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Annotated, Any, NamedTuple, Self

from ...module.catalog.catalog import is_known, score_ranges
from ...statistics.arguments.domains import Range, score_range

Digits = Annotated[int, Range(0, 15)]

_DECIMALS = 4  # where no interval supports fewer
_DECIMALS_OF_100 = 1  # of scores such as BLEU, which go to 100, and of TER, which may exceed it
_STEPS = 20  # units of the last digit in the narrowest interval: the error has about two digits
_ABOVE_ONE = ("wer", "cer")  # proportions that may exceed 1


class NumberFormat(NamedTuple):
    """The factor and the decimals of the numbers of one column."""

    factor: int = 1  # 100 for percentages
    decimals: int = _DECIMALS

    def number(self, value: float, *, signed: bool = False) -> str:
        """Return a number with these decimals; integers are counts and stay as they are.

        >>> NumberFormat(100, 1).number(0.4778), NumberFormat().number(-0.5, signed=True)
        ('47.8', '-0.5000')
        """
        if isinstance(value, int):
            return str(value)
        return f"{self.factor * value:{'+' if signed else ''}.{self.decimals}f}"

    def interval(self, ends: Sequence[float] | None) -> str:
        """Return an interval with these decimals; empty if there is none.

        >>> NumberFormat(1, 2).interval([0.25, 0.75]), NumberFormat().interval(None)
        ('[0.25, 0.75]', '')
        """
        return "" if ends is None else f"[{', '.join(map(self.number, map(float, ends)))}]"

    def heading(self, name: str) -> str:
        """Return the name of a score with its unit."""
        return f"{name} (%)" if self.factor == 100 else name


class Notation(NamedTuple):
    """How numbers are written in tables."""

    digits: int | None = None  # decimals; None for no more than the intervals support
    percent: bool = False  # whether proportions are multiplied by 100

    def format_of(
        self,
        intervals: Iterable[Sequence[float] | None] = (),
        *,
        is_proportion: bool = False,
        decimals: int = _DECIMALS,
    ) -> NumberFormat:
        """Return the format of a column of numbers with these intervals.

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
        widths = [factor * (ends[1] - ends[0]) for ends in intervals if ends is not None]
        finite = [width for width in widths if 0 < width < math.inf]
        most = decimals - 2 if factor == 100 else decimals
        if not finite:
            return NumberFormat(factor, most)
        supported = math.ceil(-math.log10(min(finite) / _STEPS) - 1e-9)
        return NumberFormat(factor, min(max(supported, 0), most))

    def format_of_score(
        self,
        module: str,
        score: str,
        values: Iterable[float],
        intervals: Iterable[Sequence[float] | None],
    ) -> NumberFormat:
        """Return the format of a score of a module, with these values and intervals.

        >>> Notation().format_of_score("bleu", "bleu", [37.2], [])
        NumberFormat(factor=1, decimals=1)
        """
        scaled = self.percent and is_proportion(module, score, values)
        ends = score_range(score, score_ranges(module)) if is_known(module) else None
        is_of_100 = score == "ter" or (ends is not None and ends[1] == 100)
        decimals = _DECIMALS_OF_100 if is_of_100 else _DECIMALS
        return self.format_of(intervals, is_proportion=scaled, decimals=decimals)


PLAIN = Notation()
PLAIN_NUMBERS = NumberFormat()


def is_proportion(module: str, score: str, values: Iterable[float]) -> bool:
    """Return whether a score is a proportion, by its range; scores of logs by their values.

    >>> is_proportion("qa_f1", "qa_f1", [0.5]), is_proportion("bleu", "bleu", [0.5])
    (True, False)
    >>> is_proportion("logged", "acc", [0.5, 0.7]), is_proportion("logged", "ppl", [0.5, 9.0])
    (True, False)
    """
    if not is_known(module):
        return all(0 <= value <= 1 for value in values)
    if module == "error_rate" and score in _ABOVE_ONE:
        return True
    ends = score_range(score, score_ranges(module))
    return ends is not None and ends[0] >= -1 and ends[1] <= 1


# ---- tables -------------------------------------------------------------------------------------

KINDS = ("scores", "groups", "parts", "ranks", "differences")
# Letters that exist as superscripts; q does not.
RAISED = str.maketrans("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")


def cell(number: str, letters: str = "", interval: str = "") -> str:
    """Return a number with raised letters and its interval.

    >>> cell("0.5", "ab", "[0.4, 0.6]")
    '0.5ᵃᵇ [0.4, 0.6]'
    """
    return f"{number}{letters.translate(RAISED)} {interval}".rstrip()


Column = tuple[str, Sequence[str]]  # a heading, and a cell for each row


class Table(NamedTuple):
    """Header and rows as text. The first `labels` columns name a row; the others hold scores."""

    header: list[str]
    rows: list[list[str]]
    labels: int
    best: set[tuple[int, int]]  # rows and columns of cells in bold
    note: str = ""  # a line below the table
    title: str = ""
    sentence: str = ""  # above the table: a statement that a reader may quote
    kind: str = ""  # one of KINDS, by which a table is asked for
    # In LaTeX: the caption and the label; "" for those made from the title.
    caption: str = ""
    label: str = ""
    explanation: str = ""  # after the note: what the numbers assume

    @property
    def small_print(self) -> str:
        """Return all that is said below the table."""
        return f"{self.note} {self.explanation}".strip()

    @classmethod
    def of(
        cls,
        labels: Sequence[Column],
        columns: Sequence[Column],
        *,
        best: Iterable[int] = (),
        title: str = "",
        kind: str = "",
    ) -> Self:
        """Return a table of these columns, without those in which all cells are empty.

        Args:
            labels: the columns that name a row.
            columns: the others.
            best: the rows whose cell in the first of these is in bold.
            title: as of the table.
            kind: likewise.

        >>> Table.of([("system", ["a", "b"])], [("em", ["0.5", "0.4"]), ("n", ["", ""])]).rows
        [['a', '0.5'], ['b', '0.4']]
        """
        filled = [column for column in columns if any(column[1])]
        headings, cells = zip(*labels, *filled, strict=True)
        rows = [list(row) for row in zip(*cells, strict=True)]
        cells_in_bold = {(row, len(labels)) for row in best}
        return cls(list(headings), rows, len(labels), cells_in_bold, title=title, kind=kind)


def column(
    records: Sequence[Mapping[str, Any]],
    name: str,
    text_of: Callable[[Any], str] = str,
    heading: str = "",
) -> Column:
    """Return a value of each record as text, empty where it is None; the heading is its name.

    >>> column([{"tier": 1}, {"tier": None}], "tier")
    ('tier', ['1', ''])
    """
    values = [record[name] for record in records]
    return heading or name, ["" if value is None else text_of(value) for value in values]


def level_heading(confidence_level: float) -> str:
    """Return the heading of a column of intervals."""
    return f"{100 * confidence_level:g}% interval"


def as_text(tables: Iterable[Table], lines: Iterable[str]) -> str:
    """Return tables as aligned plain text; then the lines."""
    return _tabulated(tables, lines, "simple", "", lambda text, best=False: text)


def as_markdown(tables: Iterable[Table], lines: Iterable[str]) -> str:
    r"""Return Markdown with the best tier of each score in bold; then the lines as code.

    >>> print(as_markdown([Table(["system", "em"], [["a|b", "0.5"]], 1, {(0, 1)})], ["em|rows=2"]))
    | system   | em      |
    |----------|---------|
    | a\|b     | **0.5** |
    <BLANKLINE>
        em|rows=2
    """
    return _tabulated(tables, lines, "github", "    ", _markdown)


def as_html(tables: Iterable[Table], lines: Iterable[str]) -> str:
    """Return HTML for any page, without styles or scripts; then the lines as code.

    >>> print(as_html([Table(["system", "em"], [["<b>", "0.5"]], 1, {(0, 1)})], []))
    <table>
    <thead><tr><th scope="col">system</th><th scope="col">em</th></tr></thead>
    <tbody>
    <tr><th scope="row">&lt;b&gt;</th><td align="right"><b>0.5</b></td></tr>
    </tbody>
    </table>
    """
    parts = []
    for table in tables:
        if table.sentence:
            parts.append(f'<p class="sentence">{escape(table.sentence)}</p>')
        header = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header)
        parts += ["<table>", f"<thead><tr>{header}</tr></thead>", "<tbody>"]
        for i, row in enumerate(table.rows):
            cells = ""
            for j, text in enumerate(map(escape, row)):
                if j < table.labels:
                    cells += f'<th scope="row">{text}</th>'
                else:
                    bold = f"<b>{text}</b>" if (i, j) in table.best else text
                    cells += f'<td align="right">{bold}</td>'
            parts.append(f"<tr>{cells}</tr>")
        parts += ["</tbody>", "</table>"]
        if table.small_print:
            parts.append(f"<p>{escape(table.small_print)}</p>")
    parts += [f"<p><code>{breakable(line)}</code></p>" for line in lines]
    return "\n".join(parts)


def _tabulated(
    tables: Iterable[Table], lines: Iterable[str], style: str, indent: str, cell: Callable[..., str]
) -> str:
    from tabulate import tabulate

    parts = []
    for table in tables:
        rows = [
            [cell(text, (i, j) in table.best) for j, text in enumerate(row)]
            for i, row in enumerate(table.rows)
        ]
        if table.sentence:
            parts.append(cell(table.sentence))
        parts.append(tabulate(rows, table.header, tablefmt=style, disable_numparse=True))
        if table.small_print:
            parts.append(f"{indent}{table.small_print}")
    return "\n\n".join([*parts, "\n".join(f"{indent}{line}" for line in lines)])


def _markdown(text: str, best: bool = False) -> str:
    for character in "|*`":
        text = text.replace(character, f"\\{character}")
    text = text.replace("<", "&lt;")
    return f"**{text}**" if best else text


def breakable(signature: str) -> str:
    """Return a signature as HTML, in which browsers may begin a new line after each option."""
    return escape(signature).replace("|", "|<wbr>")


def spreadsheet_cell(value: Any) -> Any:
    r"""Return a cell of CSV; text that a spreadsheet would read as a formula is quoted.

    >>> spreadsheet_cell('=HYPERLINK("x")'), spreadsheet_cell(-1.5)
    ('\'=HYPERLINK("x")', -1.5)
    """
    if not isinstance(value, str):
        return value
    text = label(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


# ---- words --------------------------------------------------------------------------------------

_MAX_MESSAGE = 2_000  # characters; a message may quote a long value


def label(text: str) -> str:
    r"""Return the text on one line, without characters that control a terminal or its direction.

    Such characters are escaped one by one, so a text looks the same alone and within another.

    >>> print(label("Zürich\x1b[2J"), label("a\n\ud800"))
    Zürich\x1b[2J a\n\ud800
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def message_line(text: str) -> str:
    r"""Return a message for a terminal or a client, which may quote anything.

    One line, printable, short.

    >>> print(message_line("no such file: a\x1b[2J\nb"))
    no such file: a\x1b[2J b
    >>> len(message_line("x" * 10**6))
    2000
    """
    line = label(" ".join(text.splitlines()))
    if len(line) <= _MAX_MESSAGE:
        return line
    return f"{line[: _MAX_MESSAGE // 2 - 3]} ... {line[-_MAX_MESSAGE // 2 + 2 :]}"


def listed_names(names: Sequence[str], most: int = 3) -> str:
    """Return names as a sentence lists them; those beyond `most` are only counted.

    >>> listed_names(["b"]), listed_names(["b", "c"]), listed_names(["b", "c", "d", "e", "f"])
    ('b', 'b and c', 'b, c, d and 2 others')
    """
    shown, hidden = list(names[:most]), len(names) - most
    if hidden > 0:
        shown.append(f"{hidden} others" if hidden > 1 else "1 other")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def counted(number: str | int, noun: str) -> str:
    """Return a number, or a range of numbers, with its noun in the singular or plural.

    >>> counted(1, "row"), counted(2_000, "row"), counted("1 to 3", "cluster")
    ('1 row', '2,000 rows', '1 to 3 clusters')
    """
    text = number if isinstance(number, str) else f"{number:,}"
    return f"{text} {noun}" if text == "1" else f"{text} {noun}s"


def p_value(p: float) -> str:
    """Return a p-value with four digits; never shown as zero.

    >>> p_value(0.0321), p_value(3e-7)
    ('0.0321', '<0.0001')
    """
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def interval_of_difference(
    comparison: Mapping[str, Any], number_format: NumberFormat = PLAIN_NUMBERS
) -> str:
    """Return the interval of a difference, in which the sign of each end is visible.

    An end close to 0 is not shown as 0, because 0 as an end belongs to the interval.

    >>> ends = [0.0, 0.12], [math.ulp(0), 0.12], [-0.5, -2e-5], [-math.inf, math.inf]
    >>> [interval_of_difference({"confidence_interval": pair}) for pair in ends]
    ['[0, +0.1200]', '[>0, +0.1200]', '[-0.5000, -2.0e-05]', '[-inf, +inf]']
    """
    texts = []
    for end, beyond in zip(comparison["confidence_interval"], "><", strict=True):
        text = number_format.number(float(end), signed=True)
        if abs(end) < sys.float_info.min:
            text = f"{beyond}0" if end else "0"
        elif not float(text):  # a sign alone would look like zero
            shown = number_format.factor * end
            text = f"{shown:+.1e}" if abs(shown) < 0.00005 else f"{shown:+.1g}"
        texts.append(text)
    return f"[{', '.join(texts)}]"
