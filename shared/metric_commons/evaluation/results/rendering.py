"""Tables of results as text: plain, Markdown and HTML, and how numbers are written in them.

Names of systems and groups come from data and may contain anything. Here each becomes one printable
line, and characters with a meaning in the output format are escaped.
"""

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Annotated, Any, NamedTuple

from ...module.catalog.catalog import names, score_ranges
from ...statistics.arguments.domains import Range, score_range

Digits = Annotated[int, Range(0, 15)]

_DECIMALS = 4  # where no interval supports fewer
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
        self, intervals: Iterable[Sequence[float] | None] = (), *, is_proportion: bool = False
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
        decimals = _DECIMALS - (2 if factor == 100 else 0)
        widths = [factor * (ends[1] - ends[0]) for ends in intervals if ends is not None]
        finite = [width for width in widths if 0 < width < math.inf]
        if not finite:
            return NumberFormat(factor, decimals)
        supported = math.ceil(-math.log10(min(finite) / _STEPS) - 1e-9)
        return NumberFormat(factor, min(max(supported, 0), decimals))

    def format_of_score(
        self,
        module: str,
        score: str,
        values: Iterable[float],
        intervals: Iterable[Sequence[float] | None],
    ) -> NumberFormat:
        """Return the format of a score of a module, with these values and intervals."""
        scaled = self.percent and is_proportion(module, score, values)
        return self.format_of(intervals, is_proportion=scaled)


PLAIN = Notation()
PLAIN_NUMBERS = NumberFormat()


