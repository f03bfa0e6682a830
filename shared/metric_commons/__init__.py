"""Evaluation modules for language models, retrieval and classical machine learning.

`names` and `load` find the modules; `score` runs several of them over several systems and returns
`Results`, which `compare` brings together; `State` keeps what a part of the rows leaves behind, and
`trainer_hook` scores a model in training. Everything else stands in rooms: `text`, `mathematics`,
`ranking`, `classification`, `regression`, `clustering` and `outcomes` hold measures as functions on
arrays, `statistics` intervals and tests, `files` the reading and writing.

Names are imported on first use: `import metric_commons` alone loads nothing.
"""

from typing import TYPE_CHECKING, Any

from .lazy import resolver

if TYPE_CHECKING:
    from .evaluation.catalog import load, names
    from .evaluation.results import Results
    from .evaluation.scoring import compare, score
    from .evaluation.state import State
    from .integrations.trainer import trainer_hook

__all__ = [
    "Results",
    "State",
    "__version__",
    "compare",
    "load",
    "names",
    "score",
    "trainer_hook",
]

_resolve = resolver(
    __name__,
    {
        "Results": "evaluation.results",
        "State": "evaluation.state",
        "compare": "evaluation.scoring",
        "load": "evaluation.catalog",
        "names": "evaluation.catalog",
        "score": "evaluation.scoring",
        "trainer_hook": "integrations.trainer",
    },
)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("metric-commons")
    return _resolve(name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
