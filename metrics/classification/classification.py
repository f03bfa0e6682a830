"""Classification: how well predicted labels, scores or probabilities match the true labels.

Precision, recall, F, false positive rate and what else follows from the confusion matrix; and from
scores ROC and precision-recall curves with the areas under them, log loss, Brier score and
calibration.
"""

import datasets
import evaluate

from metric_commons.base.module import BatchMetric
from metric_commons.classification.labels import label_scores, label_table
from metric_commons.classification.predicted_scores import PredictedScores, curve_scores, is_scores

_CITATION = """\
@article{classification_measures,
    title = "A systematic analysis of performance measures for classification tasks",
    author = "Sokolova, Marina and Lapalme, Guy",
    journal = "Information Processing and Management",
    volume = "45",
    number = "4",
    pages = "427--437",
    year = "2009",
    doi = "10.1016/j.ipm.2009.03.002",
}
"""


class Classification(BatchMetric):
    """Scores of labels, and of the scores or probabilities behind them.

    Args:
        predictions (list): a label (int, str, bool) a row; or a score (float) of the positive
            label; or a probability of each label (list of float) in the order of `labels`; or
            0 or 1 for each of several labels (list of int).
        references (list): a label a row, whole numbers in floats too; or a list of 0 and 1.
        threshold (float): a row is positive from this score on. Defaults to 0.5, which scores
            outside 0 to 1 refuse.
        pos_label: the positive one of two labels. Defaults to 1; where that is neither of them,
            the greater one is positive.
        average (str): "binary", "macro", "micro", "weighted" or "none" for a list of each label.
            Defaults to None: "binary" of two labels, else "macro".
        beta (float): also return f_beta, in which recall weighs beta times as much as precision.
        labels (list): those to average over and to show, in this order. Defaults to all.
        zero_division (float): a ratio of nothing; NaN is left out of averages. Defaults to 0.0.
        sample_weight (list of float): a weight a row. Defaults to None.
        curves (bool): also return the points of both curves. Defaults to False.
        calibration_bins (int): also return the calibration in so many bins. Defaults to None.
        calibration_strategy (str): bins of equal width, "uniform" (default), or of equal mass,
            "quantile".
        confidence_level (float): also return intervals, such as 0.95. Defaults to None.
        n_resamples (int), seed (int): of intervals of labels. Default to 10,000 and 0.

    Returns:
        accuracy, precision, recall, f1, f_beta (if beta is not 1), fpr, specificity,
            balanced_accuracy (float): from 0.0 to 1.0; fpr is better low, the others high.
        mcc, kappa (float): from -1.0 to 1.0.
        confusion_matrix (list): a row for each reference, a column for each prediction.
        labels (list): what rows and columns stand for.
        roc_auc, pr_auc, average_precision, log_loss, brier (float): from scores.
        ece, mce (float), calibration, roc_curve, pr_curve (dict): from scores, if asked for.
        confidence_interval (dict): if asked for.

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

    lower_is_better = frozenset({"fpr", "log_loss", "brier", "ece", "mce"})
    unsigned_allowed = True

    def _info(self):
        kinds = [datasets.Value(kind) for kind in ("float64", "int64", "bool", "string")]
        number, whole, truth, _ = kinds
        pairs = [
            *((kind, kind) for kind in kinds[1:]),
            *((scores, kind) for scores in (number, datasets.List(number)) for kind in kinds[1:]),
            (whole, number),
            (truth, number),
            (number, number),
            (datasets.List(number), number),
            (datasets.List(whole), datasets.List(whole)),
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
        threshold=0.5,
        pos_label=1,
        average=None,
        beta=1.0,
        labels=None,
        zero_division=0.0,
        sample_weight=None,
        curves=False,
        calibration_bins=None,
        calibration_strategy="uniform",
        confidence_level=None,
        n_resamples=10_000,
        seed=0,
    ):
        options = {
            "labels": labels,
            "pos_label": pos_label,
            "average": average,
            "sample_weight": sample_weight,
        }
        predicted = None
        if is_scores(predictions):
            predicted = PredictedScores(predictions, references, threshold=threshold, **options)
            table, task = predicted.table, predicted.task
        else:
            table, task = label_table(predictions, references, **options)
        return label_scores(
            table,
            task,
            beta=beta,
            zero_division=zero_division,
            further_scores=curve_scores(
                predicted,
                curves=curves,
                calibration_bins=calibration_bins,
                calibration_strategy=calibration_strategy,
                confidence_level=confidence_level,
            ),
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            seed=seed,
        )
