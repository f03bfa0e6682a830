"""`metric-commons merge`: one result from several parts."""

from pathlib import Path
from typing import Annotated

import typer

from ...evaluation.scoring.evaluations import signed
from ...module.catalog.catalog import holds_module, name_of
from ...module.catalog.usage import UsageError, with_bar
from ..console.options import IntervalOptions, Save, Scores, Sort
from ..console.outputs import Outputs, Presentation


def merge(
    parts: Annotated[list[Path], typer.Argument(metavar="PART")],
    *,
    allow_equal_shards: Annotated[bool, typer.Option("--allow-equal-shards")] = False,
    scores: Scores = None,
    intervals: IntervalOptions,
    save: Save = None,
    sort: Sort = None,
    presentation: Presentation,
) -> None:
    """Merge the parts of an evaluation that was split over several machines.

    metric-commons score qa_f1 shard-1.jsonl --predictions bot --references gold --partial 1.part

    metric-commons merge 1.part 2.part --confidence 0.95

    The result is the same as that of all rows in one file; the order of the
    parts does not matter. Two parts of files with the same content are an error
    unless --allow-equal-shards is given.

    Args:
        parts: Files written by `score --partial`; before them, the folders of modules of your own.
        allow_equal_shards: Merge parts of different files with the same content.
    """
    from ...evaluation.scoring.states import Part

    for path in filter(holds_module, parts):
        name_of(path)  # known from here on
    parts = [path for path in parts if not holds_module(path)]
    if not parts:
        raise UsageError("name the parts to merge")
    outputs = Outputs(presentation, save, sort=sort)
    outputs.check(parts)
    total = Part.read(parts[0])
    for path in with_bar(parts[1:], "merging", "part"):
        part = Part.read(path)
        try:
            total.merge(part, allow_equal_shards=allow_equal_shards)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    results = signed(total.results(**vars(intervals)), total.preset)
    outputs.write(results.choose(scores))
