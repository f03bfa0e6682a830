"""Classification: how well predicted labels, scores or probabilities match the true labels.

Precision, recall, F and what else follows from the confusion matrix; and from scores ROC and
precision-recall curves with the areas under them, log loss, Brier score and calibration.
"""

import datasets
import evaluate

from metric_commons.base.module import BatchMetric
from metric_commons.classification.classes import Average, ListedLabels, PositiveLabel
from metric_commons.classification.classification_measures import classification_scores
from metric_commons.classification.labels import Beta, ZeroDivision
from metric_commons.classification.predicted_scores import CalibrationStrategy
from metric_commons.numbers.domains import Count, Finite, Weights

_CITATION = """\
@article{classification_measures,
    title = "A systematic analysis of performance measures for classification tasks",
    author = "Sokolova, Marina and Lapalme, Guy",
    journal = "Information Processing and Management",
    volume = "45",
    year = "2009",
    doi = "10.1016/j.ipm.2009.03.002",
}
"""


class Classification(BatchMetric):
    """Scores of labels, and of the scores or probabilities behind them.

    Args:
        predictions (list): a label (int, str, bool) a row; or a score (float) of the positive one,
            or of each label (list of float); or 0 or 1 for each of several labels (list of int).
        references (list): a label a row, whole numbers in floats too; or a list of 0 and 1.
        threshold: a row is positive from this score on; outside 0 to 1 scores need another one.
        pos_label: the positive one of two labels; where 1 is neither of them, the greater one.
        average: "none" gives a list; None is "binary" for two labels, else "macro".
        beta: also return f_beta, in which recall weighs beta times as much as precision.
        labels: those to average over and to show, in this order; None for all.
        zero_division: a ratio with nothing to divide by; NaN is left out of averages.
        sample_weight: how much each row counts.
        curves: also return the points of both curves.
        calibration_bins: also return the calibration in so many bins.
        calibration_strategy: bins of equal width, "uniform", or of equal mass, "quantile".

    Returns:
        accuracy, precision, recall, f1, f_beta (if beta is not 1), fpr, specificity,
            balanced_accuracy (float): from 0.0 to 1.0; fpr is better low, the others high.
        mcc, kappa (float): from -1.0 to 1.0. confusion_matrix, labels (list): a row a true label.
        roc_auc, pr_auc, average_precision, log_loss, brier (float): from scores.
        ece, mce, calibration, roc_curve, pr_curve, confidence_interval: if asked for.

    Examples:
        >>> classification = evaluate.load("./metrics/classification")
        >>> result = classification.compute(predictions=[0, 0, 1, 1, 0], references=[0, 1, 0, 1, 0])
        >>> result["accuracy"], result["recall"], result["confusion_matrix"]
        (0.6, 0.5, [[2, 1], [1, 1]])
        >>> result = classification.compute(
        ...     predictions=[0.1, 0.4, 0.35, 0.8], references=["no", "no", "yes", "yes"]
        ... )
        >>> result["roc_auc"], result["confusion_matrix"], result["labels"]
        (0.75, [[2, 0], [1, 1]], ['no', 'yes'])
    """

    scores_are = "counts"
    lower_is_better = frozenset({"fpr", "log_loss", "brier", "ece", "mce"})
    unsigned_allowed = True

    def _info(self):
        number, *labels = map(datasets.Value, ("float64", "int64", "bool", "string"))
        scores, indicators = [number, datasets.List(number)], datasets.List(labels[0])
        pairs = [
            *((label, label) for label in labels),
            *((score, label) for score in scores for label in labels),
            *((column, number) for column in (*labels[:2], *scores)),
            (indicators, indicators),
        ]
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[datasets.Features({"predictions": p, "references": r}) for p, r in pairs],
            license="Apache-2.0",
            reference_urls=["https://doi.org/10.1016/j.ipm.2009.03.002"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        threshold: Finite = 0.5,
        pos_label: PositiveLabel = 1,
        average: Average | None = None,
        beta: Beta = 1.0,
        labels: ListedLabels | None = None,
        zero_division: ZeroDivision = 0.0,
        sample_weight: Weights | None = None,
        curves: bool = False,
        calibration_bins: Count | None = None,
        calibration_strategy: CalibrationStrategy = "uniform",
        **uncertainty,
    ):
        return classification_scores(
            predictions,
            references,
            threshold=threshold,
            pos_label=pos_label,
            average=average,
            beta=beta,
            labels=labels,
            zero_division=zero_division,
            sample_weight=sample_weight,
            curves=curves,
            calibration_bins=calibration_bins,
            calibration_strategy=calibration_strategy,
            **uncertainty,
        )
