"""Parsing of mathematical answers: from LaTeX or plain text to exact values and structures.

`notation` splits a text into tokens; `expressions` parses formulas with `conventions`, `amounts`
formulas with `units`, `relations` equations and inequalities, and `mathematical_answers` whole
answers.
"""
