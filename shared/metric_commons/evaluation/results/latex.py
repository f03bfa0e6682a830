r"""Tables of results in LaTeX for papers: floats with caption, label and legend.

All numbers of a column have the same number of decimals, so right alignment aligns the decimal
points. What follows a number (letters of worse systems, the interval) has separate columns. Type is
small, never scaled: tables of differences that are too wide lose some columns, and other wide
tables are divided into several. A table longer than a page is a `longtable`
instead of a float: it repeats its heading on each page and has its legend in the caption.
"""

import re
from collections.abc import Iterable, Sequence

from .rendering import LOWERED, RAISED, RAISED_DASH, Table

_HEADINGS = {
    "A_mean": "mean of A",
    "B_mean": "mean of B",
    "Diff(A-B)": r"A $-$ B",
    "p_value": "$p$",
    "p_adjusted": "$p$ (corrected)",
    "p_bonferroni": "$p$ (Bonferroni)",
    "p_holm": "$p$ (Holm)",
    "p_bh": "$p$ (BH)",
    "p_none": "$p$ (uncorrected)",
}
_PAGE = 40  # rows that fit on a page
_TYPE = r"\footnotesize\setlength{\tabcolsep}{3pt}"
# In points: the width of the text of an article, of a character in its footnotes, and of the space
# between columns.
_TEXT, _CHARACTER, _GAP = 345.0, 4.5, 6.0
_SIGN = 6.7  # points of "=" and "+", the widest cells of one character
# Columns of differences that a reader can do without, in this order: bold type, the corrected
# p-value and the difference tell the same.
_SPARED = ("significant", "p_value", "B_mean", "A_mean")
_NUMBER = re.compile(
    rf"([<+-]?[\d,]*\.?\d+|nan|[+-]?inf)?([{RAISED}{RAISED_DASH}]*)(?: ?(\[[^\[\]]*\]))?"
)
_SIGNS = re.compile(r"[-+.=]{3,}")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{MINUS SIGN}": "$-$",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_ESCAPED = str.maketrans(_SPECIAL)


def as_latex(tables: Iterable[Table], lines: Iterable[str]) -> str:
    r"""Return floats with booktabs, the best tier of each score in bold; then lines as comments.

    >>> table = Table(["system", "qa_em"], [["a&b", "0.5ᵃᵇ"]], 1, {(0, 1)}, "A note.", "Scores")
    >>> print(as_latex([table], ["em|rows=2"]))
    % In the preamble: \usepackage{booktabs}
    \begin{table}[t]
    \centering
    \footnotesize\setlength{\tabcolsep}{3pt}
    \caption{Scores.}
    \label{tab:scores}
    \begin{tabular}{lr@{}l}
    \toprule
    system & \multicolumn{2}{c}{qa\_em} \\
    \midrule
    a\&b & \textbf{0.5} & \textsuperscript{ab} \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    \smallskip
    \parbox{\linewidth}{\footnotesize A note.}
    \end{table}
    <BLANKLINE>
    % em|rows=2
    """
    listed = list(tables)
    packages = ["booktabs"]
    packages += ["longtable"] if any(len(table.rows) > _PAGE for table in listed) else []
    parts = [rf"% In the preamble: \usepackage{{{','.join(packages)}}}"]
    parts.append("\n\n".join(text for table in listed for text in _divided(table)))
    return "\n".join([*parts, "", *(f"% {line}" for line in lines)])


def _divided(table: Table) -> list[str]:
    """Return the table, or several with some of its columns each, if it is wider than the text."""
    header = table.header
    spared = [name for name in _SPARED if name in header and table.kind == "differences"]
    while spared and sum(_widths(table)) > _TEXT:
        column = table.header.index(spared.pop(0))
        if table.header[column] == _SPARED[0]:  # the difference is in bold instead
            difference = table.header.index("Diff(A-B)")
            rows = {row for row, bold in table.best if bold == column}
            table = table._replace(best=table.best | {(row, difference) for row in rows})
        table = _with_columns(table, [j for j in range(len(table.header)) if j != column])
    widths = _widths(table)
    labels = list(range(table.labels))
    pages: list[list[int]] = [[]]
    for column in range(table.labels, len(widths)):
        page = [*labels, *pages[-1], column]
        if pages[-1] and sum(widths[number] for number in page) > _TEXT:
            pages.append([])
        pages[-1].append(column)
    if len(pages) == 1:
        return [_table(table, "")]
    parts = enumerate(pages, start=1)
    return [_table(_with_columns(table, [*labels, *page]), f"{number}") for number, page in parts]


def _widths(table: Table) -> list[float]:
    """Return the width of each column in points, with the space beside it."""
    widths = []
    for column, name in enumerate(table.header):
        texts = [_HEADINGS.get(name, name).replace("$", ""), *(row[column] for row in table.rows)]
        pieces = 2 if any("[" in text for text in texts) else 1
        length = max(map(len, texts))
        widths.append((_SIGN if length == 1 else _CHARACTER * length) + _GAP * pieces)
    return widths


