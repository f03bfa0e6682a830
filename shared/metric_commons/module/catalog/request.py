"""A request for scores, from Python, a command line, a configuration file or a client.

The fields below are the only list of all settings, each with its annotation, default and help. The
options of the command, the keys of configuration files and the arguments of the server are made
from them, and a test compares `score` with them.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, Literal, get_type_hints

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


HELP = {
    "modules": "names of modules.",
    "options": "options of modules: `option` is for every module that has it, `module.option` for "
    "one.",
    "preset": "options that reproduce another tool, such as squad or ultrarag.",
    "references": "field of the references: a text or a list of texts, if the modules need them.",
    "groups": "field of groups, such as a topic; each group is also scored separately.",
    "clusters": "field with the cluster of each row, such as its document; intervals and tests "
    "count clusters instead of rows, and scores do not change; several fields are crossed.",
    "ids": "field that identifies each row; results are compared by it.",
    "columns": "fields of further inputs of the modules, by name, such as sources=src.",
    "missing": "rows without an answer: refuse them, skip them, count them as zero, or report the "
    "bounds of the score if each had the worst score or the best.",
    "confidence_level": "level of confidence intervals, such as 0.95; without it there are none.",
    "interval": "how intervals are computed; auto chooses by the kind of score.",
    "standard_error": "also report the standard error of each score.",
    "n_resamples": "number of resamples, for intervals and tests that need them.",
    "seed": "seed of the resamples.",
    "compare": "test every two systems against each other; they must have the same rows.",
    "scores": "report and compare only these scores, such as qa_f1; by default all are reported, "
    "and the main score of each module is compared.",
    "correction": "correction of p-values for several comparisons: bonferroni, holm, "
    "benjamini_hochberg or none.",
    "assume": "what comparisons of means of rows assume: exchangeable (the systems, row by row) or "
    "nothing.",
    "bounds": "the lowest and the highest possible score of a row, for comparisons of means; by "
    "default as the module declares.",
    "rows": "also keep the table of scored rows.",
    "jobs": "how many processes read and score rows; the result is the same.",
}
DEFAULTS: Mapping[str, Any] = {item.name: item.default for item in fields(Request)}


@cache
def annotations() -> dict[str, Any]:
    """Return the values that each field of a request may have, as annotations."""
    return get_type_hints(Request, include_extras=True)


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
