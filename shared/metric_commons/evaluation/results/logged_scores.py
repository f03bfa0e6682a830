"""`logged`: the scores recorded in a log, summarized like those of a module, without rescoring."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...module.declaration.declarations import Module, declared_options
from ...statistics.arguments.domains import Ranges

NAME = "logged"


class LoggedScores(Module):
    """A module whose predictions are dictionaries of scores, one per row."""

    feature_sets: Sequence[Mapping[str, Any]] = ({"predictions": {}},)
    input_names: Sequence[str] = ("predictions",)
    log_columns = (NAME,)

    def __init__(self, lower_is_better: frozenset[str] = frozenset()) -> None:
        self.lower_is_better = lower_is_better
        self.score_ranges: Ranges = {}  # which logs do not declare

    @property
    def options(self) -> dict[str, Any]:
        """Return the options for reporting, which change no score."""
        from ...statistics.intervals.summary import summarize

        return {name: option.default for name, option in declared_options(summarize, "").items()}

    def compute(
        self, *, predictions: Sequence[Mapping[str, float]], **reporting: Any
    ) -> dict[str, Any]:
        """Return the mean of each score.

        >>> LoggedScores().compute(predictions=[{"acc": 1.0}, {"acc": 0.0}])
        {'acc': 0.5}
        """
        import numpy as np  # here, so that printing help does not wait for it

        from ...statistics.arguments.domains import observed_range
        from ...statistics.intervals.summary import Average, summarize

        names = predictions[0]
        columns = {name: np.array([row[name] for row in predictions]) for name in names}
        averages = {
            name: Average(bounds=observed_range(values.min(), values.max()))
            for name, values in columns.items()
        }
        return summarize(columns, averages, **reporting)
