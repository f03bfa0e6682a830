"""`metric-commons score` and `merge`: one result from files of rows, or from their parts."""

import re
import shlex
from collections.abc import Iterable, Sequence
from errno import ENOENT
from pathlib import Path
from typing import Any

import click

from ...data.files.streams import STANDARD_INPUT
from ...data.tables.tables import Source
from ...evaluation.results.rendering import counted
from ...evaluation.rows.logged_scores import LOGGED
from ...evaluation.scoring.evaluations import Evaluation
from ...evaluation.scoring.log_evaluations import LogEvaluation
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.presets import preset_options
from ...module.catalog.request import check_jobs
from ...module.catalog.usage import UsageError, with_bar
from ...module.declaration.declarations import assign, check_supported
from ...statistics.arguments.checks import nearest
from ...statistics.arguments.domains import Jobs
from ...statistics.resampling.progress import is_quiet
from ..console.commands import command
from ..console.outputs import Outputs, Presentation
from .sources import Files, Inputs, evaluation_on, usual_fields

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
    words: list[str],
    *,
    predictions: list[str] | None = None,
    references: list[str] | None = None,
    split_references: str | None = None,
    jobs: Jobs | None = None,
    inputs: Inputs,
    rows: Path | None = None,
    save: Path | None = None,
    sort: str | None = None,
    presentation: Presentation,
    **request: Any,
) -> None:
    """Score the predictions of one or more systems with one or more modules.

    metric-commons score qa_em qa_f1 runs.jsonl -p bot -r gold

    Files: .jsonl, .json (a list of objects, or {"data": [...]}), .csv, .tsv,
    .parquet, and logs of evaluation harnesses; .txt and others have a text per
    line. Text files may be compressed, as .jsonl.gz. Each file and each
    --predictions is one system. A field a.b is field b inside field a. Cells of
    .csv and .tsv are texts. They are read as lists if every cell of the column is
    a JSON list, and as numbers if the modules take numbers there.

    Args:
        words: Modules listed by `metric-commons list`, and the files to score.
        predictions: Field of the predictions; not needed for logs. Repeat it for each system.
        references: Field of the references, or a file of them; several files of lines are several
            references of each text.
        split_references: What separates the accepted answers in a cell of .csv and .tsv, such as
            '|'.
        jobs: How many processes read and score rows; the result is the same. By default one for
            small files, and one per core for large files.
        save: Write the result as JSON.
        sort: Sort systems by this score, best first.
        columns: Field of a further input of the modules, such as sources=src; repeatable.
        options: Option of all modules, such as normalizer=ultrarag, or of one, such as
            qa_f1.both_empty=0; repeatable. The value is read as JSON, otherwise as text.
        preset: Options that reproduce another tool; `metric-commons presets` lists them.
        rows: Write the scored rows, for compare, gate, report and merge: as JSON Lines if the name
            ends in .jsonl, else as Parquet.
    """
    try:
        check_jobs(jobs or 1)
    except ValueError as error:
        raise UsageError(f"--{error}") from error
    modules, paths = _modules_and_files(words)
    outputs = Outputs(presentation, save, rows, sort=sort)
    answers = references or []
    outputs.check([*paths, *map(Path, answers), *filter(None, [inputs.answers])])
    request |= {
        "modules": modules,
        "jobs": jobs,
        "rows": rows is not None,
        "split_references": split_references or None,
    }
    with inputs.opened(paths, answers) as files:
        sources = files.sources
        _check_texts(modules, files)
        for path, source in sources.items():
            if source.log.means:
                problem = "it contains means without scores of rows, which `leaderboard` ranks"
                raise UsageError(f"{path} cannot be scored: {problem}")
        fields, request["references"] = usual_fields(modules, files, predictions or [])
        evaluation = evaluation_on(files, fields, request, inputs)
        check_usage(evaluation)
        if request["clusters"] and not (evaluation.uses_clusters or save is not None):
            raise UsageError(
                "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"
            )
        outputs.write(evaluation.results())
        _hint_at_joined(sources.values(), evaluation)
        for note in [] if is_quiet() else evaluation.notes.lines():
            click.echo(f"note: {note}", err=True)


def merge(
    tables: list[Path],
    *,
    rows: Path | None = None,
    save: Path | None = None,
    sort: str | None = None,
    presentation: Presentation,
    scores: list[str] | None = None,
    **intervals: Any,
) -> None:
    """Merge the scored rows of an evaluation that was split over several machines.

    metric-commons score qa_f1 shard-1.jsonl -p bot -r gold --rows 1.parquet

    metric-commons merge 1.parquet 2.parquet --confidence 0.95

    The result is the same as that of all rows in one file. Two files of rows from
    the same input are an error, and so is an id that occurs twice.

    Args:
        tables: Files written by `score --rows`; name the folders of your own modules first.
        rows: Write all scored rows.
        save: Write the result as JSON.
        sort: Sort systems by this score, best first.
        scores: Report only these scores; repeatable.
    """
    from ...evaluation.comparison.saved_results import merged_rows, results_of_rows

    for path in filter(catalog.holds_module, tables):
        catalog.name_of(path)  # which makes its name known
    paths = [path for path in tables if not catalog.holds_module(path)]
    if not paths:
        raise UsageError("name the files of rows to merge")
    outputs = Outputs(presentation, save, rows, sort=sort)
    outputs.check(paths)
    results = results_of_rows(merged_rows(with_bar(paths, "merging", "file")), intervals)
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
            click.echo(f"note: {subject} counted as one text each; {advice}", err=True)


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
        if option == "clusters" and (evaluation.compare or evaluation.rows):
            continue  # which use clusters
        if getattr(evaluation, option) not in (None, False):
            try:
                check_supported([option], evaluation.metrics)
            except ValueError as error:
                raise UsageError(f"{flag}: {error}") from error


_INTERVALS = ("confidence_level", "interval", "n_resamples", "seed")
ASKED = (
    *("options", "preset", "columns", "scores", *_INTERVALS, "standard_error", "clusters"),
    *("groups", "ids", "compare", "correction", "assume", "bounds"),
)
COMMANDS = {"score": command(score, like=ASKED), "merge": command(merge, like=_INTERVALS)}
