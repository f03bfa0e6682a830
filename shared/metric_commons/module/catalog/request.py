"""A request for scores."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ...statistics.arguments.domains import Jobs, Level, Resamples, Seed, check_option
from ...statistics.intervals.methods import Assumption, Correction, Method, ScoreBounds

Missing = Literal["refuse", "skip", "zero", "bounds"]
Reduce = Literal["mean", "max", "median", "mode"]  # of the scores of rows with one id
ROW_LABELS = ("groups", "clusters", "ids")  # columns that are not inputs of modules


@dataclass(frozen=True, kw_only=True)
class Reporting:
    """The settings of scores, intervals and comparisons."""

    preset: str | None = None
    confidence_level: Level | None = None
    interval: Method = "auto"
    standard_error: bool = False
    n_resamples: Resamples = 10_000
    seed: Seed = 0
    compare: bool = False
    scores: Sequence[str] | None = None
    correction: Correction = "bonferroni"
    assume: Assumption = "exchangeable"
    bounds: ScoreBounds | None = None
    jobs: Jobs | None = 1

    @property
    def intervals(self) -> dict[str, Any]:
        """Return the options of intervals; without a level, modules use their own, usually none."""
        names = ("confidence_level", "interval", "standard_error", "n_resamples", "seed")
        options = {name: getattr(self, name) for name in names}
        return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Request(Reporting):
    """The modules, their options, and the fields of rows that are their inputs."""

    modules: Sequence[str]
    options: Mapping[str, Any] | None = None
    references: str | None = None
    groups: str | None = None
    clusters: str | Sequence[str] | None = None
    ids: str | None = None
    columns: Mapping[str, str] | None = None
    missing: Missing = "refuse"
    rows: bool = False

    @cached_property
    def fields(self) -> dict[str, str | None]:
        """Return the fields of all columns but the predictions, by the names of inputs."""
        named = {name: getattr(self, name) for name in ("references", "groups", "ids")}
        return {**named, **self.cluster_fields, **(self.columns or {})}

    @property
    def cluster_fields(self) -> dict[str, str]:
        """Return the field of each column of clusters, by its name in messages.

        >>> Request(modules=[], clusters="item").cluster_fields
        {'clusters': 'item'}
        >>> Request(modules=[], clusters=["item", "seed"]).cluster_fields
        {"clusters['item']": 'item', "clusters['seed']": 'seed'}
        """
        fields = [self.clusters] if isinstance(self.clusters, str) else self.clusters or ()
        distinct = list(dict.fromkeys(fields))
        return {f"clusters[{field!r}]" if distinct[1:] else "clusters": field for field in distinct}


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
        raise ValueError(
            "jobs must be 1 here; several processes need Linux, macOS or WSL, where they are forked"
        )
