"""Evaluation modules for language models, retrieval and classical machine learning.

`names` lists the modules and `load` loads one. `score` computes the scores of several systems with
several modules and returns `Results`; `compare` compares saved results, and `compare_rows` two
lists with the scores of the same rows. `State` holds the mergeable
scores of part of the rows. `trainer_hook` computes scores in training, and `patch_evaluate` lets
scripts that load evaluate's own modules get ours.

The subpackages contain the same measures as functions on arrays: `text`, `labels`, `regression`,
`retrieval`, `structured`, `mathematics` and `judging`. `programs` runs programs. `base` is what a
metric of your own derives from. `rewards` has functions for training, `scorers` those for
frameworks, `testing` an assertion about scores, `statistics` intervals and tests, and `files` reads
runs and judgments of TREC.

Names are imported on first use: `import metric_commons` alone loads no other library.
"""

from .lazy import resolver

TYPE_CHECKING = False  # importing `typing` takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

    from .evaluation.comparison.combined_results import compare
    from .evaluation.results.results import Results
    from .evaluation.rows.states import State
    from .evaluation.scoring.scoring import score
    from .frameworks.harnesses.stock_evaluate import patch_evaluate
    from .frameworks.trainers.trainer import trainer_hook
    from .module.catalog.catalog import names
    from .module.catalog.loading import load
    from .statistics.tests.significance import compare as compare_rows

__all__ = [
    "Results",
    "State",
    "__version__",
    "compare",
    "compare_rows",
    "load",
    "names",
    "patch_evaluate",
    "score",
    "trainer_hook",
]

_resolve = resolver(
    __name__,
    {
        "Results": "evaluation.results.results",
        "State": "evaluation.rows.states",
        "compare": "evaluation.comparison.combined_results",
        "load": "module.catalog.loading",
        "names": "module.catalog.catalog",
        "patch_evaluate": "frameworks.harnesses.stock_evaluate",
        "score": "evaluation.scoring.scoring",
        "trainer_hook": "frameworks.trainers.trainer",
    },
)


def __getattr__(name: str) -> "Any":
    if name == "__version__":
        from importlib.metadata import version

        return version("metric-commons")
    if name == "compare_rows":
        from .statistics.tests.significance import compare

        return compare
    try:
        return _resolve(name)
    except AttributeError as error:
        from importlib.util import find_spec

        if name.startswith("_") or find_spec(f"{__name__}.{name}"):
            raise  # Python imports the file of this name next
        from .module.catalog.field_names import suggestion

        hint = suggestion(name, ())
        if not hint.startswith("; use"):
            raise
        raise AttributeError(f"{error}{hint}, as in metric_commons.load(MODULE)") from None


def __dir__() -> list[str]:
    return [*globals(), *__all__]
