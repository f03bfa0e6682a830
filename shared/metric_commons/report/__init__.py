"""A report of results: plots, differences, groups and examples in a single HTML file."""

from .examples import Examples, find_examples
from .page import render

__all__ = ["Examples", "find_examples", "render"]
