"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from ..statistics.methods import Method

Confidence = Annotated[
    float | None,
    typer.Option(metavar="LEVEL", help="Level of confidence intervals, such as 0.95."),
]
IntervalMethod = Annotated[
    Method,
    typer.Option(help="How intervals are made; auto suits the method to each score."),
]
ClusterBy = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD",
        help="Field of labels. Rows of one label are alike, so that intervals count labels.",
    ),
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
