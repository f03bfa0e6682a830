"""From columns of scores to their areas, losses, curves and calibration.

Everything about a binary task follows from how many positives and negatives have each score. A task
of several labels is one label against the rest, for each label in turn.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..curves.areas import AREAS, RowScores, ScoreWithVariance, binary_scores, with_variance
from ..curves.calibration_bins import Calibration, calibration, calibration_errors
from ..curves.calibration_intervals import calibration_interval
from ..curves.curves import det_curve, pr_curve, roc_curve
from ..curves.multiclass import MultiClass, multiclass_scores, top_k_hits
from ..curves.one_vs_rest import OneVsRest, mean_over_rows
from ..curves.partial_area import partial_roc_auc
from ..curves.score_counts import ScoreCounts, score_counts
from ..curves.score_intervals import score_estimators
from ..curves.score_rows import THRESHOLD, check_probabilities, check_range, finite_scores
from ..numbers.arrays import Booleans, Column, Floats, Integers
from ..numbers.checks import OptionError, check_sizes, check_weights
from ..numbers.contingency import ContingencyTable, Label, contingency, encoded
from ..numbers.domains import Bins, Finite, Level, Parsed, check_option, checked_options
from ..statistics.cluster_sums import Clusters
from ..statistics.methods import Method
from ..statistics.summary import Estimator, uncertainty
from .classes import Classes, as_labels, check_one_label, classes, score_classes
from .multilabel import has_one_label
from .multilabel_scores import IndicatorScores, multilabel_scores


class PredictedScores:
    """References, and for each row a score of the positive label or a probability of each label.

    Args:
        predictions: one float per row; or rows of floats that add up to 1, one per label, in the
            order of `labels`, else of the sorted labels of the references.
        references: one label per row.
        threshold: a row is predicted positive from this score on. Scores outside 0 to 1 need
            one that is stated. Of several labels the most probable is predicted, of equally
            probable ones the first.
        labels: as in `classes.classes`, as are the following.
        pos_label: the positive label, to which the scores belong.
        average: how to average over labels.
        sample_weight: a finite number a row, at least 0; None weighs all alike.
        probabilities: whether rows of floats are; otherwise they are scores of any size, for
            areas alone.

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
        self.columns = labels  # the labels of rows of probabilities, in the order of their columns
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
        """Whether there is one score per row."""
        return self.scores.ndim == 1

    @cached_property
    def rows(self) -> RowScores:
        """The scores of a binary task."""
        return RowScores(self.scores, self.references, self.weights)

    @cached_property
    def counts(self) -> ScoreCounts:
        """The counts of the scores of a binary task."""
        return score_counts(*self.rows)

    @cached_property
    def one_vs_rest(self) -> OneVsRest:
        """The probabilities of several labels."""
        return OneVsRest(self.scores, self.references, self.weights)

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
        task = score_classes(table.row_labels, **options)
        positive = task.positive or 0
        check_range(self.scores, self._range, threshold)
        positions = [1 - positive, positive]  # of the label for False, and of that for True
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
        self.task = classes(present, **options)
        columns = present if options["labels"] is None else self.task.labels
        width = self.scores.shape[1]
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
    """The scores of columns of scores, curves and bins that are asked for, and their intervals.

    Args:
        result: what a result holds.
        estimators: of each score the function that returns its interval, see `score_intervals`.
    """

    result: dict[str, Any]
    estimators: dict[str, Estimator]


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
    """The areas under the curves, log loss and Brier score; on request curves and calibration.

    Of several labels the areas are those of each label against the rest, averaged; log loss and
    Brier score those of all probabilities (Brier's original score, from 0 to 2); and calibration
    that of the most probable label. What is not defined is NaN: areas without positives, and the
    area under the ROC curve without negatives too; losses and calibration of scores outside 0 to 1.

    Args:
        predicted: references and scores; None where there are labels alone, which have no curves.
        multi_class: areas under the ROC curve of each label against the rest, "ovr", or of every
            two labels, "ovo".
        max_fpr: also return `partial_roc_auc`, up to this false positive rate.
        top_k: also return `top_<k>_accuracy`, the share of rows whose label is among the k most
            probable ones; of equal ones the later comes first, as in scikit-learn.
        curves: also return `roc_curve` and `pr_curve`, or those that are listed, of which there is
            `det_curve` too; of several labels a list of each.
        drop_intermediate: of curves only the points that matter; None for ROC curves alone.
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
    """What `curve_scores` returns, with the functions that return intervals.

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
            raise ValueError(f"{name} is about scores, but predictions are labels")
        return CurveScores({}, {})
    scores = _measured(predicted, multi_class)
    if max_fpr is not None:
        scores["partial_roc_auc"] = _partial_area(predicted, max_fpr)
    for size, hits in _top_k_hits(predicted, top_k):
        scores[f"top_{size}_accuracy"] = mean_over_rows(hits, predicted.weights)
    bins = None
    if calibration_bins is not None:
        rows, calibrated = _calibrated(predicted)
        bins = Calibration([], [], [], [])
        if calibrated.are_probabilities and predicted.probabilities:
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
    for name in _curve_names(curves):
        options = {} if drop_intermediate is None else {"drop_intermediate": drop_intermediate}
        counts = [predicted.counts] if predicted.binary else predicted.one_vs_rest.counts
        points = [_CURVES[name](binary, **options) for binary in counts]
        result[f"{name}_curve"] = points[0] if predicted.binary else points
    greatest = dict.fromkeys(scores, 1.0) | {"log_loss": math.inf}
    by_label = predicted.binary or isinstance(predicted, IndicatorScores)
    greatest["brier"] = 1.0 if by_label else 2.0
    estimators = score_estimators(
        scores, _row_counts(predicted, scores), greatest, clusters, predicted.weights
    )
    if bins is not None and bins.rows:
        estimators["ece"] = partial(
            calibration_interval,
            scores["ece"].score,
            rows,
            np.array(bins.edges[1]),
            np.array(bins.edges[0]),
            _clusters_of_rows(clusters, rows, predicted),
        )
    return CurveScores(result, estimators)


