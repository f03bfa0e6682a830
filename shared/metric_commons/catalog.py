"""The evaluation modules, without knowing where they lie.

A module is a folder that holds a script of the same name. In a checkout the folders stand in
`metrics/`, beside `shared/`; an installed wheel carries them beside this file.
"""

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .checks import nearest

if TYPE_CHECKING:
    from .state import State
    from .trainer import TrainerHook

_HERE = Path(__file__).resolve().parent
_WHEEL, _CHECKOUT = _HERE / "metrics", _HERE.parents[1] / "metrics"
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
    >>> path("qa_ff1")
    Traceback (most recent call last):
    ValueError: there is no module 'qa_ff1'; did you mean 'qa_f1'?
    """
    known = names()
    if name not in known:
        hint = nearest(name, known) or f"; the modules are {', '.join(known)}"
        raise ValueError(f"there is no module {name!r}{hint}")
    return _FOLDER / name


def summary(name: str) -> str:
    """What a module says of itself in one line; nothing is imported to find out.

    >>> summary("qa_f1").endswith(".")
    True
    """
    script = path(name) / f"{name}.py"
    about = ast.get_docstring(ast.parse(script.read_text("utf-8"))) or ""
    return about.partition("\n")[0]


def trainer_hook(modules: Sequence[Any], **arguments: Any) -> "TrainerHook":
    """A `compute_metrics` for a Trainer, that scores with several modules.

    With `batch_eval_metrics` it keeps a state of the batches, and not their rows, unless an option
    is a function.

    Args:
        modules: names, or modules that are loaded.
        **arguments: `task` and others, as `trainer.trainer_hook` has them.

    Raises:
        ValueError: there is no such module, or it cannot be used so.

    >>> type(trainer_hook(["classification"], task="classification")).__name__
    'TrainerHook'
    """
    from .trainer import trainer_hook

    loaded = [load(module) if isinstance(module, str) else module for module in modules]
    given = [value for name, value in arguments.items() if name != "tokenizer"]
    options = [*given, *(value for module in loaded for value in module.options.values())]
    state = None if any(map(callable, options)) else _state
    return trainer_hook(loaded, **arguments, state=state)


def _state(module: str, **options: Any) -> "State":
    from .results import REPORTING
    from .state import State

    return State(module, **{name: v for name, v in options.items() if name not in REPORTING})


def load(name: str, **settings: Any) -> Any:
    """A module, ready to compute; `settings` become the defaults of its options.

    >>> load("qa_f1", normalizer="lower").options["normalizer"]
    'lower'
    """
    folder = path(name)
    import evaluate  # takes a second, which only those who compute should pay

    return evaluate.load(str(folder), **settings)
