"""`metric-commons score` and `merge`: one result from files of rows, or from their parts."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from errno import ENOENT
from pathlib import Path
from typing import Annotated

import typer

from ...data.files.streams import STANDARD_INPUT
from ...data.tables.tables import Source
from ...evaluation.comparison.reported_means import NO_ROWS, results_of_logs
from ...evaluation.rescoring.log_evaluations import LogEvaluation
from ...evaluation.rescoring.samples import LOGGED
from ...evaluation.results.rendering import counted
from ...evaluation.results.results import Results
from ...evaluation.scoring.evaluations import Evaluation, signed
from ...evaluation.states.score_kind import kind_of
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.presets import preset_options
from ...module.catalog.usage import UsageError, with_bar
from ...module.declaration.declarations import assign, check_supported
from ...statistics.arguments.checks import nearest
from ...statistics.resampling.progress import is_quiet
from ..console import options
from ..console.outputs import Outputs, Presentation, check_written, say_written
from .sources import Files, Inputs, evaluation_on, file_names, named_columns, usual_fields

# In the names of files of references.
_REFERENCES = re.compile(r"ref|gold|truth|target|label|answer", re.IGNORECASE)
# The flags of options that add to the scores.
_REPORTED = {
    "confidence_level": "--confidence",
    "standard_error": "--standard-error",
    "groups": "--group-by",
    "clusters": "--cluster-by",
}


def score(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(metavar="MODULE|FILE", autocompletion=options.modules_and_files_like),
    ],
    *,
    predictions: options.Predictions = None,
    requested: options.RequestOptions,
    inputs: Inputs,
    per_example: Annotated[Path | None, options.output_option(metavar="FILE")] = None,
    partial: Annotated[Path | None, options.output_option(metavar="FILE")] = None,
    save: options.Save = None,
    sort: options.Sort = None,
    presentation: Presentation,
) -> None:
    """Score the predictions of one or more systems with one or more modules.

    metric-commons score qa_em qa_f1 runs.jsonl --predictions bot --references gold

    Files: .jsonl, .json (a list of objects, or {"data": [...]}), .csv, .tsv,
    .parquet, and logs of evaluation harnesses; .txt and others have a text per
    line. Text files may be compressed, as .jsonl.gz. Each file and each
    --predictions is one system. A field a.b is field b inside field a. Cells of
    .csv and .tsv are texts. They are read as lists if every cell of the column is
    a JSON list, and as numbers if the modules take numbers there.

    Args:
        words: Modules listed by `metric-commons list`, and the files to score.
        per_example: Write the scores of each row as JSON Lines, for compare, gate and report.
        partial: Write a part for `metric-commons merge` instead of scores.
    """
    modules, paths = _modules_and_files(words)
    outputs = Outputs(presentation, save, per_example, sort=sort)
    references = requested.references or []
    outputs.check([*paths, *map(Path, references), *filter(None, [inputs.answers])])
    request = vars(requested) | {
        "modules": modules,
        "options": dict(map(options.setting, requested.options or [])),
        "columns": named_columns(requested.columns or []),
        "per_example": per_example is not None,
        "split_references": requested.split_references or None,
    }
    with inputs.opened(paths, references) as files:
        sources = files.sources
        _check_texts(modules, files)
        if any(source.log.means for source in sources.values()):
            results = _reported_means(context, sources, paths, modules, inputs)
            outputs.write(results.choose(requested.scores))
            return
        fields, request["references"] = usual_fields(modules, files, predictions or [])
        evaluation = evaluation_on(files, fields, request, inputs)
        check_usage(evaluation)
        is_crossed = len(evaluation.cluster_fields) > 1
        if is_crossed and (partial or isinstance(evaluation, LogEvaluation)):
            raise UsageError("several --cluster-by are for plain rows, without --partial")
        is_counted = not is_crossed and (save is not None or partial is not None)
        if requested.clusters and not (evaluation.uses_clusters or is_counted):
            raise UsageError(
                "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"
            )
        if partial is None:
            outputs.write(evaluation.results())
            _hint_at_joined(sources.values(), evaluation)
            for note in [] if is_quiet() else evaluation.notes.lines():
                typer.echo(f"note: {note}", err=True)
        else:
            check_written([partial], evaluation.inputs())
            _check_partial(context, evaluation)
            evaluation.part().save(partial)
            say_written(partial)


def merge(
    parts: Annotated[list[Path], typer.Argument(metavar="PART")],
    *,
    allow_equal_shards: Annotated[bool, typer.Option("--allow-equal-shards")] = False,
    scores: options.Scores = None,
    intervals: options.IntervalOptions,
    save: options.Save = None,
    sort: options.Sort = None,
    presentation: Presentation,
) -> None:
    """Merge the parts of an evaluation that was split over several machines.

    metric-commons score qa_f1 shard-1.jsonl --predictions bot --references gold --partial 1.part

    metric-commons merge 1.part 2.part --confidence 0.95

    The result is the same as that of all rows in one file; the order of the
    parts does not matter. Two parts of files with the same content are an error
    unless --allow-equal-shards is given.

    Args:
        parts: Files written by `score --partial`; name the folders of your own modules first.
        allow_equal_shards: Merge parts of different files with the same content.
    """
    from ...evaluation.scoring.states import Part

    for path in filter(catalog.holds_module, parts):
        catalog.name_of(path)  # which makes its name known
    parts = [path for path in parts if not catalog.holds_module(path)]
    if not parts:
        raise UsageError("name the parts to merge")
    outputs = Outputs(presentation, save, sort=sort)
    outputs.check(parts)
    total = Part.read(parts[0])
    for path in with_bar(parts[1:], "merging", "part"):
        part = Part.read(path)
        try:
            total.merge(part, allow_equal_shards=allow_equal_shards)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    results = signed(total.results(**vars(intervals)), total.preset)
    outputs.write(results.choose(scores))


def _hint_at_joined(sources: Iterable[Source], evaluation: Evaluation) -> None:
    """Report on stderr how many cells seem to hold several references."""
    sources = list(sources)
    joined, lists = (sum(getattr(s, name) for s in sources) for name in ("joined", "lists"))
    if not (joined or lists):
        return
    inputs = [getattr(metric, "accepted_inputs", {}) for metric in evaluation.metrics.values()]
    takes_lists = any("list of str" in kinds.get("references", []) for kinds in inputs)
    if not takes_lists or is_quiet():
        return
    hints = (
        (lists, "a list", "a column has lists if every cell is one"),
        (joined, "a '|'", "--split-references '|' makes lists of accepted answers"),
    )
    for cells, content, advice in hints:
        if cells:
            subject = f"{counted(cells, 'cell')} of references with {content}"
            typer.echo(f"note: {subject} counted as one text each; {advice}", err=True)


def _reported_means(
    context: typer.Context,
    sources: Mapping[Path, Source],
    paths: Sequence[Path],
    modules: Sequence[str],
    inputs: Inputs,
) -> Results:
    """Return the means in files without rows.

    Raises:
        UsageError: an option or a module needs rows.
    """
    path = next(path for path in paths if sources[path].log.means)
    for name in modules:
        if name != LOGGED:
            raise UsageError(f"{name} scores rows, but {path} has none: {NO_ROWS}; use `{LOGGED}`")
    reason = f"needs scores of rows, but {path} has none: {NO_ROWS}"
    options.refuse(context, ["compare", "partial", *_REPORTED], reason)
    conditions = inputs.selection.conditions
    unknown = [name for name in conditions if name != "split"]
    if unknown:
        raise UsageError(f"--where {unknown[0]}: {path} has only splits, as in --where split=test")
    systems = dict(zip(file_names(paths, sources), map(sources.__getitem__, paths), strict=True))
    return results_of_logs(systems, conditions.get("split"), inputs.metric)


def _modules_and_files(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Return the words that name modules, and those that name files."""
    modules, paths = [], []
    for word in words:
        if word == LOGGED or catalog.is_known(word):
            modules.append(word)
        elif catalog.holds_module(word):
            modules.append(catalog.name_of(word))
        else:
            paths.append(Path(word))
    for path in paths:
        if path != STANDARD_INPUT and not path.exists():
            module_names = [*catalog.names(), LOGGED]
            hint = suggestion(str(path), module_names)
            if not hint and (path.suffix or len(path.parts) > 1):
                raise FileNotFoundError(ENOENT, "", str(path))
            hint = hint or f"; the modules are {', '.join(module_names)}"
            raise UsageError(f"{str(path)!r} is neither a module nor a file{hint}")
    if not modules:
        for path in filter(Path.is_dir, paths):
            try:
                catalog.name_of(path)
            except ValueError as error:
                advice = f"to score the files in it, name them after a module or {LOGGED}"
                raise ValueError(f"{error}; {advice}") from None
        raise UsageError(
            f"name a module: {', '.join(catalog.names())}; or {LOGGED}, for the scores in a log"
        )
    if not paths:
        raise UsageError("name a file to score")
    return modules, paths


