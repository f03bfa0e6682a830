"""`metric-commons export`: a saved result in a model card, or as a table."""

from pathlib import Path
from typing import Literal

from ...data.files.stored import write_whole
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError
from ..console.commands import command
from ..console.outputs import check_written, say_written


def export(
    result: Path,
    *,
    to: Literal["model-index", "csv"],
    save: Path,
    scale: Literal["1", "100"] | None = None,
    scores: list[str] | None = None,
    dataset: str | None = None,
) -> None:
    """Write a saved result as the front matter of a model card, or as a table.

    metric-commons export results.json --to model-index --scale 100 -o card.md

    The signature is written with every score.

    Args:
        result: A result written by --save.
        to: model-index (front matter of a model card) or csv (a table of all numbers).
        save: The file to write.
        scale: Scale of the scores in a model card, which needs it: 1 for scores like 0.412, 100 for
            41.2.
        scores: Write only these scores.
        dataset: The dataset, such as org/name; by default the input's name.
    """
    check_written([save], [result])
    results = Results.read(result).choose(scores)
    if to == "csv":
        write_whole(save, [results.to_csv()])
    else:
        from ...reporting.leaderboards.model_cards import model_index
        from ..console.config import as_yaml

        if scale is None:
            raise UsageError(
                "--to model-index needs --scale: 1 for scores like 0.412, 100 for 41.2"
            )
        front_matter = as_yaml(model_index(results, dataset, float(scale)))
        write_whole(save, ["---\n", front_matter, "---\n"])
    say_written(save)


COMMANDS = {"export": command(export)}
