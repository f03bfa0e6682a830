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

from ...statistics.arguments.arrays import Booleans, Floats
from ...statistics.arguments.checks import OptionError, check_sizes
from ...statistics.arguments.domains import (
    Parsed,
)
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ..thresholds.areas import (
    AREAS,
    LOSSES,
    InfluencedScore,
    MultiClass,
    OneVsRest,
    RowScores,
    mean_over_rows,
    one_vs_one_roc_auc,
    partial_roc_auc,
    top_k_hits,
    undefined,
)
from ..thresholds.calibration import (
    Calibration,
    calibration,
    calibration_errors,
    calibration_intervals,
)
from ..thresholds.curves import EPSILON, det_curve, pr_curve, roc_curve
from ..thresholds.score_intervals import (
    UNDEFINED,
    area_intervals,
    linear_interval,
    loss_interval,
)
from .predicted_scores import IndicatorScores, PredictedScores

CalibrationStrategy = Literal["uniform", "quantile"]
Curve = Literal["roc", "pr", "det"]
Curves = bool | Curve | Sequence[Curve]
TopK = Annotated[
    int | Sequence[int],
    Parsed(partial(check_sizes, "top_k"), "an integer, at least 1, or a list of them"),
]


class CurveScores(NamedTuple):
    """The areas, losses and errors, with the influences of rows, and the contents of a result."""

    scores: dict[str, InfluencedScore]
    result: dict[str, Any]
    bins: Calibration = Calibration([], [], [], [])


