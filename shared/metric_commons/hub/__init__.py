"""Spaces: the modules as folders that `evaluate.load` runs with nothing of ours installed."""

from .bundling import Sdk, bundle
from .publishing import Space, publish

__all__ = ["Sdk", "Space", "bundle", "publish"]
