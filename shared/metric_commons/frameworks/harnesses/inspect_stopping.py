"""A run of inspect_ai that ends as soon as enough samples are known.

Answers do not arrive in random order: quick ones come first. So samples count in the order of the
data set, which must be shuffled, and one that is finished early waits for those before it.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from inspect_ai.log import read_eval_log
from inspect_ai.scorer import value_to_float
from inspect_ai.util import EarlyStop

from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Positive, check_option
from ...statistics.tests.confidence_sequences import ConfidenceSequence, SequentialComparison

_MEANS = ("accuracy", "mean")  # metrics, in the place of the only scorer


class UntilDecided:
    """An early stopping: no samples are started once the mean or a comparison is decided.

    Samples count in the order of the data set, which must be shuffled; several epochs of a sample
    count as one mean. Whatever is decided holds with the probability `level` for all looks together
    and for the mean that the full run would show. A sample without a score keeps those after it
    waiting.

    Args:
        score: the name of a scorer, with scores from 0 to 1; None for the only one, as "accuracy"
            and "mean".
        half_width: stop when the interval of the mean is this wide to each side.
        margin: with a baseline, a difference that does not matter: stop when the run is better,
            worse or equivalent.
        baseline: the log of the other system, whose samples are matched by id.
        level: the confidence level.

    Raises:
        ValueError: an option is not valid, or there is not one of `half_width` and `baseline`.
    """

    def __init__(
        self,
        score: str | None = None,
        *,
        half_width: float | None = None,
        margin: float = 0.0,
        baseline: str | None = None,
        level: float = 0.95,
    ) -> None:
        if (half_width is None) == (baseline is None):
            raise OptionError("half_width", "or baseline is needed, and not both")
        check_option("half_width", half_width, Positive | None)
        self._score, self._half_width, self._level = score, half_width, level
        self._margin, self._baseline = margin, baseline
        self._start([], 1)

    def _start(self, names: Sequence[str | int], epochs: int) -> None:
        self._names, self._epochs = names, epochs
        self._values: dict[str | int, dict[int, float]] = {name: {} for name in names}
        self._next = 0  # the first sample that does not count yet
        total = len(names) or None
        self._comparison = SequentialComparison(self._margin, self._level, total=total)
        self._sequence = ConfidenceSequence(self._level, total=total)

    async def start_task(self, task: Any, samples: Sequence[Any], epochs: int) -> str:
        """Begin a run of these samples, and return the name of this manager.

        Raises:
            ValueError: the baseline has no score of a sample.
        """
        self._start([sample.id for sample in samples], epochs)
        self._of_baseline: Mapping[str, float] = {}
        if self._baseline is not None:
            self._of_baseline = _scores_of_log(self._baseline, self._score)
            for name in self._names:
                if math.isnan(self._of_baseline.get(str(name), math.nan)):
                    raise ValueError(f"{self._baseline}: sample {name!r} has no score")
        return "until_decided"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002
        """Return that the sample is not to be started, once all is decided."""
        if not self._is_decided:
            return None
        return EarlyStop(id=id, epoch=epoch, reason=self._reason())

    async def complete_sample(
        self,
        id: str | int,  # noqa: A002
        epoch: int,
        scores: Mapping[str, Any],
    ) -> None:
        """Take the score of a sample, and count all samples that no longer wait."""
        by_scorer = {name: sample.score for name, sample in scores.items()}
        value = value_to_float()(_chosen(by_scorer, self._score).value)
        if not math.isnan(value):
            self._values[id][epoch] = value
        while self._next < len(self._names) and not self._is_decided:
            name = self._names[self._next]
            values = self._values[name]
            if len(values) < self._epochs:
                break
            mean = fmean(values.values())
            if self._baseline is None:
                self._sequence.update(mean)
            else:
                self._comparison.update(mean, self._of_baseline[str(name)])
            self._next += 1

    async def complete_task(self) -> dict[str, Any]:
        """Return what was decided, which the log keeps."""
        low, high = self._interval
        return {
            "score": self._score,
            "verdict": self._verdict,
            "confidence_interval": [low, high],
            "confidence_level": self._level,
            "samples": self._next,
            "total": len(self._names),
        }

    @property
    def _interval(self) -> tuple[float, float]:
        chosen = self._sequence if self._baseline is None else self._comparison
        return chosen.interval

    @property
    def _verdict(self) -> str:
        if self._half_width is None:
            return self._comparison.verdict
        low, high = self._interval
        return "known" if high - low <= 2 * self._half_width else "undecided"

    @property
    def _is_decided(self) -> bool:
        return self._verdict != "undecided"

    def _reason(self) -> str:
        low, high = self._interval
        return f"{self._verdict} after {self._next:,} samples: [{low:.4f}, {high:.4f}]"


def _chosen(scores: Mapping[str, Any], name: str | None) -> Any:
    """Return the score by this scorer, or by the only one."""
    if name is not None and name in scores:
        return scores[name]
    if len(scores) == 1 and name in (None, *_MEANS):
        return next(iter(scores.values()))
    raise ValueError(f"score must be one of the scorers {', '.join(scores)}, got {name!r}")


def _scores_of_log(path: str, name: str | None) -> dict[str, float]:
    """Return the mean score over epochs of each sample of a log; NaN if an epoch has none."""
    number = value_to_float()
    values: dict[str, list[float]] = {}
    for sample in read_eval_log(path).samples or []:
        value = number(_chosen(sample.scores, name).value) if sample.scores else math.nan
        values.setdefault(str(sample.id), []).append(value)
    return {sample: fmean(scores) for sample, scores in values.items()}