def _check_texts(modules: Sequence[str], files: Files) -> None:
    """Check that files of texts have references in other files, and are for modules of texts.

    Raises:
        UsageError: they do not; the message has the command to use.
    """
    texts = [
        path
        for path in files.paths
        if path != STANDARD_INPUT and files.sources[path].log.format_name == "lines"
    ]
    scored = {name: catalog.load_without_evaluate(name) for name in modules if name != LOGGED}
    for name, module in scored.items():
        accepted = module.accepted_inputs.get("predictions", ["str"])
        if texts and ("str" not in accepted or module.log_columns[0] == "predicted"):
            hint = "write a table, such as .csv, with a field of predictions and one of references"
            if any("doc_id" in kind for kind in accepted):
                hint = "metric-commons trec QRELS RUN scores runs"
            elif "list of str" in accepted:
                hint = "name another format of the file, such as --from conll"
            raise UsageError(f"{name} takes no lines of text, as in {texts[0]}; {hint}")
    if (
        files.answers
        or not texts
        or not any("references" in m.required_inputs for m in scored.values())
    ):
        return
    references = [path for path in texts if _REFERENCES.search(path.stem)]
    if not references and len(files.paths) > 1:
        references = texts[:1]
    predicted = [path for path in files.paths if path not in references] or [STANDARD_INPUT]
    names = shlex.join(map(str, [*modules, *predicted]))
    flags = [f"--references {shlex.quote(str(path))}" for path in references]
    command = " ".join(["metric-commons score", names, *(flags or ["--references FILE"])])
    raise UsageError(f"texts need references, in a file of their own: {command}")


