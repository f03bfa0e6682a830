r"""Tables of results in LaTeX for papers: floats with caption, label and legend.

All numbers of a column have the same number of decimals, so right alignment aligns the decimal
points. What follows a number (its letters, its interval) has separate columns. A
table longer than a page is a `longtable` instead of a float: it repeats its heading on each page
and has its legend in the caption.
"""

import re
from collections.abc import Iterable

from .rendering import Cell, Table

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
_FLOAT = r"""\begin{table}[t]
\centering
%(type)s
\caption{%(caption)s}
\label{%(label)s}
\begin{tabular}{%(columns)s}
%(head)s
%(body)s
\bottomrule
\end{tabular}%(legend)s
\end{table}"""
_LONG = r"""{%(type)s\setlength{\LTcapwidth}{\linewidth}
\begin{longtable}{%(columns)s}
\caption[%(caption)s]{%(caption)s%(legend)s}\label{%(label)s}\\
%(head)s
\endfirsthead
\caption[]{%(caption)s (continued)}\\
%(head)s
\endhead
\bottomrule
\endfoot
%(body)s
\end{longtable}}"""
_ESCAPED = str.maketrans(
    {
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
)


def as_latex(tables: Iterable[Table], lines: Iterable[str]) -> str:
    r"""Return floats with booktabs, the best tier of each score in bold; then lines as comments.

    >>> rows = [["a&b", Cell("0.5", "ab")]]
    >>> table = Table(["system", "qa_em"], rows, 1, {(0, 1)}, "A note.", "Scores")
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
    is_long = any(len(table.rows) > _PAGE for table in listed)
    preamble = rf"% In the preamble: \usepackage{{booktabs{',longtable' if is_long else ''}}}"
    comments = [f"% {line}" for line in lines]
    return "\n".join([preamble, "\n\n".join(map(_float, listed)), "", *comments])


def _float(table: Table) -> str:
    title = table.title or "Results"
    words = re.sub(r"\W+", "-", title.partition(" with ")[0].lower())
    legend = _typeset(f"{table.sentence} {table.small_print}".strip())
    is_long = len(table.rows) > _PAGE
    if legend:
        of_float = f"\n\n\\smallskip\n\\parbox{{\\linewidth}}{{\\footnotesize {legend}}}"
        legend = f" {legend}" if is_long else of_float
    # Two names and two means do not fit beside a difference; the scores have a table of their own.
    is_wide = "A" in table.header
    columns = [
        _column(table, number)
        for number, name in enumerate(table.header)
        if not (is_wide and name in ("A_mean", "B_mean"))
    ]
    headings = " & ".join(heading for _, heading, _ in columns)
    lines = zip(*(cells for _, _, cells in columns), strict=True)
    return (_LONG if is_long else _FLOAT) % {
        "type": _TYPE,
        "caption": table.caption or f"{_typeset(title)}.",
        "label": table.label or f"tab:{words}",
        "columns": "".join(alignment for alignment, _, _ in columns),
        "head": f"\\toprule\n{headings} \\\\\n\\midrule",
        "body": "\n".join(rf"{' & '.join(line)} \\" for line in lines),
        "legend": legend,
    }


def _column(table: Table, number: int) -> tuple[str, str, list[str]]:
    """Return the alignment and the heading of a column, and its text in each row."""
    name = table.header[number]
    spaced = re.sub(r"^([\d.]+)\\% interval$", r"\1\\,\\% interval", _typeset(name))
    heading = _HEADINGS.get(name, spaced)
    texts = [row[number] for row in table.rows]
    cells = [text if isinstance(text, Cell) else Cell(text) for text in texts]
    has_marks = any(cell.marks for cell in cells)
    has_intervals = any(cell.interval for cell in cells)
    lines = []
    for row, cell in enumerate(cells):
        text = _typeset(cell.number)
        parts = [rf"\textbf{{{text}}}" if text and (row, number) in table.best else text]
        if has_marks:
            parts.append(rf"\textsuperscript{{{cell.marks}}}" if cell.marks else "")
        if has_intervals:
            parts.append(_typeset(cell.interval))
        lines.append(" & ".join(parts))
    alignment = "l" if number < table.labels else "r"
    alignment += "@{}l" * has_marks + r"@{\ }l" * has_intervals
    width = 1 + has_marks + has_intervals
    centered = rf"\multicolumn{{{width}}}{{c}}{{{heading}}}" if width > 1 else heading
    return alignment, centered, lines


def _typeset(text: str) -> str:
    r"""Return the escaped text, with the signs of numbers and the dashes of ranges as in print.

    >>> print(_typeset("[-0.36, +0.1] 1-2 gpt-4_x"))
    [$-$0.36, $+$0.1] 1--2 gpt-4\_x
    """
    escaped = text.translate(_ESCAPED)
    escaped = re.sub(r"(?<![\w.-])([+-])(?=\d|inf)", r"$\1$", escaped)
    escaped = re.sub(r"(?<=\d)e([+-])0*(\d+)(?!\w)", r"$\\times10^{\1\2}$", escaped)
    return re.sub(r"(?<!\S)(\d+)-(\d+)(?!\S)", r"\1--\2", escaped)