_CURVES: dict[str, Callable[..., dict[str, list[float]]]] = {
    "roc": roc_curve,
    "pr": pr_curve,
    "det": det_curve,
}


def _clusters_of_rows(
    clusters: Clusters | None, rows: RowScores, predicted: PredictedScores | IndicatorScores
) -> Integers | None:
    """The cluster of each row that is calibrated; rows of several labels count once for each."""
    if clusters is None:
        return None
    if isinstance(predicted, IndicatorScores):
        return np.repeat(clusters.numbers, rows.scores.size // clusters.numbers.size)
    return clusters.numbers


def _curve_names(curves: Curves) -> list[str]:
    """The names of the curves that are asked for."""
    if isinstance(curves, bool):
        return ["roc", "pr"] if curves else []
    return list(dict.fromkeys([curves] if isinstance(curves, str) else curves))


def _partial_area(
    predicted: PredictedScores | IndicatorScores, max_fpr: float
) -> ScoreWithVariance:
    """The area under the left part of the ROC curve."""
    if isinstance(predicted, PredictedScores) and predicted.binary:
        measured = partial_roc_auc(predicted.counts, max_fpr)
        return with_variance(predicted.counts, predicted.rows, measured)
    raise OptionError("max_fpr", "is about scores of two labels")


def _measured(
    predicted: PredictedScores | IndicatorScores, multi_class: MultiClass
) -> dict[str, ScoreWithVariance]:
    """The areas and losses."""
    if isinstance(predicted, IndicatorScores):
        if multi_class == "ovo":
            raise OptionError("multi_class", "'ovo' is about one label per row, not several")
        return multilabel_scores(predicted.one_vs_rest, predicted.task.average)
    if not predicted.binary:
        return multiclass_scores(
            predicted.one_vs_rest,
            predicted.task.average,
            multi_class,
            probabilities=predicted.probabilities,
        )
    return binary_scores(predicted.counts, predicted.rows)


def _calibrated(predicted: PredictedScores | IndicatorScores) -> tuple[RowScores, ScoreCounts]:
    """What is calibrated, and its counts.

    Of several labels of which one holds, it is the probability of the most probable one, and
    whether it is right; of several of which any may hold, each of their scores.
    """
    if isinstance(predicted, IndicatorScores):
        rows = predicted.one_vs_rest.flat_rows
    elif predicted.binary:
        return predicted.rows, predicted.counts
    else:
        labels = predicted.scores.argmax(axis=1)
        probabilities = predicted.scores[np.arange(len(labels)), labels]
        rows = RowScores(probabilities, labels == predicted.references, predicted.weights)
    return rows, score_counts(*rows)


def _top_k_hits(
    predicted: PredictedScores | IndicatorScores, top_k: int | Sequence[int] | None
) -> list[tuple[int, Floats]]:
    """For each k whether the rows are right, if that is asked for."""
    if top_k is None:
        return []
    if predicted.binary or isinstance(predicted, IndicatorScores):
        raise ValueError("top_k is about probabilities of several labels, of which one is right")
    sizes = check_sizes("top_k", top_k)
    hits = top_k_hits(predicted.scores, predicted.references, sizes)
    return list(zip(sizes, hits, strict=True))


def _row_counts(
    predicted: PredictedScores | IndicatorScores, scores: Mapping[str, ScoreWithVariance]
) -> dict[str, Any]:
    """How many rows each score rests on: positives, the scarcer of both, or all of them."""
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
    for name, (score, _, _) in scores.items():
        numbers = scarcer if name.endswith("roc_auc") else positives
        if predicted.task.average == "samples":
            continue
        if isinstance(score, list):
            rows[name] = numbers if name in AREAS else [counting_rows] * len(score)
        elif name in AREAS or name == "partial_roc_auc":
            rows[name] = min(numbers)
    return rows


def _equal(column: Column, label: Label) -> Booleans:
    """In which rows a column has a label."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biu":
        equal: Booleans = column == label
        return equal
    return np.fromiter(map(label.__eq__, column), bool, len(column))
