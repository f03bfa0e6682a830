"""Scores of labels counted and ranked: curves, areas, losses and calibration."""
