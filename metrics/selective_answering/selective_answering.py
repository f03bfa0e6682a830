"""Selective answering: proportions of correct, incorrect and not attempted answers.

From grades of answers, with SimpleQA's F and penalties for wrong answers; and from the confidence
of each answer the risk-coverage curve, its areas and the Brier score.
"""

import datasets
import evaluate

from metric_commons.judging.sampling.selective_answers import selective_scores
from metric_commons.module.declaration.module import BatchMetric

_CITATION = """\
@misc{wei-etal-2024-simpleqa,
    title = "Measuring short-form factuality in large language models",
    author = "Wei, Jason and Nguyen, Karina and Chung, Hyung Won and Jiao, Yunxin Joy and others",
    year = "2024",
    eprint = "2411.04368",
    archivePrefix = "arXiv",
    url = "https://arxiv.org/abs/2411.04368",
}
"""


class SelectiveAnswering(BatchMetric):
    """Proportions of correct, wrong and withheld answers, and scores of their confidence.

    Args:
        predictions (list of str, or of dict): for each question "correct", "incorrect" or
            "not_attempted", or A, B or C for these; or {"correct": bool, "confidence": float}, and
            "attempted": bool if some were not.

    Returns:
        correct, incorrect, not_attempted (float): proportions of the rows.
        accuracy_given_attempted (float): of the rows that were attempted; NaN if none was.
        f1 (float): the harmonic mean of correct and accuracy_given_attempted; higher is better.
        penalized@0.75, ... (float): for each target t, from -t / (1 - t) to 1.0.
        accuracy, brier, aurc, e_aurc, augrc, auroc (float): with confidences; higher is better for
            accuracy and auroc, lower for the others.
        accuracy@0.5, ... (float): for each coverage.
        risk_coverage (dict): if requested.
        confidence_interval, groups (dict): if requested.

    Examples:
        >>> selective_answering = evaluate.load("./metrics/selective_answering")
        >>> grades = ["correct", "correct", "incorrect", "not_attempted"]
        >>> result = selective_answering.compute(predictions=grades, confidence_targets=[0.5])
        >>> result["correct"], round(result["f1"], 4), result["penalized@0.5"]
        (0.5, 0.5714, 0.25)
        >>> answers = [
        ...     {"correct": True, "confidence": 0.9},
        ...     {"correct": False, "confidence": 0.6},
        ...     {"correct": True, "confidence": 0.6},
        ... ]
        >>> result = selective_answering.compute(predictions=answers, coverages=[0.3])
        >>> round(result["aurc"], 4), result["auroc"], result["accuracy@0.3"]
        (0.1944, 0.75, 1.0)
    """

    score_kind = "counts"
    score_ranges = {"penalized@*": (None, 1), "*": (0, 1)}
    main_score = "f1"
    lower_is_better = frozenset({"incorrect", "aurc", "e_aurc", "augrc", "brier"})

    def _info(self):
        flag, number = datasets.Value("bool"), datasets.Value("float64")
        graded = {"correct": flag, "confidence": number}
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": answer})
                for answer in (datasets.Value("string"), graded, {**graded, "attempted": flag})
            ],
            license="Apache-2.0",
            reference_urls=["https://arxiv.org/abs/2411.04368"],
        )

    def _compute(self, *, predictions, **options: selective_scores):
        return selective_scores(predictions, **options)
