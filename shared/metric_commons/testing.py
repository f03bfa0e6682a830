"""An assertion about scores, for tests with pytest or without."""

from typing import TYPE_CHECKING

from .lazy import resolver

if TYPE_CHECKING:
    from .frameworks.harnesses.assertions import assert_scores

__all__ = ["assert_scores"]

__getattr__ = resolver(__name__, {"assert_scores": "frameworks.harnesses.assertions"}, __package__)
