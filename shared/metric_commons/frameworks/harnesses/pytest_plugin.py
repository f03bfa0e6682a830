"""The fixture `assert_scores`, for which pytest finds this plugin by an entry point."""

from collections.abc import Callable
from typing import Any

import pytest

from .assertions import assert_scores as check

__all__ = ["assert_scores"]


@pytest.fixture
def assert_scores() -> Callable[..., dict[str, Any]]:
    """Return `metric_commons.testing.assert_scores`."""
    return check
