"""Scores of translations against references: BLEU, chrF and TER."""
