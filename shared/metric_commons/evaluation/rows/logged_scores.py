"""`logged`: the scores recorded in a log, summarized like those of a module, without rescoring."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...module.declaration.declarations import Module, declared_options
from ...statistics.arguments.domains import Ranges

LOGGED, OUTCOMES = "logged", "outcomes"  # columns with the scores of samples
SCORES = "scores"  # the module of a table of scores


class LoggedScores(Module):
    """A module whose rows are scores: of a log, or of a module that is not here.

    Args:
        lower_is_better: the names of scores for which lower is better.
        name: of the module.
        bounds: the lowest and the highest possible score; None if they are 0 to 1, or unknown.
        scoring: the options with which it scored.
    """

    feature_sets: Sequence[Mapping[str, Any]] = ({"predictions": {}},)
    input_names: Sequence[str] = ("predictions",)
    log_columns = (LOGGED,)

    def __init__(
        self,
        lower_is_better: frozenset[str] = frozenset(),
        name: str = LOGGED,
        bounds: tuple[float, float] | None = None,
        scoring: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.lower_is_better, self.name = lower_is_better, name
        self._scoring = scoring
        self.score_ranges: Ranges = {} if bounds is None else {"*": bounds}

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that were used, and those for reporting, which change no score."""
        from ...statistics.intervals.summary import summarize

        reporting = declared_options(summarize, "").items()
        return {**self._scoring, **{name: option.default for name, option in reporting}}

    def compute(self, **_: Any) -> Any:
        """Return no scores, since those of rows are there already."""
        return {}
