"""Spaces: modules as folders that `evaluate.load` can run without this package."""

from .bundling import Sdk, bundle
from .publishing import Space, publish

__all__ = ["Sdk", "Space", "bundle", "publish"]
