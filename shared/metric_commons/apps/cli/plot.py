"""`metric-commons plot`: pictures of classification, regression and saved results."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ...data.files.stored import write_whole
from ...evaluation.results.results import Results
from ...evaluation.scoring.evaluations import Evaluation
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import assign
from ...reporting.plots.pictures import PICTURES, Kind, check, picture
from ..console.options import level, save_option, setting, settings_option
from ..console.outputs import check_written, say_written
from .score import check_usage
from .sources import file_names, named_systems


def plot(
    kind: Annotated[Kind, typer.Argument()],
    paths: Annotated[list[Path], typer.Argument(metavar="FILE")],
    save: Annotated[Path, save_option(metavar="FILE")],
    predictions: Annotated[
        list[str] | None, typer.Option("--predictions", "-p", metavar="[NAME=]FIELD")
    ] = None,
    references: Annotated[str | None, typer.Option("--references", "-r", metavar="FIELD")] = None,
    settings: Annotated[list[str] | None, settings_option()] = None,
    confidence: Annotated[float | None, typer.Option(metavar="LEVEL", parser=level)] = None,
) -> None:
    """Draw ROC curves, confusion matrices, residuals and others for one or more systems.

    metric-commons plot roc runs.jsonl --predictions bot --references gold
    --save roc.png

    roc, pr and calibration take scores or probabilities; confusion takes these
    or labels. residuals takes numbers. Files and fields are those of `score`.
    forest takes saved results, whose scores it draws with their intervals.

    Args:
        kind: The kind of picture.
        paths: Files of rows; of forest one result of `score --save`.
        predictions: Field of the predictions; repeatable, once per system.
        save: The picture, a .png, .svg or .pdf file.
        references: Field of the true labels or numbers.
        settings: Option of the module behind the picture, such as calibration_bins=15; repeatable.
            The value is read as JSON, otherwise as text.
        confidence: Level of the intervals of scores: by default 0.95 for classification, and no
            intervals for numbers, where they take long.
    """
    from ...reporting.plots.panels import PlottedSystem  # imports numpy

    if kind == "forest":
        from ...reporting.plots.bar_plots import forest

        check_written([save], paths)
        check(save)
        if len(paths) != 1 or predictions:
            raise UsageError("forest draws one saved result, such as result.json")
        write_whole(save, [forest(save, Results.read(paths[0]))])
        say_written(save)
        return
    if not predictions:
        raise UsageError("Missing option '--predictions' / '-p'.")
    needs = PICTURES[kind]
    evaluation = Evaluation(
        modules=[needs.module],
        systems=named_systems(file_names(paths), paths, predictions),
        references=references,
        options=dict(map(setting, settings or [])),
        confidence_level=needs.confidence_level if confidence is None else confidence,
    )
    check_written([save], evaluation.inputs())
    check(save)  # report a missing library before reading a large file
    check_usage(evaluation)
    module = needs.module
    options = {module: evaluation.metrics[module].options}
    requested = assign(evaluation.options or {}, options)[module]
    for option in needs.fixed_options:
        if option in requested:
            raise UsageError(f"--set: {kind} sets {option} itself")
    chosen = {**needs.default_options, **requested, **needs.fixed_options}
    chosen = {f"{module}.{name}": value for name, value in chosen.items()}
    results = replace(evaluation, options=chosen, rows=True).results()
    systems = {
        system: PlottedSystem(
            results.systems[system][module],
            tables[module].columns.get("predictions"),
            tables[module].columns.get("references"),
        )
        for system, tables in results.rows.items()
    }
    write_whole(save, [picture(save, kind, systems)])
    say_written(save)
