"""Scores of transcripts against references: word and character error rates."""
