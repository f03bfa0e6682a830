"""Find evaluation modules, wherever they are installed.

A module is a folder that contains a script of the same name. In a checkout the folders are in
`metrics/`, beside `shared/`; an installed wheel contains them in the package.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...statistics.arguments.domains import Ranges
from .field_names import suggestion

if TYPE_CHECKING:
    from ..declaration.declared_module import DeclaredModule

# An input in the Args of a docstring, and its type.
_INPUT = re.compile(r"^ +(predictions\d?|references) \(([^)]+)\):", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parents[2]
_WHEEL, _CHECKOUT = _PACKAGE / "metrics", _PACKAGE.parents[1] / "metrics"
_FOLDER = _WHEEL if _WHEEL.is_dir() else _CHECKOUT


def names() -> list[str]:
    """Return the names of all modules, sorted.

    >>> "qa_f1" in names()
    True
    """
    return sorted(
        folder.name for folder in _FOLDER.glob("*") if (folder / f"{folder.name}.py").is_file()
    )


def path(name: str) -> Path:
    """Return the folder of a module: its script, `<name>.py`, and its card.

    >>> path("qa_f1").name
    'qa_f1'
    >>> path("qa_ff1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: there is no module 'qa_ff1'; did you mean 'qa_f1'?; the modules are ...
    """
    folder = _FOLDER / str(name)
    if str(name).isidentifier() and (folder / f"{name}.py").is_file():
        return folder
    modules = names()
    if not modules:
        raise ValueError(
            f"there are no modules in {_FOLDER}: install metric-commons; a zip is not enough"
        )
    listed = ", ".join(modules)
    raise ValueError(
        f"there is no module {name!r}{suggestion(name, modules)}; the modules are {listed}"
    )


@cache
def _docstrings(name: str) -> tuple[str, str]:
    """The docstrings of a script and of its class, parsed since listings need no imports of it."""
    tree = ast.parse((path(name) / f"{name}.py").read_text("utf-8"))
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
    """Return the ranges of the scores of a module.

    Anything that is not one of our modules, such as the scores of a harness, is unrestricted.

    >>> score_ranges("qa_f1")["*"], score_ranges("chrf")["chrf"], dict(score_ranges("of_a_log"))
    ((0.0, 1.0), (0, 100), {})
    """
    cls = known_class(name)
    return cls.score_ranges if cls else {}


@cache  # since small states are made often
def module_class(name: str) -> "type[DeclaredModule]":
    """Return the class of a module, without `evaluate`."""
    script = path(name) / f"{name}.py"
    from ..declaration.declared_module import declared_class  # imports numpy, so only on use

    return declared_class(script)


def known_class(name: str) -> "type[DeclaredModule] | None":
    """Return the class of a module.

    None of a name that this version does not have, as in old results.
    """
    return module_class(name) if name in names() else None


def load_without_evaluate(name: str, **settings: Any) -> "DeclaredModule":
    """As `load`, without `evaluate`: a module for this process, not an `evaluate.Metric`.

    >>> load_without_evaluate("qa_f1", normalizer="lower").compute(
    ...     predictions=["a"], references=["a"]
    ... )["qa_f1"]
    1.0
    """
    return module_class(name)(**settings)


def load(name: str, config_name: str | None = None, **settings: Any) -> Any:
    """Load a module of `evaluate`; `settings` become the defaults of its options.

    The configuration is short for a `result_format`, the name of one of evaluate's own modules.

    >>> load("qa_f1", normalizer="lower").options["normalizer"]
    'lower'
    >>> load("classification", "mrpc").options
    {'result_format': 'glue/mrpc'}
    """
    folder = path(name)
    import evaluate  # takes a second, so only on use

    from ..declaration.module import cache_error

    try:
        return evaluate.load(str(folder), config_name, **settings)
    except OSError as error:
        raise cache_error(error) from error
