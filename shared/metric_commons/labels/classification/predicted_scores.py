"""Areas, losses, curves and calibration, computed from columns of scores.

In a binary task, everything follows from the number of positives and negatives at each score. A
task with several labels compares each label in turn with the rest.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Column, Floats, Integers
from ...statistics.arguments.checks import OptionError, check_sizes, check_weights
from ...statistics.arguments.domains import (
    Bins,
    Finite,
    Level,
    Parsed,
    check_option,
    checked_options,
)
from ...statistics.arithmetic.contingency import ContingencyTable, Label, contingency, encoded
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import Estimator, uncertainty
from ..thresholds.areas import AREAS, InfluencedScore, RowScores, binary_scores, influenced_score
from ..thresholds.calibration_bins import Calibration, calibration, calibration_errors
from ..thresholds.calibration_intervals import calibration_interval
from ..thresholds.curves import det_curve, pr_curve, roc_curve
from ..thresholds.multiclass import MultiClass, multiclass_scores, top_k_hits
from ..thresholds.one_vs_rest import OneVsRest, mean_over_rows
from ..thresholds.partial_area import partial_roc_auc
from ..thresholds.score_intervals import score_estimators
from ..thresholds.score_rows import THRESHOLD, check_probabilities, check_range, finite_scores
from .classes import Classes, as_labels, check_one_label, classes, score_classes
from .multilabel import has_one_label
from .multilabel_scores import IndicatorScores, multilabel_scores


class PredictedScores:
    """References with predicted scores of the positive label, or probabilities of each label.

    Args:
        predictions: one float per row; or rows of floats that add up to 1, one per label, in the
            order of `labels`, or of the sorted labels of the references.
        references: one label per row.
        threshold: rows with at least this score are predicted positive; must be given explicitly
            for scores outside 0 to 1. With several labels, the most probable one is predicted, the
            first in a tie.
        labels: as in `classes.classes`, like the following options.
        pos_label: the positive label, to which the scores refer.
        average: how to average over labels.
        sample_weight: one finite, non-negative number per row; None for equal weights.
        probabilities: whether rows of floats are probabilities; otherwise they are arbitrary
            scores, which have only areas.

    Raises:
        ValueError: scores, labels and options do not fit together; names the row if there is one.

    >>> predicted = PredictedScores(np.array([0.1, 0.7, 0.4]), [0, 1, 1])
    >>> predicted.table.matrix().tolist()
    [[1, 0], [1, 1]]

    """

    task: Classes
    table: ContingencyTable
    references: NDArray[Any]  # whether positive; with several labels, the column of each reference
    columns: Any

    def __init__(
        self,
        predictions: Column,
        references: Column,
        *,
        threshold: float = THRESHOLD,
        labels: Any = None,
        pos_label: Any = None,
        average: str | None = None,
        sample_weight: Any = None,
        probabilities: bool = True,
    ) -> None:
        check_option("threshold", threshold, Finite)
        self.probabilities = probabilities
        self._threshold = threshold
        self.columns = labels  # the labels of probability rows, in the order of their columns
        self.weights = check_weights("sample_weight", sample_weight, len(references))
        if has_one_label(references):
            references = np.ravel(references)
        references = as_labels("references", references)
        self.scores, self._range = finite_scores(predictions)
        options = {"labels": labels, "pos_label": pos_label, "average": average}
        check_one_label(average)
        if self.binary:
            self._take_scores(references, threshold, options)
        else:
            self._take_probabilities(references, threshold, options)

    @property
    def binary(self) -> bool:
        """Return whether there is one score per row."""
        return self.scores.ndim == 1

    @cached_property
    def rows(self) -> RowScores:
        """Return the scores of a binary task."""
        return RowScores(self.scores, self.references, self.weights)

    @cached_property
    def one_vs_rest(self) -> OneVsRest:
        """Return the probabilities of several labels."""
        return OneVsRest(self.scores, self.references, self.weights)

    def label_positions(self) -> tuple[Integers, Integers]:
        """The positions of the reference and the prediction of each row in `task.all_labels`."""
        if not self.binary:
            columns = self.task.positions(self.columns)
            return columns[self.references], columns[self.scores.argmax(axis=1)]
        positive = self.task.positive or 0
        references, predictions = (
            np.where(is_positive, positive, 1 - positive)
            for is_positive in (self.references, self.scores >= self._threshold)
        )
        return references, predictions

    def _take_scores(self, references: Column, threshold: float, options: dict[str, Any]) -> None:
        table = contingency(references, self.scores >= threshold, self.weights)
        task = score_classes(table.row_labels, **options)
        positive = task.positive or 0
        check_range(self.scores, self._range, threshold)
        positions = [1 - positive, positive]  # of the labels for False and for True
        column_labels = [task.all_labels[positions[decision]] for decision in table.column_labels]
        present = {*table.row_labels, *column_labels}
        self.table = replace(table, column_labels=column_labels)
        self.task = replace(
            task, absent=frozenset(p for p in task.absent if task.all_labels[p] not in present)
        )
        self.references = _equal(references, task.all_labels[positive])

    def _take_probabilities(
        self, references: Column, threshold: float, options: dict[str, Any]
    ) -> None:
        present, codes = encoded(references)
        self.task = classes(present, references=present, **options)
        columns = present if options["labels"] is None else self.task.labels
        width = self.scores.shape[1]
        if width != len(columns):
            raise ValueError(
                f"predictions have {width} columns, but there are {len(columns)} labels; "
                "labels=[...] must name the label of each column"
            )
        self.columns = columns
        indices = {label: index for index, label in enumerate(columns)}
        for label in present:
            if label not in indices:
                raise ValueError(f"references hold {label!r}, which is not one of the labels")
        if self.probabilities:
            check_probabilities(self.scores)
        elif width == 2:
            raise OptionError(
                "probabilities",
                "False is for rows of three scores or more; of two labels, pass "
                "the score of the positive one",
            )
        if width == 2:
            positive = columns.index(self.task.all_labels[self.task.positive or 0])
            self.scores = np.ascontiguousarray(self.scores[:, positive])
            self._take_scores(references, threshold, options)
            return
        self.references = np.array([indices[label] for label in present])[codes]
        table = contingency(self.references, self.scores.argmax(axis=1), self.weights)
        self.table = replace(
            table,
            row_labels=[columns[index] for index in table.row_labels],
            column_labels=[columns[index] for index in table.column_labels],
        )


CalibrationStrategy = Literal["uniform", "quantile"]
Curve = Literal["roc", "pr", "det"]
Curves = bool | Curve | Sequence[Curve]
TopK = Annotated[
    int | Sequence[int],
    Parsed(partial(check_sizes, "top_k"), "an integer, at least 1, or a list of them"),
]


@dataclass(frozen=True)
class CurveScores:
    """The scores, the requested curves and bins, and their intervals.

    Args:
        result: the contents of a result.
        estimators: for each score, the function that returns its interval, see `score_intervals`.
        scores: areas, losses and errors, with the influences of rows.
    """

    result: dict[str, Any]
    estimators: dict[str, Estimator]
    scores: dict[str, InfluencedScore]


@checked_options
def curve_scores(
    predicted: PredictedScores | IndicatorScores | None,
    *,
    multi_class: MultiClass = "ovr",
    max_fpr: Level | None = None,
    top_k: TopK | None = None,
    curves: Curves = False,
    drop_intermediate: bool | None = None,
    calibration_bins: Bins | None = None,
    calibration_strategy: CalibrationStrategy = "uniform",
    confidence_level: Level | None = None,
    interval: Method = "auto",
) -> dict[str, Any]:
    """Return the areas under the curves, log loss and Brier score.

    On request, curves and calibration.

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
        drop_intermediate: keep only significant points of curves; None does so only for ROC.
        calibration_bins: also return `ece`, `mce` and `calibration`, in this many bins.
        calibration_strategy: "uniform" for bins of equal width, "quantile" for equal mass.
        confidence_level: also return an interval of each score as `confidence_interval`, with the
            accompanying keys. The variance of the area under the ROC curve is that of DeLong et al.
            (1988), the others use the infinitesimal jackknife.
        interval: "auto", "wilson", or "bootstrap" for the normal interval.

    Raises:
        ValueError: an option is not valid, or requires scores where there are labels.

    >>> predicted = PredictedScores(np.array([0.1, 0.4, 0.35, 0.8]), [0, 0, 1, 1])
    >>> scores = curve_scores(predicted)
    >>> scores["roc_auc"], round(scores["average_precision"], 4), round(scores["pr_auc"], 4)
    (0.75, 0.8333, 0.7917)
    """
    measured = measured_curves(
        predicted,
        multi_class=multi_class,
        max_fpr=max_fpr,
        top_k=top_k,
        curves=curves,
        drop_intermediate=drop_intermediate,
        calibration_bins=calibration_bins,
        calibration_strategy=calibration_strategy,
    )
    return measured.result | uncertainty(
        measured.estimators, confidence_level=confidence_level, interval=interval
    )


def measured_curves(
    predicted: PredictedScores | IndicatorScores | None,
    *,
    multi_class: MultiClass = "ovr",
    max_fpr: float | None = None,
    top_k: TopK | None = None,
    curves: Curves = False,
    drop_intermediate: bool | None = None,
    calibration_bins: int | None = None,
    calibration_strategy: CalibrationStrategy = "uniform",
    clusters: Clusters | None = None,
) -> CurveScores:
    """Return the result of `curve_scores`, with the functions that return intervals.

    >>> predicted = PredictedScores(np.array([0.1, 0.8]), [0, 1])
    >>> measured_curves(predicted).estimators["roc_auc"](confidence_level=0.95).method
    'korn_graubard'
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
        return CurveScores({}, {}, {})
    scores = _measured(predicted, multi_class)
    if max_fpr is not None:
        scores["partial_roc_auc"] = _partial_area(predicted, max_fpr)
    for size, hits in _top_k_hits(predicted, top_k):
        scores[f"top_{size}_accuracy"] = mean_over_rows(hits, predicted.weights)
    bins = None
    if calibration_bins is not None:
        rows = _calibrated(predicted)
        calibrated = rows.counts
        bins = Calibration([], [], [], [])
        if calibrated.are_probabilities and predicted.probabilities:
            bins = calibration(calibrated, calibration_bins, calibration_strategy)
        errors = calibration_errors(calibrated, bins)
        scores |= {name: influenced_score(rows, error) for name, error in errors.items()}

    result: dict[str, Any] = {name: score for name, (score, _) in scores.items()}
    if bins is not None:
        result["calibration"] = {
            "predicted": bins.predicted,
            "observed": bins.observed,
            "rows": bins.rows,
        }
    for name in _curve_names(curves):
        options = {} if drop_intermediate is None else {"drop_intermediate": drop_intermediate}
        tables = [predicted.rows] if predicted.binary else predicted.one_vs_rest.rows
        points = [_CURVES[name](of_label.counts, **options) for of_label in tables]
        result[f"{name}_curve"] = points[0] if predicted.binary else points
    upper_bounds = dict.fromkeys(scores, 1.0) | {"log_loss": math.inf}
    by_label = predicted.binary or isinstance(predicted, IndicatorScores)
    upper_bounds["brier"] = 1.0 if by_label else 2.0
    estimators = score_estimators(
        scores, _row_counts(predicted, scores), upper_bounds, clusters, predicted.weights
    )
    if bins is not None and bins.rows:
        debiased = partial(
            calibration_interval,
            scores["ece"].score,
            rows,
            np.array(bins.edges[1]),
            np.array(bins.edges[0]),
            _clusters_of_rows(clusters, rows, predicted),
        )
        estimators["ece"] = _normal_if_bootstrap(estimators["ece"], debiased)
    return CurveScores(result, estimators, scores)


