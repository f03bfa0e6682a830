"""Mathematical answers in LaTeX or plain text, compared by what they mean.

`notation` makes tokens of a text, `expressions` and `inequalities` read them by a grammar, and
`mathematical_answers` whole answers, with names and units. What is read are the values of
`exact_values`, which are quotients of `polynomials`, and the `structures` made of them;
`equivalence` compares these, within the `work_limits`. `backends` scores rows, also by the rules of
others: `hendrycks`, `minerva`, and what `symbolic_processes` ask sympy.
"""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .backends import equivalence_scores
    from .equivalence import equivalent

__all__ = ["equivalence_scores", "equivalent"]

__getattr__ = resolver(__name__, {"equivalence_scores": "backends", "equivalent": "equivalence"})
