"""All classification scores, of labels, and of scores or probabilities."""

from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Integers, take
from ...statistics.arguments.checks import OptionError, check_labels, check_weights
from ...statistics.arguments.domains import Bins, Finite, Level, Weights, checked_options
from ...statistics.arithmetic.contingency import ContingencyTable
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.summary import members
from ...statistics.resampling.row_units import cluster_values
from ..thresholds.areas import MultiClass
from ..thresholds.score_rows import THRESHOLD, is_scores
from .classes import (
    Average,
    Classes,
    IgnoredLabel,
    KappaWeights,
    LabelDistances,
    ListedLabels,
    PositiveLabel,
    counted_rows,
)
from .confusion import Matrix
from .curve_scores import CalibrationStrategy, Curves, TopK, curve_scores
from .label_intervals import LabelClusters, cell_counters, indicator_counters
from .labels import Beta, ZeroDivision, label_positions, label_scores, label_table
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
        **uncertainty: as in `statistics.summary.Uncertainty`; groups use the positive label and the
            average of all rows.

    Raises:
        ValueError: a row or an option is not valid.

    >>> scores = classification_scores([0, 0, 1, 1, 0], [0, 1, 0, 1, 0])
    >>> scores["accuracy"], scores["recall"]
    (0.6, 0.5)
    """
    clusters, groups = uncertainty.pop("clusters", None), uncertainty.pop("groups", None)
    if ignore_index is not None:
        rows = counted_rows(references, ignore_index)
        clusters, groups = (
            None if labels is None else take(check_labels(name, labels, len(references)), rows)
            for name, labels in (("clusters", clusters), ("groups", groups))
        )
        sample_weight = take(check_weights("sample_weight", sample_weight, len(references)), rows)
        predictions, references = take(predictions, rows), take(references, rows)
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "average": average,
        "sample_weight": sample_weight,
    }
    group_rows = {}
    if groups is not None:
        group_rows = members(check_labels("groups", groups, len(references)))
    predicted, table, task = tabulated(
        predictions, references, threshold=threshold, probabilities=probabilities, **options
    )
    all_clusters = None
    if clusters is not None:
        all_clusters = Clusters.of_labels(clusters, len(references))
    clustered = None
    if all_clusters is not None and uncertainty.get("confidence_level") is not None:
        weights = check_weights("sample_weight", sample_weight, len(references))
        if isinstance(table, LabelIndicators):
            counters = indicator_counters(table, weights)
            sums = cluster_values(counters, all_clusters.numbers)
        else:
            positions = positions_of_rows(predictions, references, predicted, task)
            distances = kappa_weights and LabelDistances.of_task(task, kappa_weights)
            size = len(task.all_labels)
            numbers = all_clusters.numbers
            sums = cell_counters(*positions, size, distances, weights=weights, clusters=numbers)
        clustered = LabelClusters(all_clusters, sums)
    score_options: dict[str, Any] = {
        "multi_class": multi_class,
        "max_fpr": max_fpr,
        "top_k": top_k,
        "calibration_bins": calibration_bins,
        "calibration_strategy": calibration_strategy,
    }
    measured = curve_scores(predicted, curves=curves, **score_options, clusters=all_clusters)
    label_options = {
        "beta": beta,
        "zero_division": zero_division,
        "confusion_matrix": confusion_matrix,
        "report": report,
        "adjusted": adjusted,
        "kappa_weights": kappa_weights,
        **uncertainty,
    }
    result = ClassificationResult(
        label_scores(
            table,
            task,
            further_scores=measured.result,
            further_estimators=measured.estimators,
            clusters=clustered,
            **label_options,
        )
    )
    if operating_point is not None:
        if not isinstance(predicted, PredictedScores) or not predicted.binary:
            raise OptionError("operating_point", "needs scores of two labels")
        result["operating_point"] = point_scores(
            predicted.rows,
            operating_point,
            beta=beta,
            zero_division=zero_division,
            clusters=all_clusters,
            **uncertainty,
        )
    is_about_one = task.average == "binary" or isinstance(predicted, PredictedScores)
    positive = task.positive_label if is_about_one else None
    result.conventions = {} if positive is None else {"positive": positive}
    if average is None:
        result.conventions["average"] = task.average
    if groups is not None:
        settled = {
            "threshold": threshold,
            "pos_label": pos_label if task.positive is None else task.positive_label,
            "average": task.average,
            "labels": labels if predicted is None else predicted.columns,
            "probabilities": probabilities,
            **score_options,
            **label_options,
        }
        columns = {"sample_weight": sample_weight, "clusters": clusters}
        result["groups"] = {
            label: classification_scores(
                take(predictions, rows),
                take(references, rows),
                **settled,
                **{name: take(column, rows) for name, column in columns.items()},
            )
            | {"n": len(rows)}
            for label, rows in group_rows.items()
        }
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
