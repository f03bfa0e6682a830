"""ROUGE: n-grams and subsequences that a text has in common with its references."""
