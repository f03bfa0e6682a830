"""From columns of scores to their areas, losses, curves and calibration.

Everything about a binary task follows from how many positives and negatives have each score. A task
of several labels is one label against the rest, for each label in turn.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Column, Floats, Integers
from ..numbers.checks import RowError, check_weights
from ..numbers.contingency import ContingencyTable, Label, contingency, encoded
from ..numbers.domains import Count, Finite, Level, check_option, checked_options
from ..statistics.cluster_sums import Clusters
from ..statistics.methods import Method
from ..statistics.summary import uncertainty
from .areas import AREAS, RowScores, ScoreWithVariance, binary_scores, with_variance
from .calibration_bins import Calibration, calibration, calibration_errors
from .classes import Classes, as_labels, classes
from .curves import pr_curve, roc_curve
from .multiclass import multiclass_scores, one_vs_rest_counts
from .score_counts import score_counts
from .score_intervals import Estimator, score_estimators

_SUM_TOLERANCE = 1e-5  # how far the sum of a row of probabilities may be from 1


def is_scores(predictions: Column) -> bool:
    """Whether these are scores: a float a row, or several."""
    if isinstance(predictions, np.ndarray):
        return predictions.dtype.kind == "f"
    first = predictions[0]
    return isinstance(first[0] if isinstance(first, list) and first else first, float)


class PredictedScores:
    """References, and for each row a score of the positive label or a probability of each label.

    Args:
        predictions: a float a row; or rows of floats that add up to 1, one for each label, in the
            order of `labels`, else of the sorted labels of the references.
        references: a label a row.
        threshold: a row is predicted positive from this score on. Scores outside 0 to 1 need
            another threshold than 0.5. Of several labels the most probable is predicted, of equally
            probable ones the first.
        labels: as in `classes.classes`, as are the following.
        pos_label: the positive label, to which the scores belong.
        average: how to average over labels.
        sample_weight: a finite number a row, at least 0; None weighs all alike.

    Raises:
        ValueError: scores, labels and options that do not go together; names the row where there
            is one.

    >>> predicted = PredictedScores(np.array([0.1, 0.7, 0.4]), [0, 1, 1])
    >>> predicted.table.matrix().tolist()
    [[1, 0], [1, 1]]

    """

    task: Classes
    table: ContingencyTable
    references: NDArray[Any]  # whether positive; of several labels the column of each reference
    columns: Any

    def __init__(
        self,
        predictions: Column,
        references: Column,
        *,
        threshold: float = 0.5,
        labels: Any = None,
        pos_label: Any = 1,
        average: str | None = None,
        sample_weight: Any = None,
    ) -> None:
        check_option("threshold", threshold, Finite)
        self._threshold = threshold
        self.columns = labels  # the labels of rows of probabilities, in the order of their columns
        self.weights = check_weights("sample_weight", sample_weight, len(references))
        references = as_labels("references", references)
        self.scores, self._range = _finite_scores(predictions)
        options = {"labels": labels, "pos_label": pos_label, "average": average}
        if self.binary:
            self._take_scores(references, threshold, options)
        else:
            self._take_probabilities(references, threshold, options)

    @property
    def binary(self) -> bool:
        """Whether there is one score a row."""
        return self.scores.ndim == 1

    def label_positions(self) -> tuple[Integers, Integers]:
        """For each row where its reference and its prediction are in `task.all_labels`."""
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
        self.task = classes(table.row_labels, **options)
        labels, positive = self.task.all_labels, self.task.positive
        if len(labels) > 2:
            raise ValueError(
                f"there are {len(labels)} labels, but one score a row; "
                "predictions must hold a probability for each label"
            )
        if len(labels) < 2 or positive is None:
            raise ValueError(
                f"references hold one label, {labels[0]!r}; labels=[...] must name the other"
            )
        _check_range(self.scores, self._range, threshold)
        decisions = [labels[1 - positive], labels[positive]]  # for False and for True
        self.table = replace(
            table, column_labels=[decisions[is_positive] for is_positive in table.column_labels]
        )
        self.references = _equal(references, labels[positive])

    def _take_probabilities(
        self, references: Column, threshold: float, options: dict[str, Any]
    ) -> None:
        present, codes = encoded(references)
        self.task = classes(present, **options)
        columns = present if options["labels"] is None else self.task.labels
        width = self.scores.shape[1]
        if options["labels"] is None and len(present) == width == 2:
            raise ValueError(
                "references have two labels: predictions must hold one score a row, that of the "
                f"positive one, or labels={present!r} must say which column is whose"
            )
        if width != len(columns):
            raise ValueError(
                f"predictions have {width} columns, but there are {len(columns)} labels; "
                "labels=[...] must name that of each column"
            )
        self.columns = columns
        indices = {label: index for index, label in enumerate(columns)}
        for label in present:
            if label not in indices:
                raise ValueError(f"references hold {label!r}, which is not one of the labels")
        _check_probabilities(self.scores)
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


@dataclass(frozen=True)
class CurveScores:
    """The scores of columns of scores, curves and bins that are asked for, and their intervals.

    Args:
        result: what a result holds.
        estimators: of each score the function that returns its interval, see `score_intervals`.
    """

    result: dict[str, Any]
    estimators: dict[str, Estimator]


@checked_options
def curve_scores(
    predicted: PredictedScores | None,
    *,
    curves: bool = False,
    calibration_bins: Count | None = None,
    calibration_strategy: CalibrationStrategy = "uniform",
    confidence_level: Level | None = None,
    interval: Method = "auto",
) -> dict[str, Any]:
    """The areas under the curves, log loss and Brier score; on request curves and calibration.

    Of several labels the areas are those of each label against the rest, averaged; log loss and
    Brier score those of all probabilities (Brier's original score, from 0 to 2); and calibration
    that of the most probable label. What is not defined is NaN: areas without positives, and the
    area under the ROC curve without negatives too; losses and calibration of scores outside 0 to 1.

    Args:
        predicted: references and scores; None where there are labels alone, which have no curves.
        curves: also return `roc_curve` and `pr_curve`; of several labels a list of each.
        calibration_bins: also return `ece`, `mce` and `calibration`, in so many bins.
        calibration_strategy: "uniform" for bins of equal width, "quantile" for equal mass.
        confidence_level: also return an interval of each score under `confidence_interval`, with
            what comes beside it. The variance of the area under the ROC curve is that of DeLong et
            al. (1988), of the others that of the infinitesimal jackknife.
        interval: "auto", "wilson", or "bootstrap" for the normal interval.

    Raises:
        ValueError: an option is not what it may be, or asks of labels what only scores have.

    >>> predicted = PredictedScores(np.array([0.1, 0.4, 0.35, 0.8]), [0, 0, 1, 1])
    >>> scores = curve_scores(predicted)
    >>> scores["roc_auc"], round(scores["average_precision"], 4), round(scores["pr_auc"], 4)
    (0.75, 0.8333, 0.7917)
    """
    measured = measured_curves(
        predicted,
        curves=curves,
        calibration_bins=calibration_bins,
        calibration_strategy=calibration_strategy,
    )
    return measured.result | uncertainty(
        measured.estimators, confidence_level=confidence_level, interval=interval
    )


def measured_curves(
    predicted: PredictedScores | None,
    *,
    curves: bool = False,
    calibration_bins: int | None = None,
    calibration_strategy: CalibrationStrategy = "uniform",
    clusters: Clusters | None = None,
) -> CurveScores:
    """What `curve_scores` returns, with the functions that return intervals.

    >>> predicted = PredictedScores(np.array([0.1, 0.8]), [0, 1])
    >>> measured_curves(predicted).estimators["roc_auc"](confidence_level=0.95).method
    'korn_graubard'
    """
    if predicted is None:
        requests = {"curves": curves, "calibration_bins": calibration_bins is not None}
        for name in (name for name in requests if requests[name]):
            raise ValueError(f"{name} is about scores, but predictions are labels")
        return CurveScores({}, {})
    columns = predicted.scores, predicted.references, predicted.weights
    if predicted.binary:
        counts = [score_counts(*columns)]
        scores = binary_scores(counts[0], RowScores(*columns))
    else:
        counts = one_vs_rest_counts(*columns)
        scores = multiclass_scores(*columns, counts, predicted.task.average)
    bins = None
    if calibration_bins is not None:
        rows = RowScores(*columns) if predicted.binary else _most_probable(predicted)
        calibrated = counts[0] if predicted.binary else score_counts(*rows)
        bins = Calibration([], [], [], [])
        if calibrated.are_probabilities:
            bins = calibration(calibrated, calibration_bins, calibration_strategy)
        errors = calibration_errors(calibrated, bins)
        scores |= {name: with_variance(calibrated, rows, error) for name, error in errors.items()}

    result: dict[str, Any] = {name: score for name, (score, _, _) in scores.items()}
    if bins is not None:
        result["calibration"] = {
            "predicted": bins.predicted,
            "observed": bins.observed,
            "rows": bins.rows,
        }
    if curves:
        for name, curve in (("roc_curve", roc_curve), ("pr_curve", pr_curve)):
            points = [curve(binary) for binary in counts]
            result[name] = points[0] if predicted.binary else points
    greatest = dict.fromkeys(scores, 1.0) | {"log_loss": math.inf}
    greatest["brier"] = 1.0 if predicted.binary else 2.0
    estimators = score_estimators(scores, _row_counts(predicted, scores), greatest, clusters)
    return CurveScores(result, estimators)


def _row_counts(
    predicted: PredictedScores, scores: Mapping[str, ScoreWithVariance]
) -> dict[str, Any]:
    """How many rows each score rests on: positives, the scarcer of both, or all of them."""
    size = len(predicted.references)
    references = predicted.references[
        np.ones(size, bool) if predicted.weights is None else predicted.weights > 0
    ]
    counting_rows = references.size
    if predicted.binary:
        positives = [int(np.count_nonzero(references))]
    else:
        positives = np.bincount(references, minlength=predicted.scores.shape[1]).tolist()
    scarcer = [min(number, counting_rows - number) for number in positives]
    rows: dict[str, Any] = dict.fromkeys(scores, counting_rows)
    for name in AREAS:
        numbers = scarcer if name == "roc_auc" else positives
        rows[name] = numbers if isinstance(scores[name].score, list) else min(numbers)
    return rows


def _most_probable(predicted: PredictedScores) -> RowScores:
    """The probability of the most probable label of each row, and whether it is right."""
    labels = predicted.scores.argmax(axis=1)
    probabilities = predicted.scores[np.arange(len(labels)), labels]
    return RowScores(probabilities, labels == predicted.references, predicted.weights)


# Checks


def _finite_scores(predictions: Column) -> tuple[Floats, tuple[float, float]]:
    """The scores as an array, shape (rows,) or (rows, columns); the least and the greatest."""
    if isinstance(predictions, list) and isinstance(predictions[0], list):
        for row, values in enumerate(predictions):
            if len(values) != len(predictions[0]):
                raise RowError(
                    "predictions",
                    row,
                    f"has {len(values)} probabilities, but the rows before {len(predictions[0])}",
                )
    scores = np.asarray(predictions, dtype=np.float64)
    ends = (float(scores.min()), float(scores.max())) if scores.size else (0.0, 0.0)
    if not all(map(math.isfinite, ends)):
        position = np.unravel_index(int(np.isfinite(scores).argmin()), scores.shape)
        row, *columns = map(int, position)
        suffix = "".join(f"[{column}] " for column in columns)
        raise RowError(
            "predictions", row, f"{suffix}is {scores[position]}; a score is a finite number"
        )
    if scores.ndim == 2 and scores.shape[1] < 2:
        if not scores.size:
            raise ValueError("predictions[0] has no probabilities")
        scores = scores.ravel()
    return scores, ends


def _equal(column: Column, label: Label) -> Booleans:
    """In which rows a column has a label."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biu":
        equal: Booleans = column == label
        return equal
    return np.fromiter(map(label.__eq__, column), bool, len(column))


def _check_range(scores: Floats, ends: tuple[float, float], threshold: float) -> None:
    """Nothing, if the scores are from 0 to 1, or there is a threshold for others."""
    if threshold != 0.5 or (ends[0] >= 0 and ends[1] <= 1):
        return
    row = int(((scores < 0) | (scores > 1)).argmax())
    raise RowError(
        "predictions",
        row,
        f"is {scores[row]}, so these look like logits, for which a threshold of "
        "0.5 makes no sense; pass another, such as threshold=0.0, or probabilities",
    )


def _check_probabilities(scores: Floats) -> None:
    """Nothing, if these rows are probabilities."""
    sums = scores.sum(axis=1)
    wrong = (scores < 0).any(axis=1) | (scores > 1).any(axis=1)
    wrong |= np.abs(sums - 1) > _SUM_TOLERANCE
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(
            "predictions",
            row,
            f"is {scores[row].tolist()}; "
            "the probabilities of a row are from 0 to 1 and add up to 1",
        )
