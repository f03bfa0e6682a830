"""Values of the options of `score`."""

import os
from typing import Literal

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Jobs, check_option

Missing = Literal["refuse", "skip", "zero", "bounds"]
Reduce = Literal["mean", "max", "median", "mode"]  # of the scores of rows with one id
ROW_LABELS = ("groups", "clusters", "ids")  # columns that are not inputs of modules


def can_fork() -> bool:
    """Return whether the operating system can fork processes."""
    return hasattr(os, "fork")


def check_jobs(jobs: int) -> None:
    """Check that work can be done in this number of processes.

    Raises:
        ValueError: it cannot.

    >>> check_jobs(0)
    Traceback (most recent call last):
    ValueError: jobs must be an integer from 1 to 512, got 0
    """
    check_option("jobs", jobs, Jobs)
    if jobs > 1 and not can_fork():
        problem = (
            "must be 1 here; several processes need Linux, macOS or WSL, where they are forked"
        )
        raise OptionError("jobs", problem)
