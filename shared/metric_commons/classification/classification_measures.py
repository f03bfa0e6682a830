"""All scores of a classification: of labels, and of the scores or probabilities behind them."""

from typing import Any

from ..numbers.arrays import Column, take
from ..numbers.checks import check_labels, check_weights
from ..numbers.contingency import ContingencyTable
from ..numbers.domains import Count, Finite, Labels, checked_options
from ..statistics.cluster_sums import Clusters
from ..statistics.summary import members
from .classes import Average, ListedLabels, PositiveLabel
from .label_intervals import ClusteredCounts
from .labels import label_positions, label_scores, label_table
from .multilabel import LabelIndicators
from .predicted_scores import CalibrationStrategy, PredictedScores, is_scores, measured_curves


@checked_options
def classification_scores(
    predictions: Column,
    references: Column,
    *,
    threshold: Finite = 0.5,
    pos_label: PositiveLabel = 1,
    average: Average | None = None,
    labels: ListedLabels | None = None,
    sample_weight: Any = None,
    curves: bool = False,
    calibration_bins: Count | None = None,
    calibration_strategy: CalibrationStrategy = "uniform",
    clusters: Labels | None = None,
    groups: Labels | None = None,
    **label_options: Any,
) -> dict[str, Any]:
    """The scores by name, and on request curves, calibration and intervals.

    Args:
        predictions: labels; or scores of the positive label, or probabilities of each label; or a
            row of 0 and 1 for each of several labels.
        references: labels, or a row of 0 and 1.
        threshold: a row is positive from this score on.
        pos_label: the positive one of two labels.
        average: how the scores of several labels become one, as in `label_scores`.
        labels: those to average over and to show, in this order; None for all.
        sample_weight: how much each row counts; None for equally.
        curves: also return the points of both curves, as in `curve_scores`.
        calibration_bins: also return the calibration in so many bins.
        calibration_strategy: "uniform" or "quantile".
        clusters: a label a row; rows of one cluster are alike, so that intervals count clusters.
        groups: a label a row; also return the scores of each group, of the same positive label and
            average as those of all rows.
        **label_options: `beta`, `zero_division`, `confidence_level`, `interval`, `n_resamples` and
            `seed`, as in `label_scores`.

    Raises:
        ValueError: a row or an option is not what it may be.

    >>> scores = classification_scores([0, 0, 1, 1, 0], [0, 1, 0, 1, 0])
    >>> scores["accuracy"], scores["recall"]
    (0.6, 0.5)
    """
    options = {
        "labels": labels,
        "pos_label": pos_label,
        "average": average,
        "sample_weight": sample_weight,
    }
    group_rows = {}
    if groups is not None:
        group_rows = members(check_labels("groups", groups, len(references)))
    predicted: PredictedScores | None = None
    table: ContingencyTable | LabelIndicators
    if is_scores(predictions):
        predicted = PredictedScores(predictions, references, threshold=threshold, **options)
        table, task = predicted.table, predicted.task
    else:
        table, task = label_table(predictions, references, **options)
    all_clusters = None
    clustered = None
    if clusters is not None:
        all_clusters = Clusters.of_labels(clusters, len(references))
        if isinstance(table, LabelIndicators):
            clustered = ClusteredCounts.of_indicators(all_clusters, table)
        else:
            positions = (
                label_positions(predictions, references, task)
                if predicted is None
                else predicted.label_positions()
            )
            size = len(task.all_labels)
            weights = check_weights("sample_weight", sample_weight, len(references))
            clustered = ClusteredCounts.of_rows(all_clusters, *positions, size, weights)
    measured = measured_curves(
        predicted,
        curves=curves,
        calibration_bins=calibration_bins,
        calibration_strategy=calibration_strategy,
        clusters=all_clusters,
    )
    result = label_scores(
        table,
        task,
        further_scores=measured.result,
        further_estimators=measured.estimators,
        clusters=clustered,
        **label_options,
    )
    if groups is not None:
        settled = {
            "threshold": threshold,
            "pos_label": pos_label if task.positive is None else task.all_labels[task.positive],
            "average": task.average,
            "calibration_bins": calibration_bins,
            "calibration_strategy": calibration_strategy,
            "labels": labels if predicted is None else predicted.columns,
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
