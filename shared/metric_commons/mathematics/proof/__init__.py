"""Mathematical answers in LaTeX or plain text, compared by their meaning.

`parsing` reads texts, `algebra` decides whether numbers and formulas are equal; here `comparisons`
compares structures of these kind by kind, and `equivalence` two answers under all their readings.
`backends` scores rows, also by the rule of MATH: `hendrycks`.
"""