def curve_scores(
    predicted: PredictedScores | IndicatorScores | None,
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
        predicted: references and scores; None if there are only labels, which have no curves.
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

    >>> predicted = PredictedScores(np.array([0.1, 0.4, 0.35, 0.8]), [0, 0, 1, 1])
    >>> result = curve_scores(predicted).result
    >>> result["roc_auc"], round(result["average_precision"], 4), round(result["pr_auc"], 4)
    (0.75, 0.8333, 0.7917)
    """
    if predicted is None:
        requests = {
            "curves": curves is not False,
            "max_fpr": max_fpr is not None,
            "calibration_bins": calibration_bins is not None,
            "top_k": top_k is not None,
        }
        for name in (name for name in requests if requests[name]):
            raise ValueError(f"{name} needs scores, but predictions are labels")
        return CurveScores({}, {})
    scores = _areas_and_losses(predicted, multi_class)
    if max_fpr is not None:
        if not predicted.binary:
            raise OptionError("max_fpr", "needs scores of two labels")
        scores["partial_roc_auc"] = partial_roc_auc(predicted.rows, max_fpr)
    if top_k is not None:
        if predicted.binary or isinstance(predicted, IndicatorScores):
            raise ValueError("top_k needs probabilities of several labels, one of which is right")
        sizes = check_sizes("top_k", top_k)
        hits = top_k_hits(predicted.scores, predicted.references, sizes)
        for size, column in zip(sizes, hits, strict=True):
            scores[f"top_{size}_accuracy"] = mean_over_rows(column, predicted.weights)
    bins = Calibration([], [], [], [])
    if calibration_bins is not None:
        rows = calibrated(predicted)
        if rows.counts.are_probabilities and predicted.probabilities:
            bins = calibration(rows.counts, calibration_bins, calibration_strategy)
        scores |= calibration_errors(rows, bins)
    result: dict[str, Any] = {name: score for name, (score, _) in scores.items()}
    if calibration_bins is not None:
        result["calibration"] = {
            "predicted": bins.predicted,
            "observed": bins.observed,
            "rows": bins.rows,
        }
    if isinstance(curves, bool):
        curves = ["roc", "pr"] if curves else []
    for name in dict.fromkeys([curves] if isinstance(curves, str) else curves):
        tables = [predicted.rows] if predicted.binary else predicted.one_vs_rest.rows
        points = [_CURVES[name](of_label.counts) for of_label in tables]
        result[f"{name}_curve"] = points[0] if predicted.binary else points
    return CurveScores(scores, result, bins)


def curve_intervals(
    predicted: PredictedScores | IndicatorScores,
    measured: CurveScores,
    uncertainty: Uncertainty,
    *,
    multi_class: MultiClass = "ovr",
    max_fpr: float | None = None,
) -> dict[str, Interval | list[Interval]]:
    """Return the interval of each area, loss and error.

    Args:
        predicted: references and scores.
        measured: their scores.
        uncertainty: the level, the method and the clusters.
        multi_class: as in `curve_scores`, like the last option.
        max_fpr: the same.
    """
    scores, weights = measured.scores, predicted.weights
    areas = {name: score for name, score in scores.items() if name in AREAS}
    of_rows = predicted.task.average == "samples"
    functions: dict[str, Any] = {name: AREAS[name] for name in areas}
    intervals: dict[str, Interval | list[Interval]] = dict.fromkeys(scores, UNDEFINED)
    if predicted.binary:
        if max_fpr is not None:
            functions["partial_roc_auc"] = partial(partial_roc_auc, max_fpr=max_fpr)
        intervals |= area_intervals(predicted.rows, functions, max_fpr, uncertainty)
    elif predicted.task.average == "none":
        listed = [
            area_intervals(rows, functions, None, uncertainty)
            for rows in predicted.one_vs_rest.rows
        ]
        intervals |= {name: [of_label[name] for of_label in listed] for name in areas}
    elif not of_rows:
        ends = [_areas_with_row(predicted, multi_class, best=best) for best in (False, True)]
        for name, (score, influences) in areas.items():
            extended = ends[0][name].score, ends[1][name].score
            intervals[name] = linear_interval(score, influences(), extended, weights, uncertainty)
    errors = {"ece", "mce"}
    by_label = predicted.binary or isinstance(predicted, IndicatorScores)
    for name, score in scores.items():
        if name in errors or (name in AREAS and not of_rows) or name == "partial_roc_auc":
            continue
        upper = {"log_loss": math.inf, "brier": 1.0 if by_label else 2.0}.get(name, 1.0)
        if isinstance(score.score, list):
            of_labels = zip(score.score, score.influences(), strict=True)
            pairs = [InfluencedScore(value, partial(np.asarray, i)) for value, i in of_labels]
            intervals[name] = [loss_interval(pair, weights, upper, uncertainty) for pair in pairs]
        else:
            intervals[name] = loss_interval(score, weights, upper, uncertainty)
    if measured.bins.rows:
        rows = calibrated(predicted)
        clusters = uncertainty.clusters
        if isinstance(predicted, IndicatorScores):  # a row for each label
            labels = rows.scores.size // len(predicted.references)
            owners = np.repeat(np.arange(len(predicted.references)), labels)
            if isinstance(clusters, Clusters):
                uncertainty = replace(uncertainty, clusters=clusters.take(owners))
        values = {name: scores[name].score for name in ("ece", "mce")}
        intervals |= calibration_intervals(values, rows, measured.bins, uncertainty)
    return intervals


def _areas_with_row(
    predicted: PredictedScores | IndicatorScores, multi_class: MultiClass, *, best: bool
) -> dict[str, InfluencedScore]:
    """Return the areas of the rows and a further one of the rarest class, last or first.

    Among the scores of other labels it is in the middle.
    """
    columns, average = predicted.one_vs_rest, predicted.task.average
    number, width = columns.scores.shape
    of_labels = np.stack([columns.is_positive(label) for label in range(width)], axis=1)
    positives = of_labels.sum(axis=0)
    rarer = np.minimum(positives, number - positives)
    label = int(np.where(rarer > 0, rarer, number).argmin())
    is_positive = 2 * positives[label] <= number
    row = np.median(columns.scores, axis=0)
    row[label] = columns.scores.max() + 1 if is_positive == best else columns.scores.min() - 1
    if columns.references.ndim == 2:
        reference = 2 * positives > number
        reference[label] = is_positive
        references = np.concatenate([columns.references, reference[np.newaxis]])
    else:
        references = np.append(columns.references, label)
    weights = columns.weights
    extended = OneVsRest(
        np.concatenate([columns.scores, row[np.newaxis]]),
        references,
        None if weights is None else np.append(weights, weights.mean()),
    )
    areas = extended.averages(AREAS, average)
    if multi_class == "ovo":
        areas["roc_auc"] = one_vs_one_roc_auc(extended, average)
    return areas


_CURVES: dict[str, Callable[..., dict[str, list[float]]]] = {
    "roc": roc_curve,
    "pr": pr_curve,
    "det": det_curve,
}


def _areas_and_losses(
    predicted: PredictedScores | IndicatorScores, multi_class: MultiClass
) -> dict[str, InfluencedScore]:
    """Return the areas and losses.

    Of several labels, one of which is true, the losses are those of whole rows.

    Source:
        Brier, Verification of forecasts expressed in terms of probability (1950).
    """
    average = predicted.task.average
    if isinstance(predicted, IndicatorScores):
        if multi_class == "ovo":
            raise OptionError("multi_class", "'ovo' needs one label per row, not several")
        if average != "samples":
            return predicted.one_vs_rest.averages(AREAS | LOSSES, average)
        by_row = row_measures(predicted.one_vs_rest.scores, predicted.references)
        return {name: mean_over_rows(column, predicted.weights) for name, column in by_row.items()}
    if predicted.binary:
        return {name: measure(predicted.rows) for name, measure in (AREAS | LOSSES).items()}
    scores = predicted.one_vs_rest.averages(AREAS, average)
    if multi_class == "ovo":
        scores["roc_auc"] = one_vs_one_roc_auc(predicted.one_vs_rest, average)
    rows = np.arange(len(predicted.scores))
    if not predicted.probabilities:
        return scores | dict.fromkeys(("log_loss", "brier"), undefined(rows.size))
    likelihoods = predicted.scores[rows, predicted.references]
    errors = predicted.scores.copy()
    errors[rows, predicted.references] -= 1
    log_losses = -np.log(np.clip(likelihoods, EPSILON, 1 - EPSILON))
    scores["log_loss"] = mean_over_rows(log_losses, predicted.weights)
    scores["brier"] = mean_over_rows((errors**2).sum(axis=1), predicted.weights)
    return scores


def calibrated(predicted: PredictedScores | IndicatorScores) -> RowScores:
    """Return the scores to calibrate.

    If one of several labels is true, it is the probability of the most probable label, and whether
    it is right; if any number may be true, it is the scores of all labels.
    """
    if isinstance(predicted, IndicatorScores):
        return predicted.one_vs_rest.flat_rows
    if predicted.binary:
        return predicted.rows
    labels = predicted.scores.argmax(axis=1)
    probabilities = predicted.scores[np.arange(len(labels)), labels]
    return RowScores(probabilities, labels == predicted.references, predicted.weights)


def row_measures(scores: Floats, positive: Booleans) -> dict[str, Floats]:
    """Return the areas and mean losses of each row, treating its labels as samples; shape (rows,).

    Areas are NaN in a row without positives, ROC AUC also in one without negatives; losses are NaN
    if scores are not probabilities.

    >>> scores, positive = np.array([[0.1, 0.4, 0.35, 0.8]]), np.array([[False, False, True, True]])
    >>> measures = row_measures(scores, positive)
    >>> {name: values.round(4).item() for name, values in measures.items()}
    {'roc_auc': 0.75, 'pr_auc': 0.7917, 'average_precision': 0.8333, 'log_loss': 0.4723, \
'brier': 0.1581}
    """
    labels = scores.shape[1]
    losses = dict.fromkeys(("log_loss", "brier"), np.full(len(scores), math.nan))
    if not scores.size or (scores.min() >= 0 and scores.max() <= 1):
        clipped = np.clip(scores, EPSILON, 1 - EPSILON)
        losses = {
            "log_loss": -np.where(positive, np.log(clipped), np.log1p(-clipped)).mean(axis=1),
            "brier": ((scores - positive) ** 2).mean(axis=1),
        }
    order = np.argsort(-scores, axis=1, kind="stable")
    scores = np.take_along_axis(scores, order, axis=1)
    is_hit = np.take_along_axis(positive, order, axis=1)
    hits = np.cumsum(is_hit, axis=1)
    # Equal scores form one point of a curve: each gets the rank of the last of them, and that of
    # the last one above them.
    changes = scores[:, 1:] != scores[:, :-1]
    ranks = np.arange(1, labels + 1)
    edge = np.ones((len(scores), 1), dtype=np.bool_)
    group_ends = np.where(np.hstack([changes, edge]), ranks, labels)
    last = np.minimum.accumulate(group_ends[:, ::-1], axis=1)[:, ::-1]
    group_starts = np.where(np.hstack([edge, changes]), ranks - 1, 0)
    start = np.maximum.accumulate(group_starts, axis=1)
    hits_last = np.take_along_axis(hits, last - 1, axis=1)
    hits_start = np.where(start > 0, np.take_along_axis(hits, np.maximum(start - 1, 0), axis=1), 0)
    positives = hits[:, -1].astype(np.float64)
    negatives = labels - positives
    precision = np.where(is_hit, hits_last / last, 0.0)
    start_precision = np.where(is_hit & (start > 0), hits_start / np.maximum(start, 1), is_hit)
    # Twice the negatives below a positive, plus those with the same score
    losers = 2 * negatives[:, np.newaxis] - (last - hits_last) - (start - hits_start)
    pairs = np.where(is_hit, losers, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_precision = precision.sum(axis=1) / positives
        return {
            "roc_auc": pairs / (2 * positives * negatives),
            "pr_auc": (mean_precision + start_precision.sum(axis=1) / positives) / 2,
            "average_precision": mean_precision,
            **losses,
        }
