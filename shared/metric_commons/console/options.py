"""Options shared by several commands; those of a request are derived from its fields."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from ..catalog import catalog
from ..catalog.presets import PRESETS
from ..catalog.request import DEFAULTS, HELP, annotations, check_jobs
from ..catalog.usage import UsageError
from ..files.access import default_limits, set_default
from ..numbers.domains import Level, Range
from ..numbers.progress import set_quiet
from ..results.rendering import KINDS
from ..statistics.methods import Method

# The panels of options in the help.
STATISTICS = "Intervals and comparisons"
OUTPUT = "Output"
READING = "Files and rows"
LOGS = "Logs of harnesses"

_MAX_INTEGER = 2**63 - 1  # that arrays can hold


def level(value: str | float) -> float:
    """A level such as 0.95, strictly between 0 and 1, from text or a default.

    >>> level("0.95")
    0.95

    Raises:
        typer.BadParameter: it is not; for a percentage, the message suggests the number.
    """
    text = str(value)
    number = text.strip().removesuffix("%")
    try:
        parsed = float(number)
    except ValueError:
        parsed = math.nan
    if 0 < parsed < 1 and not text.strip().endswith("%"):
        return parsed
    hint = f", such as {parsed / 100:g}" if 1 < parsed < 100 else ", such as 0.95"
    raise typer.BadParameter(f"it must be a number between 0 and 1{hint}; got {text!r}")


def _bounds(annotation: Any) -> dict[str, Any]:
    """The arguments with which typer checks an annotation of `numbers/domains`."""
    members = [annotation, *get_args(annotation)]
    if Level in members:
        return {"parser": level}
    for member in members:
        for marker in get_args(member)[1:]:
            if isinstance(marker, Range):
                if marker.high > _MAX_INTEGER:  # a bound that the help need not show
                    return {"parser": partial(_whole_number, low=int(marker.low))}
                return {"min": int(marker.low), "max": int(marker.high)}
    return {}


def _whole_number(value: str | int, low: int) -> int:
    """An integer that arrays can hold, from text or a default."""
    try:
        number = int(str(value))
    except ValueError as error:
        raise typer.BadParameter("it must be a valid integer") from error
    if not low <= number <= _MAX_INTEGER:
        side = f"greater than or equal to {low}" if number < low else f"at most {_MAX_INTEGER}"
        raise typer.BadParameter(f"it must be {side}")
    return number


def _set_limit(context: typer.Context, size: int | None) -> int | None:
    """Set the limit of what is read as a whole, until the command ends."""
    earlier = default_limits()
    context.call_on_close(lambda: set_default(earlier))
    set_default(earlier.with_whole(size))
    return size


# The limit of every file that a command reads, so the commands themselves need not pass it on.
WholeLimit = Annotated[
    int | None,
    typer.Option(
        "--max-unpacked",
        min=1,
        metavar="BYTES",
        callback=_set_limit,
        help="Refuse JSON documents, and files in archives, with more content. Until this is set, "
        "compressed files with more than 1,000 times their size are refused, too.",
        show_default="1 GiB",
        rich_help_panel=READING,
    ),
]


def modules_like(incomplete: str) -> Iterator[str]:
    """The names of modules that begin with a text, for completion."""
    return (name for name in catalog.names() if name.startswith(incomplete))


def modules_and_files_like(incomplete: str) -> Iterator[str]:
    """The modules, files and folders that begin with a text, for completion."""
    yield from modules_like(incomplete)
    folder, _, start = incomplete.rpartition("/")
    parent = Path(folder or (incomplete[:1] if incomplete.startswith("/") else "."))
    for path in sorted(parent.iterdir()) if parent.is_dir() else ():
        if path.name.startswith(start) and (start or not path.name.startswith(".")):
            yield f"{folder}/{path.name}" if "/" in incomplete else path.name


def presets_like(incomplete: str) -> Iterator[str]:
    """The names of presets that begin with a text, for completion."""
    return (name for name in PRESETS if name.startswith(incomplete))


def request_option(
    field: str,
    *flags: str,
    metavar: str | None = None,
    panel: str | None = STATISTICS,
    text: str | None = None,
    complete: Callable[[str], Iterator[str]] | None = None,
) -> Any:
    """The option for a field of a request: its bounds and its help.

    Args:
        field: the field of the request.
        flags: the flags, if they differ from the name of the parameter.
        metavar: the placeholder of the value in the help.
        panel: the panel in the help.
        text: the help, if it differs from that of the field.
        complete: the values that a shell offers for what was typed.
    """
    about = text or f"{HELP[field][0].upper()}{HELP[field][1:]}"
    return typer.Option(
        *flags,
        metavar=metavar,
        help=about,
        rich_help_panel=panel,
        autocompletion=complete,
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
        text="Correction for several comparisons: holm, max_t (single-step), bh (Benjamini and "
        "Hochberg; also benjamini_hochberg) or none.",
    ),
]
Jobs = Annotated[
    int | None,
    request_option(
        "jobs",
        metavar="COUNT",
        panel=None,
        text=f"{HELP['jobs'].capitalize()} By default one for small files, and one per core for "
        "large files.",
    ),
]
Preset = Annotated[
    str | None,
    request_option(
        "preset",
        metavar="NAME",
        panel=None,
        text="Options that reproduce another tool; `metric-commons presets` lists them.",
        complete=presets_like,
    ),
]
References = Annotated[
    str | None, request_option("references", "--references", "-r", metavar="FIELD", panel=None)
]
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
# The fields of a request that the command `score` takes unchanged.
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
    """The command with the fields of a request as parameters in place of `**request`."""
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
SplitReferences = Annotated[
    str | None,
    typer.Option(
        "--split-references",
        metavar="TEXT",
        help="What separates the accepted answers in a cell of .csv and .tsv, such as '|'.",
        rich_help_panel=READING,
    ),
]
Predictions = Annotated[
    list[str] | None,
    typer.Option(
        "--predictions",
        "-p",
        metavar="[NAME=]FIELD",
        help="Field of the predictions; not needed for logs. Repeat it for each system.",
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save", "-o", metavar="FILE", help="Write the result as JSON.", rich_help_panel=OUTPUT
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=lambda value: set_quiet(quiet=value),
        help="Show no progress, no notes, and not which files were written.",
        rich_help_panel=OUTPUT,
    ),
]
Alpha = Annotated[
    float,
    typer.Option(
        metavar="LEVEL",
        parser=level,
        help="Significance level of the tests.",
        rich_help_panel=STATISTICS,
    ),
]
Power = Annotated[
    float,
    typer.Option(
        metavar="POWER",
        parser=level,
        help="Desired power of the suggested number of rows.",
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
Decimals = Annotated[
    int | None,
    typer.Option(
        "--digits",
        min=0,
        max=15,
        metavar="COUNT",
        help="Decimals in tables; by default no more than the intervals support, and at most four.",
        rich_help_panel=OUTPUT,
    ),
]
Percent = Annotated[
    bool,
    typer.Option("--percent", help="Show proportions in percent.", rich_help_panel=OUTPUT),
]
TableKind = Annotated[
    Literal["scores", "groups", "parts", "ranks", "differences", "all"] | None,
    typer.Option(
        "--table",
        metavar="KIND",
        help=f"Which table to print: {', '.join(KINDS)} or all. By default all, and in LaTeX the "
        "main one.",
        rich_help_panel=OUTPUT,
    ),
]
Caption = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="Caption of the table, with --format latex.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]
LatexLabel = Annotated[
    str,
    typer.Option(
        "--label",
        metavar="NAME",
        help="Label of the table, such as tab:nq, with --format latex.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]
Rows = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="File written by --per-example, if the result does not name it or it was moved; "
        "one for each result.",
    ),
]


def check_processes(jobs: int | None) -> None:
    """Check that this number of processes can be started.

    Raises:
        UsageError: it cannot.
    """
    try:
        check_jobs(1 if jobs is None else jobs)
    except ValueError as error:
        raise UsageError(f"--{error}") from error


def correction_named(name: str) -> Any:
    """The full name of a correction."""
    return {"bh": "benjamini_hochberg"}.get(name, name)