def _normal_if_bootstrap(normal: Estimator, default: Estimator) -> Estimator:
    """Return the default estimator, except where the method is "bootstrap"."""

    def estimate(**options: Any) -> Interval | list[Interval]:
        return (normal if options.get("method") == "bootstrap" else default)(**options)

    return estimate


_CURVES: dict[str, Callable[..., dict[str, list[float]]]] = {
    "roc": roc_curve,
    "pr": pr_curve,
    "det": det_curve,
}


def _clusters_of_rows(
    clusters: Clusters | None, rows: RowScores, predicted: PredictedScores | IndicatorScores
) -> Integers | None:
    """Return the cluster of each row that is calibrated.

    Rows of several labels count once for each.
    """
    if clusters is None:
        return None
    if isinstance(predicted, IndicatorScores):
        return np.repeat(clusters.numbers, rows.scores.size // clusters.numbers.size)
    return clusters.numbers


def _curve_names(curves: Curves) -> list[str]:
    """Return the names of the requested curves."""
    if isinstance(curves, bool):
        return ["roc", "pr"] if curves else []
    return list(dict.fromkeys([curves] if isinstance(curves, str) else curves))


def _partial_area(predicted: PredictedScores | IndicatorScores, max_fpr: float) -> InfluencedScore:
    """Return the area under the left part of the ROC curve."""
    if isinstance(predicted, PredictedScores) and predicted.binary:
        return influenced_score(predicted.rows, partial_roc_auc(predicted.rows.counts, max_fpr))
    raise OptionError("max_fpr", "needs scores of two labels")


def _measured(
    predicted: PredictedScores | IndicatorScores, multi_class: MultiClass
) -> dict[str, InfluencedScore]:
    """Return the areas and losses."""
    if isinstance(predicted, IndicatorScores):
        if multi_class == "ovo":
            raise OptionError("multi_class", "'ovo' needs one label per row, not several")
        return multilabel_scores(predicted.one_vs_rest, predicted.task.average)
    if not predicted.binary:
        return multiclass_scores(
            predicted.one_vs_rest,
            predicted.task.average,
            multi_class,
            probabilities=predicted.probabilities,
        )
    return binary_scores(predicted.rows)


def _calibrated(predicted: PredictedScores | IndicatorScores) -> RowScores:
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


def _top_k_hits(
    predicted: PredictedScores | IndicatorScores, top_k: int | Sequence[int] | None
) -> list[tuple[int, Floats]]:
    """For each k, whether the rows are right, if `top_k` is given."""
    if top_k is None:
        return []
    if predicted.binary or isinstance(predicted, IndicatorScores):
        raise ValueError("top_k needs probabilities of several labels, one of which is right")
    sizes = check_sizes("top_k", top_k)
    hits = top_k_hits(predicted.scores, predicted.references, sizes)
    return list(zip(sizes, hits, strict=True))


def _row_counts(
    predicted: PredictedScores | IndicatorScores, scores: Mapping[str, InfluencedScore]
) -> dict[str, Any]:
    """Return the number of rows of each score.

    Positives, the rarer of the two labels, or all rows.
    """
    weights, references = predicted.weights, predicted.references
    if weights is not None:
        references = references[weights > 0]
    counting_rows = len(references)
    if isinstance(predicted, IndicatorScores):
        positives = np.count_nonzero(references, axis=0).tolist()
    elif predicted.binary:
        positives = [int(np.count_nonzero(references))]
    else:
        positives = np.bincount(references, minlength=predicted.scores.shape[1]).tolist()
    scarcer = [min(number, counting_rows - number) for number in positives]
    rows: dict[str, Any] = dict.fromkeys(scores, counting_rows)
    for name, (score, _) in scores.items():
        numbers = scarcer if name.endswith("roc_auc") else positives
        if predicted.task.average == "samples":
            continue
        if isinstance(score, list):
            rows[name] = numbers if name in AREAS else [counting_rows] * len(score)
        elif name in AREAS or name == "partial_roc_auc":
            rows[name] = min(numbers)
    return rows


def _equal(column: Column, label: Label) -> Booleans:
    """Return which rows of a column have a label."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biu":
        equal: Booleans = column == label
        return equal
    return np.fromiter(map(label.__eq__, column), bool, len(column))
