"""Comparing saved results: pairs of systems on the same rows, and decisions."""
