"""`metric-commons score`: one result from files of rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from errno import ENOENT
from pathlib import Path
from typing import Annotated, Any

import typer

from ..base.declarations import assign, check_supported
from ..catalog import catalog
from ..catalog.field_names import suggestion
from ..catalog.presets import preset_options
from ..catalog.usage import UsageError
from ..comparison.reported_means import NO_ROWS, results_of_logs
from ..console.options import (
    OUTPUT,
    AllowEmptyReferences,
    Caption,
    Decimals,
    Jobs,
    LatexLabel,
    Percent,
    Predictions,
    Quiet,
    Save,
    Sort,
    SplitReferences,
    TableKind,
    WholeLimit,
    check_processes,
    correction_named,
    modules_and_files_like,
    with_request,
)
from ..console.outputs import OutputFormat, Outputs, Presentation, check_written, say_written
from ..files.read_limits import Limits
from ..files.selections import Selection
from ..files.streams import STANDARD_INPUT
from ..files.tables import Source
from ..logs.log_evaluations import LogEvaluation
from ..logs.samples import LOGGED
from ..numbers.progress import is_quiet
from ..results.rendering import counted
from ..results.results import Results
from ..score_kinds.score_kind import kind_of
from ..scoring.evaluations import Evaluation
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
    file_names,
    opened,
)

# The flags of options that add to the scores.
_REPORTED = {
    "per_example": "--per-example",
    "confidence_level": "--confidence",
    "standard_error": "--standard-error",
    "groups": "--group-by",
    "clusters": "--cluster-by",
}


@with_request
def score(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="MODULE|FILE",
            autocompletion=modules_and_files_like,
            help="Modules listed by `metric-commons list`, and the files to score.",
        ),
    ],
    *,
    predictions: Predictions = None,
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
    whole_limit: WholeLimit = None,
    allow_empty_references: AllowEmptyReferences = False,
    split_references: SplitReferences = None,
    per_example: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the scores of each row as JSON Lines, for compare, gate and report.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    partial: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a part for `metric-commons merge` instead of scores.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    save: Save = None,
    jobs: Jobs = None,
    format_name: OutputFormat = "table",
    sort: Sort = None,
    digits: Decimals = None,
    percent: Percent = False,
    table: TableKind = None,
    caption: Caption = "",
    latex_label: LatexLabel = "",
    quiet: Quiet = False,
    **request: Any,
) -> None:
    """Score the predictions of one or more systems with one or more modules.

    metric-commons score qa_em qa_f1 runs.jsonl --predictions bot --references gold

    Files: .jsonl, .json (a list of objects, or {"data": [...]}), .csv, .tsv,
    .parquet, and logs of evaluation harnesses. Text files may be compressed, as
    .jsonl.gz. Each file and each --predictions is one system. A field a.b is
    field b inside field a. Cells of .csv and .tsv are texts. They are read as
    lists if every cell of the column is a JSON list, and as numbers if the
    modules take numbers there.
    """
    check_processes(jobs)
    modules, paths = _modules_and_files(words)
    presentation = Presentation(format_name, digits, percent, table, caption, latex_label)
    outputs = Outputs(presentation, save, per_example)
    outputs.check([*paths, *filter(None, [answers])])
    is_complete = not incomplete and missing != "skip"
    selection = Selection(
        filter_name, conditions(condition_texts or []), incomplete=not is_complete
    )
    request |= {
        "modules": modules,
        "options": dict(map(setting, request["options"] or [])),
        "correction": correction_named(request["correction"]),
        "per_example": per_example is not None,
        "jobs": jobs,
        "allow_empty_references": allow_empty_references,
        "split_references": split_references or None,
    }
    log_options: dict[str, Any] = {
        "answers": answers,
        "system_field": system,
        "metric": metric,
        "missing": missing,
        "reduce": reduce,
    }
    limits = Limits(line_limit, size_limit).with_whole(whole_limit)
    with opened(paths, answers, origin, selection, limits) as sources:
        if any(source.log.means for source in sources.values()):
            requested = {
                "--compare": request["compare"],
                "--partial": partial is not None,
                **{f: request[name] not in (None, False) for name, f in _REPORTED.items()},
            }
            results = _reported_means(sources, paths, modules, selection, metric, requested)
            outputs.write(_sorted(results.choose(request["scores"]), sort))
            return
        evaluation = evaluation_on(sources, paths, predictions or [], request, log_options)
        check_usage(evaluation)
        is_saved = save is not None or partial is not None  # with counts of clusters
        if evaluation.clusters is not None and not evaluation.uses_clusters and not is_saved:
            raise UsageError(
                "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"
            )
        if partial is None:
            outputs.write(_sorted(evaluation.results(), sort))
            _hint_at_joined(sources.values(), evaluation)
        else:
            check_written([partial], evaluation.inputs())
            _check_partial(evaluation, outputs)
            evaluation.part().save(partial)
            say_written(partial)


def _hint_at_joined(sources: Iterable[Source], evaluation: Evaluation) -> None:
    """Report on stderr how many cells of texts look as if they held several references."""
    sources = list(sources)
    joined, lists = (sum(getattr(s, name) for s in sources) for name in ("joined", "lists"))
    if not (joined or lists):
        return
    inputs = [getattr(metric, "accepted_inputs", {}) for metric in evaluation.metrics.values()]
    takes_lists = any("list of str" in kinds.get("references", []) for kinds in inputs)
    if lists and takes_lists and not is_quiet():
        typer.echo(
            f"note: {counted(lists, 'cell')} of references with a list counted as one text each; a "
            "column has lists if every cell is one",
            err=True,
        )
    if joined and takes_lists and not is_quiet():
        typer.echo(
            f"note: {counted(joined, 'cell')} of references with a '|' counted as one text each; "
            "--split-references '|' makes lists of accepted answers",
            err=True,
        )


def _sorted(results: Results, score: str | None) -> Results:
    """The results in the order of a score, if one is named."""
    return results if score is None else results.sort(score)


def _reported_means(
    sources: Mapping[Path, Source],
    paths: Sequence[Path],
    modules: Sequence[str],
    selection: Selection,
    metric: str | None,
    requested: Mapping[str, bool],
) -> Results:
    """The means in files without rows; `requested` tells which options that need rows are used.

    Raises:
        UsageError: an option or a module needs rows.
    """
    path = next(path for path in paths if sources[path].log.means)
    for name in modules:
        if name != LOGGED:
            raise UsageError(f"{name} scores rows, but {path} has none: {NO_ROWS}; use `{LOGGED}`")
    for option, is_requested in requested.items():
        if is_requested:
            raise UsageError(f"{option} needs scores of rows, but {path} has none: {NO_ROWS}")
    unknown = [name for name in selection.conditions if name != "split"]
    if unknown:
        raise UsageError(f"--where {unknown[0]}: {path} has only splits, as in --where split=test")
    systems = dict(zip(file_names(paths, sources), map(sources.__getitem__, paths), strict=True))
    return results_of_logs(systems, selection.conditions.get("split"), metric)


def _modules_and_files(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """The words that name modules, and those that name files."""
    module_names = [*catalog.names(), LOGGED]
    modules = [word for word in words if word in module_names]
    paths = [Path(word) for word in words if word not in module_names]
    for path in paths:
        if path != STANDARD_INPUT and not path.exists():
            hint = suggestion(str(path), module_names)
            if not hint and (path.suffix or len(path.parts) > 1):
                raise FileNotFoundError(ENOENT, "", str(path))
            hint = hint or f"; the modules are {', '.join(module_names)}"
            raise UsageError(f"{str(path)!r} is neither a module nor a file{hint}")
    if not modules:
        raise UsageError(f"name a module to score with: {', '.join(module_names)}")
    if not paths:
        raise UsageError("name a file to score")
    return modules, paths


def setting(text: str) -> tuple[str, Any]:
    """An option and its value, parsed as JSON if possible, else a string.

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
    """Check that no option is used that needs all rows at once."""
    if isinstance(evaluation, LogEvaluation):
        raise UsageError("--partial takes plain rows, not logs or files joined by id")
    requested = {
        "--standard-error": evaluation.standard_error,
        "--compare": evaluation.compare,
        "--per-example": evaluation.per_example,
        "--save": outputs.save is not None,
        "--split-references": evaluation.split_references is not None,
    }
    for option, is_requested in requested.items():
        if is_requested:
            raise UsageError(f"{option} cannot be used with --partial; parts have no scores yet")
    for name, metric in evaluation.metrics.items():
        if kind_of(metric).needs_ids and evaluation.ids is None:
            raise UsageError(f"parts of {name} need --id, the field of the queries' ids")


