"""Evaluation of UltraRAG's parameter files, as by its evaluation server."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import typer

from ...data.files.stored import write_whole
from ...data.tables.tables import Source
from ...evaluation.results.rendering import message_line
from ...frameworks.harnesses import ultrarag
from ...frameworks.harnesses.ultrarag import signature, table
from ...frameworks.harnesses.ultrarag_profiles import Profile
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import Count
from ...statistics.resampling.progress import is_quiet, shows_bars, watched
from ..console.config import ConfigDocument, key_error, validated
from ..console.outputs import check_written, say_written


@dataclass(frozen=True)
class KeyMap:
    """The fields of the benchmark."""

    gt_ls: str
    pred_ls: str


@dataclass(frozen=True)
class Benchmark:
    """The source of answers and references."""

    path: str
    key_map: KeyMap
    limit: int = -1
    shuffle: bool = False
    seed: int = 42


@dataclass(frozen=True)
class Answers:
    """The arguments of the tool `evaluate`, in addition to the benchmark."""

    metrics: Sequence[str] | None = None
    save_path: str | None = None


@dataclass(frozen=True, kw_only=True)
class Runs:
    """The arguments of the tools for runs."""

    tool: ClassVar[str]
    inputs: ClassVar[Sequence[str]]  # the keys of files

    qrels_path: str
    ir_metrics: Sequence[str] | None = None
    ks: Sequence[int] | None = None
    save_path: str | None = None


@dataclass(frozen=True, kw_only=True)
class OneRun(Runs):
    """The arguments of the tool `evaluate_trec`."""

    tool = "evaluate_trec"
    inputs = ("run_path", "qrels_path")

    run_path: str


@dataclass(frozen=True, kw_only=True)
class UltraRagRuns(Runs):
    """The arguments of the tool `evaluate_trec_pvalue`."""

    tool = "evaluate_trec_pvalue"
    inputs = ("run_new_path", "run_old_path", "qrels_path")

    run_new_path: str
    run_old_path: str
    n_resamples: Count | None = None


_PROFILE: Profile = "ultrarag"
_FLAT = {"ir_metrics", "qrels_path", "run_path", "run_new_path"}  # keys in the server's own file
_SERVERS = {"generation", "retriever", "prompt", "custom", "corpus", "memory", "reranker"}


def is_parameters(content: Mapping[str, Any]) -> bool:
    """Return whether a file is one of UltraRAG's."""
    keys = {"evaluation", "pipeline", *_FLAT, *_SERVERS}
    return "modules" not in content and bool(keys & content.keys())


def run(path: Path, document: ConfigDocument) -> None:
    """Run the evaluation of a file, print UltraRAG's table and save JSON in its format.

    Raises:
        ValueError: the file, or a file that it names, is not valid.
        OSError: a file cannot be read or written.
    """
    content = document.content
    if "pipeline" in content:
        raise ValueError(
            f"{path}: this is a pipeline; run its parameter file, written by `ultrarag build`"
        )
    is_flat = "evaluation" not in content  # the file of UltraRAG's server itself
    evaluation = content if is_flat else _mapping(content["evaluation"], path, ["evaluation"])
    kind = _flat_tool(evaluation, path) if is_flat else _tool(evaluation, content, path)
    parents = [] if is_flat else ["evaluation"]
    settings: Any = validated(kind, evaluation, path, parents, others_allowed=True)
    save = None if settings.save_path is None else Path(settings.save_path)
    for note in () if is_quiet() else _notes(document, evaluation, kind):
        typer.echo(message_line(f"{path}: {note}"), err=True)

    if kind is Answers:
        benchmark = _benchmark(content, path)
        check_written([save], [path, Path(benchmark.path)])
        results = _score_answers(settings, benchmark, path)
        line = signature("evaluate", _PROFILE, {"rows": len(next(iter(results.values())))})
    else:
        inputs = [Path(getattr(settings, name)) for name in kind.inputs]
        check_written([save], [path, *inputs])
        results = _score_runs(settings, path)
        line = signature(kind.tool, _PROFILE, {})
    if save:
        content = {**results, "profile": _PROFILE, "signature": line}
        write_whole(save, json.JSONEncoder(indent=4, allow_nan=False).iterencode(content))
    typer.echo(f"{table(results)}\n{line}")
    say_written(save)


def _mapping(value: Any, path: Path, keys: Sequence[str]) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise key_error(path, keys, f"expected keys with values, got {value!r}")
    return value or {}


