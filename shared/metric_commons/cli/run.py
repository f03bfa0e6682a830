"""`metric-commons run`: an evaluation described in a file."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..catalog.usage import UsageError
from ..console.options import (
    Caption,
    Decimals,
    LatexLabel,
    Percent,
    Quiet,
    Sort,
    TableKind,
    WholeLimit,
    correction_named,
)
from ..console.outputs import OptionalOutputFormat, Outputs, Presentation
from ..files.access import default_limits
from ..numbers.checks import OptionError, nearest

if TYPE_CHECKING:
    from ..console.config import Config
    from ..scoring.evaluations import Evaluation


def run(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG", help="A file like that of `init`, or a parameter file of UltraRAG."
        ),
    ],
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Options that reproduce another tool, instead of those in the file.",
        ),
    ] = None,
    format_name: OptionalOutputFormat = None,
    sort: Sort = None,
    digits: Decimals = None,
    percent: Percent = False,
    table: TableKind = None,
    caption: Caption = "",
    latex_label: LatexLabel = "",
    quiet: Quiet = False,
    profile: Annotated[
        Literal["ultrarag", "ultrarag-main", "standard"] | None,
        typer.Option(
            metavar="PROFILE",
            help="For a file of UltraRAG: ultrarag (its scores; the default), ultrarag-main (those "
            "after 0.3.0) or standard (without its peculiarities).",
        ),
    ] = None,
    max_unpacked: WholeLimit = None,
) -> None:
    """Run an evaluation that is described in a YAML file.

    metric-commons init capitals.yaml && metric-commons run capitals.yaml

    The file is checked before any data is read. Paths in it are relative to the
    working directory. A parameter file of UltraRAG gives the scores of its
    evaluation server; sections for other servers are ignored.
    """
    from ..console import config
    from . import ultrarag

    document = config.read(path)
    if ultrarag.is_parameters(document.content):
        of_tables = {"--sort": sort, "--digits": digits, "--percent": percent or None}
        of_tables |= {
            "--table": table,
            "--caption": caption or None,
            "--label": latex_label or None,
        }
        for option, value in {"--preset": preset, "--format": format_name, **of_tables}.items():
            if value is not None:
                raise UsageError(f"{option} does not apply to a parameter file of UltraRAG")
        ultrarag.run(path, document, profile or "ultrarag")
        return
    if profile is not None:
        raise UsageError("--profile is for parameter files of UltraRAG")
    for key, line in document.repeated:
        raise ValueError(f"{path}: key {key!r}: is repeated in line {line}")
    content = config.written_out(document.content)
    config_of_file = config.validated(config.Config, content, path)
    if preset is not None:
        config_of_file, content = (
            replace(config_of_file, preset=preset),
            content | {"preset": preset},
        )
    evaluation = _evaluation(config_of_file, path)
    outputs = Outputs(
        Presentation(
            format_name or config_of_file.outputs.format,
            digits,
            percent,
            table,
            caption,
            latex_label,
        ),
        save=_path(config_of_file.outputs.save),
        per_example=_path(config_of_file.outputs.per_example),
        html=_path(config_of_file.outputs.html),
    )
    outputs.check([path, *evaluation.inputs()])
    try:
        results = evaluation.results()
    except OptionError as error:
        raise ValueError(f"{path}: {error}") from error  # the file is wrong, not the command line
    described = config.with_ordered_keys(config.Config, content)
    results = replace(results, provenance=results.provenance | {"config": described})
    outputs.write(results if sort is None else results.sort(sort))


def init(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")
    ] = Path("metric-commons.yaml"),
    quiet: Quiet = False,
) -> None:
    """Write an example of a configuration file with comments."""
    from ..console.config import EXAMPLE
    from ..files.stored import write_whole
    from ..results.rendering import message_line

    if path.exists():
        raise UsageError(f"{path} exists; name another file")
    write_whole(path, [EXAMPLE])
    if not quiet:
        typer.echo(message_line(f"created {path}; try: metric-commons run {path}"), err=True)


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


def _evaluation(config_of_file: "Config", path: Path) -> "Evaluation":
    """The evaluation that the file describes; errors name the key."""
    from ..console.config import key_error
    from ..score_kinds.score_kind import kind_of
    from ..scoring.evaluations import Evaluation

    if not config_of_file.modules:
        raise key_error(path, ["modules"], "needs at least one module")
    metrics, fields = _checked_modules(config_of_file, path), config_of_file.data.fields
    systems = _systems(config_of_file, path)
    by_row = any(kind_of(metric).separates_rows for metric in metrics.values())
    compare = (
        len(systems) > 1 and by_row if config_of_file.compare is None else config_of_file.compare
    )
    if compare and len(systems) < 2:
        raise key_error(path, ["compare"], "needs at least two systems")
    if not by_row and (compare or config_of_file.outputs.per_example):
        key = ["compare"] if compare else ["outputs", "per_example"]
        raise key_error(path, key, "needs a module that scores row by row")
    evaluation = Evaluation(
        modules=list(config_of_file.modules),
        systems=systems,
        references=fields.references,
        groups=fields.groups,
        clusters=fields.clusters,
        ids=fields.id,
        common=_path(config_of_file.data.path),
        format_name=config_of_file.data.format,
        limit=config_of_file.data.limit,
        limits=default_limits().with_whole(config_of_file.data.max_unpacked),
        options={
            f"{module}.{option}": value
            for module, options in config_of_file.modules.items()
            for option, value in options.items()
        },
        preset=config_of_file.preset,
        **config_of_file.intervals,
        compare=compare,
        scores=config_of_file.scores,
        correction=correction_named(config_of_file.correction),
        jobs=config_of_file.jobs,
        per_example=by_row
        and (config_of_file.outputs.per_example or config_of_file.outputs.html) is not None,
    )
    is_saved = config_of_file.outputs.save is not None  # with counts of clusters
    if fields.clusters is not None and not (evaluation.uses_clusters or is_saved):
        problem = "changes only intervals and tests; set confidence_level or compare"
        raise key_error(path, ["data", "fields", "clusters"], problem)
    return evaluation


def _checked_modules(config_of_file: "Config", path: Path) -> dict[str, Any]:
    """The modules, checked for their names, options, inputs and preset."""
    from ..base.declarations import is_assignable
    from ..catalog import catalog
    from ..catalog.field_names import suggestion
    from ..catalog.presets import preset_options
    from ..console.config import key_error

    modules = catalog.names()
    metrics = {}
    for module, options in config_of_file.modules.items():
        if module not in modules:
            hint = suggestion(module, modules) or f"; the modules are {', '.join(modules)}"
            raise key_error(path, ["modules", module], f"there is no such module{hint}")
        metric = metrics[module] = catalog.load_without_evaluate(module)
        accepted = list(filter(is_assignable, metric.options))
        for option in options:
            if option not in accepted:
                hint = nearest(option, accepted) or f"; the options are {', '.join(accepted)}"
                raise key_error(path, ["modules", module, option], f"there is no such option{hint}")
        inputs = metric.input_names
        if "predictions" not in inputs:
            problem = f"takes {', '.join(inputs)}, not rows; set 'compare' to compare systems"
            raise key_error(path, ["modules", module], problem)
        if "references" in metric.required_inputs and config_of_file.data.fields.references is None:
            raise key_error(
                path, ["data", "fields", "references"], f"is missing; {module} needs it"
            )
    try:
        if config_of_file.preset is not None:
            preset_options(config_of_file.preset, list(config_of_file.modules))
    except ValueError as error:
        raise key_error(path, ["preset"], str(error)) from error
    return metrics


def _systems(config_of_file: "Config", path: Path) -> dict[str, tuple[Path, str]]:
    """The file and field of each system's predictions."""
    from ..console.config import key_error

    shared, field = config_of_file.data.path, config_of_file.data.fields.predictions
    if not config_of_file.systems:
        if shared is None:
            raise key_error(
                path, ["data", "path"], "is missing, and there are no systems with paths"
            )
        if field is None:
            raise key_error(
                path, ["data", "fields", "predictions"], "is missing, and so are systems"
            )
        return {field: (Path(shared), field)}
    systems = {}
    for name, system in config_of_file.systems.items():
        keys = ["systems", name]
        accepted, predictions = system.path or shared, system.predictions or field
        if accepted is None:
            raise key_error(path, [*keys, "path"], "is missing, and so is data.path")
        if predictions is None:
            raise key_error(
                path, [*keys, "predictions"], "is missing, and so is data.fields.predictions"
            )
        systems[name] = Path(accepted), predictions
    return systems
