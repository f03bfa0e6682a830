"""Kinds of scores, one file each: how rows are scored in blocks, kept in states, and compared."""
