"""Options shared by several commands; those of a request are derived from its fields."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from ...data.files.access import default_limits, set_default
from ...module.catalog.request import HELP, annotations, check_jobs
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import arguments
from ...statistics.arguments.checks import check_choice
from ...statistics.arguments.domains import Level, Range
from ...statistics.intervals.methods import Assumption as AssumptionName
from ...statistics.intervals.methods import Method, score_bounds
from ...statistics.resampling.progress import set_quiet

# The panels of options in the help.
STATISTICS = "Intervals and comparisons"
OUTPUT = "Output"
READING = "Files and rows"
LOGS = "Logs of harnesses"

output_option = partial(typer.Option, rich_help_panel=OUTPUT)
reading_option = partial(typer.Option, rich_help_panel=READING)
log_option = partial(typer.Option, rich_help_panel=LOGS)
statistics_option = partial(typer.Option, rich_help_panel=STATISTICS)
save_option = partial(typer.Option, "--save", "-o")
settings_option = partial(typer.Option, "--set", metavar="OPTION=VALUE")

_MAX_INTEGER = 2**63 - 1  # that arrays can hold


# Groups of options


def with_groups(
    command: Callable[..., None], further: Sequence[Parameter] = ()
) -> Callable[..., None]:
    """Return the command with the fields of dataclasses as options in place of the dataclasses.

    The Args sections of the docstrings are the help of options.

    Args:
        command: a function; each parameter annotated with a dataclass is a group of options.
        further: options that act while the command line is read; the function does not take them.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: _options(hint) for name, hint in hints.items() if is_dataclass(hint)}
    texts = arguments(getdoc(command) or "")
    parameters = [
        option
        for name, parameter in signature(command).parameters.items()
        for option in groups.get(name) or [_option(name, hints[name], parameter.default, texts)]
    ]
    parameters += further

    @wraps(command)
    def grouped(**values: Any) -> None:
        for parameter in further:
            del values[parameter.name]
        for name, options in groups.items():
            values[name] = hints[name](**{item.name: values.pop(item.name) for item in options})
        command(**values)

    grouped.__doc__ = (getdoc(command) or "").partition("\n\nArgs:")[0]
    grouped.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    grouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return grouped


def _options(group: Any) -> list[Parameter]:
    """Return the fields of a dataclass as parameters."""
    annotations = get_type_hints(group, include_extras=True)
    texts: dict[str, str] = {}
    for kind in reversed(group.__mro__[:-1]):
        if "Args:" in (kind.__doc__ or ""):
            texts |= arguments(kind.__doc__)
    return [
        _option(item.name, annotations[item.name], item.default, texts)
        for item in fields(group)
        if item.init
    ]


def _option(name: str, annotation: Any, default: Any, texts: Mapping[str, str]) -> Parameter:
    """Return a parameter with its help, unless its annotation has one."""
    if name in texts:
        kind, *settings = (
            get_args(annotation) if hasattr(annotation, "__metadata__") else [annotation]
        )
        option = copy(settings[0]) if settings else typer.Option()
        option.help = texts[name]
        annotation = Annotated[kind, option]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def refuse(context: typer.Context, names: Sequence[str], reason: str) -> None:
    """Check that none of these options is on the command line.

    Args:
        context: the context of the command.
        names: the names of parameters.
        reason: the rest of a sentence that begins with the option.

    Raises:
        UsageError: one is.
    """
    flags = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name in names:
        if is_chosen(context, name):
            raise UsageError(f"{flags[name]} {reason}")


def one_field(cluster_by: Sequence[str] | None, purpose: str) -> str | None:
    """Return the field of clusters, if there is one.

    Raises:
        UsageError: there are several.
    """
    if cluster_by and cluster_by[1:]:
        raise UsageError(f"{purpose} takes one --cluster-by, not {len(cluster_by)}")
    return cluster_by[0] if cluster_by else None


