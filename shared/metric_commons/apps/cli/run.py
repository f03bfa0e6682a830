"""`metric-commons run`: an evaluation described in a file."""

from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...module.catalog.request import Reporting
from ...statistics.arguments.checks import OptionError, nearest
from ...statistics.resampling.progress import is_quiet
from ..console.options import Sort, correction_named, is_chosen, refuse
from ..console.outputs import Outputs, Presentation

if TYPE_CHECKING:
    from ...evaluation.scoring.evaluations import Evaluation
    from ...module.declaration.declarations import Module
    from ..console.config import Config


def run(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="CONFIG")],
    *,
    preset: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    sort: Sort = None,
    presentation: Presentation,
) -> None:
    """Run an evaluation that is described in a YAML file.

    metric-commons run examples/capitals.yaml

    The file is checked before any data is read. Paths in it are relative to the
    working directory. A parameter file of UltraRAG gives the scores of its
    evaluation server; sections for other servers are ignored. --format takes
    the place of the format in the file.

    Args:
        path: A file like examples/capitals.yaml, or a parameter file of UltraRAG.
        preset: Options that reproduce another tool, instead of those in the file.
    """
    from ..console import config
    from . import ultrarag

    document = config.read(path)
    if ultrarag.is_parameters(document.content):
        of_results = ["preset", "sort", *vars(presentation)]
        refuse(context, of_results, "does not apply to a parameter file of UltraRAG")
        ultrarag.run(path, document)
        return
    for key, line in document.repeated:
        raise ValueError(f"{path}: key {key!r}: is repeated in line {line}")
    content = config.written_out(document.content)
    described = config.validated(config.Config, content, path)
    if preset is not None:
        described, content = replace(described, preset=preset), content | {"preset": preset}
    evaluation = _evaluation(described, path)
    files = described.outputs
    if not is_chosen(context, "format_name"):
        presentation = replace(presentation, format_name=files.format)
    names = (files.save, files.rows, files.html)
    save, rows, html = (Path(name) if name else None for name in names)
    outputs = Outputs(presentation, save, rows, html, sort)
    outputs.check([path, *evaluation.inputs()])
    try:
        results = evaluation.results()
    except OptionError as error:
        raise ValueError(f"{path}: {error}") from error  # the file is wrong, not the command line
    outputs.write(replace(results, provenance=results.provenance | {"config": content}))
    for note in [] if is_quiet() else evaluation.notes.lines():
        typer.echo(f"note: {note}", err=True)


def _evaluation(content: "Config", path: Path) -> "Evaluation":
    """Return the evaluation that the file describes; errors name the key."""
    from ...evaluation.scoring.evaluations import Evaluation
    from ...evaluation.scoring.log_evaluations import LogEvaluation
    from ..console.config import key_error

    metrics, options = _checked_modules(content, path)
    systems = _systems(content, path, metrics.values())
    columns, outputs = content.data.fields, content.outputs
    compare = len(systems) > 1 if content.compare is None else content.compare
    if compare and len(systems) < 2:
        raise key_error(path, ["compare"], "needs at least two systems")
    reporting = {item.name: getattr(content, item.name) for item in fields(Reporting)}
    reporting |= {"compare": compare, "correction": correction_named(content.correction)}
    request = {
        "modules": list(metrics),
        "systems": systems,
        "references": columns.references,
        "groups": columns.groups,
        "clusters": columns.clusters,
        "ids": columns.id,
        "columns": columns.columns,
        "format_name": content.data.format,
        "limit": content.data.limit,
        "options": options,
        **reporting,
        "rows": bool(outputs.rows or outputs.html),
    }
    shared = content.data.path
    if shared is None or all(file == Path(shared) for file, _ in systems.values()):
        evaluation = Evaluation(**request)
    else:
        evaluation = LogEvaluation(**request, answers=[Path(shared)], common=True)
    is_saved = outputs.save is not None  # with the number of clusters
    if columns.clusters is not None and not (evaluation.uses_clusters or is_saved):
        problem = "changes only intervals and tests; set confidence_level or compare"
        raise key_error(path, ["data", "fields", "clusters"], problem)
    return evaluation


def _checked_modules(content: "Config", path: Path) -> tuple[dict[str, "Module"], dict[str, Any]]:
    """Return the modules and their options, checked for names, inputs and preset."""
    from ...module.catalog.catalog import load_without_evaluate, name_of
    from ...module.catalog.presets import preset_options
    from ...module.declaration.declarations import is_assignable
    from ..console.config import key_error

    if not content.modules:
        raise key_error(path, ["modules"], "needs at least one module")
    metrics: dict[str, Module] = {}
    values = {}
    for module, options in content.modules.items():
        try:
            name = name_of(module)
            metric = metrics[name] = load_without_evaluate(name)
        except ValueError as error:
            raise key_error(path, ["modules", module], str(error)) from error
        accepted = list(filter(is_assignable, metric.options))
        for option, value in options.items():
            if option not in accepted:
                hint = nearest(option, accepted) or f"; the options are {', '.join(accepted)}"
                raise key_error(path, ["modules", module, option], f"unknown option{hint}")
            values[f"{name}.{option}"] = value
        if "references" in metric.required_inputs and content.data.fields.references is None:
            problem = f"is missing; {name} needs it"
            raise key_error(path, ["data", "fields", "references"], problem)
    try:
        if content.preset is not None:
            preset_options(content.preset, metrics)
    except ValueError as error:
        raise key_error(path, ["preset"], str(error)) from error
    return metrics, values


def _systems(
    content: "Config", path: Path, metrics: Iterable["Module"]
) -> dict[str, tuple[Path, str]]:
    """Return the file and field of each system's predictions."""
    from ..console.config import key_error

    shared, field = content.data.path, content.data.fields.predictions
    if not content.systems:
        if shared is None:
            problem = "is missing, and there are no systems with paths"
            raise key_error(path, ["data", "path"], problem)
        if field is None and any("predictions" in metric.required_inputs for metric in metrics):
            problem = "is missing, and so are systems"
            raise key_error(path, ["data", "fields", "predictions"], problem)
        return {field or Path(shared).stem: (Path(shared), field or "")}
    systems = {}
    for name, system in content.systems.items():
        file, predictions = system.path or shared, system.predictions or field
        if file is None:
            raise key_error(path, ["systems", name, "path"], "is missing, and so is data.path")
        if predictions is None:
            problem = "is missing, and so is data.fields.predictions"
            raise key_error(path, ["systems", name, "predictions"], problem)
        systems[name] = Path(file), predictions
    return systems
