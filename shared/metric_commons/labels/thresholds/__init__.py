"""Scores of classifiers by threshold and rank: curves, areas, losses and calibration."""
