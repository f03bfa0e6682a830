"""`metric-commons merge`: one result from several parts."""

from pathlib import Path
from typing import Annotated

import typer

from ..catalog.usage import with_bar
from ..console.options import (
    Caption,
    Confidence,
    Decimals,
    IntervalMethod,
    LatexLabel,
    Percent,
    Quiet,
    Resamples,
    Save,
    Scores,
    Seed,
    Sort,
    TableKind,
    WholeLimit,
)
from ..console.outputs import OutputFormat, Outputs, Presentation
from ..scoring.evaluations import signed


def merge(
    parts: Annotated[
        list[Path],
        typer.Argument(metavar="PART", help="Files written by `score --partial`."),
    ],
    allow_equal_shards: Annotated[
        bool,
        typer.Option(
            "--allow-equal-shards", help="Merge parts of different files with the same content."
        ),
    ] = False,
    scores: Scores = None,
    confidence: Confidence = None,
    interval: IntervalMethod = "auto",
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    save: Save = None,
    format_name: OutputFormat = "table",
    sort: Sort = None,
    digits: Decimals = None,
    percent: Percent = False,
    table: TableKind = None,
    caption: Caption = "",
    latex_label: LatexLabel = "",
    quiet: Quiet = False,
    max_unpacked: WholeLimit = None,
) -> None:
    """Merge the parts of an evaluation that was split over several machines.

    metric-commons score qa_f1 shard-1.jsonl --predictions bot --references gold --partial 1.part

    metric-commons merge 1.part 2.part --confidence 0.95

    The result is the same as that of all rows in one file; the order of the
    parts does not matter. Two parts of files with the same content are an error
    unless --allow-equal-shards is given.
    """
    from ..scoring.states import Part

    presentation = Presentation(format_name, digits, percent, table, caption, latex_label)
    outputs = Outputs(presentation, save)
    outputs.check(parts)
    total = Part.read(parts[0])
    for path in with_bar(parts[1:], "merging", "part"):
        part = Part.read(path)
        try:
            total.merge(part, allow_equal_shards=allow_equal_shards)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    results = total.results(
        confidence_level=confidence, interval=interval, n_resamples=resamples, seed=seed
    )
    results = signed(results, total.preset).choose(scores)
    outputs.write(results if sort is None else results.sort(sort))
