"""`metric-commons plot`: pictures of classification, regression and saved results."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data.files.stored import write_whole
from ...evaluation.results.results import Results
from ...evaluation.scoring.evaluations import Evaluation
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import assign
from ...reporting.plots.pictures import PICTURES, Kind, check, picture
from ...statistics.arguments.checks import check_choice
from ...statistics.arguments.domains import Level
from ..console.commands import command
from ..console.outputs import check_written, say_written
from .score import check_usage
from .sources import file_names, named_systems


def plot(
    kind: Kind,
    files: list[Path],
    *,
    save: Path,
    predictions: list[str] | None = None,
    references: str | None = None,
    options: dict[str, Any] | None = None,
    confidence_level: Level | None = None,
) -> None:
    """Draw ROC curves, confusion matrices, residuals and others for one or more systems.

    metric-commons plot roc runs.jsonl -p bot -r gold -o roc.png

    roc, pr and calibration take scores or probabilities; confusion takes these
    or labels. residuals takes numbers. Files and fields are those of `score`.
    forest takes saved results, whose scores it draws with their intervals.

    Args:
        kind: The kind of picture.
        files: Files of rows; of forest one result of `score --save`.
        predictions: Field of the predictions; repeatable, once per system.
        save: The picture, a .png, .svg or .pdf file.
        references: Field of the true labels or numbers.
        options: Option of the module behind the picture, such as calibration_bins=15; repeatable.
            The value is read as JSON, otherwise as text.
        confidence_level: Level of the intervals of scores: by default 0.95 for classification, and
            no intervals for numbers, where they take long.
    """
    from ...reporting.plots.panels import PlottedSystem  # imports numpy

    check_choice("KIND", kind, [*PICTURES, "forest"])
    if kind == "forest":
        from ...reporting.plots.bar_plots import forest

        check_written([save], files)
        check(save)
        if len(files) != 1 or predictions:
            raise UsageError("forest draws one saved result, such as result.json")
        write_whole(save, [forest(save, Results.read(files[0]))])
        say_written(save)
        return
    if not predictions:
        raise UsageError("Missing option '--predictions' / '-p'.")
    needs = PICTURES[kind]
    evaluation = Evaluation(
        modules=[needs.module],
        systems=named_systems(file_names(files), files, predictions),
        references=references,
        options=options,
        confidence_level=confidence_level or needs.confidence_level,
    )
    check_written([save], evaluation.inputs())
    check(save)  # report a missing library before reading a large file
    check_usage(evaluation)
    module = needs.module
    requested = assign(options or {}, {module: evaluation.metrics[module].options})[module]
    for option in needs.fixed_options:
        if option in requested:
            raise UsageError(f"--set: {kind} sets {option} itself")
    chosen = {**needs.default_options, **requested, **needs.fixed_options}
    settings = {f"{module}.{name}": value for name, value in chosen.items()}
    results = replace(evaluation, options=settings, rows=True).results()
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


COMMANDS = {"plot": command(plot)}