def is_proportion(module: str, score: str, values: Iterable[float]) -> bool:
    """Return whether a score is a proportion, by its range; scores of logs by their values.

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
    """Return the module, "" if it is not recorded, and the score of a comparison."""
    return comparison.get("module", ""), comparison["score"]


def formats_of_differences(
    comparisons: Sequence[Mapping[str, Any]], notation: Notation
) -> dict[tuple[str, str], NumberFormat]:
    """Return the format of the numbers of each score.

    All have the most decimals that one supports.
    """
    by_score: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for comparison in comparisons:
        by_score.setdefault(scored_by(comparison), []).append(comparison)
    formats = {}
    for (module, score), members in by_score.items():
        means = [member[name] for member in members for name in ("A_mean", "B_mean")]
        intervals = [member["confidence_interval"] for member in members]
        formats[module, score] = notation.format_of_score(module, score, means, intervals)
    return with_equal_decimals(formats)


def with_equal_decimals(
    formats: Mapping[tuple[str, str], NumberFormat],
) -> dict[tuple[str, str], NumberFormat]:
    """Return these formats, all with the most decimals of any of them."""
    decimals = max(number_format.decimals for number_format in formats.values())
    return {score: value._replace(decimals=decimals) for score, value in formats.items()}


# Letters that exist as superscripts; q does not.
LETTERS = "abcdefghijklmnoprstuvwxyz"
RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
RAISED_DASH = "⁻"
_RAISE = str.maketrans(f"{LETTERS}-", f"{RAISED}{RAISED_DASH}")
LOWERED = str.maketrans(dict(zip(f"{RAISED}{RAISED_DASH}", [*LETTERS, "--"], strict=True)))
_LONG = 4  # consecutive letters from which only the first and the last are written
LETTERS_NOTE = "A letter after a score: significantly better than the system with that letter."
RANGES_NOTE = "A range such as c-f stands for its letters and all between."
_MAX_MESSAGE = 2_000  # characters; a message may quote a long value
_REASONS = 4  # differences from the scores of a log, as listed under a table


KINDS = ("scores", "groups", "parts", "ranks", "differences")


class RenderedEntry(NamedTuple):
    """One number of a result; `group` is None for all rows."""

    system: str
    group: str | None
    module: str
    score: str
    value: float
    interval: Sequence[float] | None
    rows: int
    lower: bool  # whether lower is better
    bounds: Sequence[float] | None = None  # if rows are missing


# The letters after a number, by system, module and score.
Marks = Mapping[tuple[str, str, str], str]
# The tier of each system, by module and score.
Tiers = Mapping[tuple[str, str], Mapping[str, int]]


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


def score_table(
    names: list[str],
    labels: Mapping[tuple[str, str | None], Sequence[str]],
    entries: Sequence[RenderedEntry],
    marks: Marks | None = None,
    tiers: Tiers | None = None,
    notation: Notation = PLAIN,
) -> Table:
    """Return a row for each system and group, with its labels, and a column for each score.

    Args:
        names: the headings of the labels.
        labels: the labels of each row, by system and group.
        entries: the scores.
        marks: the letters after scores.
        tiers: the tiers of systems; the first is in bold.
        notation: of the numbers.
    """
    cells: dict[tuple[str, str | None], dict[tuple[str, str], RenderedEntry]] = {}
    for entry in entries:
        cells.setdefault((entry.system, entry.group), {})[entry.module, entry.score] = entry
    columns = dict.fromkeys((entry.module, entry.score) for entry in entries)
    best = set()
    formats: dict[tuple[str, str], NumberFormat] = {}
    for j, column in enumerate(columns, start=len(names)):
        row_entries = {i: row[column] for i, row in enumerate(cells.values()) if column in row}
        formats[column] = format_of_entries(list(row_entries.values()), notation)
        leading = best_entries([*row_entries.values()], (tiers or {}).get(column))
        best |= {(i, j) for i, entry in row_entries.items() if entry in leading}
    rows = [
        [
            *map(label, labels[key]),
            *(
                _cell(row[column], marks or {}, formats[column]) if column in row else ""
                for column in columns
            ),
        ]
        for key, row in cells.items()
    ]
    header = [formats[column].heading(label(column[1])) for column in columns]
    return Table([*names, *header], rows, len(names), best)


def format_of_entries(entries: Sequence[RenderedEntry], notation: Notation) -> NumberFormat:
    """Return the format of a column of one score."""
    values, intervals = zip(*((entry.value, entry.interval) for entry in entries), strict=True)
    return notation.format_of_score(entries[0].module, entries[0].score, values, intervals)


def one_system_table(entries: Sequence[RenderedEntry], notation: Notation, level: str) -> Table:
    """Return a row for each score of one system, with a column of intervals if there are any.

    Args:
        entries: the scores.
        notation: of the numbers.
        level: the heading of the intervals.
    """
    has_intervals = any(entry.interval for entry in entries)
    rows = []
    for entry in entries:
        number_format = format_of_entries([entry], notation)
        ends = [number_format.interval(entry.interval)] if has_intervals else []
        name = number_format.heading(label(entry.score))
        rows.append([name, _number(entry, number_format), *ends])
    header = ["score", label(entries[0].system), *([level] if has_intervals else [])]
    return Table(header, rows, 1, set())


def best_entries(
    entries: Sequence[RenderedEntry], tiers: Mapping[str, int] | None
) -> list[RenderedEntry]:
    """Return the entries of the first tier of one score; empty if all systems are in one tier.

    Without comparisons there are no tiers: the highest of several numbers may be so by chance.

    >>> a, b = (
    ...     RenderedEntry(name, None, "m", "em", ord(name) / 99, None, 9, False) for name in "ab"
    ... )
    >>> best_entries([a, b], {"a": 2, "b": 1}) == [b], best_entries([a, b], {"a": 1, "b": 1})
    (True, [])
    """
    if not tiers or len({*tiers.values()}) < 2:
        return []
    return [entry for entry in entries if tiers.get(entry.system) == 1]


def agreement_note(checks: Iterable[Mapping[str, Any]]) -> str:
    """Return which scores equal those of a log, and why the first of the others differ.

    >>> same = {"score": "qa_em", "metric": "em", "rows": 9, "differing": 0, "text": ""}
    >>> agreement_note([{**same, "system": "a"}, {**same, "system": "b"}])
    'a, b: qa_em is em of the log in all 9 rows.'
    """
    systems: dict[str, list[str]] = {}
    reasons = []
    for check in checks:
        if check["differing"]:
            reasons.append(str(check["text"]))
        else:
            text = (
                f"{check['score']} is {check['metric']} of the log in all {check['rows']:,} rows."
            )
            systems.setdefault(text, []).append(check["system"])
    sentences = [f"{', '.join(names)}: {text}" for text, names in systems.items()]
    hidden = len(reasons) - _REASONS
    more = (
        [f"{hidden} more scores differ from those of a log; JSON has them."] if hidden > 0 else []
    )
    return " ".join([*sentences, *reasons[:_REASONS], *more])


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
        header = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header)
        rows = []
        for i, row in enumerate(table.rows):
            cells = [f'<th scope="row">{escape(text)}</th>' for text in row[: table.labels]]
            for j, text in enumerate(map(escape, row[table.labels :]), start=table.labels):
                bold = f"<b>{text}</b>" if (i, j) in table.best else text
                cells.append(f'<td align="right">{bold}</td>')
            rows.append(f"<tr>{''.join(cells)}</tr>")
        parts += [
            *([f'<p class="sentence">{escape(table.sentence)}</p>'] if table.sentence else []),
            "<table>",
            f"<thead><tr>{header}</tr></thead>",
            *("<tbody>", *rows, "</tbody>"),
            "</table>",
            *([f"<p>{escape(table.note)}</p>"] if table.note else []),
        ]
    parts += [f"<p><code>{breakable(line)}</code></p>" for line in lines]
    return "\n".join(parts)


def breakable(signature: str) -> Any:
    """Return a signature as HTML, in which browsers may begin a new line after each option."""
    return _Html(escape(signature).replace("|", "|<wbr>"))


class _Html(str):
    """A text of HTML, which templates do not escape again."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def spreadsheet_cell(value: Any) -> Any:
    r"""Return a cell of CSV; text that a spreadsheet would read as a formula is quoted.

    >>> spreadsheet_cell('=HYPERLINK("x")'), spreadsheet_cell(-1.5)
    ('\'=HYPERLINK("x")', -1.5)
    """
    if not isinstance(value, str):
        return value
    text = label(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


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


def raised(letters: str) -> str:
    """Return letters, in alphabetical order, as superscripts; four or more in a row as a range.

    >>> raised("ad"), raised("acdefpr")
    ('ᵃᵈ', 'ᵃᶜ⁻ᶠᵖʳ')
    """
    start = 0
    text = ""
    while start < len(letters):
        first, end = LETTERS.index(letters[start]), start + 1
        while end < len(letters) and LETTERS.index(letters[end]) == first + end - start:
            end += 1
        row = letters[start:end]
        text += row if len(row) < _LONG else f"{row[0]}-{row[-1]}"
        start = end
    return text.translate(_RAISE)


def _cell(entry: RenderedEntry, marks: Marks, number_format: NumberFormat) -> str:
    """Return the number, marks, and the interval if there is one; counts without decimals."""
    text = _number(entry, number_format)
    text += marks.get((entry.system, entry.module, entry.score), "")
    return f"{text} {number_format.interval(entry.interval)}".rstrip()


def _number(entry: RenderedEntry, number_format: NumberFormat) -> str:
    """Return the score, or its bounds if rows are missing."""
    ends = [entry.value] if entry.bounds is None else dict.fromkeys(entry.bounds)
    return " to ".join(map(number_format.number, ends))


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
        if table.note:
            parts.append(f"{indent}{table.note}")
    return "\n\n".join([*parts, "\n".join(f"{indent}{line}" for line in lines)])


def _markdown(text: str, best: bool = False) -> str:
    for character in "|*`":
        text = text.replace(character, f"\\{character}")
    text = text.replace("<", "&lt;")
    return f"**{text}**" if best else text
