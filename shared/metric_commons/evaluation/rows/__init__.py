"""Rows as they come, and the table of rows as they were scored."""