def _flat_tool(section: Mapping[str, Any], path: Path) -> type[Any]:
    """Return the tool for which the server's own parameter file names existing files."""
    if not section.keys() & (_FLAT | {"metrics"}):
        servers = ", ".join(map(str, section))
        raise ValueError(
            f"{path}: there is no section 'evaluation', only {servers}: the pipeline has no step "
            "evaluation.evaluate, evaluation.evaluate_trec or evaluation.evaluate_trec_pvalue"
        )
    missing = []
    for kind in (UltraRagRuns, OneRun):
        absent = [
            f"{name} ({section.get(name)})"
            for name in kind.inputs
            if not isinstance(section.get(name), str) or not Path(section[name]).exists()
        ]
        if not absent:
            return kind
        missing.append(f"{kind.tool} lacks {', '.join(absent)}")
    raise ValueError(
        f"{path}: none of its tools can run: {'; '.join(missing)}; evaluate lacks pred_ls and "
        "gt_ls, which are in a section 'benchmark' (path, key_map) of a pipeline's parameter file"
    )


def _tool(section: Mapping[str, Any], content: Mapping[str, Any], path: Path) -> type[Any]:
    """Return the tool to run: for two runs, else for one, else for the answers of a benchmark."""
    present = {name for name, value in section.items() if value is not None}
    if present & {"run_new_path", "run_old_path"}:
        return UltraRagRuns
    if "run_path" in present:
        return OneRun
    if "benchmark" in content:
        return Answers
    raise ValueError(
        f"{path}: there is nothing to evaluate: neither a section 'benchmark', nor the keys "
        "'run_path' or 'run_new_path' in the section 'evaluation'"
    )


def _notes(document: ConfigDocument, section: Mapping[str, Any], kind: type[Any]) -> Iterator[str]:
    """Yield notes on the keys of the file that have no effect."""
    for key, line in document.repeated:
        yield f"key {key!r} is repeated in line {line}; the last one counts"
    sections = {"evaluation", "benchmark"} if kind is Answers else {"evaluation"}
    ignored = [str(name) for name in document.content if name not in sections]
    ignored += [
        f"evaluation.{name}" for name in section if name not in {item.name for item in fields(kind)}
    ]
    if ignored:
        yield f"ignored: {', '.join(ignored)}"


def _benchmark(content: Mapping[str, Any], path: Path) -> Benchmark:
    """Return the benchmark, which generated files hold in a section of the same name."""
    keys = ["benchmark"]
    inner = _mapping(content["benchmark"], path, keys)
    if isinstance(inner.get("benchmark"), dict):
        inner, keys = inner["benchmark"], [*keys, "benchmark"]
    benchmark = validated(Benchmark, inner, path, keys, others_allowed=True)
    if benchmark.limit < -1 or benchmark.limit == 0:
        raise key_error(path, [*keys, "limit"], f"expected -1 or at least 1, got {benchmark.limit}")
    return benchmark


def _score_answers(settings: Answers, benchmark: Benchmark, path: Path) -> dict[str, Any]:
    """Return the scores of the answers, and their means."""
    key_map = benchmark.key_map
    fields = [key_map.pred_ls, key_map.gt_ls]
    limit = None if benchmark.limit == -1 else benchmark.limit
    rows_to_read = None if benchmark.shuffle else limit
    source = Source(Path(benchmark.path), fields, limit=rows_to_read, progress=True)
    columns = source.columns()
    order = list(range(source.rows))
    if benchmark.shuffle:
        random.Random(benchmark.seed).shuffle(order)
        order = order[:limit]
    predictions, references = ([columns[field][row] for row in order] for field in fields)
    try:
        return ultrarag.evaluate(predictions, references, settings.metrics, profile=_PROFILE)
    except RowError as error:
        problem = error.about(f"field {getattr(key_map, error.column)!r}")
        position = source.location(order[error.row])
        raise ValueError(f"{source.path}: {position}: {problem}") from error
    except ValueError as error:
        raise _keyed(error, "metrics", path) from error


def _score_runs(settings: Runs, path: Path) -> dict[str, Any]:
    from tqdm import tqdm

    arguments = {name: value for name, value in vars(settings).items() if name != "save_path"}
    arguments["metrics"] = arguments.pop("ir_metrics")
    try:
        if isinstance(settings, OneRun):
            return {**ultrarag.evaluate_trec(**arguments, profile=_PROFILE)}
        with (
            tqdm(desc="scoring", total=1, delay=1, leave=False, disable=not shows_bars()) as bar,
            watched(lambda fraction: bar.update(fraction - bar.n)),
        ):
            return ultrarag.evaluate_trec_pvalue(**arguments, profile=_PROFILE)
    except ValueError as error:
        raise _keyed(error, "ir_metrics", path) from error


def _keyed(error: ValueError, metrics: str, path: Path) -> ValueError:
    """Return the error about an argument, with its key in the file."""
    if not isinstance(error, OptionError):
        return error
    key = error.option.replace("metrics", metrics)
    return key_error(path, ["evaluation", key], error.problem.removeprefix(": "))
