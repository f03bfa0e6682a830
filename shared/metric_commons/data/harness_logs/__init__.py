"""Formats of logs, one file for each; files are found by listing this folder."""
