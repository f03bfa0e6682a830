"""Scores of clusters, from their points or against true labels."""