def is_chosen(context: typer.Context, name: str) -> bool:
    """Return whether an option is on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


# Values of options


def one_of(flag: str, names: Callable[[], Sequence[str]]) -> Callable[[str | None], str | None]:
    """Return a callback that checks the value of an option, if there is one."""

    def check(name: str | None) -> str | None:
        if name:
            check_choice(flag, name, names())
        return name

    return check


def level(value: str | float) -> float:
    """Return a level such as 0.95, strictly between 0 and 1, from text or a default.

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
    """Return the arguments with which typer checks an annotation of `arguments.domains`."""
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
    """Return an integer that arrays can hold, from text or a default."""
    try:
        number = int(str(value))
    except ValueError as error:
        raise typer.BadParameter("it must be a valid integer") from error
    if not low <= number <= _MAX_INTEGER:
        side = f"greater than or equal to {low}" if number < low else f"at most {_MAX_INTEGER}"
        raise typer.BadParameter(f"it must be {side}")
    return number


def _set_limit(context: typer.Context, size: int | None) -> int | None:
    """Set the limit of content that is read as a whole, until the command ends."""
    earlier = default_limits()
    context.call_on_close(lambda: set_default(earlier))
    set_default(earlier.with_whole(size))
    return size


def setting(text: str) -> tuple[str, Any]:
    """Return an option and its value, parsed as JSON if possible, else a string.

    >>> setting("both_empty=0"), setting("normalizer=ultrarag"), setting("k=1,2")
    (('both_empty', 0), ('normalizer', 'ultrarag'), ('k', [1, 2]))
    """
    option, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set takes OPTION=VALUE, got {text!r}")
    for text in (value, f"[{value}]" if "," in value else value):  # 1,2 is a list of numbers
        with suppress(ValueError):
            return option, json.loads(text)
    return option, value


def correction_named(name: Any) -> Any:
    """Return the full name of a correction."""
    return "benjamini_hochberg" if name == "bh" else name


def _two_numbers(value: Any) -> tuple[float, float]:
    """Return the two numbers of a text such as 0,1."""
    try:
        return score_bounds([*map(float, str(value).split(","))])
    except ValueError as error:
        raise typer.BadParameter(f"expected LOW,HIGH, such as 0,1, got {value!r}") from error


def _check_processes(jobs: int | None) -> int | None:
    """Check that this number of processes can be started, and return it."""
    try:
        check_jobs(1 if jobs is None else jobs)
    except ValueError as error:
        raise UsageError(f"--{error}") from error
    return jobs


# Options that act while the command line is read

Quiet = Annotated[
    bool,
    output_option(
        "--quiet",
        "-q",
        callback=lambda value: set_quiet(quiet=value),
        help="Show no progress, no notes, and not which files were written.",
    ),
]
# The limit of every file that a command reads.
WholeLimit = Annotated[
    int | None,
    reading_option(
        "--max-unpacked",
        min=1,
        metavar="BYTES",
        callback=_set_limit,
        help="Refuse JSON documents, and files in archives, with more content. Until this is set, "
        "compressed files with more than 1,000 times their size are refused, too.",
        show_default="1 GiB",
    ),
]


# Options of a request


def request_option(field: str, *flags: str, panel: str | None = STATISTICS, **settings: Any) -> Any:
    """Return the option for a field of a request: its bounds and its help.

    Args:
        field: the field of the request.
        flags: the flags, if they differ from the name of the parameter.
        panel: the panel in the help.
        **settings: further arguments of `typer.Option`.
    """
    text = f"{HELP[field][0].upper()}{HELP[field][1:]}"
    bounds = _bounds(annotations()[field])
    return typer.Option(*flags, rich_help_panel=panel, **{"help": text, **bounds, **settings})


_CONFIDENCE = request_option("confidence_level", "--confidence", metavar="LEVEL")
Confidence = Annotated[float | None, _CONFIDENCE]
ConfidenceLevel = Annotated[float, _CONFIDENCE]  # where there always are intervals
ClusterBy = Annotated[list[str] | None, request_option("clusters", "--cluster-by", metavar="FIELD")]
Scores = Annotated[list[str] | None, request_option("scores", metavar="NAME", panel=None)]
Correction = Annotated[
    Literal["bonferroni", "holm", "bh", "benjamini_hochberg", "none"],
    request_option(
        "correction",
        metavar="METHOD",
        help="Correction for several comparisons: bonferroni, with simultaneous "
        "intervals; holm, bh (Benjamini and Hochberg; also benjamini_hochberg) or none.",
        callback=correction_named,
    ),
]
Assume = Annotated[AssumptionName, request_option("assume", metavar="LAW")]
Bounds = Annotated[
    Any,
    request_option("bounds", "--bounds", metavar="LOW,HIGH", parser=_two_numbers),
]


