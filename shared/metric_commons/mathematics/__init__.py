"""Mathematical answers in LaTeX or plain text, compared by their meaning.

`formulas` reads texts, `algebra` decides whether numbers and formulas are equal; here `comparisons`
compares structures of these kind by kind, and `equivalence` two answers under all their readings.
`backends` scores rows, also by the rules of others: `hendrycks`, `minerva`, and comparisons with
sympy in `symbolic_processes`.
"""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .backends import equivalence_scores
    from .equivalence import equivalent, explained, readable

__all__ = ["equivalence_scores", "equivalent", "explained", "readable"]

__getattr__ = resolver(
    __name__,
    {
        "equivalence_scores": "backends",
        "equivalent": "equivalence",
        "explained": "equivalence",
        "readable": "equivalence",
    },
)
