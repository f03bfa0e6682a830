r"""Tables of results in LaTeX for papers: floats with caption, label and legend.

All numbers of a column have the same number of decimals, so right alignment aligns the decimal
points. Whatever follows a number, the letters of systems that are worse and the interval, has
separate columns. A table longer than a page is not a float but a `longtable`, which repeats its
heading on the next page and has its legend in the caption. A `longtable` cannot be scaled down, so
a table that is both long and wide is divided into several floats.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .rendering import LOWERED, RAISED, Table

_HEADINGS = {
    "A_mean": "mean of A",
    "B_mean": "mean of B",
    "Diff(A-B)": r"A $-$ B",
    "p_value": "$p$",
    "p_adjusted": "$p$ (corrected)",
    "p_holm": "$p$ (Holm)",
    "p_max_t": r"$p$ (max $t$)",
    "p_bh": "$p$ (BH)",
    "p_none": "$p$ (uncorrected)",
}
_PAGE = 40  # rows that fit on a page
_WIDTH = 72  # characters of small type that fit on a line of an article
_NUMBER = re.compile(rf"([<+-]?[\d,]*\.?\d+|nan|[+-]?inf)?([{RAISED}]*)(?: ?(\[[^\[\]]*\]))?")
_SIGNS = re.compile(r"[-+.=]{3,}")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_ESCAPED = str.maketrans(_SPECIAL)


class _Column(NamedTuple):
    """A column of a table as one or more LaTeX columns: alignment, heading, cells of each row."""

    alignment: str
    heading: str
    cells: Sequence[Sequence[str]]


class _Typeset(NamedTuple):
    """The parts of a table in LaTeX."""

    alignment: str  # of the columns
    head: Sequence[str]
    body: Sequence[str]
    caption: str
    label: str
    legend: str  # empty if there is none


def as_latex(tables: Iterable[Table], lines: Iterable[str]) -> str:
    r"""Floats with booktabs, with the best tier of each score in bold; then the lines as comments.

    >>> table = Table(["system", "qa_em"], [["a&b", "0.5ᵃᵇ"]], 1, {(0, 1)}, "A note.", "Scores")
    >>> print(as_latex([table], ["em|rows=2"]))
    % In the preamble: \usepackage{booktabs,graphicx}
    \begin{table}[t]
    \centering
    \caption{Scores.}
    \label{tab:scores}
    \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
    \begin{tabular}{lr@{}l}
    \toprule
    system & \multicolumn{2}{c}{qa\_em} \\
    \midrule
    a\&b & \textbf{0.5} & \textsuperscript{ab} \\
    \bottomrule
    \end{tabular}}
    <BLANKLINE>
    \smallskip
    \parbox{\linewidth}{\footnotesize A note.}
    \end{table}
    <BLANKLINE>
    % em|rows=2
    """
    listed = list(tables)
    packages = ["booktabs", "graphicx"]
    packages += ["longtable"] if any(len(table.rows) > _PAGE for table in listed) else []
    parts = [rf"% In the preamble: \usepackage{{{','.join(packages)}}}"]
    parts.append("\n\n".join(map(_table, listed)))
    return "\n".join([*parts, "", *(f"% {line}" for line in lines)])


def _table(table: Table) -> str:
    columns = [_column(table, column) for column in range(len(table.header))]
    head = [
        r"\toprule",
        " & ".join(column.heading for column in columns) + r" \\",
        r"\midrule",
    ]
    body = [
        " & ".join(cell for column in columns for cell in column.cells[row]) + r" \\"
        for row in range(len(table.rows))
    ]
    title = table.title or "Results"
    whole = _Typeset(
        alignment="".join(column.alignment for column in columns),
        head=head,
        body=body,
        caption=_typeset(title),
        label=re.sub(r"\W+", "-", title.partition(" with ")[0].lower()),
        legend=_typeset(f"{table.sentence} {table.note}".strip()),
    )
    if len(body) <= _PAGE:
        return _float(whole)
    widths = [
        max(len(name), *(len(row[column]) for row in table.rows))
        for column, name in enumerate(table.header)
    ]
    if sum(widths) + len(widths) <= _WIDTH:
        return _long(whole)
    starts = range(0, len(body), _PAGE)
    parts = (
        whole._replace(
            body=body[start : start + _PAGE],
            caption=_typeset(f"{title}, part {number} of {len(starts)}"),
            label=f"{whole.label}-{number}",
        )
        for number, start in enumerate(starts, start=1)
    )
    return "\n\n".join(map(_float, parts))


def _long(table: _Typeset) -> str:
    """A `longtable`, which repeats its heading on the next page; it cannot be scaled down."""
    legend = f" {table.legend}" if table.legend else ""
    caption, label = table.caption, table.label
    return "\n".join(
        [
            r"{\footnotesize\setlength{\tabcolsep}{3pt}\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{{table.alignment}}}",
            rf"\caption[{caption}.]{{{caption}.{legend}}}\label{{tab:{label}}}\\",
            *(*table.head, r"\endfirsthead"),
            rf"\caption[]{{{caption}, continued.}}\\",
            *(*table.head, r"\endhead"),
            *(r"\bottomrule", r"\endfoot"),
            *table.body,
            r"\end{longtable}}",
        ]
    )


def _float(table: _Typeset) -> str:
    """A float, no wider than the text, with its legend below."""
    legend = []
    if table.legend:
        text = rf"\parbox{{\linewidth}}{{\footnotesize {table.legend}}}"
        legend = ["", r"\smallskip", text]
    return "\n".join(
        [
            r"\begin{table}[t]",
            r"\centering",
            rf"\caption{{{table.caption}.}}",
            rf"\label{{tab:{table.label}}}",
            # Scaled down to the width of the text, but never scaled up.
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{table.alignment}}}",
            *table.head,
            *table.body,
            r"\bottomrule",
            r"\end{tabular}}",
            *legend,
            r"\end{table}",
        ]
    )


def _column(table: Table, number: int) -> _Column:
    """A column of text, or a column of numbers with their marks and intervals in columns beside."""
    texts = [row[number] for row in table.rows]
    heading = _heading(table.header[number])
    bold = {row for row, column in table.best if column == number}
    matches = [_NUMBER.fullmatch(text) for text in texts]
    are_numbers = number >= table.labels and all(matches) and any(m and m[1] for m in matches)
    if not are_numbers:
        cells = [[_bold(_typeset(text), row in bold)] for row, text in enumerate(texts)]
        return _Column("l", heading, cells)
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
    return _Column(alignment, centered, cells)


def _bold(text: str, is_bold: bool) -> str:
    return rf"\textbf{{{text}}}" if is_bold and text else text


def _heading(name: str) -> str:
    if name in _HEADINGS:
        return _HEADINGS[name]
    return re.sub(r"^([\d.]+)\\% interval$", r"\1\\,\\% interval", _typeset(name))


def _typeset(text: str) -> str:
    r"""The escaped text, with the signs of numbers and the dashes of ranges as in print.

    >>> print(_typeset("[-0.36, +0.1] 1-2 gpt-4_x"))
    [$-$0.36, $+$0.1] 1--2 gpt-4\_x
    """
    if _SIGNS.fullmatch(text):  # only monospaced type keeps hyphens as hyphens
        return rf"\texttt{{{text}}}"
    escaped = text.translate(_ESCAPED)
    escaped = re.sub(r"(?<![\w.])([+-])(?=\d|inf)", r"$\1$", escaped)
    return re.sub(r"(?<!\S)(\d+)-(\d+)(?!\S)", r"\1--\2", escaped)
