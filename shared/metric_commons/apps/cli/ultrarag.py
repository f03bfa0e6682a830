"""Evaluation of UltraRAG's parameter files, as by its evaluation server."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ...data.files.stored import write_whole
from ...data.tables.tables import Source
from ...frameworks.harnesses import ultrarag
from ...statistics.arguments.checks import OptionError, RowError
from ..console.config import key_error
from ..console.outputs import check_written, say_written

_RUNS = ("qrels_path", "ir_metrics", "ks", "save_path")
# The keys of each tool, the required ones first, in the order in which a file is searched for them.
_TOOLS: Mapping[str, Sequence[str]] = {
    "evaluate_trec_pvalue": ("run_new_path", "run_old_path", *_RUNS, "n_resamples"),
    "evaluate_trec": ("run_path", *_RUNS),
    "evaluate": ("metrics", "save_path"),
}


def is_parameters(content: Mapping[str, Any]) -> bool:
    """Return whether a file is one of UltraRAG's."""
    return "modules" not in content and bool({"evaluation", "pipeline"} & content.keys())


def run(path: Path, content: Mapping[str, Any]) -> None:
    """Run the evaluation of a file, print UltraRAG's table and save JSON in its format.

    Raises:
        ValueError: the file, or a file that it names, is not valid.
        OSError: a file cannot be read or written.
    """
    if "pipeline" in content:
        raise ValueError(
            f"{path}: this is a pipeline; run its parameter file, written by `ultrarag build`"
        )
    section = _checked(content, "evaluation", dict, path)
    tool = _tool(section, content, path)
    values = {name: section[name] for name in _TOOLS[tool] if name in section}
    names = [name for name in _TOOLS[tool] if name.endswith("_path") and name != "save_path"]
    files = [_checked(section, name, str, path, "evaluation") for name in names]
    saves = [Path(text) for text in [values.pop("save_path", None)] if text]
    if tool == "evaluate":
        results = _score_answers(values.get("metrics"), content, path, saves)
        rows = len(next(iter(results.values())))
    else:
        check_written(saves, [path, *files])
        values["metrics"] = values.pop("ir_metrics", None)
        function: Callable[..., Any] = getattr(ultrarag, tool)
        results, rows = _named(path, "ir_metrics", lambda: function(**values)), None
    line = ultrarag.signature(tool, rows)
    for save in saves:
        saved = {**results, "signature": line}
        write_whole(save, json.JSONEncoder(indent=4, allow_nan=False).iterencode(saved))
    click.echo(f"{ultrarag.table(results)}\n{line}")
    say_written(*saves)


def _checked(section: Mapping[str, Any], name: str, kind: type, path: Path, *parents: str) -> Any:
    """Return the value of a key, which must be there and have this type."""
    value = section.get(name)
    if not isinstance(value, kind):
        problem = "is missing" if value is None else f"cannot be {value!r}"
        raise key_error(path, [*parents, name], problem)
    return value


def _tool(section: Mapping[str, Any], content: Mapping[str, Any], path: Path) -> str:
    """Return the tool to run: for two runs, else for one, else for the answers of a benchmark."""
    for tool, names in (
        ("evaluate_trec_pvalue", ("run_new_path", "run_old_path")),
        ("evaluate_trec", ("run_path",)),
    ):
        if any(section.get(name) is not None for name in names):
            return tool
    if "benchmark" in content:
        return "evaluate"
    raise ValueError(
        f"{path}: there is nothing to evaluate: neither a section 'benchmark' (path, key_map), nor "
        "the keys 'run_path' or 'run_new_path' of 'evaluation'"
    )


def _score_answers(
    metrics: Any, content: Mapping[str, Any], path: Path, saves: Sequence[Path]
) -> dict[str, Any]:
    """Return the scores of the answers of a benchmark, and their means."""
    parents = ["benchmark"]
    benchmark = _checked(content, "benchmark", dict, path)
    if isinstance(benchmark.get("benchmark"), dict):  # in generated files
        benchmark, parents = benchmark["benchmark"], ["benchmark", "benchmark"]
    file = Path(_checked(benchmark, "path", str, path, *parents))
    limit = _checked({"limit": -1, **benchmark}, "limit", int, path, *parents)
    key_map = _checked(benchmark, "key_map", dict, path, *parents)
    parents.append("key_map")
    fields = [_checked(key_map, name, str, path, *parents) for name in ("pred_ls", "gt_ls")]
    check_written(saves, [path, file])
    source = Source(file, fields, progress=True)
    columns = source.columns()
    order = list(range(source.rows))
    if benchmark.get("shuffle", False):
        random.Random(benchmark.get("seed", 42)).shuffle(order)
    order = order[: limit if limit > 0 else None]
    answers, accepted = ([columns[field][row] for row in order] for field in fields)
    try:
        return _named(path, "metrics", lambda: ultrarag.evaluate(answers, accepted, metrics))
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
