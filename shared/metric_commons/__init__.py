"""Evaluation modules for language models, retrieval and classical machine learning.

`names` and `presets` list what there is, `describe` describes a module and `load` loads one.
`score` computes the scores of several systems with several modules and returns `Results`;
`compare` compares the systems of results or of a table of scores, `leaderboard` ranks them, `gate`
decides whether one is worse, and `power` plans; `compare_rows` compares two lists with the scores
of the same rows. `report` and `plot` show results, `audit` checks printed scores, and `verify`
compares a module with another package. `State` holds the mergeable scores of part of the rows.
`trainer_hook` computes scores in training, and `patch_evaluate` lets scripts that load evaluate's
own modules get ours. The commands of the command line are these functions.

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

    from .apps.functions.audit import audit
    from .apps.functions.gate import gate
    from .apps.functions.leaderboard import leaderboard
    from .apps.functions.modules import describe, presets
    from .apps.functions.plot import plot
    from .apps.functions.power import power
    from .apps.functions.report import report
    from .apps.functions.verify import verify
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
    "audit",
    "compare",
    "compare_rows",
    "describe",
    "gate",
    "leaderboard",
    "load",
    "names",
    "patch_evaluate",
    "plot",
    "power",
    "presets",
    "report",
    "score",
    "trainer_hook",
    "verify",
]

_resolve = resolver(
    __name__,
    {
        "Results": "evaluation.results.results",
        "State": "evaluation.rows.states",
        "audit": "apps.functions.audit",
        "compare": "evaluation.comparison.combined_results",
        "describe": "apps.functions.modules",
        "gate": "apps.functions.gate",
        "leaderboard": "apps.functions.leaderboard",
        "load": "module.catalog.loading",
        "names": "module.catalog.catalog",
        "patch_evaluate": "frameworks.harnesses.stock_evaluate",
        "plot": "apps.functions.plot",
        "power": "apps.functions.power",
        "presets": "apps.functions.modules",
        "report": "apps.functions.report",
        "score": "evaluation.scoring.scoring",
        "trainer_hook": "frameworks.trainers.trainer",
        "verify": "apps.functions.verify",
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
