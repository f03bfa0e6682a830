"""Areas, losses, curves and calibration of predicted scores.

In a binary task, everything follows from the number of positives and negatives at each score. A
task with several labels compares each label in turn with the rest. Rows may also have any number of
labels, with a predicted score for each label.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, check_sizes
from ...statistics.arguments.domains import Parsed
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import mean_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import UNDEFINED, Interval
from ..thresholds.areas import (
    AREAS,
    LOSSES,
    ColumnScores,
    MultiClass,
    RowScore,
    RowScores,
    mean_over_rows,
    top_k_hits,
    undefined,
)
from ..thresholds.calibration import Calibration, calibration, calibration_intervals
from ..thresholds.curves import (
    EPSILON,
    MEASURES,
    det_curve,
    pr_curve,
    roc_curve,
    score_counts,
)
from ..thresholds.score_intervals import area_intervals, linear_interval
from .classified_rows import ClassifiedRows
from .label_intervals import supported

CalibrationStrategy = Literal["uniform", "quantile"]
Curve = Literal["roc", "pr", "det"]
Curves = bool | Curve | Sequence[Curve]
TopK = Annotated[
    int | Sequence[int],
    Parsed(partial(check_sizes, "top_k"), "an integer, at least 1, or a list of them"),
]

_CURVES: dict[str, Callable[..., dict[str, list[float]]]] = {
    "roc": roc_curve,
    "pr": pr_curve,
    "det": det_curve,
}


class CurveScores(NamedTuple):
    """The areas and losses, with the numbers of rows, the bins, and the contents of a result."""

    scores: dict[str, RowScore]
    result: dict[str, Any]
    bins: Calibration | None = None


def curve_scores(
    rows: ClassifiedRows,
    *,
    multi_class: MultiClass = "ovr",
    max_fpr: float | None = None,
    top_k: TopK | None = None,
    curves: Curves = False,
    calibration_bins: int | None = None,
    calibration_strategy: CalibrationStrategy = "uniform",
) -> CurveScores:
    """Return the areas under the curves, log loss and Brier score.

    On request, curves and calibration. Options as in `classification_scores`.

    With several labels, the areas are of each label against the rest, averaged; log loss and
    Brier score are those of all probabilities (Brier's original score, from 0 to 2); and
    calibration is that of the most probable label. Undefined values are NaN: areas without
    positives, the area under the ROC curve also without negatives; losses and calibration of scores
    outside 0 to 1.

    Args:
        rows: references and scores; labels alone have no curves.
        multi_class: areas under the ROC curve of each label against the rest, "ovr", or of each
            pair of labels, "ovo".
        max_fpr: also return `partial_roc_auc`, up to this false positive rate.
        top_k: also return `top_<k>_accuracy`, the rate of rows whose label is among the k most
            probable ones; in a tie the later label comes first, as in scikit-learn.
        curves: also return `roc_curve` and `pr_curve`, or the listed ones, which may include
            `det_curve`; with several labels, a list of each.
        calibration_bins: also return `ece`, `mce` and `calibration`, in this many bins.
        calibration_strategy: "uniform" for bins of equal width, "quantile" for equal mass.

    Raises:
        ValueError: an option requires scores where there are labels.

    >>> from .classified_rows import classified
    >>> result = curve_scores(classified(np.array([0.1, 0.4, 0.35, 0.8]), [0, 0, 1, 1])).result
    >>> result["roc_auc"], round(result["average_precision"], 4), round(result["pr_auc"], 4)
    (0.75, 0.8333, 0.7917)
    """
    columns = rows.scores
    if columns is None:
        requests = {
            "curves": curves or None,
            "max_fpr": max_fpr,
            "calibration_bins": calibration_bins,
            "top_k": top_k,
        }
        for name, value in requests.items():
            if value is not None:
                raise ValueError(f"{name} needs scores, but predictions are labels")
        return CurveScores({}, {})
    scores = _areas_and_losses(rows, columns, multi_class)
    if max_fpr is not None:
        if rows.binary is None:
            raise OptionError("max_fpr", "needs scores of two labels")
        scores["partial_roc_auc"] = rows.binary.partial_roc_auc(max_fpr)
    if top_k is not None:
        if rows.binary or rows.multilabel:
            raise ValueError("top_k needs probabilities of several labels, one of which is right")
        sizes = check_sizes("top_k", top_k)
        hits = top_k_hits(columns.scores, columns.references, sizes)
        for size, column in zip(sizes, hits, strict=True):
            scores[f"top_{size}_accuracy"] = mean_over_rows(column, rows.weights)
    result: dict[str, Any] = {name: score.value for name, score in scores.items()}
    bins = None
    if calibration_bins is not None:
        bins = Calibration([], [], [], [], [])
        counts = calibrated(rows, columns).counts
        if counts.are_probabilities and rows.probabilities:
            bins = calibration(counts, calibration_bins, calibration_strategy)
        result |= bins.errors()
        shown = ("predicted", "observed", "rows")
        result["calibration"] = {name: getattr(bins, name) for name in shown}
    if isinstance(curves, bool):
        curves = ["roc", "pr"] if curves else []
    for name in dict.fromkeys([curves] if isinstance(curves, str) else curves):
        points = [_CURVES[name](of_label.counts) for of_label in columns.by_label]
        result[f"{name}_curve"] = points[0] if rows.binary else points
    return CurveScores(scores, result, bins)


def curve_intervals(
    rows: ClassifiedRows,
    measured: CurveScores,
    uncertainty: Uncertainty,
    *,
    multi_class: MultiClass = "ovr",
    max_fpr: float | None = None,
) -> dict[str, Interval | list[Interval]]:
    """Return the interval of each area, loss and error.

    Args:
        rows: references and scores.
        measured: their scores.
        uncertainty: the level, the method and the clusters.
        multi_class: as in `curve_scores`, like the last option.
        max_fpr: the same.
    """
    intervals: dict[str, Interval | list[Interval]] = {}
    columns, weights, average = rows.scores, rows.weights, rows.task.average
    if columns is None:
        return intervals
    if rows.binary or average == "none":
        measures = dict(AREAS)
        if max_fpr is not None:
            measures["partial_roc_auc"] = partial(RowScores.partial_roc_auc, max_fpr=max_fpr)
        listed = [area_intervals(of, measures, max_fpr, uncertainty) for of in columns.by_label]
        for name in measures:
            found = [of_label[name] for of_label in listed]
            intervals[name] = found[0] if rows.binary else found
    elif average != "samples":
        worst, best = (
            _areas(columns.with_row(best=is_best), average, multi_class)
            for is_best in (False, True)
        )
        for name in AREAS:
            extended = worst[name].value, best[name].value
            score = measured.scores[name]
            intervals[name] = linear_interval(score, extended, weights, uncertainty)
    upper_ends = {"log_loss": math.inf, "brier": 1.0 if rows.binary or rows.multilabel else 2.0}

    def interval(value: float, of_rows: Floats, name: str) -> Interval:
        if math.isnan(value):
            return UNDEFINED
        bounds = 0.0, upper_ends.get(name, 1.0)
        return mean_interval(of_rows, supported(uncertainty), bounds=bounds, weights=weights)

    for name, (value, of_rows) in measured.scores.items():
        if name in intervals:
            continue
        is_list, numbers = isinstance(value, list), of_rows()
        pairs = zip(value, numbers, strict=True) if is_list else [(value, numbers)]
        found = [interval(*pair, name) for pair in pairs]
        intervals[name] = found if is_list else found[0]
    if measured.bins is not None and not measured.bins.rows:
        intervals |= dict.fromkeys(("ece", "mce"), UNDEFINED)
    elif measured.bins is not None:
        clusters, scored = uncertainty.clusters, calibrated(rows, columns)
        if rows.multilabel and isinstance(clusters, Clusters):  # a row for each label
            owners = np.repeat(np.arange(len(columns.scores)), columns.scores.shape[1])
            uncertainty = replace(uncertainty, clusters=clusters.take(owners))
        intervals |= calibration_intervals(scored, measured.bins, uncertainty)
    return intervals


def _areas(columns: ColumnScores, average: str, multi_class: MultiClass) -> dict[str, RowScore]:
    areas = columns.averages(AREAS, average)
    if multi_class == "ovo":
        areas["roc_auc"] = columns.one_vs_one_roc_auc(average)
    return areas


def _areas_and_losses(
    rows: ClassifiedRows, columns: ColumnScores, multi_class: MultiClass
) -> dict[str, RowScore]:
    """Return the areas and losses.

    Of several labels, one of which is true, the losses are those of whole rows.

    Source:
        Brier, Verification of forecasts expressed in terms of probability (1950).
    """
    average, weights = rows.task.average, rows.weights
    if rows.binary:
        return columns.averages(AREAS | LOSSES, "macro")
    if rows.multilabel:
        if multi_class == "ovo":
            raise OptionError("multi_class", "'ovo' needs one label per row, not several")
        if average != "samples":
            return columns.averages(AREAS | LOSSES, average)
        pairs = zip(columns.scores, columns.positive, strict=True)
        of_rows = [score_counts(*pair).measures for pair in pairs]
        return {
            name: mean_over_rows(np.array([row[name] for row in of_rows]), weights)
            for name in MEASURES
        }
    scores = _areas(columns, average, multi_class)
    every = np.arange(len(columns.scores))
    if not rows.probabilities:
        return scores | dict.fromkeys(("log_loss", "brier"), undefined(every.size))
    likelihoods = columns.scores[every, columns.references]
    errors = columns.scores.copy()
    errors[every, columns.references] -= 1
    log_losses = -np.log(np.clip(likelihoods, EPSILON, 1 - EPSILON))
    scores["log_loss"] = mean_over_rows(log_losses, weights)
    scores["brier"] = mean_over_rows((errors**2).sum(axis=1), weights)
    return scores


def calibrated(rows: ClassifiedRows, columns: ColumnScores) -> RowScores:
    """Return the scores to calibrate.

    If one of several labels is true, it is the probability of the most probable label, and whether
    it is right; if any number may be true, it is the scores of all labels.
    """
    if rows.multilabel:
        return columns.flat
    if rows.binary:
        return rows.binary
    labels = columns.scores.argmax(axis=1)
    probabilities = columns.scores[np.arange(len(labels)), labels]
    return RowScores(probabilities, labels == columns.references, rows.weights)
