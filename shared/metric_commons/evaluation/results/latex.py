r"""Tables of results in LaTeX for papers: floats with booktabs, caption, label and legend."""

import re
from collections.abc import Iterable

from .rendering import RAISED, Table

_FLOAT = r"""\begin{table}[t]
\centering
\footnotesize\setlength{\tabcolsep}{3pt}
\caption{%s}
\label{%s}
\begin{tabular}{%s}
\toprule
%s
\midrule
%s
\bottomrule
\end{tabular}%s
\end{table}"""
_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\ensuremath{<}",
        ">": r"\ensuremath{>}",
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
) | {code: rf"\textsuperscript{{{chr(letter)}}}" for letter, code in RAISED.items()}


def as_latex(tables: Iterable[Table], lines: Iterable[str]) -> str:
    r"""Return floats with the best tier of each score in bold; then lines as comments.

    >>> table = Table(["system", "em"], [["a&b", "-0.5ᵃᵇ"]], 1, {(0, 1)}, "A note.", "Scores")
    >>> print(as_latex([table], ["em|rows=2"]))
    % In the preamble: \usepackage{booktabs}
    \begin{table}[t]
    \centering
    \footnotesize\setlength{\tabcolsep}{3pt}
    \caption{Scores.}
    \label{tab:scores}
    \begin{tabular}{lr}
    \toprule
    system & em \\
    \midrule
    a\&b & \textbf{$-$0.5\textsuperscript{a}\textsuperscript{b}} \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    \smallskip
    \parbox{\linewidth}{\footnotesize A note.}
    \end{table}
    <BLANKLINE>
    % em|rows=2
    """
    comments = [f"% {line}" for line in lines]
    floats = "\n\n".join(map(_float, tables))
    return "\n".join([r"% In the preamble: \usepackage{booktabs}", floats, "", *comments])


def _float(table: Table) -> str:
    title = table.title or "Results"
    words = re.sub(r"\W+", "-", title.partition(" with ")[0].lower())
    legend = _typeset(f"{table.sentence} {table.small_print}".strip())
    if legend:
        legend = f"\n\n\\smallskip\n\\parbox{{\\linewidth}}{{\\footnotesize {legend}}}"
    body = [
        [
            rf"\textbf{{{_typeset(text)}}}" if (row, column) in table.best else _typeset(text)
            for column, text in enumerate(cells)
        ]
        for row, cells in enumerate(table.rows)
    ]
    heading, *rows = (f"{' & '.join(row)} \\\\" for row in [[*map(_typeset, table.header)], *body])
    return _FLOAT % (
        table.caption or f"{_typeset(title)}.",
        table.label or f"tab:{words}",
        "l" * table.labels + "r" * (len(table.header) - table.labels),
        heading,
        "\n".join(rows),
        legend,
    )


def _typeset(text: str) -> str:
    r"""Return the escaped text, with the signs of numbers as in print.

    >>> print(_typeset("[-0.36, +0.1] gpt-4_x"))
    [$-$0.36, $+$0.1] gpt-4\_x
    """
    return re.sub(r"(?<![\w.-])([+-])(?=\d|inf)", r"$\1$", text.translate(_ESCAPED))
