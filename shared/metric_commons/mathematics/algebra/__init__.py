"""Exact algebra: proofs that numbers and formulas are equal, or that they differ.

`algebraic` numbers are proved to be zero by a separation bound.
`exact_values` are quotients of polynomials over them; `elementary` expresses other functions by few
generators; `enclosures` proves with the balls of `fixed_point` that values differ. `work_limits`
limits the total work.
"""