def _with_columns(table: Table, columns: Sequence[int]) -> Table:
    """Return the table with these columns, in this order."""
    positions = {column: number for number, column in enumerate(columns)}
    return table._replace(
        header=[table.header[column] for column in columns],
        rows=[[row[column] for column in columns] for row in table.rows],
        best={(row, positions[column]) for row, column in table.best if column in positions},
    )


def _table(table: Table, part: str) -> str:
    """Return a float, or a `longtable` for a table longer than a page.

    `part` is its number, if any.
    """
    columns = [_column(table, column) for column in range(len(table.header))]
    head = [
        r"\toprule",
        " & ".join(heading for _, heading, _ in columns) + r" \\",
        r"\midrule",
    ]
    body = [
        " & ".join(cell for _, _, cells in columns for cell in cells[row]) + r" \\"
        for row in range(len(table.rows))
    ]
    title = table.title or "Results"
    words = re.sub(r"\W+", "-", title.partition(" with ")[0].lower())
    alignment = "".join(aligned for aligned, _, _ in columns)
    caption = table.caption or f"{_typeset(title)}{f', part {part}' if part else ''}."
    label = f"{table.label or f'tab:{words}'}{f'-{part}' if part else ''}"
    legend = _typeset(f"{table.sentence} {table.note}".strip())
    if len(body) > _PAGE:
        lines = [
            rf"{{{_TYPE}\setlength{{\LTcapwidth}}{{\linewidth}}",
            rf"\begin{{longtable}}{{{alignment}}}",
            rf"\caption[{caption}]{{{f'{caption} {legend}'.rstrip()}}}\label{{{label}}}\\",
            *(*head, r"\endfirsthead"),
            rf"\caption[]{{{caption.rstrip('.')}, continued.}}\\",
            *(*head, r"\endhead"),
            *(r"\bottomrule", r"\endfoot"),
            *body,
            r"\end{longtable}}",
        ]
    else:
        lines = [
            *(r"\begin{table}[t]", r"\centering", _TYPE),
            *(rf"\caption{{{caption}}}", rf"\label{{{label}}}"),
            rf"\begin{{tabular}}{{{alignment}}}",
            *(*head, *body, r"\bottomrule", r"\end{tabular}"),
            *(["", r"\smallskip"] if legend else []),
            *([rf"\parbox{{\linewidth}}{{\footnotesize {legend}}}"] if legend else []),
            r"\end{table}",
        ]
    return "\n".join(lines)


def _column(table: Table, number: int) -> tuple[str, str, list[list[str]]]:
    """Return the alignment and the heading of a column, and the cells of each row.

    Numbers have their marks and intervals in LaTeX columns beside them.
    """
    texts = [row[number] for row in table.rows]
    name = table.header[number]
    spaced = re.sub(r"^([\d.]+)\\% interval$", r"\1\\,\\% interval", _typeset(name))
    heading = _HEADINGS.get(name, spaced)
    bold = {row for row, column in table.best if column == number}
    matches = [_NUMBER.fullmatch(text) for text in texts]
    are_numbers = number >= table.labels and all(matches) and any(m and m[1] for m in matches)
    if not are_numbers:
        cells = [[_bold(_typeset(text), row in bold)] for row, text in enumerate(texts)]
        return "l", heading, cells
    groups = [match.groups("") for match in matches if match]
    has_marks, has_intervals = (any(row[part] for row in groups) for part in (1, 2))
    alignment = "r" + "@{}l" * has_marks + r"@{\ }l" * has_intervals
    cells = []
    for row, (value, marks, interval) in enumerate(groups):
        parts = [_bold(_typeset(value), row in bold)]
        if has_marks:
            letters = marks.translate(LOWERED)
            parts.append(rf"\textsuperscript{{{letters}}}" if letters else "")
        if has_intervals:
            parts.append(_typeset(interval))
        cells.append(parts)
    width = 1 + has_marks + has_intervals
    centered = rf"\multicolumn{{{width}}}{{c}}{{{heading}}}" if width > 1 else heading
    return alignment, centered, cells


def _bold(text: str, is_bold: bool) -> str:
    return rf"\textbf{{{text}}}" if is_bold and text else text


def _typeset(text: str) -> str:
    r"""Return the escaped text, with the signs of numbers and the dashes of ranges as in print.

    >>> print(_typeset("[-0.36, +0.1] 1-2 gpt-4_x"))
    [$-$0.36, $+$0.1] 1--2 gpt-4\_x
    """
    if _SIGNS.fullmatch(text):  # only monospaced type keeps hyphens as hyphens
        return rf"\texttt{{{text}}}"
    escaped = text.translate(_ESCAPED)
    escaped = re.sub(r"(?<![\w.-])([+-])(?=\d|inf)", r"$\1$", escaped)
    escaped = re.sub(r"(?<=\d)e([+-])0*(\d+)(?!\w)", r"$\\times10^{\1\2}$", escaped)
    return re.sub(r"(?<!\S)(\d+)-(\d+)(?!\S)", r"\1--\2", escaped)
