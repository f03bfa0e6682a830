"""`metric-commons score`: files in, one result out."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from metric_commons import catalog
from metric_commons.checks import nearest
from metric_commons.results import InputError, assign, inputs_of
from metric_commons.results import score as score_systems

from . import files
from .outputs import Form, Misuse, check_outputs, show


def score(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="MODULE|FILE",
            help="Names of modules, as `metric-commons list` has them, and files.",
        ),
    ],
    predictions: Annotated[
        list[str],
        typer.Option(
            metavar="FIELD",
            help="Field of the predictions. Several fields, like several files, are several "
            "systems.",
        ),
    ],
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
    confidence: Annotated[
        float | None,
        typer.Option(metavar="LEVEL", help="Level of confidence intervals, such as 0.95."),
    ] = None,
    resamples: Annotated[
        int, typer.Option(metavar="COUNT", help="How often the intervals resample.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the resampling.")] = 0,
    group_by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Also score the rows of each label apart.")
    ] = None,
    per_example: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the scores of each row, as JSONL.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole result, as JSON.")
    ] = None,
    form: Form = "table",
) -> None:
    """Score the predictions of one or several systems with one or several modules.

    metric-commons score qa_em qa_f1 runs.jsonl --predictions bot --references gold

    A file is .jsonl, .json (a list of objects, or {"data": [...]}), .csv, .tsv
    or .parquet; all but the last may be gzipped, as .jsonl.gz. A field a.b is b
    inside a. Values are taken as they are written: cells of .csv and .tsv are
    strings, but a column in which every cell is a JSON list holds these lists.
    """
    modules, paths = _sorted_out(words)
    systems = _systems(paths, predictions)
    check_outputs([save, per_example], paths)
    options = dict(map(_setting, settings or []))
    _check_usage(modules, options, references)

    fields = [*predictions, *filter(None, (references, group_by))]
    inputs = {path: files.read(path, fields, progress=True) for path in paths}

    def of_each_system(field: str | None) -> dict[str, list[Any]] | None:
        if field is None:
            return None
        return {system: inputs[path].columns[field] for system, (path, _) in systems.items()}

    try:
        results = score_systems(
            modules,
            predictions={name: inputs[path].columns[f] for name, (path, f) in systems.items()},
            references=of_each_system(references),
            options=options,
            confidence_level=confidence,
            n_resamples=resamples,
            seed=seed,
            groups=of_each_system(group_by),
            per_example=per_example is not None,
            inputs=[source.provenance() for source in inputs.values()],
            progress=True,
        )
    except InputError as error:
        path, field = systems[error.system]
        names = {"predictions": field, "references": references, "groups": group_by}
        raise ValueError(_located(error.reason, inputs[path], names)) from error
    if per_example:
        results.save_per_example(per_example)
    if save:
        results.save(save)
    show(results, form)


def _sorted_out(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Modules and files."""
    known = catalog.names()
    modules = [word for word in words if word in known]
    paths = [Path(word) for word in words if word not in known]
    for path in paths:
        if not path.exists():
            hint = nearest(str(path), known)
            raise Misuse(f"{str(path)!r} is neither a module nor a file{hint}")
    if not modules:
        raise Misuse(f"name a module to score with: {', '.join(known)}")
    if not paths:
        raise Misuse("name a file to score")
    return modules, paths


def _systems(paths: Sequence[Path], fields: Sequence[str]) -> dict[str, tuple[Path, str]]:
    """The file and field of each system, under the part of their names that tells them apart."""
    stems = [files.stem(path) for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    systems: dict[str, tuple[Path, str]] = {}
    for name, path in zip(names, paths, strict=True):
        for field in fields:
            parts = ([name] if len(paths) > 1 else []) + ([field] if len(fields) > 1 else [])
            system = "/".join(parts) or field
            if system in systems:
                raise Misuse(f"system {system!r} is given twice")
            systems[system] = path, field
    return systems


def _setting(text: str) -> tuple[str, Any]:
    """An option and its value, which is JSON or else a string.

    >>> _setting("both_empty=0"), _setting("normalizer=ultrarag")
    (('both_empty', 0), ('normalizer', 'ultrarag'))
    """
    option, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"--set takes OPTION=VALUE, got {text!r}")
    try:
        return option, json.loads(value)
    except ValueError:
        return option, value


def _check_usage(modules: Sequence[str], options: dict[str, Any], references: str | None) -> None:
    """The modules take these options and inputs. Said before a large file is read."""
    metrics = {name: catalog.load(name) for name in modules}
    try:
        assign(options, {name: metric.options for name, metric in metrics.items()})
    except ValueError as error:
        raise Misuse(f"--set: {error}") from error
    for name, metric in metrics.items():
        if references is None and "references" in inputs_of(metric):
            raise Misuse(f"{name} needs --references")


def _located(reason: str, source: files.Input, fields: dict[str, str | None]) -> str:
    """A module's complaint about `predictions[12]`, with the file's names for it."""
    found = re.match(r"(\w+)\[(\d+)\](.*)", reason, re.DOTALL)
    if not found or found[1] not in fields:
        return reason
    return f"{source.path}: {source.place(int(found[2]))}: field {fields[found[1]]!r}{found[3]}"
