"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

Confidence = Annotated[
    float | None,
    typer.Option(metavar="LEVEL", help="Level of confidence intervals, such as 0.95."),
]
Predictions = Annotated[
    list[str],
    typer.Option(
        metavar="FIELD",
        help="Field of the predictions. Several fields, like several files, are several systems.",
    ),
]
Resamples = Annotated[
    int, typer.Option(metavar="COUNT", help="How often intervals and tests resample.")
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the resampling.")]
Save = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the whole result, as JSON.")]
