"""Logs of evaluation harnesses, scored again and compared with what they report."""
