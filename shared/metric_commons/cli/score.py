"""`metric-commons score`: files in, one result out."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..evaluation import catalog
from ..evaluation.arguments import assign, input_names
from ..evaluation.evaluations import Evaluation
from ..evaluation.log_evaluations import LogEvaluation
from ..evaluation.presets import preset_options
from ..evaluation.samples import LOGGED
from ..evaluation.usage import UsageError, check_outputs
from ..files.selections import Selection
from ..files.streams import STANDARD_INPUT, Limits
from ..numbers.checks import nearest
from .options import (
    AllowEmptyReferences,
    ClusterBy,
    Confidence,
    Correction,
    IntervalMethod,
    Jobs,
    OptionalPredictions,
    Resamples,
    Save,
    Scores,
    Seed,
    check_processes,
    correction_named,
)
from .outputs import Form, Outputs
from .sources import (
    LIMITS,
    Answers,
    Conditions,
    Filter,
    Incomplete,
    LineLimit,
    MetricName,
    MissingSamples,
    Origin,
    ReduceIds,
    SizeLimit,
    SystemField,
    conditions,
    evaluation_on,
    opened,
)


def score(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="MODULE|FILE",
            help="Names of modules, as `metric-commons list` has them, and files.",
        ),
    ],
    predictions: OptionalPredictions = None,
    references: Annotated[
        str | None,
        typer.Option(metavar="FIELD", help="Field of the references: strings, or lists of them."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help="Option of the modules, such as normalizer=ultrarag, or of one module, such as "
            "qa_f1.both_empty=0. The value is JSON, or else a string.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A community's options, as in `metric-commons presets`."),
    ] = None,
    confidence: Confidence = None,
    interval: IntervalMethod = "auto",
    cluster_by: ClusterBy = None,
    standard_error: Annotated[
        bool, typer.Option("--standard-error", help="Also report the standard error of each score.")
    ] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare every two systems, which have the same rows."),
    ] = False,
    scores: Scores = None,
    correction: Correction = "holm",
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    group_by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Also score the rows of each label apart.")
    ] = None,
    id_field: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="FIELD",
            help="Field that identifies rows; results are compared by it, and rankings need it "
            "to be merged.",
        ),
    ] = None,
    origin: Origin = None,
    answers: Answers = None,
    system: SystemField = None,
    filter_name: Filter = None,
    condition_texts: Conditions = None,
    metric: MetricName = None,
    missing: MissingSamples = "refuse",
    reduce: ReduceIds = None,
    incomplete: Incomplete = False,
    line_limit: LineLimit = LIMITS.line,
    size_limit: SizeLimit = LIMITS.content,
    allow_empty_references: AllowEmptyReferences = False,
    per_example: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the scores of each row, as JSONL.")
    ] = None,
    partial: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write what `metric-commons merge` needs of these rows, and no scores.",
        ),
    ] = None,
    save: Save = None,
    jobs: Jobs = None,
    form: Form = "table",
) -> None:
    """Score the predictions of one or several systems with one or several modules.

    metric-commons score qa_em qa_f1 runs.jsonl --predictions bot --references gold

    A file is .jsonl, .json (a list of objects, or {"data": [...]}), .csv, .tsv
    or .parquet; all but the last may be gzipped, as .jsonl.gz. A field a.b is b
    inside a. Values are taken as they are written: cells of .csv and .tsv are
    strings, but a column in which every cell is a JSON list holds these lists,
    and numbers are numbers if all modules take numbers there.
    """
    check_processes(jobs)
    modules, paths = _sorted_out(words)
    outputs = Outputs(form=form, save=save, per_example=per_example)
    outputs.check([*paths, *filter(None, [answers])])
    is_complete = not incomplete and missing != "skip"
    selection = Selection(
        filter_name, conditions(condition_texts or []), incomplete=not is_complete
    )
    settled: dict[str, Any] = {
        "modules": modules,
        "fields": {
            "references": references,
            "groups": group_by,
            "clusters": cluster_by,
            "id": id_field,
        },
        "allow_empty_references": allow_empty_references,
        "options": dict(map(setting, settings or [])),
        "preset": preset,
        "uncertainty": {
            "confidence_level": confidence,
            "interval": interval,
            "standard_error": standard_error,
            "n_resamples": resamples,
            "seed": seed,
        },
        "compare": compare,
        "scores": scores,
        "correction": correction_named(correction),
        "per_example": per_example is not None,
        "jobs": jobs,
    }
    of_logs: dict[str, Any] = {
        "answers": answers,
        "system_field": system,
        "metric": metric,
        "missing": missing,
        "reduce": reduce,
    }
    limits = Limits(line_limit, size_limit)
    with opened(paths, answers, origin, selection, limits) as sources:
        evaluation = evaluation_on(sources, paths, predictions or [], settled, of_logs)
        check_usage(evaluation)
        if partial is None:
            outputs.write(evaluation.results())
        else:
            check_outputs([partial], evaluation.inputs())
            _check_partial(evaluation, outputs)
            evaluation.part().save(partial)


def _sorted_out(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Modules and files."""
    modules_known = [*catalog.names(), LOGGED]
    modules = [word for word in words if word in modules_known]
    paths = [Path(word) for word in words if word not in modules_known]
    for path in paths:
        if path != STANDARD_INPUT and not path.exists():
            hint = (
                f"{nearest(str(path), modules_known)}; the modules are {', '.join(modules_known)}"
            )
            raise UsageError(f"{str(path)!r} is neither a module nor a file{hint}")
    if not modules:
        raise UsageError(f"name a module to score with: {', '.join(modules_known)}")
    if not paths:
        raise UsageError("name a file to score")
    return modules, paths