@dataclass(frozen=True)
class IntervalOptions:
    """The options of intervals, with the names that they have in a request."""

    n_resamples: Annotated[int, request_option("n_resamples", "--resamples", metavar="COUNT")] = (
        10_000
    )
    seed: Annotated[int, request_option("seed", metavar="NUMBER")] = 0
    confidence_level: Confidence = None
    interval: Annotated[
        Method,
        request_option(
            "interval",
            metavar="METHOD",
            help="How intervals are computed: auto chooses by the kind of score; each module has "
            f"some of {', '.join(get_args(Method)[1:])}.",
        ),
    ] = "auto"


@dataclass(frozen=True)
class RequestOptions(IntervalOptions):
    """The options of `score` that an evaluation takes unchanged.

    Args:
        references: Field of the references, or a file of them; several files of lines are several
            references of each text.
        columns: Field of a further input of the modules, such as sources=src; repeatable.
        options: Option of all modules, such as normalizer=ultrarag, or of one, such as
            qa_f1.both_empty=0; repeatable. The value is read as JSON, otherwise as text.
        preset: Options that reproduce another tool; `metric-commons presets` lists them.
        ids: Field that identifies each row. Saved results are matched by it.
        split_references: What separates the accepted answers in a cell of .csv and .tsv, such as
            '|'.
    """

    references: Annotated[
        list[str] | None,
        request_option("references", "--references", "-r", metavar="FIELD|FILE", panel=None),
    ] = None
    columns: Annotated[
        list[str] | None, request_option("columns", "--column", metavar="NAME=FIELD", panel=None)
    ] = None
    options: Annotated[
        list[str] | None,
        request_option("options", "--set", metavar="OPTION=VALUE", panel=None),
    ] = None
    preset: Annotated[
        str | None,
        request_option("preset", metavar="NAME", panel=None),
    ] = None
    clusters: ClusterBy = None
    standard_error: Annotated[bool, request_option("standard_error", "--standard-error")] = False
    compare: Annotated[bool, request_option("compare", "--compare")] = False
    scores: Scores = None
    correction: Correction = "bonferroni"
    assume: Assume = "exchangeable"
    bounds: Bounds = None
    groups: Annotated[
        str | None, request_option("groups", "--group-by", metavar="FIELD", panel=READING)
    ] = None
    ids: Annotated[str | None, request_option("ids", "--id", metavar="FIELD", panel=READING)] = None
    jobs: Annotated[
        int | None,
        request_option(
            "jobs",
            metavar="COUNT",
            panel=None,
            help=f"{HELP['jobs'].capitalize()} By default one for small files, and one per core "
            "for large files.",
            callback=_check_processes,
        ),
    ] = None
    split_references: Annotated[str | None, reading_option(metavar="TEXT")] = None


# Further options of several commands

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
    Path | None, output_option("--save", "-o", metavar="FILE", help="Write the result as JSON.")
]
PrintedFormat = Annotated[
    Literal["table", "json"], typer.Option("--format", help="Format of the printed output.")
]
Alpha = Annotated[
    float,
    statistics_option(metavar="LEVEL", parser=level, help="Significance level of the tests."),
]
Power = Annotated[
    float,
    statistics_option(
        metavar="POWER", parser=level, help="Desired power of the suggested number of rows."
    ),
]
Sort = Annotated[
    str | None,
    output_option(metavar="SCORE", help="Sort systems by this score, best first."),
]
Top = Annotated[
    int | None,
    output_option(min=1, metavar="COUNT", help="Show only the first COUNT systems."),
]
