"""`logged`: the scores recorded in a log, summarized like those of a module, without rescoring."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...module.declaration.declarations import Module, declared_options
from ...statistics.arguments.domains import Ranges

LOGGED, OUTCOMES = "logged", "outcomes"  # columns with the scores of samples


class LoggedScores(Module):
    """A module whose rows are dictionaries of scores.

    Args:
        lower_is_better: the names of scores for which lower is better.
    """

    name = LOGGED
    feature_sets: Sequence[Mapping[str, Any]] = ({"predictions": {}},)
    input_names: Sequence[str] = ("predictions",)
    log_columns = (LOGGED,)

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
        """Return the scores of each row.

        >>> LoggedScores().compute(predictions=[{"acc": 1.0}, {"acc": 0.0}])
        {'per_example': {'acc': [1.0, 0.0]}}
        """
        return {
            "per_example": {name: [row[name] for row in predictions] for name in predictions[0]}
        }
