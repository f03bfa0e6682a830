"""`plot`: pictures of classification, regression and saved results."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...data.files.stored import write_whole
from ...evaluation.results.results import Results
from ...evaluation.scoring.scoring import score
from ...module.catalog.catalog import load_without_evaluate
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import assign
from ...reporting.plots.pictures import PICTURES, Kind, check, picture
from ...statistics.arguments.checks import OptionError, check_choice
from ...statistics.arguments.domains import Level
from .findings import Saved


def plot(
    results: Saved | Sequence[Saved],
    kind: Kind,
    *,
    save: Path | None = None,
    predictions: str | Sequence[str] | Mapping[str, str] | None = None,
    references: str | None = None,
    options: Mapping[str, Any] | None = None,
    confidence_level: Level | None = None,
) -> bytes:
    """Draw ROC curves, confusion matrices, residuals and others for one or more systems.

    metric-commons plot roc runs.jsonl -p bot -r gold -o roc.png

    roc, pr and calibration take scores or probabilities; confusion takes these or labels. residuals
    takes numbers. Files and fields are those of `score`. forest takes saved results, whose scores
    it draws with their intervals.

    Args:
        results: Results with their rows; or files of rows, of forest one result of `score --save`.
        kind: The kind of picture.
        save: The picture to write, a .png, .svg or .pdf file.
        predictions: Field of the predictions; repeatable, once per system.
        references: Field of the true labels or numbers.
        options: Option of the module behind the picture, such as calibration_bins=15; repeatable.
            The value is read as JSON, otherwise as text.
        confidence_level: Level of the intervals of scores: by default 0.95 for classification, and
            no intervals for numbers, where they take long.

    Returns:
        The picture.
    """
    from ...reporting.plots.bar_plots import forest
    from ...reporting.plots.panels import PlottedSystem

    check_choice("kind", kind, [*PICTURES, "forest"])
    target = save or Path("picture.png")
    check(target)  # reports a missing library before a large file is read
    files: list[Any] = list(results) if isinstance(results, list | tuple) else [results]
    if kind == "forest":
        if len(files) != 1 or predictions:
            raise UsageError("forest draws one saved result, such as result.json")
        (saved,) = files
        shown = saved if isinstance(saved, Results) else Results.read(saved)
        return _written(save, forest(target, shown))
    needs = PICTURES[kind]
    if isinstance(files[0], Results):
        found = files[0]
    elif not predictions:
        raise UsageError("Missing option '--predictions' / '-p'.")
    else:
        defaults = {needs.module: load_without_evaluate(needs.module).options}
        requested = assign(options or {}, defaults)[needs.module]
        for option in needs.fixed_options:
            if option in requested:
                raise OptionError("options", f": {kind} sets {option} itself")
        found = score(
            needs.module,
            files,
            predictions=predictions,
            references=references,
            options={**needs.default_options, **requested, **needs.fixed_options},
            confidence_level=confidence_level or needs.confidence_level,
            rows=True,
        )
    systems = {
        system: PlottedSystem(
            found.systems[system][needs.module],
            tables[needs.module].columns.get("predictions"),
            tables[needs.module].columns.get("references"),
        )
        for system, tables in found.rows.items()
    }
    return _written(save, picture(target, kind, systems))


def _written(save: Path | None, drawn: bytes) -> bytes:
    if save is not None:
        write_whole(save, [drawn])
    return drawn
