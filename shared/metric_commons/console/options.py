"""Options that several commands have; those of a request are made from its fields."""

import math
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from ..catalog.usage import UsageError
from ..numbers.domains import Level, Range
from ..scoring.request import DEFAULTS, HELP, annotations
from ..scoring.worker_processes import check_jobs
from ..statistics.methods import Method

# The boxes that help sorts options into.
STATISTICS = "Intervals and comparisons"
OUTPUT = "Output"
READING = "Files and rows"
LOGS = "Logs of harnesses"

_LARGEST = 2**63 - 1  # of integers, which arrays can hold


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


def _bounds(annotation: Any) -> dict[str, Any]:
    """How typer checks what an annotation of `numbers/domains` allows."""
    members = [annotation, *get_args(annotation)]
    if Level in members:
        return {"parser": share}
    for member in members:
        for marker in get_args(member)[1:]:
            if isinstance(marker, Range):
                return {"min": int(marker.low), "max": int(min(marker.high, _LARGEST))}
    return {}


def request_option(
    field: str,
    *flags: str,
    metavar: str | None = None,
    panel: str | None = STATISTICS,
    text: str | None = None,
) -> Any:
    """The option for a field of a request: its bounds and its help.

    Args:
        field: of the request.
        flags: what a person types, if that is not the name of the parameter.
        metavar: what stands for the value in the help.
        panel: the box in the help.
        text: a help other than that of the field.
    """
    about = text or f"{HELP[field][0].upper()}{HELP[field][1:]}"
    return typer.Option(
        *flags,
        metavar=metavar,
        help=about,
        rich_help_panel=panel,
        **_bounds(annotations()[field]),
    )


Confidence = Annotated[
    float | None, request_option("confidence_level", "--confidence", metavar="LEVEL")
]
IntervalMethod = Annotated[
    Method,
    request_option(
        "interval",
        metavar="METHOD",
        text=f"How intervals are computed: {', '.join(get_args(Method))}. auto chooses by the kind "
        "of score.",
    ),
]
ClusterBy = Annotated[str | None, request_option("clusters", "--cluster-by", metavar="FIELD")]
Resamples = Annotated[int, request_option("n_resamples", "--resamples", metavar="COUNT")]
Seed = Annotated[int, request_option("seed", metavar="NUMBER")]
Scores = Annotated[list[str] | None, request_option("scores", metavar="NAME", panel=None)]
Correction = Annotated[
    Literal["holm", "max_t", "bh", "benjamini_hochberg", "none"],
    request_option(
        "correction",
        metavar="METHOD",
        text="Correction for several comparisons: holm, max_t (of the largest statistic), bh "
        "(Benjamini and Hochberg; also benjamini_hochberg) or none.",
    ),
]
Jobs = Annotated[
    int | None,
    request_option(
        "jobs",
        metavar="COUNT",
        panel=None,
        text=f"{HELP['jobs'].capitalize()} Without it one for small files, and for large ones as "
        "many as there are cores.",
    ),
]
Preset = Annotated[
    str | None,
    request_option(
        "preset",
        metavar="NAME",
        panel=None,
        text="Options that reproduce another tool; `metric-commons presets` lists them.",
    ),
]
References = Annotated[str | None, request_option("references", metavar="FIELD", panel=None)]
Settings = Annotated[
    list[str] | None,
    request_option(
        "options",
        "--set",
        metavar="OPTION=VALUE",
        panel=None,
        text="Option of all modules, such as normalizer=ultrarag, or of one, such as "
        "qa_f1.both_empty=0; repeatable. The value is read as JSON, otherwise as text.",
    ),
]
# The fields of a request that the command `score` takes as they are.
_REQUEST: Mapping[str, Any] = {
    "references": References,
    "options": Settings,
    "preset": Preset,
    "confidence_level": Confidence,
    "interval": IntervalMethod,
    "clusters": ClusterBy,
    "standard_error": Annotated[bool, request_option("standard_error", "--standard-error")],
    "compare": Annotated[bool, request_option("compare", "--compare")],
    "scores": Scores,
    "correction": Correction,
    "n_resamples": Resamples,
    "seed": Seed,
    "groups": Annotated[
        str | None, request_option("groups", "--group-by", metavar="FIELD", panel=READING)
    ],
    "ids": Annotated[
        str | None,
        request_option(
            "ids",
            "--id",
            metavar="FIELD",
            panel=READING,
            text="Field that identifies each row. Saved results are matched by it; rankings need "
            "it with --partial.",
        ),
    ],
}


def with_request(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which takes the fields of a request in place of its `**request`."""
    words, predictions, *parameters, _ = signature(command).parameters.values()
    fields = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=DEFAULTS[name], annotation=annotation)
        for name, annotation in _REQUEST.items()
    ]
    command.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
        parameters=[words, predictions, *fields, *parameters]
    )
    command.__annotations__ |= _REQUEST
    return command


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


def check_processes(jobs: int | None) -> None:
    """Check that this number of processes can be started.

    Raises:
        UsageError: they cannot.
    """
    try:
        check_jobs(1 if jobs is None else jobs)
    except ValueError as error:
        raise UsageError(f"--{error}") from error


def correction_named(name: str) -> Any:
    """The whole name of a correction."""
    return {"bh": "benjamini_hochberg"}.get(name, name)
