"""`metric-commons export`: a saved result in a model card, or as a table."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ...data.files.stored import write_whole
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError
from ..console.options import Scores, save_option
from ..console.outputs import check_written, say_written


def export(
    path: Annotated[Path, typer.Argument(metavar="RESULT")],
    target: Annotated[Literal["model-index", "csv"], typer.Option("--to", metavar="FORMAT")],
    out: Annotated[Path, save_option(metavar="FILE")],
    scale: Literal["1", "100"] | None = None,
    scores: Scores = None,
    dataset: Annotated[str | None, typer.Option(metavar="ID")] = None,
) -> None:
    """Write a saved result as the front matter of a model card, or as a table.

    metric-commons export results.json --to model-index --scale 100 -o card.md

    The signature is written with every score.

    Args:
        path: A result written by --save.
        target: model-index (front matter of a model card) or csv (a table of all numbers).
        out: The file to write.
        scale: Scale of the scores in a model card, which needs it: 1 for scores like 0.412, 100 for
            41.2.
        dataset: The dataset, such as org/name; by default the input's name.
    """
    check_written([out], [path])
    results = Results.read(path).choose(scores)
    if target == "csv":
        write_whole(out, [results.to_csv()])
    else:
        from ...reporting.leaderboards.model_cards import model_index
        from ..console.config import as_yaml

        if scale is None:
            raise UsageError(
                "--to model-index needs --scale: 1 for scores like 0.412, 100 for 41.2"
            )
        front_matter = as_yaml(model_index(results, dataset, float(scale)))
        write_whole(out, ["---\n", front_matter, "---\n"])
    say_written(out)
