"""A page about results: pictures, differences, groups and examples in one file of HTML."""

from .examples import Examples, find_examples
from .page import render

__all__ = ["Examples", "find_examples", "render"]
