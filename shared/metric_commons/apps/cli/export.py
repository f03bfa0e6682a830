"""`export`: a saved result in a model card."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ...data.files.stored import write_whole
from ...evaluation.results.results import Results
from ...reporting.leaderboards.model_cards import model_index
from ..console.config import as_yaml
from ..functions.findings import Finding


def export(
    result: Path,
    *,
    save: Path,
    scale: Literal["1", "100"],
    scores: Sequence[str] | None = None,
    dataset: str = "data",
) -> Finding:
    """Write a saved result as the front matter of a model card.

    metric-commons export results.json --scale 100 -o card.md

    The signature is written with every score.

    Args:
        result: A result written by --save.
        save: The file to write.
        scale: Scale of the scores in the card: 1 for scores like 0.412, 100 for 41.2.
        scores: Write only these scores.
        dataset: The dataset, such as org/name.
    """
    results = Results.read(result).choose(scores)
    card = as_yaml(model_index(results, dataset, float(scale)))
    write_whole(save, ["---\n", card, "---\n"])
    return Finding({})
