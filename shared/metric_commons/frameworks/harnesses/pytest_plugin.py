"""The fixture `assert_scores`, for which pytest finds this plugin by an entry point.

The report of a test that fails lists all rows that are worse than the limit.
"""

from collections.abc import Callable
from typing import Any

import pytest

from .assertions import assert_scores as check

__all__ = ["assert_scores"]


@pytest.fixture
def assert_scores(request: pytest.FixtureRequest) -> Callable[..., dict[str, Any]]:
    """Return `metric_commons.testing.assert_scores`, which also reports the rows that failed."""

    def checked(*arguments: Any, **options: Any) -> dict[str, Any]:
        __tracebackhide__ = True
        try:
            return check(*arguments, **options)
        except AssertionError as error:
            rows = vars(error).get("failed_rows", ())
            request.node.add_report_section("call", "rows that failed", "\n".join(rows))
            raise

    return checked
