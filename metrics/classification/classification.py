"""Classification: scores of predicted labels, scores or probabilities against true labels.

From labels: precision, recall, F, MCC and other functions of the confusion matrix; from scores: ROC
and precision-recall curves with their areas, log loss, Brier score and calibration.
"""

import datasets
import evaluate

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.classification.label_influences import (
    classification_influences,
    weighted_calibration,
)
from metric_commons.labels.classification.stock_classification import (
    GLUE,
    SUPER_GLUE,
    accuracy,
    brier_score,
    confusion_matrix,
    f1,
    label_accuracy,
    matthews_correlation,
    poseval,
    precision,
    recall,
    roc_auc,
)
from metric_commons.module.declaration.module import BatchMetric

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
        predictions (list): one label (int, str, bool) per row; or a score (float) of the positive
            label, or of each label (list of float); or 0 or 1 for each of several
            labels (list of int).
        references (list): one label per row, also whole numbers as floats; or a list of 0 and 1
            (int, bool, float).

    Returns:
        accuracy, precision, recall, f1, f_beta (if beta is not 1), fpr, specificity,
            balanced_accuracy (float): from 0.0 to 1.0; higher is better, except for fpr.
        jaccard, label_accuracy, hamming_loss (float): for rows of several labels; lower is better
            for hamming_loss.
        mcc, kappa (float): from -1.0 to 1.0.
        roc_auc, pr_auc, average_precision, log_loss, brier (float): from scores.
        confusion_matrix (list): one row per true label, in the order of labels (list), if
            requested.
        report (dict): the scores of each label, and their averages: if requested.
        partial_roc_auc, top_<k>_accuracy, ece, mce (float), calibration, roc_curve, pr_curve,
            det_curve, operating_point: if requested.
        confidence_interval (dict): if requested.

    Examples:
        >>> classification = evaluate.load("./metrics/classification")
        >>> result = classification.compute(
        ...     predictions=[0, 0, 1, 1, 0], references=[0, 1, 0, 1, 0], confusion_matrix=True
        ... )
        >>> result["accuracy"], result["recall"], result["confusion_matrix"]
        (0.6, 0.5, [[2, 1], [1, 1]])
        >>> result = classification.compute(
        ...     predictions=[0.1, 0.4, 0.35, 0.8],
        ...     references=["no", "no", "yes", "yes"],
        ...     pos_label="yes",
        ... )
        >>> result["roc_auc"], result["recall"]
        (0.75, 0.5)
    """

    score_kind = "counts"
    score_ranges = {
        "mcc": (-1, 1),
        "kappa": (-1, 1),
        "log_loss": (0, None),
        "brier": (0, 2),
        "*": (0, 1),
    }
    influences = staticmethod(classification_influences)
    also_compared = ("roc_auc", "log_loss")
    drawn_scores = frozenset({"ece", "mce"})
    weighted_scores = staticmethod(weighted_calibration)
    lower_is_better = frozenset({"fpr", "hamming_loss", "log_loss", "brier", "ece", "mce"})
    arrays_allowed = unsigned_allowed = True
    configurations = frozenset({"multiclass", "multilabel"})  # those of evaluate's own modules
    stock_formats = {
        "accuracy": accuracy,
        "f1": f1,
        "precision": precision,
        "recall": recall,
        "matthews_correlation": matthews_correlation,
        "roc_auc": roc_auc,
        "brier_score": brier_score,
        "confusion_matrix": confusion_matrix,
        "poseval": poseval,
        "xnli": label_accuracy,
        **GLUE,
        **SUPER_GLUE,
    }
    log_columns = ("predicted", "label")

    def _info(self):
        number, *labels = map(datasets.Value, ("float64", "int64", "bool", "string"))
        scores = [number, datasets.List(number)]
        indicators = [*map(datasets.List, labels[:2]), scores[1]]
        pairs = [
            *((label, label) for label in labels),
            *((score, label) for score in scores for label in labels),
            *((column, number) for column in (*labels[:2], *scores)),
            (labels[0], labels[2]),  # which is refused, but not taken for scores
            *((row, indicator) for row in indicators for indicator in indicators),
        ]
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[datasets.Features({"predictions": p, "references": r}) for p, r in pairs],
            license="Apache-2.0",
            reference_urls=["https://doi.org/10.1016/j.ipm.2009.03.002"],
        )

    def _compute(self, *, predictions, references, **options: classification_scores):
        return classification_scores(predictions, references, **options)
