"""Spaces: the modules as folders that `evaluate.load` runs with nothing of ours installed."""

from .bundling import bundle

__all__ = ["bundle"]
