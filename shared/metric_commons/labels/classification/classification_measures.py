"""All classification scores, of labels, and of scores or probabilities."""

from dataclasses import replace
from typing import Any

from ...statistics.arguments.arrays import Column, take
from ...statistics.arguments.checks import OptionError, check_labels, check_weights
from ...statistics.arguments.domains import Bins, Finite, Level, Weights, checked_options
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.summary import Measured, summarize_inputs
from ..thresholds.areas import MultiClass
from ..thresholds.score_rows import THRESHOLD
from .classes import (
    Average,
    IgnoredLabel,
    KappaWeights,
    ListedLabels,
    PositiveLabel,
    counted_rows,
    label_distances,
)
from .classified_rows import ClassifiedRows, classified
from .confusion import (
    Beta,
    LabelMeasures,
    Matrix,
    ZeroDivision,
    label_report,
    normalized_matrix,
)
from .curve_scores import CalibrationStrategy, Curves, TopK, curve_intervals, curve_scores
from .label_intervals import label_intervals
from .operating_points import OperatingPoint, point_scores


class ClassificationResult(dict[str, Any]):
    """The scores, and the positive label and the average that follow from rows.

    Both are part of the signature of a result.
    """

    conventions: dict[str, Any]


@checked_options
def classification_scores(
    predictions: Column,
    references: Column,
    *,
    threshold: Finite = THRESHOLD,
    pos_label: PositiveLabel | None = None,
    average: Average | None = None,
    beta: Beta = 1.0,
    labels: ListedLabels | None = None,
    zero_division: ZeroDivision = 0.0,
    sample_weight: Weights | None = None,
    confusion_matrix: Matrix = False,
    report: bool = False,
    ignore_index: IgnoredLabel | None = None,
    adjusted: bool = False,
    kappa_weights: KappaWeights | None = None,
    multi_class: MultiClass = "ovr",
    max_fpr: Level | None = None,
    probabilities: bool = True,
    top_k: TopK | None = None,
    curves: Curves = False,
    operating_point: OperatingPoint | None = None,
    calibration_bins: Bins | None = None,
    calibration_strategy: CalibrationStrategy = "uniform",
    **uncertainty: Any,
) -> ClassificationResult:
    """Return the scores by name and, on request, curves, calibration and intervals.

    Args:
        predictions: labels; or scores of the positive label, or probabilities of each label; or
            rows of 0 and 1, one for each of several labels.
        references: labels, or rows of 0 and 1.
        threshold: rows with at least this score are positive; must be given explicitly for scores
            outside 0 to 1.
        pos_label: the positive one of two labels; None for 1 or, if neither label is 1, for the
            larger one. For scores, it must be given if the rules for labels and for scores differ,
            and for one score per row if labels are strings.
        average: "none" returns a list; None is "binary" if references have two labels, or
            `pos_label` is given, else "macro".
        beta: also return f_beta, in which recall is weighted beta times as much as precision.
        labels: the labels to average over and to show, in this order; None for all.
        zero_division: the value of a ratio with denominator 0; NaN is left out of averages.
        sample_weight: the weight of each row; None for equal weights.
        confusion_matrix: also return it and its labels; "true", "pred" and "all" normalize it over
            the references of a label, its predictions, and all rows.
        report: also return the scores of each label and their averages, as in scikit-learn's
            `classification_report`.
        ignore_index: rows with this reference are left out.
        adjusted: rescale the balanced accuracy so that chance is 0 instead of 1 / labels.
        kappa_weights: the weight of a wrong label in kappa: the number of steps to the true label
            in the order of labels, "linear", or its square, "quadratic"; None for equal weights.
        multi_class: areas under the ROC curve of each label against the rest, "ovr", or of each
            pair of labels, averaged, "ovo".
        max_fpr: also return the area under the ROC curve up to this false positive rate.
        probabilities: whether rows of floats are probabilities; if not, they are arbitrary scores.
        top_k: also return the rate of rows whose label is among the k most probable ones.
        curves: also return the points of the ROC and the precision-recall curve, or of the listed
            ones: "roc", "pr", "det".
        operating_point: also return the threshold that maximizes "f1" or Youden's index, recall -
            fpr ("youden"), that satisfies a limit such as "recall>=0.9" or "fpr<=0.05", or at which
            both error rates are equal, "eer"; with the scores at this threshold.
        calibration_bins: also return the calibration in this many bins.
        calibration_strategy: bins of equal width, "uniform", or of equal mass, "quantile".
        **uncertainty: the options of `summarize_inputs`; groups use the positive label and the
            average of all rows.

    Raises:
        ValueError: a row or an option is not valid.

    >>> scores = classification_scores([0, 0, 1, 1, 0], [0, 1, 0, 1, 0])
    >>> scores["accuracy"], scores["recall"]
    (0.6, 0.5)
    """
    weights = check_weights("sample_weight", sample_weight, len(references))
    if ignore_index is not None:
        rows_that_count = counted_rows(references, ignore_index)
        for name in ("clusters", "groups"):
            if uncertainty.get(name) is not None:
                of_rows = check_labels(name, uncertainty[name], len(references))
                uncertainty[name] = take(of_rows, rows_that_count)
        weights = None if weights is None else weights[rows_that_count]
        predictions, references = (
            take(column, rows_that_count) for column in (predictions, references)
        )
    task_options: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "average": average}
    area_options: dict[str, Any] = {"multi_class": multi_class, "max_fpr": max_fpr}
    reading: dict[str, Any] = {"threshold": threshold, "probabilities": probabilities}
    all_references = references
    whole: list[ClassifiedRows] = []

    def measured(
        *, predictions: Column, references: Column, weights: Any, uncertainty: Uncertainty | None
    ) -> Measured:
        is_whole = references is all_references
        if not (whole and is_whole):
            options = task_options | (whole[0].settled if whole else {})  # of groups, from all rows
            whole.append(classified(predictions, references, weights, **reading, **options))
        rows = whole[0] if is_whole else whole.pop()
        measures = label_measures(rows, beta, zero_division, adjusted, kappa_weights)
        counts = rows.counts(measures.distances)
        of_labels = measures.scores(counts, kinds=rows.kinds(rows.task.average))
        scores = {name: score.tolist() for name, score in of_labels.items()}
        of_curves = curve_scores(
            rows,
            **area_options,
            top_k=top_k,
            curves=is_whole and curves,
            calibration_bins=calibration_bins,
            calibration_strategy=calibration_strategy,
        )
        result = dict(scores)
        if measures.task.average == "none":
            result["support"] = counts.shown_support(measures.task.selection)
        result |= of_curves.result
        if confusion_matrix is not False:
            matrix = rows.matrix(measures.task)
            result["confusion_matrix"] = normalized_matrix(matrix, confusion_matrix).tolist()
        if report:
            result["report"] = label_report(measures, counts, rows.kinds("samples"))
        if confusion_matrix is not False or any(isinstance(s, list) for s in result.values()):
            result["labels"] = measures.task.labels
        intervals: dict[str, Any] = {}
        if uncertainty is not None:
            intervals |= label_intervals(rows, measures, counts, scores, uncertainty)
            intervals |= curve_intervals(rows, of_curves, uncertainty, **area_options)
        if operating_point is not None and is_whole:
            if rows.binary is None:
                raise OptionError("operating_point", "needs scores of two labels")
            result["operating_point"] = point_scores(
                rows.binary, operating_point, beta=beta, zero_division=zero_division
            )
        return result, intervals

    columns = {"predictions": predictions, "references": references, "weights": weights}
    result = ClassificationResult(summarize_inputs(measured, columns, **uncertainty))
    task, is_scored = whole[0].task, whole[0].scores is not None and not whole[0].multilabel
    positive = task.positive_label if task.average == "binary" or is_scored else None
    result.conventions = {} if positive is None else {"positive": positive}
    if average is None:
        result.conventions["average"] = task.average
    return result


def label_measures(
    rows: ClassifiedRows,
    beta: float = 1.0,
    zero_division: float = 0.0,
    adjusted: bool = False,
    kappa_weights: KappaWeights | None = None,
) -> LabelMeasures:
    """Return how scores of labels follow from counts; options as in `classification_scores`."""
    task = rows.task
    if rows.multilabel and (adjusted or kappa_weights is not None):
        name = "adjusted" if adjusted else "kappa_weights"
        raise OptionError(name, "needs one label per row, not several")
    distances = None if kappa_weights is None else label_distances(task, kappa_weights)
    if task.average == "none":  # as in scikit-learn, a list has no label that no row has
        present = [position for position in task.selection if position not in task.absent]
        task = replace(task, selection=present)
    return LabelMeasures(task, beta, zero_division, adjusted, distances, rows.multilabel)
