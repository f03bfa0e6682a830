"""Evaluation modules for language models, retrieval and classical machine learning.

`load`, `names` and `path` find the modules, `score` runs several of them over several systems
and returns one result, `trainer_hook` scores a model in training. They are imported on first use:
`import metric_commons` alone loads nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .catalog import load, names, path, trainer_hook
    from .results import score

__all__ = ["load", "names", "path", "score", "trainer_hook"]

_HOMES = {
    "load": "catalog",
    "names": "catalog",
    "path": "catalog",
    "score": "results",
    "trainer_hook": "catalog",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
