"""A server folder of UltraRAG that starts this server."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import yaml

from ...data.files.access import is_file, read_file
from ...data.files.stored import write_whole
from ...frameworks.harnesses.ultrarag import ANSWER_METRICS, CUTOFFS, RANKING_METRICS

# By tool: its arguments, and the names of their values in UltraRAG. A name is a key in
# parameter.yaml, or the result of an earlier step of the pipeline.
_RANKING = {"metrics": "ir_metrics", "ks": "ks"}
_TOOLS = {
    "evaluate": {"pred_ls": "pred_ls", "gt_ls": "gt_ls", "metrics": "metrics"},
    "evaluate_trec": {"run_path": "run_path", "qrels_path": "qrels_path", **_RANKING},
    "evaluate_trec_pvalue": {
        "run_new_path": "run_new_path",
        "run_old_path": "run_old_path",
        "qrels_path": "qrels_path",
        **_RANKING,
        "n_resamples": "n_resamples",
    },
}
# By tool: arguments that UltraRAG lacks, which are passed on if parameter.yaml has them.
_EXTENSIONS = {
    "evaluate": ["profile", "confidence_level"],
    "evaluate_trec": ["profile", "confidence_level"],
    "evaluate_trec_pvalue": ["profile", "seed", "confidence_level"],
}


def write(folder: Path, roots: Sequence[Path] = ()) -> None:
    """Write a server folder, which a pipeline names as `servers: evaluation: <folder>`.

    Args:
        folder: a new or empty folder.
        roots: folders that the server may use in addition to the one that UltraRAG runs in.

    Raises:
        ValueError: the folder is not empty.
        OSError: the folder cannot be written.
    """
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} exists and is not empty; nothing was written")
    entry = _filled(
        "entry.py.txt",
        python=repr(sys.executable),
        package=repr(__name__.partition(".")[0]),
        roots=[str(root.absolute()) for root in roots],
    )
    parameters = _filled(
        "parameter.yaml",
        answer_metrics=", ".join(ANSWER_METRICS),
        ranking_metrics=", ".join(RANKING_METRICS),
        cutoffs=", ".join(map(str, CUTOFFS)),
    )
    path = folder / "parameter.yaml"
    description = _description(str(path), folder.name, yaml.safe_load(parameters))
    write_whole(folder / "README.md", [_text("README.md")])
    write_whole(path, [parameters])
    write_whole(folder / "server.yaml", [description])
    write_whole(folder / "src" / f"{folder.name}.py", [entry])


def _filled(name: str, **values: object) -> str:
    """Return the text of a template beside this file, with values for its names."""
    return Template(_text(name)).substitute(values)


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def build(folder: Path, parameter_file: str) -> None:
    """Write the server.yaml of a server folder again, from its parameters.

    Raises:
        ValueError: the parameters are in another folder, or are not keys with values.
        OSError: a file cannot be read or written.
    """
    path = Path(parameter_file).absolute()
    if path.resolve().parent != folder.resolve():
        raise ValueError(f"parameter_file: {parameter_file} is not in {folder}")
    try:
        parameters = yaml.safe_load(read_file(path).decode()) if is_file(path) else None
    except RecursionError as error:
        raise ValueError(f"{parameter_file}: values are nested too deeply") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ValueError(f"{parameter_file}: {error}") from error
    if not isinstance(parameters, dict | None):
        raise ValueError(f"{parameter_file}: expected keys with values")
    description = _description(parameter_file, folder.resolve().name, parameters or {})
    write_whole(folder / "server.yaml", [description])


def _description(parameter_file: str, name: str, parameters: Mapping[str, Any]) -> str:
    """Return the text of server.yaml.

    The path of the server, and the inputs and outputs of each tool.
    """
    entry = parameters.get("path", str(Path(parameter_file).parent / "src" / f"{name}.py"))
    tools = {}
    for tool, arguments in _TOOLS.items():
        extensions = {name: name for name in _EXTENSIONS[tool] if name in parameters}
        values = {**arguments, "save_path": "save_path", **extensions}
        tools[tool] = {
            "input": {
                argument: f"${value}" if value in parameters else value
                for argument, value in values.items()
            },
            "output": ["eval_res"],
        }
    description = {"path": entry, "parameter": parameter_file, "tools": tools, "prompts": {}}
    text: str = yaml.safe_dump(description, allow_unicode=True, sort_keys=False)
    return text
