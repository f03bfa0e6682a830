"""A server folder of UltraRAG that starts this server."""

import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from ...data.files.access import is_file
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


def write(folder: Path, root: Path | None = None) -> None:
    """Write a server folder, which a pipeline names as `servers: evaluation: <folder>`.

    Args:
        folder: a new or empty folder.
        root: the folder that the server may use; by default the one that UltraRAG runs in.

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
        root=repr(root and str(root.absolute())),
    )
    parameters = _filled(
        "parameter.yaml",
        answer_metrics=", ".join(ANSWER_METRICS),
        ranking_metrics=", ".join(RANKING_METRICS),
        cutoffs=", ".join(map(str, CUTOFFS)),
    )
    path = folder / "parameter.yaml"
    write_whole(folder / "README.md", [_text("README.md")])
    write_whole(path, [parameters])
    write_whole(folder / "src" / f"{folder.name}.py", [entry])
    build(folder, str(path))


def _filled(name: str, **values: object) -> str:
    """Return the text of a template in this folder, with values for its names."""
    return Template(_text(name)).substitute(values)


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def build(folder: Path, parameter_file: str) -> None:
    """Write the server.yaml of a server folder, from its parameters.

    Raises:
        ValueError: the parameters are in another folder, or are not keys with values.
        OSError: a file cannot be read or written.
    """
    from ..console import config  # imports a parser of YAML, so only on use

    path = Path(parameter_file).absolute()
    if path.resolve().parent != folder.resolve():
        raise ValueError(f"parameter_file: {parameter_file} is not in {folder}")
    parameters = config.read(path) if is_file(path) else {}
    # UltraRAG names the server after its folder, which may be a link.
    script = Path(parameter_file).parent / "src" / f"{path.parent.name}.py"
    description = {
        "path": parameters.get("path", str(script)),
        "parameter": parameter_file,
        "tools": {tool: _described(tool, parameters) for tool in _TOOLS},
        "prompts": {},
    }
    write_whole(folder / "server.yaml", [config.as_yaml(description)])


def _described(tool: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs and outputs of a tool, as server.yaml has them."""
    values = {**_TOOLS[tool], "save_path": "save_path"}
    inputs = {
        argument: f"${value}" if value in parameters else value
        for argument, value in values.items()
    }
    return {"input": inputs, "output": ["eval_res"]}
