"""Evaluation modules for language models, retrieval and classical machine learning.

`names` lists the modules and `load` loads one. `score` computes the scores of several systems with
several modules and returns `Results`; `compare` compares saved results. `State` holds the mergeable
scores of part of the rows. `trainer_hook` computes scores in training, and `patch_evaluate` lets
scripts that load evaluate's own modules get ours.

The subpackages contain the same measures as functions on arrays: `answers`, `rouge`, `translation`,
`transcripts`, `mathematics`, `ranking`, `classification`, `spans`, `regression`, `clustering` and
`outcomes`. `execution` runs programs. `rewards` has functions for training, `scorers` those for
frameworks, and `tasks` the verdicts behind them. `testing` has an assertion about scores,
`statistics` contains intervals and tests, and `files` reads and writes files.

Names are imported on first use: `import metric_commons` alone loads no other library.
"""

from .lazy import resolver

TYPE_CHECKING = False  # importing `typing` takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

    from .catalog.catalog import load, names
    from .comparison.combined_results import compare
    from .integrations.stock_evaluate import patch_evaluate
    from .integrations.trainer import trainer_hook
    from .results.results import Results
    from .scoring.scoring import score
    from .scoring.states import State

__all__ = [
    "Results",
    "State",
    "__version__",
    "compare",
    "load",
    "names",
    "patch_evaluate",
    "score",
    "trainer_hook",
]

_resolve = resolver(
    __name__,
    {
        "Results": "results.results",
        "State": "scoring.states",
        "compare": "comparison.combined_results",
        "load": "catalog.catalog",
        "names": "catalog.catalog",
        "patch_evaluate": "integrations.stock_evaluate",
        "score": "scoring.scoring",
        "trainer_hook": "integrations.trainer",
    },
)


def __getattr__(name: str) -> "Any":
    if name == "__version__":
        from importlib.metadata import version

        return version("metric-commons")
    return _resolve(name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
