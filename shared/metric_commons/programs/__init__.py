"""Programs that a model wrote: run in isolation, and judged by tests."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .executions import execute
    from .grading import grade
    from .output_comparison import output_difference
    from .reference_tests import read_tests
    from .worker_pool import close_pools

__all__ = [
    "close_pools",
    "execute",
    "grade",
    "output_difference",
    "read_tests",
]

__getattr__ = resolver(
    __name__,
    {
        "close_pools": "worker_pool",
        "execute": "executions",
        "grade": "grading",
        "output_difference": "output_comparison",
        "read_tests": "reference_tests",
    },
)