def check_usage(evaluation: Evaluation) -> None:
    """Check the options and inputs of the modules, before a large file is read."""
    options_of_modules = {name: metric.options for name, metric in evaluation.metrics.items()}
    source = "--set"
    try:
        assign(evaluation.options or {}, options_of_modules)
        source = "--preset"
        if evaluation.preset is not None:
            preset_options(evaluation.preset, evaluation.modules)
    except ValueError as error:
        raise UsageError(f"{source}: {error}") from error
    for name, metric in evaluation.metrics.items():
        if "predictions" not in metric.input_names:
            raise UsageError(
                f"{name} takes {', '.join(metric.input_names)}, not rows; see --compare"
            )
        is_named = evaluation.references is not None
        if (
            type(evaluation) is Evaluation
            and not is_named
            and "references" in metric.required_inputs
        ):
            raise UsageError(f"{name} needs --references FIELD, the field of what is right")
    _check_reported(evaluation)
    is_long = isinstance(evaluation, LogEvaluation) and evaluation.system_field is not None
    if evaluation.compare and len(evaluation.systems) < 2 and not is_long:
        raise UsageError("--compare needs at least two systems")
    if isinstance(evaluation, LogEvaluation):
        evaluation.check()


def _check_reported(evaluation: Evaluation) -> None:
    """Check that the modules support the options that add to their scores."""
    for option, flag in _REPORTED.items():
        if getattr(evaluation, option) not in (None, False):
            try:
                check_supported([option], evaluation.metrics)
            except ValueError as error:
                raise UsageError(f"{flag}: {error}") from error
