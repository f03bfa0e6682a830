"""All classification scores, of labels, and of scores or probabilities."""

from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Integers, take
from ...statistics.arguments.checks import OptionError, check_labels, check_weights
from ...statistics.arguments.domains import Bins, Finite, Level, Weights, checked_options
from ...statistics.arithmetic.contingency import ContingencyTable
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import clusters_of
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.summary import Measured, summarize_inputs
from ..thresholds.areas import MultiClass
from ..thresholds.score_rows import THRESHOLD, is_scores
from .classes import (
    Average,
    Classes,
    IgnoredLabel,
    KappaWeights,
    ListedLabels,
    PositiveLabel,
    counted_rows,
)
from .confusion import Matrix
from .curve_scores import CalibrationStrategy, Curves, TopK, curve_intervals, curve_scores
from .label_intervals import label_intervals
from .labels import Beta, LabelMeasures, ZeroDivision, label_positions, label_table
from .multilabel import LabelIndicators, has_one_label
from .operating_points import OperatingPoint, point_scores
from .predicted_scores import IndicatorScores, PredictedScores


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
        operating_point: also return the threshold that maximizes "f1", "f_beta", Youden's index
            ("youden") or "balanced_accuracy", which have the same maximum, that satisfies a limit
            such as "recall>=0.9" or "fpr<=0.05", or at which both error rates are equal, "eer";
            with the scores at this threshold, on the same rows and on held-out ones.
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
    rows = None if ignore_index is None else counted_rows(references, ignore_index)
    for name in ("clusters", "groups"):
        if uncertainty.get(name) is not None:
            of_rows = check_labels(name, uncertainty[name], len(references))
            uncertainty[name] = of_rows if rows is None else take(of_rows, rows)
    if rows is not None:
        weights = None if weights is None else weights[rows]
        predictions, references = take(predictions, rows), take(references, rows)
    reading: dict[str, Any] = {"threshold": threshold, "probabilities": probabilities}
    task_options: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "average": average}
    whole = tabulated(predictions, references, sample_weight=weights, **reading, **task_options)
    task = whole[2]
    is_about_one = task.average == "binary" or isinstance(whole[0], PredictedScores)
    positive = task.positive_label if is_about_one else None
    settled: dict[str, Any] = {  # for groups, as it follows from all rows
        "labels": labels if whole[0] is None else whole[0].columns,
        "pos_label": pos_label if task.positive is None else task.positive_label,
        "average": task.average,
    }
    area_options: dict[str, Any] = {"multi_class": multi_class, "max_fpr": max_fpr}
    curve_options: dict[str, Any] = {
        "top_k": top_k,
        "curves": curves,
        "calibration_bins": calibration_bins,
        "calibration_strategy": calibration_strategy,
    }

    def measured(
        *, predictions: Column, references: Column, weights: Any, uncertainty: Uncertainty | None
    ) -> Measured:
        tables = whole
        if references is not all_references:
            curve_options["curves"] = False
            tables = tabulated(predictions, references, sample_weight=weights, **reading, **settled)
        predicted, table, task = tables
        of_labels = LabelMeasures(table, task, beta, zero_division, adjusted, kappa_weights)
        of_curves = curve_scores(predicted, **area_options, **curve_options)
        matrix: dict[str, Any] = {"confusion_matrix": confusion_matrix, "report": report}
        result = of_labels.result(of_curves.result, **matrix)
        intervals: dict[str, Any] = {}
        if uncertainty is not None:
            intervals = {
                **label_intervals(
                    of_labels,
                    uncertainty,
                    lambda: positions_of_rows(predictions, references, predicted, task),
                    weights,
                )
            }
            if predicted is not None:
                intervals |= curve_intervals(predicted, of_curves, uncertainty, **area_options)
        if operating_point is not None and references is all_references:
            if not isinstance(predicted, PredictedScores) or not predicted.binary:
                raise OptionError("operating_point", "needs scores of two labels")
            result["operating_point"], intervals["operating_point"] = point_scores(
                predicted.rows,
                operating_point,
                beta=beta,
                zero_division=zero_division,
                uncertainty=uncertainty,
                clusters=all_clusters if isinstance(all_clusters, Clusters) else None,
                seed=seed,
            )
        return result, intervals

    all_references, seed = references, uncertainty.get("seed", 0)
    all_clusters = clusters_of(uncertainty.get("clusters"), len(references))
    columns = {"predictions": predictions, "references": references, "weights": weights}
    result = ClassificationResult(summarize_inputs(measured, columns, **uncertainty))
    result.conventions = {} if positive is None else {"positive": positive}
    if average is None:
        result.conventions["average"] = task.average
    return result


Tabulated = tuple[
    PredictedScores | IndicatorScores | None, ContingencyTable | LabelIndicators, Classes
]


def tabulated(
    predictions: Column,
    references: Column,
    *,
    threshold: float,
    probabilities: bool,
    **options: Any,
) -> Tabulated:
    """Return the predicted scores, if there are any, the table of labels, and the task."""
    if not is_scores(predictions):
        return None, *label_table(predictions, references, **options)
    predicted: PredictedScores | IndicatorScores
    if np.ndim(references[0]) and not has_one_label(references):
        del options["pos_label"]
        predicted = IndicatorScores(predictions, references, threshold=threshold, **options)
    else:
        predicted = PredictedScores(
            predictions, references, threshold=threshold, probabilities=probabilities, **options
        )
    return predicted, predicted.table, predicted.task


def positions_of_rows(
    predictions: Column,
    references: Column,
    predicted: PredictedScores | IndicatorScores | None,
    task: Classes,
) -> tuple[Integers, Integers]:
    """Return the positions of the reference and the prediction of each row, of one label each."""
    if isinstance(predicted, PredictedScores):
        return predicted.label_positions()
    return label_positions(predictions, references, task)
