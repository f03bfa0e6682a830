"""Spaces: modules as folders that `evaluate.load` can run without this package."""
