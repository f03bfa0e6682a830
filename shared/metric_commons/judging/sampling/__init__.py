"""Outcomes of single trials: options chosen, samples that pass, comparisons won."""