def setting(text: str) -> tuple[str, Any]:
    """An option and its value, which is JSON or else a string.

    >>> setting("both_empty=0"), setting("normalizer=ultrarag")
    (('both_empty', 0), ('normalizer', 'ultrarag'))
    """
    option, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set takes OPTION=VALUE, got {text!r}")
    try:
        return option, json.loads(value)
    except ValueError:
        return option, value


def _check_partial(evaluation: Evaluation, outputs: Outputs) -> None:
    """Nothing is asked for that only all rows together can have."""
    if isinstance(evaluation, LogEvaluation):
        raise UsageError("--partial takes plain rows, no logs and no files to be joined")
    requested = {
        "--standard-error": evaluation.uncertainty["standard_error"],
        "--compare": evaluation.compare,
        "--per-example": evaluation.per_example,
        "--save": outputs.save is not None,
    }
    for option, is_requested in requested.items():
        if is_requested:
            raise UsageError(f"{option} does not go with --partial; parts have no scores yet")
    for name, metric in evaluation.metrics.items():
        if metric.scores_are == "rankings" and evaluation.fields["id"] is None:
            raise UsageError(f"parts of {name} need --id, the field of the queries' ids")


def check_usage(evaluation: Evaluation) -> None:
    """The modules take these options and inputs. Said before a large file is read."""
    modules_known = {name: metric.options for name, metric in evaluation.metrics.items()}
    for source, check in (
        ("--set", lambda: assign(evaluation.options, modules_known)),
        ("--preset", lambda: preset_options(evaluation.preset, evaluation.modules)),
    ):
        try:
            check()
        except ValueError as error:
            raise UsageError(f"{source}: {error}") from error
    for name, metric in evaluation.metrics.items():
        if "predictions" not in input_names(metric):
            raise UsageError(
                f"{name} takes {', '.join(input_names(metric))}, not rows; see --compare"
            )
        is_named = evaluation.fields["references"] is not None
        if type(evaluation) is Evaluation and not is_named and "references" in input_names(metric):
            raise UsageError(f"{name} needs --references")
    is_long = isinstance(evaluation, LogEvaluation) and evaluation.system_field is not None
    if evaluation.compare and len(evaluation.systems) < 2 and not is_long:
        raise UsageError("--compare needs at least two systems")
    if isinstance(evaluation, LogEvaluation):
        evaluation.check()
