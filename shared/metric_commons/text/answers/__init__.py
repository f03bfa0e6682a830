"""Comparing short answers with accepted answers: exact match, token F1, containment."""
