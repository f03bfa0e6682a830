"""Scores of classifiers, from predicted labels or scores: counts, ratios, curves and areas."""
