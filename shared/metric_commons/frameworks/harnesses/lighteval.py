"""Metrics for tasks of lighteval.

from metric_commons.frameworks.harnesses.lighteval import corpus_metric, metric

LightevalTaskConfig(..., metrics=[metric("qa_f1"), corpus_metric("chrf")])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isnan, nan
from typing import Any

from ...module.catalog.catalog import module_class
from ..rewards.framework_values import completion_of, further_scores
from ..rewards.named_tasks import task as named_task
from ..trainers.corpus_scores import CorpusScore

__all__ = ["corpus_metric", "metric"]


def metric(module: str, **options: Any) -> Any:
    """Return all scores of the rows of a module, as a metric of lighteval.

    Of several samples of a row the best counts. A row whose references cannot be read is NaN, which
    means leave out.

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
    others = further_scores(task)
    names = [task.name, *others]

    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
    from lighteval.tasks.requests import SamplingMethod

    class RowMetric(SampleLevelComputation):  # type: ignore[misc]
        """The scores of a row."""

        def compute(self, doc: Any, model_response: Any, **kwargs: Any) -> dict[str, float]:
            """Return the scores of the best sample."""
            texts = list(map(completion_of, model_response.final_text))
            verdicts = task.verdicts(texts, [doc.get_golds()] * len(texts))
            scored = [verdict for verdict in verdicts if verdict.score is not None]
            if not scored:
                return dict.fromkeys(names, nan)
            best = max(scored, key=lambda verdict: verdict.score or 0.0)
            further = {name: best.scores.get(name, 0.0) for name in others}
            return {task.name: best.score or 0.0, **further}

    return SampleLevelMetricGrouping(
        metric_name=names,
        higher_is_better=dict.fromkeys(names, True),
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=RowMetric(),
        corpus_level_fn=dict.fromkeys(names, mean_of_scored),
    )


def corpus_metric(module: str, score: str | None = None, **options: Any) -> Any:
    """A score that is not a mean of rows, such as chrF, BLEU and TER, as a metric of lighteval.

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
    aggregation = CorpusAggregation(CorpusScore(module, score, "score", options))

    from lighteval.metrics.sample_preparator import GenerativePreparator
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.tasks.requests import SamplingMethod

    name = str(aggregation.score.score)
    return CorpusLevelMetric(
        metric_name=name,
        higher_is_better=name not in module_class(module).lower_is_better,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=GenerativePreparator(),
        corpus_level_fn=aggregation,
    )


def mean_of_scored(values: Sequence[float]) -> float:
    """Return the mean of the rows that have a score.

    lighteval takes the standard error of a mean where "mean" is in the name of an aggregation.

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
        """The score of items with golds and predictions, of which the first counts."""
        return self.score([(item.golds, item.preds[0]) for item in items])
