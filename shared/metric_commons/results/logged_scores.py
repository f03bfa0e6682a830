"""`logged`: the scores that a log has, summarised as those of a module; nothing is scored again."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

NAME = "logged"


class LoggedScores:
    """What looks like a module: its predictions are dictionaries of scores, one per row."""

    feature_sets: Sequence[Mapping[str, Any]] = ({"predictions": {}},)
    input_names: Sequence[str] = ("predictions",)
    score_kind = "means"
    main_score = None
    unbounded: frozenset[str] = frozenset()
    reports: frozenset[str] = frozenset()
    row_texts: frozenset[str] = frozenset()
    aggregation: Mapping[str, str] = MappingProxyType({})
    log_columns = (NAME,)

    def __init__(self, lower_is_better: frozenset[str] = frozenset()) -> None:
        self.lower_is_better = lower_is_better

    @property
    def options(self) -> dict[str, Any]:
        """What can be asked for beside the scores; no option moves them."""
        return {
            "per_example": False,
            "confidence_level": None,
            "interval": "auto",
            "standard_error": False,
            "clusters": None,
            "n_resamples": 10_000,
            "seed": 0,
            "groups": None,
        }

    def compute_with_statistics(self, **arguments: Any) -> tuple[dict[str, Any], None]:
        """As `compute`; there are no sums behind these scores."""
        return self.compute(**arguments), None

    def compute(
        self, *, predictions: Sequence[Mapping[str, float]], **reporting: Any
    ) -> dict[str, Any]:
        """The mean of each score.

        >>> LoggedScores().compute(predictions=[{"acc": 1.0}, {"acc": 0.0}])
        {'acc': 0.5}
        """
        import numpy as np  # which those who only ask for help should not wait for

        from ..score_kinds.score_kind import observed_range
        from ..statistics.summary import Average, summarize

        names = predictions[0]
        columns = {name: np.array([row[name] for row in predictions]) for name in names}
        averages = {
            name: Average(bounds=observed_range(values.min(), values.max()))
            for name, values in columns.items()
        }
        return summarize(columns, averages, **reporting)
