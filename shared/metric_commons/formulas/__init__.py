"""Mathematical answers read: LaTeX or plain text to exact values and structures of them.

`notation` makes tokens of a text, `expressions` reads formulas by a grammar with `conventions`,
`amounts` with the `units` behind them, `relations` equations and inequalities, and
`mathematical_answers` whole answers.
"""
