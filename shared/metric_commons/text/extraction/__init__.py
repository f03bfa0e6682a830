"""Extraction of the answer from the text of a model."""
