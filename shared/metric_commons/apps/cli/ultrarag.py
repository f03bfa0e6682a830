"""Evaluation of UltraRAG's parameter files, as by its evaluation server."""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ...data.files.stored import write_whole
from ...data.tables.tables import Source
from ...evaluation.results.rendering import message_line
from ...frameworks.harnesses import ultrarag
from ...frameworks.harnesses.ultrarag_profiles import Profile
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import check_option
from ...statistics.resampling.progress import is_quiet
from ..console.config import ConfigDocument, key_error
from ..console.outputs import check_written, say_written

_PROFILE: Profile = "ultrarag"
_RUNS = {"qrels_path": str, "ir_metrics": Any, "ks": Any, "save_path": str | None}
# The keys of each tool, in the order in which a file is searched for them.
_TOOLS: Mapping[str, Mapping[str, Any]] = {
    "evaluate_trec_pvalue": {"run_new_path": str, "run_old_path": str, **_RUNS, "n_resamples": Any},
    "evaluate_trec": {"run_path": str, **_RUNS},
    "evaluate": {"metrics": Any, "save_path": str | None},
}
_BENCHMARK = {"path": str, "key_map": Mapping[str, Any]}
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
    parents = ["evaluation"] if "evaluation" in content else []  # none in the server's own file
    section = _mapping(content["evaluation"], path, parents) if parents else content
    tool = _tool(section, content, path)
    values = _values(section, _TOOLS[tool], path, parents)
    save_path = values.pop("save_path", None)
    save = Path(save_path) if save_path else None
    for note in () if is_quiet() else _notes(document, section, tool):
        click.echo(message_line(f"{path}: {note}"), err=True)
    if tool == "evaluate":
        benchmark, keys = _benchmark(content, path)
        check_written([save], [path, Path(benchmark["path"])])
        results = _score_answers(values.get("metrics"), benchmark, path, keys)
        about = {"rows": len(next(iter(results.values())))}
    else:
        check_written([save], [path, *(Path(values[k]) for k in values if k.endswith("_path"))])
        values["metrics"] = values.pop("ir_metrics", None)
        function: Callable[..., Any] = getattr(ultrarag, tool)
        results, about = (
            _named(path, "ir_metrics", lambda: function(**values, profile=_PROFILE)),
            {},
        )
    line = ultrarag.signature(tool, _PROFILE, about)
    if save:
        saved = {**results, "profile": _PROFILE, "signature": line}
        write_whole(save, json.JSONEncoder(indent=4, allow_nan=False).iterencode(saved))
    click.echo(f"{ultrarag.table(results)}\n{line}")
    say_written(save)


def _mapping(value: Any, path: Path, keys: list[str]) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise key_error(path, keys, f"expected keys with values, got {value!r}")
    return value or {}


def _values(
    section: Mapping[str, Any], keys: Mapping[str, Any], path: Path, parents: list[str]
) -> dict[str, Any]:
    """Return the values of keys; those of texts are required."""
    for key, annotation in keys.items():
        if key not in section and annotation in (str, Mapping[str, Any]):
            raise key_error(path, [*parents, key], "is missing")
        if key in section:
            try:
                check_option(key, section[key], annotation)
            except OptionError as error:
                raise key_error(path, [*parents, key], error.problem) from error
    return {key: section[key] for key in keys if key in section}


def _tool(section: Mapping[str, Any], content: Mapping[str, Any], path: Path) -> str:
    """Return the tool to run: for two runs, else for one, else for the answers of a benchmark."""
    present = {name for name, value in section.items() if value is not None}
    is_own = section is content  # the file of UltraRAG's server, which names files for all tools
    for tool, names in (
        ("evaluate_trec_pvalue", ("run_new_path", "run_old_path")),
        ("evaluate_trec", ("run_path",)),
    ):
        files = [section.get(name) for name in (*names, "qrels_path")]
        if is_own and all(isinstance(file, str) and Path(file).exists() for file in files):
            return tool
        if not is_own and present & {*names}:
            return tool
    if "benchmark" in content and not is_own:
        return "evaluate"
    raise ValueError(
        f"{path}: there is nothing to evaluate: neither a section 'benchmark' (path, key_map) and "
        "a section 'evaluation', nor the keys 'run_path' or 'run_new_path' with existing files"
    )


def _notes(document: ConfigDocument, section: Mapping[str, Any], tool: str) -> Iterator[str]:
    """Yield notes on the keys of the file that have no effect."""
    for key, line in document.repeated:
        yield f"key {key!r} is repeated in line {line}; the last one counts"
    if section is document.content:
        ignored = [name for name in section if name not in _TOOLS[tool]]
    else:
        used = {"evaluation", "benchmark"} if tool == "evaluate" else {"evaluation"}
        ignored = [str(name) for name in document.content if name not in used]
        ignored += [f"evaluation.{name}" for name in section if name not in _TOOLS[tool]]
    if ignored:
        yield f"ignored: {', '.join(ignored)}"


def _benchmark(content: Mapping[str, Any], path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the benchmark, which generated files hold in a section of the same name."""
    keys = ["benchmark"]
    inner = _mapping(content["benchmark"], path, keys)
    if isinstance(inner.get("benchmark"), dict):
        inner, keys = inner["benchmark"], [*keys, "benchmark"]
    _values(inner, _BENCHMARK, path, keys)
    limit = inner.get("limit", -1)
    if not isinstance(limit, int) or limit < -1 or limit == 0:
        raise key_error(path, [*keys, "limit"], f"expected -1 or at least 1, got {limit}")
    return inner, keys


def _score_answers(
    metrics: Any, benchmark: Mapping[str, Any], path: Path, keys: list[str]
) -> dict[str, Any]:
    """Return the scores of the answers, and their means."""
    sides = {"pred_ls": str, "gt_ls": str}
    key_map = _values(benchmark["key_map"], sides, path, [*keys, "key_map"])
    limit = None if benchmark.get("limit", -1) == -1 else benchmark["limit"]
    is_shuffled = benchmark.get("shuffle", False)
    rows = None if is_shuffled else limit
    source = Source(Path(benchmark["path"]), [*key_map.values()], limit=rows, progress=True)
    columns = source.columns()
    order = list(range(source.rows))
    if is_shuffled:
        random.Random(benchmark.get("seed", 42)).shuffle(order)
        order = order[:limit]
    predictions, references = ([columns[key_map[side]][row] for row in order] for side in sides)
    try:
        return _named(
            path,
            "metrics",
            lambda: ultrarag.evaluate(predictions, references, metrics, profile=_PROFILE),
        )
    except RowError as error:
        problem = error.about(f"field {key_map[error.column]!r}")
        raise ValueError(f"{source.path}: {source.location(order[error.row])}: {problem}") from None


def _named(path: Path, metrics: str, function: Callable[[], Any]) -> dict[str, Any]:
    """Return the result of a function; errors about an argument name its key in the file."""
    try:
        return dict(function())
    except OptionError as error:
        key = error.option.replace("metrics", metrics)
        raise key_error(path, ["evaluation", key], error.problem.removeprefix(": ")) from error
