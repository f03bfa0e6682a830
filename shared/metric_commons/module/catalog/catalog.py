"""Find evaluation modules, wherever they are installed, and their declarations.

A module is a folder that contains a script of the same name. In a checkout ours are in
`metrics/`, beside `shared/`; an installed wheel contains them in the package. Modules of others are
named by their paths, or by entry points of an installed package.
"""

import ast
import inspect
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...statistics.arguments.domains import Ranges, score_range
from ..declaration.declarations import Option, arguments, section
from .field_names import suggestion
from .score_scales import ScoreScale

if TYPE_CHECKING:
    from ..declaration.declared_module import DeclaredModule

# An input in the Args of a docstring, and its type.
_INPUT = re.compile(r"^ +(predictions\d?|references) \(([^)]+)\):", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parents[2]
_WHEEL, _CHECKOUT = _PACKAGE / "metrics", _PACKAGE.parents[1] / "metrics"
_FOLDER = _WHEEL if _WHEEL.is_dir() else _CHECKOUT


def names() -> list[str]:
    """Return the names of all modules, sorted: ours, those of installed packages and loaded ones.

    A package makes its modules known by entry points of the group `metric_commons.modules`, whose
    values are the import paths of their scripts or folders.

    >>> "qa_f1" in names()
    True
    """
    return sorted({**_scripts(_FOLDER), **_installed(), **_loaded})


def is_known(name: str) -> bool:
    """Return whether there is a module of this name.

    >>> is_known("qa_f1"), is_known("of_a_log")
    (True, False)
    """
    return _known_script(name) is not None


def is_path(module: Any) -> bool:
    """Return whether a module is named by the path of its folder or script.

    A bare name is one if none of ours has it, and the working directory has a folder of this name
    with the script.

    >>> is_path("./token_jaccard"), is_path("token_jaccard"), is_path("./answers.jsonl")
    (True, False, False)
    """
    if isinstance(module, str):
        path = Path(module)
        if path.name == module:
            return (
                module.isidentifier()
                and _known_script(module) is None
                and _script_at(path).is_file()
            )
        return path.suffix in ("", ".py")
    return isinstance(module, PathLike)


def holds_module(path: str | PathLike[str]) -> bool:
    """Return whether a path is that of a module, and not of data.

    >>> holds_module(script_of("qa_f1")), holds_module("./token_jaccard"), holds_module("qa_f1")
    (True, False, False)
    """
    return is_path(path) and _script_at(Path(path)).is_file()


def name_of(module: Any) -> str:
    """Return the name of a module, which this process knows from now on.

    Args:
        module: its name, the path of its folder or script, or a loaded module.

    Raises:
        ValueError: there is no module at a path, or another module has its name.

    >>> name_of("qa_f1"), name_of(path("qa_f1")), name_of(load_without_evaluate("qa_f1"))
    ('qa_f1', 'qa_f1', 'qa_f1')
    """
    if is_path(module):
        script = _script_in(Path(module))
    elif isinstance(module, str):
        return module
    elif hasattr(module, "feature_sets"):
        script = Path(getattr(module, "script", None) or inspect.getfile(type(module)))
    else:
        raise ValueError(
            f"modules must be names, paths or loaded modules, got {type(module).__name__}"
        )
    earlier = _known_script(script.stem)
    if earlier is None:
        _loaded[script.stem] = earlier = script
    if earlier != script and earlier.read_bytes() != script.read_bytes():
        raise ValueError(f"{script}: {earlier} is another module of this name; rename one of them")
    return script.stem


def own_scripts(modules: Iterable[str]) -> dict[str, str]:
    """Return the scripts of modules whose names only this process knows."""
    return {name: str(_loaded[name]) for name in modules if name in _loaded}


_loaded: dict[str, Path] = {}  # scripts that were named by their paths


@cache
def _scripts(parent: Path) -> dict[str, Path]:
    scripts = (folder / f"{folder.name}.py" for folder in parent.glob("*"))
    return {script.stem: script for script in scripts if script.is_file()}


@cache
def _installed() -> dict[str, Path]:
    """Return the scripts of other packages, which are not imported."""
    from importlib.metadata import entry_points  # takes long to import

    scripts = {}
    for entry in entry_points(group="metric_commons.modules"):
        if spec := find_spec(entry.value):
            folders = spec.submodule_search_locations
            scripts[entry.name] = _script_in(Path(folders[0] if folders else str(spec.origin)))
    return scripts


def _known_script(name: str) -> Path | None:
    known = _scripts(_FOLDER).get(name) or _loaded.get(name)
    return known or (_installed().get(name) if name.isidentifier() else None)


def _script_at(path: Path) -> Path:
    path = path.absolute()
    return path if path.suffix == ".py" else path / f"{path.name}.py"


def _script_in(path: Path) -> Path:
    """Return the script at a path or in the folder at this path.

    Raises:
        ValueError: there is none.
    """
    script = _script_at(path)
    if not script.is_file():
        raise ValueError(f"{path}: there is no module here; {script} does not exist")
    return script


def path(name: str | PathLike[str]) -> Path:
    """Return the folder of a module, with its script and its card.

    >>> path("qa_f1").name
    'qa_f1'
    """
    return script_of(name).parent


def script_of(name: str | PathLike[str]) -> Path:
    """Return the script of a module, `<name>.py`.

    >>> script_of("qa_f1").name
    'qa_f1.py'
    >>> script_of("qa_ff1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: there is no module 'qa_ff1'; did you mean 'qa_f1'?; the modules are ...
    """
    script = _known_script(name_of(name))
    if script is not None:
        return script
    modules = names()
    if not modules:
        raise ValueError(
            f"there are no modules in {_FOLDER}: install metric-commons; a zip is not enough"
        )
    listed = ", ".join(modules)
    raise ValueError(
        f"there is no module {name!r}{suggestion(str(name), modules)}; the modules are {listed}"
    )


@cache
def _docstrings(name: str) -> tuple[str, str]:
    """Return the docstrings of a script and of its class, without importing the script."""
    tree = ast.parse(script_of(name).read_text("utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    of_class = ast.get_docstring(classes[0]) if classes else None
    return ast.get_docstring(tree) or "", of_class or ""


def summary(name: str) -> str:
    """Return the one-line description of a module, without importing it.

    >>> summary("qa_f1").endswith(".")
    True
    """
    return _docstrings(name)[0].partition("\n")[0]


def takes(name: str) -> str:
    """Return the inputs of a module, in the words of its docstring, without importing it.

    >>> takes("truthful_mc")
    'predictions: list of list of float; references: list of list of int'
    """
    inputs = _INPUT.findall(_docstrings(name)[1].partition("Returns:")[0])
    return "; ".join(f"{column}: {kind}" for column, kind in inputs)


@cache
def score_ranges(name: str) -> Ranges:
    """Return the ranges of the scores of a module; an unknown one, such as a harness, has none.

    >>> score_ranges("qa_f1")["*"], score_ranges("chrf")["chrf"], dict(score_ranges("of_a_log"))
    ((0.0, 1.0), (0, 100), {})
    """
    cls = known_class(name)
    return cls.score_ranges if cls else {}


@cache  # since small states are made often
def module_class(name: str) -> "type[DeclaredModule]":
    """Return the class of a module, without `evaluate`."""
    script = script_of(name)
    from ..declaration.declared_module import declared_class  # imports numpy, so only on use

    return declared_class(script)


def known_class(name: str) -> "type[DeclaredModule] | None":
    """Return the class of a module; None if this version lacks it, as with old results."""
    return module_class(name) if is_known(name) else None


def load_without_evaluate(name: str, **settings: Any) -> "DeclaredModule":
    """Load a module without `evaluate`: for this process, and not as an `evaluate.Metric`.

    >>> load_without_evaluate("qa_f1", normalizer="lower").compute(
    ...     predictions=["a"], references=["a"]
    ... )["qa_f1"]
    1.0
    """
    return module_class(name)(**settings)


def score_scale(module: str, score: str) -> ScoreScale:
    """Return the scale of a score of a module, from what its script declares.

    >>> score_scale("error_rate", "wer").lower_is_better, score_scale("chrf", "chrf").best
    (True, 100.0)
    """
    cls = module_class(module)
    low, high = score_range(score, cls.score_ranges) or (-math.inf, math.inf)
    return ScoreScale(low, high, bool(lower_scores([score], cls.lower_is_better)), cls.full_error)


def lower_scores(scores: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Return the scores for which lower is better, by patterns of their names.

    >>> lower_scores(["map", "unj@5"], ["unj*"])
    ['unj@5']
    """
    return [score for score in scores if any(fnmatchcase(score, name) for name in patterns)]


@dataclass(frozen=True)
class Input:
    """An input of a module: the valid types of a row, and its meaning."""

    name: str
    accepts: list[str]
    help: str


@dataclass(frozen=True)
class Description:
    """A module in words.

    >>> description = describe("pass_at_k")
    >>> [option.name for option in description.options][:2]
    ['k', 'measures']
    >>> description.inputs[0].accepts[-1]
    'list of bool'
    """

    name: str
    summary: str
    about: str
    inputs: list[Input]
    options: list[Option]
    results: str
    example: str
    lower_is_better: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return values for JSON; each option has its JSON Schema."""
        parts = ("name", "default", "accepts", "help", "schema")
        options = [{part: getattr(option, part) for part in parts} for option in self.options]
        return {
            **vars(self),
            "inputs": [vars(column) for column in self.inputs],
            "options": options,
        }


def describe(name: str) -> Description:
    """Describe a module: what it measures, its inputs, options, results, and an example.

    Raises:
        ValueError: the module is unknown.
    """
    module = load_without_evaluate(name)
    docstring = module.written_docstring
    help_of_inputs = arguments(docstring)
    return Description(
        name=name,
        summary=summary(name),
        about=str(module.description).strip(),
        inputs=[
            Input(column, accepted, help_of_inputs.get(column, ""))
            for column, accepted in module.accepted_inputs.items()
        ],
        options=list(module.declared_options.values()),
        results=section(docstring, "Returns"),
        example=section(docstring, "Examples"),
        lower_is_better=sorted(module.lower_is_better),
    )
