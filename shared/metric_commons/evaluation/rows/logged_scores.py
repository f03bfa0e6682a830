"""`logged`: the scores recorded in a log, summarized like those of a module, without rescoring."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...module.declaration.declarations import Module, declared_options
from ...statistics.arguments.checks import alternatives
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


def scores_of_samples(
    samples: Sequence[Mapping[str, Any]], score: str | None = None
) -> tuple[dict[str, list[float]], Counter[str]]:
    """Return the scores of the samples of a log, and counts of values that are no numbers.

    Args:
        samples: the values in the log, by the names of its scores. A sample that lacks one has
            none.
        score: one of these names, or a scorer whose scores are `scorer.key`; None for all.

    Raises:
        ValueError: there are no scores, or none that is one number per sample.

    >>> scores_of_samples([{"acc": 1, "f1": [1, 0]}, {"acc": float("nan"), "f1": [0, 0]}])
    ({'acc': [1.0, nan]}, Counter({'f1': 2}))
    """
    names = list(dict.fromkeys(name for sample in samples for name in sample))
    if not names:
        raise ValueError("the log has no scores; its samples were not scored")
    if score is not None:
        chosen = [name for name in names if name == score or name.startswith(f"{score}.")]
        if not chosen:
            raise ValueError(f"the log has no metric {score!r}{alternatives(score, names)}")
        names = chosen
    others = Counter(
        name
        for sample in samples
        for name in names
        if not isinstance(sample.get(name, 0), int | float)
    )
    numbers = [name for name in names if name not in others]
    if not numbers or (score is not None and others):
        raise ValueError(
            f"{', '.join(others)}: the log has no number per row, but the input of a measure of "
            "all rows, such as pairs of reference and prediction, which has no mean; score the "
            "answers with a module"
        )
    whole = [not any(math.isnan(sample.get(n, math.nan)) for n in numbers) for sample in samples]
    return {
        name: [
            float(sample[name]) if is_whole else math.nan
            for sample, is_whole in zip(samples, whole, strict=True)
        ]
        for name in numbers
    }, others
