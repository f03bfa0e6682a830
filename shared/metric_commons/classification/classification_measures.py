"""All scores of a classification: of labels, and of the scores or probabilities behind them."""

from typing import Any

from ..numbers.arrays import Column
from ..numbers.contingency import ContingencyTable
from ..numbers.domains import Finite, checked_options
from .classes import Average, ListedLabels, PositiveLabel
from .labels import label_scores, label_table
from .multilabel import LabelIndicators
from .predicted_scores import PredictedScores, curve_scores, is_scores


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
    calibration_bins: int | None = None,
    calibration_strategy: str = "uniform",
    confidence_level: float | None = None,
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
        confidence_level: also return intervals.
        **label_options: `beta`, `zero_division`, `n_resamples` and `seed`, as in `label_scores`.

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
    predicted: PredictedScores | None = None
    table: ContingencyTable | LabelIndicators
    if is_scores(predictions):
        predicted = PredictedScores(predictions, references, threshold=threshold, **options)
        table, task = predicted.table, predicted.task
    else:
        table, task = label_table(predictions, references, **options)
    further_scores = curve_scores(
        predicted,
        curves=curves,
        calibration_bins=calibration_bins,
        calibration_strategy=calibration_strategy,  # type: ignore[arg-type] # checked there
        confidence_level=confidence_level,
    )
    return label_scores(
        table,
        task,
        further_scores=further_scores,
        confidence_level=confidence_level,
        **label_options,
    )
