"""`merge`: one result from the scored rows of its parts."""

from collections.abc import Sequence
from pathlib import Path

from ...evaluation.comparison.saved_results import merged_rows
from ...evaluation.results.results import Results
from ...module.catalog import catalog
from ...module.catalog.usage import UsageError, with_bar
from ...statistics.arguments.domains import Level, Resamples, Seed
from ...statistics.intervals.methods import Method


def merge(
    tables: Sequence[Path],
    *,
    scores: Sequence[str] | None = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> Results:
    """Merge the scored rows of an evaluation that was split over several machines.

    metric-commons score qa_f1 shard-1.jsonl -p bot -r gold --rows 1.parquet

    metric-commons merge 1.parquet 2.parquet --confidence 0.95

    The result is the same as that of all rows in one file. Two files of rows from the same input
    are an error, and so is an id that occurs twice.

    Args:
        tables: Files written by `score --rows`; name the folders of your own modules first.
        scores: Report only these scores; repeatable.
        confidence_level: Level of confidence intervals, such as 0.95; without it there are none.
        interval: How intervals are computed; auto chooses by the kind of score.
        n_resamples: Number of resamples, for intervals that need them.
        seed: Seed of the resamples.
    """
    for path in filter(catalog.holds_module, tables):
        catalog.name_of(path)  # which makes its name known
    paths = [path for path in tables if not catalog.holds_module(path)]
    if not paths:
        raise UsageError("name the files of rows to merge")
    intervals = {
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    rows = merged_rows(with_bar(paths, "merging", "file"))
    return Results.of_rows(rows.tables, rows.provenance, intervals).choose(scores)
