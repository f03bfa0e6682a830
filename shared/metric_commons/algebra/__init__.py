"""Exact algebra: numbers and formulas of which equality is proved, and difference too.

`algebraic` numbers prove that they are zero by a separation bound (`separation_bounds`).
`exact_values` are quotients of polynomials over them; `elementary` functions bring all others to
few generators; `differences` proves with the enclosures of `fixed_point` that values differ.
`work_limits` bounds what all of it may cost.
"""
