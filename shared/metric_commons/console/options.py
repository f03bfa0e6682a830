"""Options that several commands have."""

import math
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from ..catalog.usage import UsageError
from ..scoring.worker_processes import MOST_JOBS, check_jobs
from ..statistics.methods import Method


def share(value: str | float) -> float:
    """A number between 0 and 1, both excluded, as text or as a default.

    >>> share("0.95")
    0.95

    Raises:
        typer.BadParameter: it is not; for a percentage the message has the number that was meant.
    """
    text = str(value)
    number = text.strip().removesuffix("%")
    try:
        level = float(number)
    except ValueError:
        level = math.nan
    if 0 < level < 1 and not text.strip().endswith("%"):
        return level
    hint = f", such as {level / 100:g}" if 1 < level < 100 else ", such as 0.95"
    raise typer.BadParameter(f"it must be a number between 0 and 1{hint}; got {text!r}")


# The boxes that help sorts options into.
STATISTICS = "Intervals and comparisons"
OUTPUT = "Output"
READING = "Files and rows"
LOGS = "Logs of harnesses"

Confidence = Annotated[
    float | None,
    typer.Option(
        metavar="LEVEL",
        parser=share,
        help="Print confidence intervals of this level, such as 0.95.",
        rich_help_panel=STATISTICS,
    ),
]
IntervalMethod = Annotated[
    Method,
    typer.Option(
        metavar="METHOD",
        help=f"How intervals are computed: {', '.join(get_args(Method))}. auto chooses by the kind "
        "of score.",
        rich_help_panel=STATISTICS,
    ),
]
ClusterBy = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD",
        help="Field with the cluster of each row, such as its document. Intervals and tests count "
        "clusters instead of rows; scores do not change. Needs --confidence, --standard-error, "
        "--compare or --per-example.",
        rich_help_panel=STATISTICS,
    ),
]
AllowEmptyReferences = Annotated[
    bool,
    typer.Option(
        "--allow-empty-references",
        help="Accept empty cells of .csv and .tsv as references; without it they are an error.",
        rich_help_panel=READING,
    ),
]
Predictions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[NAME=]FIELD",
        help="Field of the predictions; not needed for logs. Give it once for each system.",
    ),
]
Resamples = Annotated[
    int,
    typer.Option(
        min=1,
        max=10_000_000,
        metavar="COUNT",
        help="Number of resamples, for intervals and tests that need them.",
        rich_help_panel=STATISTICS,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0,
        max=2**63 - 1,
        metavar="NUMBER",
        help="Seed of the resamples.",
        rich_help_panel=STATISTICS,
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the result as JSON.", rich_help_panel=OUTPUT),
]
Alpha = Annotated[
    float,
    typer.Option(
        metavar="LEVEL",
        parser=share,
        help="Significance level of the tests.",
        rich_help_panel=STATISTICS,
    ),
]
Power = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        parser=share,
        help="Power that the suggested number of rows should have.",
        rich_help_panel=STATISTICS,
    ),
]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Show, save and compare only this score, such as qa_f1; repeatable. By default all "
        "scores are shown, and the main score of each module is compared.",
    ),
]
Sort = Annotated[
    str | None,
    typer.Option(
        metavar="SCORE", help="Sort systems by this score, best first.", rich_help_panel=OUTPUT
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="COUNT",
        help="Show only the first COUNT systems.",
        rich_help_panel=OUTPUT,
    ),
]
Rows = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="The file that --per-example wrote, if the result does not name it or it was moved; "
        "one for each result.",
    ),
]
Correction = Annotated[
    Literal["holm", "max_t", "bh", "benjamini_hochberg", "none"],
    typer.Option(
        metavar="METHOD",
        help="Correction for several comparisons: holm, max_t (of the largest statistic), bh "
        "(Benjamini and Hochberg; also benjamini_hochberg) or none.",
        rich_help_panel=STATISTICS,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_JOBS,
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
