"""Options that several commands have."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..evaluation.usage import UsageError
from ..evaluation.worker_processes import check_jobs
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
        help="Field of labels. Rows with the same label belong together; intervals count labels.",
    ),
]
AllowEmptyReferences = Annotated[
    bool,
    typer.Option(
        "--allow-empty-references",
        help="An empty cell of .csv and .tsv is an accepted answer, and no mistake.",
    ),
]
Predictions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[NAME=]FIELD",
        help="Field of the predictions. Several fields, like several files, are several systems. "
        "A log needs none.",
    ),
]
OptionalPredictions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[NAME=]FIELD",
        help="Field of the predictions. Several fields, like several files, are several systems. "
        "A log needs none.",
    ),
]
Resamples = Annotated[
    int, typer.Option(metavar="COUNT", help="How often intervals and tests resample.")
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the resampling.")]
Save = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the whole result, as JSON.")]
Alpha = Annotated[float, typer.Option(metavar="LEVEL", help="Level of the tests.")]
Power = Annotated[
    float,
    typer.Option(metavar="SHARE", help="With which probability the number of rows should do."),
]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A score to show, write and compare, such as qa_f1; may be given several times. "
        "Without it all are shown, and the main score of each module is compared.",
    ),
]
Sort = Annotated[
    str | None, typer.Option(metavar="SCORE", help="Order systems by a score, the best first.")
]
Top = Annotated[
    int | None, typer.Option(min=1, metavar="COUNT", help="Show only the first COUNT systems.")
]
Rows = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="What --per-example wrote, for a result that does not name it or whose rows are "
        "elsewhere; one for each result.",
    ),
]
Correction = Annotated[
    Literal["holm", "max_t", "bh", "benjamini_hochberg", "none"],
    typer.Option(
        help="For several comparisons: Holm; the distribution of the largest statistic; Benjamini "
        "and Hochberg (bh); or none."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="COUNT",
        help="How many processes read and score rows; the result is the same. Without it one for "
        "small files, and for large ones as many as there are cores.",
    ),
]


def check_processes(jobs: int | None) -> None:
    """Nothing, if so many processes can be started.

    Raises:
        UsageError: they cannot.
    """
    try:
        check_jobs(1 if jobs is None else jobs)
    except ValueError as error:
        raise UsageError(f"--{error}") from error


def correction_named(name: str) -> str:
    """The whole name of a correction."""
    return {"bh": "benjamini_hochberg"}.get(name, name)
