"""A report of results: plots, differences, groups and examples in a single HTML file."""