def _check_partial(context: typer.Context, evaluation: Evaluation) -> None:
    """Check that no option is used that needs all rows at once."""
    if isinstance(evaluation, LogEvaluation):
        raise UsageError("--partial takes plain rows, not logs or files joined by id")
    needing_scores = ("standard_error", "compare", "per_example", "save", "split_references")
    reason = "cannot be used with --partial; parts have no scores yet"
    options.refuse(context, needing_scores, reason)
    drawing = ("interval", "n_resamples", "seed")
    options.refuse(context, drawing, "cannot be used with --partial; pass it to merge")
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
    check_columns_of_request(evaluation)
    _check_reported(evaluation)
    is_long = isinstance(evaluation, LogEvaluation) and evaluation.system_field is not None
    if evaluation.compare and len(evaluation.systems) < 2 and not is_long:
        raise UsageError("--compare needs at least two systems")
    if isinstance(evaluation, LogEvaluation):
        evaluation.check()


def check_columns_of_request(evaluation: Evaluation) -> None:
    """Check that every module has a field for each input, and that each column is one.

    Raises:
        UsageError: a field is missing, or a column is not an input.
    """
    named = {name for name, field in evaluation.fields.items() if field is not None}
    if any(field for _, field in evaluation.systems.values()):
        named.add("predictions")
    input_names = {name for metric in evaluation.metrics.values() for name in metric.input_names}
    columns = evaluation.columns or {}
    for name in columns:
        if name not in input_names:
            raise UsageError(
                f"--column {name}: {', '.join(evaluation.modules)} "
                f"takes {', '.join(sorted(input_names))}{nearest(name, input_names)}"
            )
    if type(evaluation) is not Evaluation:
        return  # the columns of logs have standard names
    names = next(iter(evaluation.opened.values())).log.names if evaluation.opened else ()
    flags = {"predictions": "--predictions FIELD", "references": "--references FIELD"}
    for module, metric in evaluation.metrics.items():
        missing = [
            flags.get(name, f"--column {name}=FIELD")
            for name in metric.required_inputs
            if name not in (named if name in flags or not names else {*columns, *names})
        ]
        if missing:
            raise UsageError(
                f"{module} needs {' and '.join(missing)}: "
                f"the fields of {', '.join(metric.required_inputs)}"
                f"{'; the file has ' * bool(names)}{', '.join(map(str, names))}"
            )


def _check_reported(evaluation: Evaluation) -> None:
    """Check that the modules support the options that add to their scores."""
    for option, flag in _REPORTED.items():
        if option == "clusters" and (evaluation.compare or evaluation.per_example):
            continue  # which use clusters
        if getattr(evaluation, option) not in (None, False):
            try:
                check_supported([option], evaluation.metrics)
            except ValueError as error:
                raise UsageError(f"{flag}: {error}") from error
