"""Metrics for tasks of lighteval.

from metric_commons.frameworks.harnesses.lighteval import corpus_metric, metric

LightevalTaskConfig(..., metrics=[metric("qa_f1"), corpus_metric("chrf")])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isnan, nan
from typing import Any

from ...module.catalog.catalog import score_scale
from ..rewards.model_outputs import sole
from ..rewards.named_tasks import task as named_task
from .lm_eval import CorpusScore

__all__ = ["corpus_metric", "metric"]


def metric(module: str, **options: Any) -> Any:
    """Return all scores of the rows of a module, as a metric of lighteval.

    Of several samples of a row the best counts, in the direction of the score. A row whose
    references cannot be read has the score NaN and is left out of means.

    Args:
        module: "math", "choice", or a module that compares texts.
        **options: `score`, `extract`, `name` and the options of the module.

    Returns:
        A `SampleLevelMetricGrouping`.

    Raises:
        ValueError: the module, score or step is unknown, or an option is not valid.
        TypeError: an option is unknown.
        ImportError: lighteval is not installed.
    """
    task = named_task(module, **options)
    main, others = options.get("name") or task.score_name, task.further_scores()
    scale = task.scale()

    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
    from lighteval.tasks.requests import SamplingMethod

    class RowMetric(SampleLevelComputation):  # type: ignore[misc]
        """The scores of a row."""

        def compute(self, doc: Any, model_response: Any, **kwargs: Any) -> dict[str, float]:
            """Return the scores of the best sample."""
            texts = model_response.final_text
            verdicts = task.verdicts(texts, [sole(doc.get_golds())] * len(texts))
            scored = [verdict for verdict in verdicts if verdict.score is not None]
            if not scored:
                return dict.fromkeys([main, *others], nan)
            best = max(scored, key=lambda verdict: scale.signed(verdict.score))
            return {main: best.score or 0.0} | {name: best.scores.get(name, 0.0) for name in others}

    higher = {name: not task.scale(name).lower_is_better for name in others}
    return SampleLevelMetricGrouping(
        metric_name=[main, *others],
        higher_is_better={main: not scale.lower_is_better, **higher},
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=RowMetric(),
        corpus_level_fn=dict.fromkeys([main, *others], mean_of_scored),
    )


def corpus_metric(module: str, score: str | None = None, **options: Any) -> Any:
    """Return a metric of lighteval for a score that is not a mean of rows, such as chrF or BLEU.

    Args:
        module: a module that compares texts, such as "chrf".
        score: the name of its score; None for the main one.
        **options: of the module.

    Returns:
        A `CorpusLevelMetric`.

    Raises:
        ValueError: the module or score is unknown, or an option is not valid.
        TypeError: an option is unknown.
        ImportError: lighteval is not installed.
    """
    aggregation = CorpusAggregation(CorpusScore(module, score, options))

    from lighteval.metrics.sample_preparator import GenerativePreparator
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.tasks.requests import SamplingMethod

    name = str(aggregation.score.score)
    return CorpusLevelMetric(
        metric_name=name,
        higher_is_better=not score_scale(module, name).lower_is_better,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=GenerativePreparator(),
        corpus_level_fn=aggregation,
    )


def mean_of_scored(values: Sequence[float]) -> float:
    """Return the mean of the rows that have a score.

    lighteval computes the standard error of a mean if "mean" is in the name of an aggregation.

    >>> mean_of_scored([1.0, float("nan"), 0.0])
    0.5
    """
    scored = [value for value in values if not isnan(value)]
    return fsum(scored) / len(scored) if scored else nan


@dataclass(frozen=True)
class CorpusAggregation:
    """A corpus score of lighteval's items; a value, which lighteval pickles to draw resamples."""

    score: CorpusScore

    @property
    def __name__(self) -> str:
        return self.score.__name__

    def __call__(self, items: Sequence[Any]) -> float:
        """Return the score of items; of their predictions the first counts."""
        return self.score([(item.golds, item.preds[0]) for item in items])
