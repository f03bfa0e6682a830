"""Numerical basics for all rooms: exact sums, multisets, ratios, pair counts and checks."""
