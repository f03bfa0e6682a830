"""The evaluation modules, without knowing where they lie.

A module is a folder that holds a script of the same name. In a checkout the folders stand in
`metrics/`, beside `shared/`; an installed wheel carries them in the package.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

from ..numbers.checks import nearest
from ..numbers.score_ranges import SHARES, Ranges

# An input in the Args of a docstring, and what it is.
_INPUT = re.compile(r"^ +(predictions\d?|references) \(([^)]+)\):", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parents[1]
_WHEEL, _CHECKOUT = _PACKAGE / "metrics", _PACKAGE.parents[1] / "metrics"
_FOLDER = _WHEEL if _WHEEL.is_dir() else _CHECKOUT


def names() -> list[str]:
    """The names of all modules, sorted.

    >>> "qa_f1" in names()
    True
    """
    return sorted(
        folder.name for folder in _FOLDER.glob("*") if (folder / f"{folder.name}.py").is_file()
    )


def path(name: str) -> Path:
    """The folder of a module: its script, `<name>.py`, and its card.

    >>> path("qa_f1").name
    'qa_f1'
    >>> path("qa_ff1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: there is no module 'qa_ff1'; did you mean 'qa_f1'?; the modules are ...
    """
    modules = names()
    if not modules:
        raise ValueError(
            f"there are no modules in {_FOLDER}: install metric-commons, a zip does not suffice"
        )
    if name not in modules:
        listed = ", ".join(modules)
        raise ValueError(
            f"there is no module {name!r}{nearest(name, modules)}; the modules are {listed}"
        )
    return _FOLDER / name


def summary(name: str) -> str:
    """What a module says of itself in one line; nothing is imported to find out.

    >>> summary("qa_f1").endswith(".")
    True
    """
    script = path(name) / f"{name}.py"
    docstring = ast.get_docstring(ast.parse(script.read_text("utf-8"))) or ""
    return docstring.partition("\n")[0]


def takes(name: str) -> str:
    """What a module takes, in the words of its docstring; nothing is imported to find out.

    >>> takes("truthful_mc")
    'predictions: list of list of float; references: list of list of int'
    """
    script = path(name) / f"{name}.py"
    classes = [
        node for node in ast.parse(script.read_text("utf-8")).body if isinstance(node, ast.ClassDef)
    ]
    docstring = (ast.get_docstring(classes[0]) or "").partition("Returns:")[0]
    inputs = _INPUT.findall(docstring)
    return "; ".join(f"{column}: {kind}" for column, kind in inputs)


@cache
def score_ranges(name: str) -> Ranges:
    """Between which numbers the scores of a module lie; nothing is imported to find out.

    What is no module of ours, such as the scores of a harness, may have any numbers.

    >>> score_ranges("qa_f1")["*"], score_ranges("chrf")["chrf"], dict(score_ranges("of_a_log"))
    ((0.0, 1.0), (0, 100), {})
    """
    if name not in names():
        return {}
    tree = ast.parse((path(name) / f"{name}.py").read_text("utf-8"))
    for node in (
        node for body in tree.body if isinstance(body, ast.ClassDef) for node in body.body
    ):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "score_ranges":
            declared: Ranges = ast.literal_eval(node.value)
            return declared
    return SHARES


def declared(name: str, **settings: Any) -> Any:
    """As `load`, without `evaluate`: a module for this process, which is no `evaluate.Metric`.

    >>> declared("qa_f1", normalizer="lower").compute(predictions=["a"], references=["a"])["qa_f1"]
    1.0
    """
    script = path(name) / f"{name}.py"
    from ..base.declared_module import declared_class  # numpy, which help should not wait for

    return declared_class(script)(**settings)


def load(name: str, **settings: Any) -> Any:
    """A module of `evaluate`, ready to compute; `settings` become the defaults of its options.

    >>> load("qa_f1", normalizer="lower").options["normalizer"]
    'lower'
    """
    folder = path(name)
    import evaluate  # takes a second, which only those who compute should pay

    try:
        return evaluate.load(str(folder), **settings)
    except OSError as error:
        raise OSError(
            error.errno,
            f"{error.strerror}; evaluate keeps copies of scripts there: set HF_HOME to a folder "
            "that can be written",
            error.filename,
        ) from error
