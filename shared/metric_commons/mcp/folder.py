"""A server folder of UltraRAG that starts this server."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..files.access import is_file, read_file
from ..files.stored import write_whole
from ..integrations.ultrarag import ANSWER_METRICS, CUTOFFS, RANKING_METRICS

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
_PARAMETERS = f"""\
# "ultrarag" gives the scores of UltraRAG 0.3.0 to the last bit, "ultrarag-main" those of later
# versions, "standard" the same without their oddities; README.md in this folder lists these.
profile: ultrarag

save_path: output/evaluate_results.json

# confidence_level: 0.95  # also shows intervals

# evaluate
metrics: [{", ".join(ANSWER_METRICS)}]

# evaluate_trec and evaluate_trec_pvalue
qrels_path: data/qrels.txt
run_path: data/run_a.txt
run_new_path: data/run_a.txt
run_old_path: data/run_b.txt
ir_metrics: [{", ".join(RANKING_METRICS)}]
ks: [{", ".join(map(str, CUTOFFS))}]
n_resamples: 10000
seed: 0
"""
_ENTRY = '''\
"""Starts the evaluation server of metric-commons in its own Python, whichever runs this file."""

import os
import sys

PYTHON = {python!r}
ROOTS = {roots!r}  # may be read and written in addition to the working directory

HERE = os.path.abspath(__file__)
FOLDER = os.path.dirname(os.path.dirname(HERE))

if os.environ.get("METRIC_COMMONS_STARTED_BY") == HERE:
    sys.exit(f"{{PYTHON}} runs {{HERE}} instead of metric-commons")
if not os.path.exists(PYTHON):
    sys.exit(f"{{PYTHON}} is gone; write this folder again with `metric-commons ultrarag-init`")
environment = {{k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}}
environment["METRIC_COMMONS_STARTED_BY"] = HERE
roots = [argument for root in (os.getcwd(), *ROOTS) for argument in ("--root", root)]
version = "{{}}.{{}}".format(*sys.version_info)  # of UltraRAG's Python; means depend on its `sum`
client = ["--ultrarag", FOLDER, "--python-version", version]
command = [PYTHON, "-P", "-m", {package!r}, "mcp", *roots, *client]
os.execve(PYTHON, command, environment)
'''


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
    entry = _ENTRY.format(
        python=sys.executable,
        package=__name__.partition(".")[0],
        roots=[str(root.absolute()) for root in roots],
    )
    card = Path(__file__).with_name("README.md").read_bytes()
    parameters = folder / "parameter.yaml"
    description = _description(str(parameters), folder.name, yaml.safe_load(_PARAMETERS))
    write_whole(folder / "README.md", [card])
    write_whole(parameters, [_PARAMETERS])
    write_whole(folder / "server.yaml", [description])
    write_whole(folder / "src" / f"{folder.name}.py", [entry])


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
    """The text of server.yaml: the path of the server, and the inputs and outputs of each tool."""
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
