"""Logs of evaluation harnesses, rescored and compared with the scores they report."""
